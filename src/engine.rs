//! The facade: owns the position, the settings, the table and the threads, and runs one
//! search at a time.

use std::sync::Arc;
use std::time::Duration;

use crate::eval::{self, score::Value};
use crate::proof::{self, Answer, Task, Watch};
use crate::rules::{Color, Move, Position, Variant};
use crate::search::{Control, Limits, Listener, Pool, SearchSetup, Summary, Table};

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
    /// Values of the search's numbers.
    #[cfg(feature = "tune")]
    pub tuning: crate::search::Tuning,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hash: 16,
            threads: 1,
            multipv: 1,
            move_overhead: 10,
            #[cfg(feature = "tune")]
            tuning: crate::search::Tuning::default(),
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
    table: Table,
    pool: Pool,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new()
    }
}

impl Engine {
    /// An engine with default settings at the start position.
    ///
    /// # Panics
    /// When 16 MiB and one thread cannot be had.
    pub fn new() -> Engine {
        Engine::with_settings(Settings::default()).expect("a small table and one thread")
    }

    /// An engine with the given settings at the start position.
    ///
    /// # Errors
    /// A message when the memory or the threads cannot be had.
    pub fn with_settings(settings: Settings) -> Result<Engine, String> {
        Ok(Engine {
            position: Position::startpos(Variant::default()),
            table: Table::new(settings.hash)?,
            pool: Pool::new(settings.threads)?,
            settings,
            control: Arc::default(),
        })
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

    /// Applies settings; a new table size empties the table, a new number of threads makes
    /// them forget.
    ///
    /// # Errors
    /// A message when the memory or the threads cannot be had; the old settings stay.
    pub fn configure(&mut self, settings: Settings) -> Result<(), String> {
        let pool = (settings.threads != self.settings.threads)
            .then(|| Pool::new(settings.threads))
            .transpose()?;
        let table = (settings.hash != self.settings.hash)
            .then(|| Table::new(settings.hash))
            .transpose()?;
        if let Some(pool) = pool {
            self.pool = pool;
        }
        if let Some(table) = table {
            self.table = table;
        }
        self.settings = settings;
        Ok(())
    }

    /// Forgets everything learnt in earlier searches.
    pub fn clear(&mut self) {
        self.pool.clear(&mut self.table);
    }

    /// The switches of the present or next search.
    pub fn control(&self) -> Arc<Control> {
        Arc::clone(&self.control)
    }

    /// Static evaluation in centipawns from the side to move's view; `None` in check and
    /// once a king is gone, where it means nothing.
    pub fn evaluate(&self) -> Option<Value> {
        let kings = Color::ALL
            .iter()
            .all(|&color| self.position.king(color).is_some());
        (kings && !self.position.in_check()).then(|| eval::evaluate(&self.position))
    }

    /// Searches the position until a limit, or until stopped through the control, which
    /// must have been armed (see [`Control::arm`]).
    pub fn go(&mut self, limits: &Limits, listener: &dyn Listener) -> Summary {
        let setup = SearchSetup {
            table: &self.table,
            control: &self.control,
            multipv: self.settings.multipv,
            overhead: Duration::from_millis(self.settings.move_overhead),
            #[cfg(feature = "tune")]
            tuning: &self.settings.tuning,
        };
        self.pool.search(&self.position, limits, &setup, listener)
    }

    /// Looks for a forced win from the position, with `first` if that is given, and proves
    /// it. The solver has a table of its own, of the size set for the search's, which lives
    /// only as long as this call.
    ///
    /// # Errors
    /// A message when the memory or the thread cannot be had.
    pub fn prove(
        &self,
        first: Option<Move>,
        task: &Task,
        watch: &dyn Watch,
    ) -> Result<Answer, String> {
        let hash = self.settings.hash;
        let task = Task { hash, ..*task };
        match first {
            Some(mv) => proof::solve_after(&self.position, mv, &task, watch),
            None => proof::solve(&self.position, &task, watch),
        }
    }
}
