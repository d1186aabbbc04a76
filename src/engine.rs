//! The facade: owns the position, the settings, the table and the threads, and runs one
//! search at a time, at full strength or at a level below.

mod level;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::eval::nnue::Network;
use crate::eval::{self, score::Value};
use crate::opening::{Book, BookMove, Choice};
use crate::proof::{self, Answer, Task, Watch};
use crate::rules::{Move, Position, Variant};
use crate::search::{Control, Limits, Listener, Pool, SearchSetup, Summary, Table, TableUse};
use crate::tablebase::Tablebase;

pub use level::Level;
use level::Lines;

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
    /// Nodes that count as a millisecond of the clock; 0 for real time.
    pub node_time: u64,
    /// Evaluate with the network, not with the handcrafted terms.
    pub use_nnue: bool,
    /// File of the network; the one inside the binary without it.
    pub eval_file: Option<PathBuf>,
    /// Directories of Syzygy tables, written as in `PATH`; empty for none.
    pub syzygy_path: OsString,
    /// Remaining depth from which positions of the largest tables asked are probed.
    pub syzygy_probe_depth: i32,
    /// Wins that the fifty-move rule takes away count as draws.
    pub syzygy_50_move_rule: bool,
    /// Most men on the board, kings included, of positions that are probed.
    pub syzygy_probe_limit: u32,
    /// Play from the book while it has moves.
    pub own_book: bool,
    /// File of the book.
    pub book_file: Option<PathBuf>,
    /// Play the book's best moves only, instead of choosing by weight.
    pub book_best: bool,
    /// The last move of a game, counted in pairs from 1, that may come from the book.
    pub book_depth: u16,
    /// How strong to play, up to [`Level::FULL`].
    pub skill: u8,
    /// How strong to play instead, where it is set: an Elo.
    pub elo: Option<u16>,
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
            node_time: 0,
            use_nnue: true,
            eval_file: None,
            syzygy_path: OsString::new(),
            syzygy_probe_depth: 1,
            syzygy_50_move_rule: true,
            syzygy_probe_limit: Settings::MAX_PROBE_LIMIT,
            own_book: false,
            book_file: None,
            book_best: false,
            book_depth: Settings::MAX_BOOK_DEPTH,
            skill: Level::FULL,
            elo: None,
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
    /// Most nodes for a millisecond.
    pub const MAX_NODE_TIME: u64 = 10_000;
    /// Largest depth from which tables are probed.
    pub const MAX_PROBE_DEPTH: i32 = 100;
    /// More men than any table has.
    pub const MAX_PROBE_LIMIT: u32 = 7;

    /// More moves than any book has.
    pub const MAX_BOOK_DEPTH: u16 = 1000;

    fn book(&self) -> Result<Option<Book>, String> {
        self.book_file.as_deref().map(Book::open).transpose()
    }

    /// The level to play at; `None` for full strength.
    pub fn level(&self) -> Option<Level> {
        self.elo.map(Level::of_elo).or(Level::of_skill(self.skill))
    }

    fn tables(&self) -> Result<Option<Tablebase>, String> {
        if self.syzygy_path.is_empty() {
            return Ok(None);
        }
        Tablebase::open(&self.syzygy_path).map(Some)
    }
}

