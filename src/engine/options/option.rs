//! What an option is, and the values of all options.
//! Invariant: the default values are those of a new engine.

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
    Check {
        get: fn(&UciOptions) -> bool,
        set: fn(&mut UciOptions, bool),
    },
    /// A whole number.
    Spin {
        min: i64,
        max: i64,
        get: fn(&UciOptions) -> i64,
        set: fn(&mut UciOptions, i64),
    },
    /// One of several words.
    Combo {
        choices: &'static [&'static str],
        get: fn(&UciOptions) -> &'static str,
        set: fn(&mut UciOptions, &'static str),
    },
    /// Any text, such as a path.
    Text {
        get: fn(&UciOptions) -> String,
        set: fn(&mut UciOptions, &str),
    },
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
