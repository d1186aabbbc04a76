//! The table of all options.
//! Invariant: a setter receives only values that are valid for the type of its option.

use std::path::PathBuf;

use super::option::{OptionType, UciOption};
use crate::engine::{Engine, Level, Settings};
use crate::rules::Variant;

/// The UCI spelling of an empty string value.
pub const EMPTY: &str = "<empty>";
/// The option for the log of a session, which its reader sets: all later lines are in it.
pub(crate) const LOG_FILE: &str = "Debug Log File";

/// The `EvalFile` value that selects the embedded network.
const INTERNAL: &str = "<internal>";

const VARIANTS: [&str; 2] = [Variant::Atomic.name(), Variant::NoCheckAtomic.name()];

// GUIs store spin values in 32 bits and drop an option whose range does not fit.
const _: () = assert!(Settings::MAX_HASH <= i32::MAX as usize);

const fn option(name: &'static str, option_type: OptionType) -> UciOption {
    UciOption { name, option_type }
}

/// A `check` option for a field of the options.
macro_rules! check {
    ($name:literal, $($field:ident).+) => {
        option($name, OptionType::Check {
            get: |options| options.$($field).+,
            set: |options, value| options.$($field).+ = value,
        })
    };
}

/// A `spin` option for a field of the options. Its type contains the range, so the casts are
/// lossless.
macro_rules! spin {
    ($name:literal, $min:literal..=$max:expr, $($field:ident).+) => {
        option($name, OptionType::Spin {
            min: $min,
            max: $max as i64,
            get: |options| options.$($field).+ as i64,
            set: |options, value| options.$($field).+ = value as _,
        })
    };
}

/// An option for a file; an empty value stands for none.
macro_rules! path {
    ($name:expr, $($field:ident).+) => {
        option($name, OptionType::Text {
            get: |options| match &options.$($field).+ {
                Some(path) => path.display().to_string(),
                None => String::new(),
            },
            set: |options, value| {
                options.$($field).+ = (!value.is_empty()).then(|| PathBuf::from(value));
            },
        })
    };
}

/// The options in the order in which `uci` lists them: these first.
pub const ENGINE_OPTIONS: &[UciOption] = &[
    spin!("Hash", 1..=Settings::MAX_HASH, settings.hash),
    option("Clear Hash", OptionType::Button(Engine::clear)),
    spin!("Threads", 1..=Settings::MAX_THREADS, settings.threads),
    check!("Ponder", ponder),
    spin!("MultiPV", 1..=Settings::MAX_MULTIPV, settings.multipv),
    spin!("Move Overhead", 0..=5000, settings.move_overhead),
    spin!("nodestime", 0..=10_000, settings.node_time),
    check!("Use NNUE", settings.use_nnue),
];

/// The options that have no effect where there are no files.
pub const FILE_OPTIONS: &[UciOption] = &[
    option(
        "EvalFile",
        OptionType::Text {
            get: |options| match &options.settings.eval_file {
                Some(path) => path.display().to_string(),
                None => INTERNAL.to_owned(),
            },
            set: |options, value| {
                let is_internal = ["", EMPTY, INTERNAL].contains(&value);
                options.settings.eval_file = (!is_internal).then(|| PathBuf::from(value));
            },
        },
    ),
    option(
        "SyzygyPath",
        OptionType::Text {
            get: |options| options.settings.syzygy_path.to_string_lossy().into_owned(),
            set: |options, value| options.settings.syzygy_path = value.into(),
        },
    ),
    spin!("SyzygyProbeDepth", 1..=100, settings.syzygy_probe_depth),
    check!("Syzygy50MoveRule", settings.syzygy_50_move_rule),
    spin!("SyzygyProbeLimit", 0..=7, settings.syzygy_probe_limit),
    check!("OwnBook", settings.own_book),
    path!("BookFile", settings.book_file),
    check!("BookBest", settings.book_best),
    spin!("BookDepth", 1..=1000, settings.book_depth),
    path!(LOG_FILE, log_file),
];

/// The options of the game and of its players, most of them defined by UCI.
pub const GAME_OPTIONS: &[UciOption] = &[
    option(
        "UCI_Variant",
        OptionType::Combo {
            choices: &VARIANTS,
            get: |options| options.variant.name(),
            set: |options, value| options.variant = Variant::from_name(value).unwrap_or_default(),
        },
    ),
    check!("UCI_Chess960", chess960),
    check!("UCI_AnalyseMode", analyse_mode),
    check!("UCI_ShowWDL", show_wdl),
    spin!("Skill Level", 0..=Level::FULL, settings.skill),
    option(
        "UCI_LimitStrength",
        OptionType::Check {
            get: |options| options.settings.elo.is_some(),
            set: |options, value| options.settings.elo = value.then_some(options.elo),
        },
    ),
    option(
        "UCI_Elo",
        OptionType::Spin {
            min: Level::MIN_ELO as i64,
            max: Level::MAX_ELO as i64,
            get: |options| options.elo.into(),
            set: |options, value| {
                options.elo = value as u16;
                options.settings.elo = options.settings.elo.map(|_| options.elo);
            },
        },
    ),
];