/// An engine with one position.
pub struct Engine {
    position: Position,
    settings: Settings,
    control: Arc<Control>,
    table: Table,
    pool: Pool,
    net: Arc<Network>,
    tables: Option<Tablebase>,
    book: Option<Book>,
    rng: fastrand::Rng,
    variety: u64,
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
    /// A message when the memory, the threads, the network, the tablebases or the book cannot
    /// be had.
    pub fn with_settings(settings: Settings) -> Result<Engine, String> {
        Ok(Engine {
            position: Position::startpos(Variant::default()),
            table: Table::new(settings.hash)?,
            pool: Pool::new(settings.threads)?,
            net: load(settings.eval_file.as_deref())?,
            tables: settings.tables()?,
            book: settings.book()?,
            rng: fastrand::Rng::new(),
            settings,
            control: Arc::default(),
            variety: 0,
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

    /// The Syzygy tables of the present settings.
    pub fn tables(&self) -> Option<&Tablebase> {
        self.tables.as_ref()
    }

    /// Applies settings; a new table size empties the table, a new number of threads makes
    /// them forget, and another evaluation or other tablebases do both, for they change what
    /// values mean.
    ///
    /// # Errors
    /// A message when the memory, the threads, the network, the tablebases or the book cannot
    /// be had; the old settings stay.
    pub fn configure(&mut self, settings: Settings) -> Result<(), String> {
        let pool = (settings.threads != self.settings.threads)
            .then(|| Pool::new(settings.threads))
            .transpose()?;
        let table = (settings.hash != self.settings.hash)
            .then(|| Table::new(settings.hash))
            .transpose()?;
        let other_path = settings.syzygy_path != self.settings.syzygy_path;
        let tables = other_path.then(|| settings.tables()).transpose()?;
        let other_rule = settings.syzygy_50_move_rule != self.settings.syzygy_50_move_rule;
        let net = (settings.eval_file != self.settings.eval_file)
            .then(|| load(settings.eval_file.as_deref()))
            .transpose()?;
        let book = (settings.book_file != self.settings.book_file)
            .then(|| settings.book())
            .transpose()?;
        let other_eval = net.is_some() || settings.use_nnue != self.settings.use_nnue;
        if let Some(net) = net {
            self.net = net;
        }
        if let Some(pool) = pool {
            self.pool = pool;
        }
        if let Some(table) = table {
            self.table = table;
        }
        if let Some(tables) = tables {
            self.tables = tables;
        }
        if let Some(book) = book {
            self.book = book;
        }
        self.settings = settings;
        if other_path || other_rule || other_eval {
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

    /// The book of the present settings, in use or not.
    pub fn book(&self) -> Option<&Book> {
        self.book.as_ref()
    }

    /// A move for the position from the book; `None` when there is none, when the book is
    /// not to be used, and under other rules than `atomic`.
    pub fn book_move(&mut self) -> Option<BookMove> {
        let late = self.position.fullmove() > self.settings.book_depth;
        let book = self
            .book
            .as_ref()
            .filter(|_| self.settings.own_book && !late)?;
        let choice = match self.settings.book_best {
            true => Choice::Best,
            false => Choice::Weighted,
        };
        book.choose(&self.position, choice, &mut self.rng)
    }

    /// Makes the choice among book moves repeat itself.
    pub fn seed_book(&mut self, seed: u64) {
        self.rng = fastrand::Rng::with_seed(seed);
    }

    /// Static evaluation in internal units from the side to move's view; `None` in check and
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

    /// Below full strength: sets the seed of the choice of moves. With the same seed the same
    /// game is played again.
    pub fn vary(&mut self, seed: u64) {
        self.variety = seed;
    }

    /// Searches the position until a limit, or until stopped through the control, which
    /// must have been armed (see [`Control::arm`]). A level below full strength holds unless
    /// the search is one without end or for a mate.
    pub fn go(&mut self, limits: &Limits, listener: &dyn Listener) -> Summary {
        let is_play = !limits.infinite && limits.mate.is_none();
        let Some(level) = self.settings.level().filter(|_| is_play) else {
            return self.search(limits, self.settings.multipv, true, listener);
        };
        let limits = level.limits(&self.position, limits);
        let lines = Lines::new(listener, self.settings.multipv);
        let multipv = level.lines(self.settings.multipv);
        let found = self.search(&limits, multipv, false, &lines);
        let moves = u64::from(self.position.fullmove()) << 48;
        let mut rng = fastrand::Rng::with_seed(self.position.key() ^ self.variety ^ moves);
        level.choose(
            &self.position,
            &limits,
            &lines.into_found(),
            found,
            &mut rng,
        )
    }

    fn search(
        &self,
        limits: &Limits,
        multipv: usize,
        helpers: bool,
        listener: &dyn Listener,
    ) -> Summary {
        let rate = self.settings.node_time;
        let limits = &Limits {
            node_time: (rate > 0).then_some(rate),
            ..limits.clone()
        };
        let setup = SearchSetup {
            table: &self.table,
            control: &self.control,
            net: self.net(),
            multipv,
            helpers,
            overhead: Duration::from_millis(self.settings.move_overhead),
            tables: self.table_use(),
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

    fn table_use(&self) -> Option<TableUse<'_>> {
        Some(TableUse {
            tables: self.tables.as_ref()?,
            depth: self.settings.syzygy_probe_depth,
            men: self.settings.syzygy_probe_limit,
            fifty_moves: self.settings.syzygy_50_move_rule,
        })
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
