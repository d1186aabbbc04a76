//! The facade: owns the position, the settings, the table and the threads, and runs one
//! search at a time.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::eval::nnue::Network;
use crate::eval::{self, score::Value};
use crate::rules::{Position, Variant};
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
    /// Evaluate with the network, not with the handcrafted terms.
    pub use_nnue: bool,
    /// File of the network; the one inside the binary without it.
    pub eval_file: Option<PathBuf>,
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
            use_nnue: true,
            eval_file: None,
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
    net: Arc<Network>,
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
    /// When 16 MiB and one thread cannot be had, or the binary holds no network of its own.
    pub fn new() -> Engine {
        Engine::with_settings(Settings::default()).expect("a small table, one thread, a network")
    }

    /// An engine with the given settings at the start position.
    ///
    /// # Errors
    /// A message when the memory or the threads cannot be had, or the network cannot be read.
    pub fn with_settings(settings: Settings) -> Result<Engine, String> {
        Ok(Engine {
            position: Position::startpos(Variant::default()),
            table: Table::new(settings.hash)?,
            pool: Pool::new(settings.threads)?,
            net: load(settings.eval_file.as_deref())?,
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
    /// them forget, another evaluation does both.
    ///
    /// # Errors
    /// A message when the memory or the threads cannot be had or a network cannot be read;
    /// the old settings stay.
    pub fn configure(&mut self, settings: Settings) -> Result<(), String> {
        let pool = (settings.threads != self.settings.threads)
            .then(|| Pool::new(settings.threads))
            .transpose()?;
        let table = (settings.hash != self.settings.hash)
            .then(|| Table::new(settings.hash))
            .transpose()?;
        let net = (settings.eval_file != self.settings.eval_file)
            .then(|| load(settings.eval_file.as_deref()))
            .transpose()?;
        let revalued = net.is_some() || settings.use_nnue != self.settings.use_nnue;
        if let Some(net) = net {
            self.net = net;
        }
        if let Some(pool) = pool {
            self.pool = pool;
        }
        if let Some(table) = table {
            self.table = table;
        }
        self.settings = settings;
        if revalued {
            self.clear();
        }
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
        let quiet = eval::is_evaluable(&self.position) && !self.position.in_check();
        quiet.then(|| eval::evaluate(&self.position, self.net()))
    }

    /// The network in use; `None` when the handcrafted terms are.
    pub fn net(&self) -> Option<&Network> {
        self.settings.use_nnue.then_some(&*self.net)
    }

    /// The network that is there, in use or not.
    pub fn loaded_net(&self) -> &Network {
        &self.net
    }

    /// Searches the position until a limit, or until stopped through the control, which
    /// must have been armed (see [`Control::arm`]).
    pub fn go(&mut self, limits: &Limits, listener: &dyn Listener) -> Summary {
        let setup = SearchSetup {
            table: &self.table,
            control: &self.control,
            net: self.net(),
            multipv: self.settings.multipv,
            overhead: Duration::from_millis(self.settings.move_overhead),
            #[cfg(feature = "tune")]
            tuning: &self.settings.tuning,
        };
        self.pool.search(&self.position, limits, &setup, listener)
    }
}

/// The network of a file, or the one inside the binary.
fn load(file: Option<&Path>) -> Result<Arc<Network>, String> {
    let Some(file) = file else {
        let why = |error| format!("the network inside this binary is unusable: {error}");
        return Network::embedded().map_err(why);
    };
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let net = Network::parse(&bytes).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(Arc::new(net))
}
