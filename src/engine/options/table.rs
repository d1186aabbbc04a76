//! The table of all options.
//! Invariant: a setter receives only values that are valid for the type of its option.

use std::path::{Path, PathBuf};

use super::state::{OptionEffect, UciOptions};
use crate::engine::{Level, Settings};
use crate::rules::Variant;
use crate::util;

/// The type of an option, with its getter and setter.
pub enum OptionAccess {
    Check {
        get: fn(&UciOptions) -> bool,
        set: fn(&mut UciOptions, bool),
    },
    Spin {
        min: i64,
        max: i64,
        get: fn(&UciOptions) -> i64,
        set: fn(&mut UciOptions, i64),
    },
    Combo {
        choices: &'static [&'static str],
        get: fn(&UciOptions) -> &'static str,
        set: fn(&mut UciOptions, &'static str),
    },
    Text {
        get: fn(&UciOptions) -> String,
        set: fn(&mut UciOptions, &str),
    },
    Button,
}

/// The UCI spelling of an empty string value.
pub const EMPTY: &str = "<empty>";
/// The option for the log of a session, which its reader sets: all later lines are in it.
pub(crate) const LOG_FILE: &str = "Debug Log File";

/// The options without effect where there are no files.
pub const NEED_FILES: [&str; 10] = [
    "EvalFile",
    "SyzygyPath",
    "SyzygyProbeDepth",
    "Syzygy50MoveRule",
    "SyzygyProbeLimit",
    "OwnBook",
    "BookFile",
    "BookBest",
    "BookDepth",
    LOG_FILE,
];

/// A row of the table.
pub struct OptionSpec {
    pub(super) name: &'static str,
    pub(super) access: OptionAccess,
    pub(super) effect: OptionEffect,
}

const fn option(name: &'static str, effect: OptionEffect, access: OptionAccess) -> OptionSpec {
    OptionSpec {
        name,
        effect,
        access,
    }
}

const VARIANTS: [&str; 2] = [Variant::Atomic.name(), Variant::NoCheckAtomic.name()];

// GUIs store spin values in 32 bits and drop an option whose range does not fit.
const _: () = assert!(Settings::MAX_HASH <= i32::MAX as usize);

/// The `EvalFile` value that selects the embedded network.
const INTERNAL: &str = "<internal>";

