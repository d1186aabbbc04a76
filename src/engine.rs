//! The facade: owns the position, the settings, the table and the threads, and runs one
//! search at a time.

use std::sync::Arc;

use crate::eval::score::{self, Value};
use crate::rules::{Position, Variant};
use crate::search::{Control, Limits, Listener, Summary};

/// What a user may set, with the value it has at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Table size in mebibytes.
    pub hash: usize,
    /// Searching threads.
    pub threads: usize,
    /// Number of best lines to report.
    pub multipv: usize,
    /// Milliseconds kept back for each move against delays outside the engine.
    pub move_overhead: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hash: 16,
            threads: 1,
            multipv: 1,
            move_overhead: 10,
        }
    }
}

impl Settings {
    /// Largest table in mebibytes.
    pub const MAX_HASH: usize = 1 << 20;
    /// Most threads.
    pub const MAX_THREADS: usize = 1024;
    /// Most lines.
    pub const MAX_MULTIPV: usize = 256;
    /// Longest overhead in milliseconds.
    pub const MAX_OVERHEAD: u64 = 5000;
}

/// An engine with one position.
pub struct Engine {
    position: Position,
    settings: Settings,
    control: Arc<Control>,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new()
    }
}

impl Engine {
    /// An engine with default settings at the start position.
    pub fn new() -> Engine {
        Engine {
            position: Position::startpos(Variant::default()),
            settings: Settings::default(),
            control: Arc::default(),
        }
    }

    /// The present position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Sets the position, with its history.
    pub fn set_position(&mut self, position: Position) {
        self.position = position;
    }

    /// The present settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Applies settings; a new table size empties the table.
    ///
    /// # Errors
    /// A message when the memory or the threads cannot be had; the old settings stay.
    pub fn configure(&mut self, settings: Settings) -> Result<(), String> {
        self.settings = settings;
        Ok(())
    }

    /// Forgets everything learnt in earlier searches.
    pub fn clear(&mut self) {}

    /// The switches of the present or next search.
    pub fn control(&self) -> Arc<Control> {
        Arc::clone(&self.control)
    }

    /// Static evaluation in centipawns from the side to move's view.
    pub fn evaluate(&self) -> Value {
        score::DRAW
    }

    /// Searches the position until a limit, or until stopped through the control, which
    /// must have been armed (see [`Control::arm`]).
    pub fn go(&mut self, _limits: &Limits, _listener: &dyn Listener) -> Summary {
        Summary {
            best: self.position.legal_moves().first().copied(),
            ponder: None,
            value: score::DRAW,
            depth: 0,
            nodes: 0,
            time: std::time::Duration::ZERO,
        }
    }
}
