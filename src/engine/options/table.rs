//! What an option is, the values of all options, and their table.
//! Invariant: a setter receives only values that are valid for the type of its option, and the
//! default values are those of a new engine.

use std::path::PathBuf;

use crate::engine::{Engine, Level, Settings};
use crate::rules::Variant;
#[cfg(feature = "tune")]
use crate::search::Param;

/// An option: its name and its type.
#[derive(Clone, Copy, Debug)]
pub struct UciOption {
    /// The name, as a GUI displays it.
    pub name: &'static str,
    /// The type, with access to the value.
    pub option_type: OptionType,
}

/// The type of an option, with functions that read its value and set a valid one. The default is
/// what `get` returns for [`UciOptions::default`].
#[allow(missing_docs, reason = "each type has the same functions")]
#[derive(Clone, Copy, Debug)]
pub enum OptionType {
    /// `true` or `false`.
    Check { get: fn(&UciOptions) -> bool, set: fn(&mut UciOptions, bool) },
    /// A whole number.
    Spin { min: i64, max: i64, get: fn(&UciOptions) -> i64, set: fn(&mut UciOptions, i64) },
    /// One of several words.
    Combo {
        choices: &'static [&'static str],
        get: fn(&UciOptions) -> &'static str,
        set: fn(&mut UciOptions, &'static str),
    },
    /// Any text, such as a path.
    Text { get: fn(&UciOptions) -> String, set: fn(&mut UciOptions, &str) },
    /// A command without a value.
    Button(fn(&mut Engine)),
    /// A search parameter.
    #[cfg(feature = "tune")]
    Param(&'static Param),
}

/// The current values of all options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UciOptions {
    /// The engine's own settings.
    pub settings: Settings,
    /// The variant under which positions are read.
    pub variant: Variant,
    /// Castling moves are written as king takes rook.
    pub chess960: bool,
    /// `info` lines include win, draw and loss probabilities.
    pub show_wdl: bool,
    /// The GUI analyses rather than plays; book moves are disabled.
    pub analyse_mode: bool,
    /// The GUI may send `go ponder`. It has no effect: pondering is always supported.
    pub ponder: bool,
    /// The file that the lines of a UCI session are appended to.
    pub log_file: Option<PathBuf>,
    /// The rating (Elo) to play at when `UCI_LimitStrength` is set.
    pub elo: u16,
}

impl Default for UciOptions {
    fn default() -> UciOptions {
        UciOptions {
            settings: Settings::default(),
            variant: Variant::default(),
            chess960: false,
            show_wdl: false,
            analyse_mode: false,
            ponder: false,
            log_file: None,
            elo: Level::MAX_ELO,
        }
    }
}

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

/// An option for a file; an empty value and `$none` stand for none.
macro_rules! path {
    ($name:expr, $none:expr, $($field:ident).+) => {
        option($name, OptionType::Text {
            get: |options| match &options.$($field).+ {
                Some(path) => path.display().to_string(),
                None => $none.to_owned(),
            },
            set: |options, value| {
                let is_none = ["", $none].contains(&value);
                options.$($field).+ = (!is_none).then(|| PathBuf::from(value));
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
    check!("RefutationBook", settings.refutation_book),
];

/// The options that have no effect where there are no files.
pub const FILE_OPTIONS: &[UciOption] = &[
    path!("EvalFile", INTERNAL, settings.eval_file),
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
    path!("BookFile", "", settings.book_file),
    check!("BookBest", settings.book_best),
    spin!("BookDepth", 1..=1000, settings.book_depth),
    path!(LOG_FILE, "", log_file),
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