/// All options. A setter receives only numbers from `min` to `max`, so its casts are lossless.
pub const OPTIONS: &[OptionSpec] = &[
    option(
        "Hash",
        OptionEffect::Configure,
        OptionAccess::Spin {
            min: 1,
            max: Settings::MAX_HASH as i64,
            get: |state| state.settings.hash as i64,
            set: |state, value| state.settings.hash = value as usize,
        },
    ),
    option("Clear Hash", OptionEffect::Clear, OptionAccess::Button),
    option(
        "Threads",
        OptionEffect::Configure,
        OptionAccess::Spin {
            min: 1,
            max: Settings::MAX_THREADS as i64,
            get: |state| state.settings.threads as i64,
            set: |state, value| state.settings.threads = value as usize,
        },
    ),
    option(
        "Ponder",
        OptionEffect::None,
        OptionAccess::Check {
            get: |state| state.ponder,
            set: |state, value| state.ponder = value,
        },
    ),
    option(
        "MultiPV",
        OptionEffect::Configure,
        OptionAccess::Spin {
            min: 1,
            max: Settings::MAX_MULTIPV as i64,
            get: |state| state.settings.multipv as i64,
            set: |state, value| state.settings.multipv = value as usize,
        },
    ),
    option(
        "Move Overhead",
        OptionEffect::Configure,
        OptionAccess::Spin {
            min: 0,
            max: Settings::MAX_OVERHEAD as i64,
            get: |state| state.settings.move_overhead as i64,
            set: |state, value| state.settings.move_overhead = value as u64,
        },
    ),
    option(
        "nodestime",
        OptionEffect::Configure,
        OptionAccess::Spin {
            min: 0,
            max: Settings::MAX_NODE_TIME as i64,
            get: |state| state.settings.node_time as i64,
            set: |state, value| state.settings.node_time = value as u64,
        },
    ),
    option(
        "Use NNUE",
        OptionEffect::Configure,
        OptionAccess::Check {
            get: |state| state.settings.use_nnue,
            set: |state, value| state.settings.use_nnue = value,
        },
    ),
    option(
        "EvalFile",
        OptionEffect::Configure,
        OptionAccess::Text {
            get: |state| match &state.settings.eval_file {
                Some(path) => path.display().to_string(),
                None => INTERNAL.to_owned(),
            },
            set: |state, value| {
                let is_internal = ["", EMPTY, INTERNAL].contains(&value);
                state.settings.eval_file = (!is_internal).then(|| PathBuf::from(value));
            },
        },
    ),
    option(
        "SyzygyPath",
        OptionEffect::Configure,
        OptionAccess::Text {
            get: |state| state.settings.syzygy_path.to_string_lossy().into_owned(),
            set: |state, text| state.settings.syzygy_path = text.into(),
        },
    ),
    option(
        "SyzygyProbeDepth",
        OptionEffect::Configure,
        OptionAccess::Spin {
            min: 1,
            max: Settings::MAX_PROBE_DEPTH as i64,
            get: |state| state.settings.syzygy_probe_depth.into(),
            set: |state, value| state.settings.syzygy_probe_depth = value as i32,
        },
    ),
    option(
        "Syzygy50MoveRule",
        OptionEffect::Configure,
        OptionAccess::Check {
            get: |state| state.settings.syzygy_50_move_rule,
            set: |state, value| state.settings.syzygy_50_move_rule = value,
        },
    ),
    option(
        "SyzygyProbeLimit",
        OptionEffect::Configure,
        OptionAccess::Spin {
            min: 0,
            max: Settings::MAX_PROBE_LIMIT as i64,
            get: |state| state.settings.syzygy_probe_limit.into(),
            set: |state, value| state.settings.syzygy_probe_limit = value as u32,
        },
    ),
    option(
        "OwnBook",
        OptionEffect::Configure,
        OptionAccess::Check {
            get: |state| state.settings.own_book,
            set: |state, value| state.settings.own_book = value,
        },
    ),
    option(
        "BookFile",
        OptionEffect::Configure,
        OptionAccess::Text {
            get: |state| match &state.settings.book_file {
                Some(path) => path.display().to_string(),
                None => String::new(),
            },
            set: |state, value| {
                state.settings.book_file = (!value.is_empty()).then(|| PathBuf::from(value));
            },
        },
    ),
    option(
        "BookBest",
        OptionEffect::Configure,
        OptionAccess::Check {
            get: |state| state.settings.book_best,
            set: |state, value| state.settings.book_best = value,
        },
    ),
    option(
        "BookDepth",
        OptionEffect::Configure,
        OptionAccess::Spin {
            min: 1,
            max: Settings::MAX_BOOK_DEPTH as i64,
            get: |state| state.settings.book_depth.into(),
            set: |state, value| state.settings.book_depth = value as u16,
        },
    ),
    option(
        LOG_FILE,
        OptionEffect::None,
        OptionAccess::Text {
            get: |state| match &state.log_file {
                Some(path) => path.display().to_string(),
                None => String::new(),
            },
            set: |state, value| {
                let path = util::expand_home(Path::new(value));
                state.log_file = (!value.is_empty()).then_some(path);
            },
        },
    ),
    option(
        "UCI_Variant",
        OptionEffect::Variant,
        OptionAccess::Combo {
            choices: &VARIANTS,
            get: |state| state.variant.name(),
            set: |state, value| state.variant = Variant::from_name(value).unwrap_or_default(),
        },
    ),
    option(
        "UCI_Chess960",
        OptionEffect::None,
        OptionAccess::Check {
            get: |state| state.chess960,
            set: |state, value| state.chess960 = value,
        },
    ),
    option(
        "UCI_AnalyseMode",
        OptionEffect::None,
        OptionAccess::Check {
            get: |state| state.analyse_mode,
            set: |state, value| state.analyse_mode = value,
        },
    ),
    option(
        "UCI_ShowWDL",
        OptionEffect::None,
        OptionAccess::Check {
            get: |state| state.show_wdl,
            set: |state, value| state.show_wdl = value,
        },
    ),
    option(
        "Skill Level",
        OptionEffect::Configure,
        OptionAccess::Spin {
            min: 0,
            max: Level::FULL as i64,
            get: |state| state.settings.skill.into(),
            set: |state, value| state.settings.skill = value as u8,
        },
    ),
    option(
        "UCI_LimitStrength",
        OptionEffect::Configure,
        OptionAccess::Check {
            get: |state| state.settings.elo.is_some(),
            set: |state, value| state.settings.elo = value.then_some(state.elo),
        },
    ),
    option(
        "UCI_Elo",
        OptionEffect::Configure,
        OptionAccess::Spin {
            min: Level::MIN_ELO as i64,
            max: Level::MAX_ELO as i64,
            get: |state| state.elo.into(),
            set: |state, value| {
                state.elo = value as u16;
                state.settings.elo = state.settings.elo.map(|_| state.elo);
            },
        },
    ),
];
