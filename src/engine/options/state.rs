//! The values of all options, and what a change of an option requires.
//! Invariant: the default values are those of a new engine.

use std::path::PathBuf;

use crate::engine::{Level, Settings};
use crate::rules::Variant;

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

/// What the owner of the engine must do after an option has been set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionEffect {
    /// Nothing; the next command reads the new value.
    None,
    /// Pass the settings to the engine.
    Configure,
    /// Clear the TT and the histories.
    Clear,
    /// Reload the position under the new variant.
    Variant,
}
