//! The engine as a library: [`Engine`] owns a position, the settings, the transposition table
//! and the search threads, and runs one search at a time. Around it: the table of options,
//! playing levels, the benchmark, and searches of many positions on all cores.
//! Invariant: nothing here prints; a search reports to a [`Listener`].

#[cfg(feature = "cli")]
pub(crate) mod batch;
pub mod bench;
mod lag;
mod level;
pub mod options;
mod settings;

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "cli")]
use rayon::ThreadPoolBuildError;
use thiserror::Error;

use crate::eval;
use crate::eval::nnue::{Network, NetworkError};
use crate::eval::score::{self, Value};
use crate::opening::{Book, BookChoice, BookError, BookMove, Refutations};
use crate::proof::{Guide, Solver, SolverError, SolverListener, SolverResult};
use crate::rules::{Move, Position, Variant};
use crate::search::{
    self, ClockDelays, Control, Limits, Listener, ProofHelper, SearchResult, SearchSetup,
    SearchThreads, SearchThreadsError, SyzygyConfig, TranspositionTable, TtAllocError,
};
use crate::tablebase::{Tablebase, TablebaseError};
use crate::util;

/// The largest network file in bytes; the shape that this program reads has a few million.
const MAX_NET_SIZE: u64 = 256 << 20;

use lag::LagMeter;
pub use level::Level;
pub use settings::Settings;

/// Why an engine cannot be created or configured.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum EngineError {
    #[error(transparent)]
    Hash(#[from] TtAllocError),
    #[error(transparent)]
    Threads(#[from] SearchThreadsError),
    /// The threads for a batch of positions or games cannot be started.
    #[cfg(feature = "cli")]
    #[error("cannot start {threads} threads: {source}")]
    BatchThreads { threads: usize, source: ThreadPoolBuildError },
    #[error("the embedded network is unusable: {0}")]
    EmbeddedNetwork(#[source] NetworkError),
    #[error("{}: {}", .0.display(), .1)]
    NetworkIo(PathBuf, #[source] io::Error),
    #[error("{}: {}", .0.display(), .1)]
    Network(PathBuf, #[source] NetworkError),
    #[error(transparent)]
    Tablebase(#[from] TablebaseError),
    #[error(transparent)]
    Book(#[from] BookError),
}

/// An engine with one position.
///
/// Searches should run on a thread with a stack of [`STACK_SIZE`](crate::search::STACK_SIZE)
/// bytes if they go deep.
///
/// # Examples
/// ```
/// use brisance::engine::Engine;
/// use brisance::notation::{coord, fen};
/// use brisance::rules::Variant;
/// use brisance::search::{Limits, NullListener};
///
/// let mut engine = Engine::new();
/// let fen = "rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4";
/// engine.set_position(fen::parse(fen, Variant::Atomic).unwrap());
/// let limits = Limits { nodes: Some(2_000), ..Limits::default() };
/// let best = engine.go(&limits, &NullListener).best_move().unwrap();
/// // The queen captures on d7, and the explosion takes the black king.
/// assert_eq!(coord::write(best, false), "d3d7");
/// ```
pub struct Engine {
    position: Position,
    settings: Settings,
    control: Arc<Control>,
    tt: TranspositionTable,
    threads: SearchThreads,
    net: Arc<Network>,
    tablebase: Option<Tablebase>,
    book: Option<Book>,
    book_rng: fastrand::Rng,
    level_seed: u64,
    lag_meter: LagMeter,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new()
    }
}

impl Engine {
    /// Creates an engine with default settings at the start position.
    ///
    /// # Panics
    /// If 16 MiB cannot be allocated, no thread can be started, or the embedded network is
    /// unusable.
    pub fn new() -> Engine {
        Engine::with_settings(Settings::default()).expect("16 MiB, one thread, a network")
    }

    /// Creates an engine with the given settings at the start position.
    ///
    /// # Errors
    /// If the table cannot be allocated, the threads cannot be started, or the network,
    /// tablebases or book cannot be read.
    ///
    /// # Examples
    /// ```
    /// use brisance::engine::{Engine, EngineError, Settings};
    ///
    /// let engine = Engine::with_settings(Settings { hash: 4, threads: 2, ..Settings::default() })?;
    /// assert_eq!(engine.settings().threads, 2);
    ///
    /// let missing = Settings { book_file: Some("no-such-book.bin".into()), ..Settings::default() };
    /// assert!(matches!(Engine::with_settings(missing), Err(EngineError::Book(_))));
    /// # Ok::<(), EngineError>(())
    /// ```
    pub fn with_settings(settings: Settings) -> Result<Engine, EngineError> {
        Ok(Engine {
            position: Position::startpos(Variant::default()),
            tt: TranspositionTable::new(settings.hash)?,
            threads: SearchThreads::new(settings.threads)?,
            net: load_network(&settings.eval_file)?,
            tablebase: open_tablebase(&settings.syzygy_path)?,
            book: open_book(&settings.book_file)?,
            book_rng: fastrand::Rng::new(),
            settings,
            control: Arc::default(),
            level_seed: 0,
            lag_meter: LagMeter::default(),
        })
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Sets the position. Its move history counts for repetitions.
    pub fn set_position(&mut self, position: Position) {
        self.position = position;
    }

    /// The current settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The Syzygy tablebases, if any are set.
    pub fn tablebase(&self) -> Option<&Tablebase> {
        self.tablebase.as_ref()
    }

    /// Uses these tables from now on, until the settings name others. Clears the TT and all
    /// histories.
    pub fn set_tablebase(&mut self, tablebase: Tablebase) {
        self.tablebase = Some(tablebase);
        self.clear();
    }

    /// Uses `control` for all searches to come.
    pub fn set_control(&mut self, control: Arc<Control>) {
        self.control = control;
    }

    /// Applies new settings. A new hash size clears the TT and a new number of threads clears
    /// the histories. A different evaluation or tablebase clears both, because it changes the
    /// meaning of scores.
    ///
    /// # Errors
    /// As for [`Engine::with_settings`]; the old settings remain in force.
    pub fn configure(&mut self, settings: Settings) -> Result<(), EngineError> {
        let (old, new) = (&self.settings, &settings);
        let threads = changed(old.threads, new.threads, SearchThreads::new)?;
        let tt = changed(old.hash, new.hash, TranspositionTable::new)?;
        let tablebase = changed(&*old.syzygy_path, &*new.syzygy_path, open_tablebase)?;
        let net = changed(&old.eval_file, &new.eval_file, load_network)?;
        let book = changed(&old.book_file, &new.book_file, open_book)?;
        let new_scores = net.is_some()
            || new.use_nnue != old.use_nnue
            || tablebase.is_some()
            || new.syzygy_50_move_rule != old.syzygy_50_move_rule;
        if let Some(net) = net {
            self.net = net;
        }
        if let Some(threads) = threads {
            self.threads = threads;
        }
        if let Some(tt) = tt {
            std::mem::replace(&mut self.tt, tt).drop_in_background();
        }
        if let Some(tablebase) = tablebase {
            self.tablebase = tablebase;
        }
        if let Some(book) = book {
            self.book = book;
        }
        self.settings = settings;
        if new_scores {
            self.clear();
        }
        Ok(())
    }

    /// A warning if there are more threads than this machine runs at once.
    pub fn thread_warning(&self) -> Option<String> {
        let (wanted, used) = (self.settings.threads, self.threads.thread_count());
        let cores = search::cores();
        (wanted > cores).then(|| {
            let fewer =
                if used < wanted { format!("; {used} threads search") } else { String::new() };
            let cores = util::count(cores, "core");
            format!("{wanted} threads on {cores}: more threads than cores weaken play{fewer}")
        })
    }

    /// Clears the TT and all histories, as at the start of a new game.
    pub fn clear(&mut self) {
        self.threads.clear(&mut self.tt);
    }

    /// The control of the current or next search, for another thread to stop it with.
    pub fn control(&self) -> Arc<Control> {
        Arc::clone(&self.control)
    }

    /// The book, whether or not `own_book` is set.
    pub fn book(&self) -> Option<&Book> {
        self.book.as_ref()
    }

    /// Chooses a book move for the position. Returns `None` if the book has none, if
    /// `own_book` is off, after move `book_depth`, and under other variants than `atomic`.
    pub fn book_move(&mut self) -> Option<BookMove> {
        let settings = &self.settings;
        if !settings.own_book || self.position.fullmove_number() > settings.book_depth {
            return None;
        }
        let choice = if settings.book_best { BookChoice::Best } else { BookChoice::Weighted };
        let book = self.book.as_ref()?;
        book.choose(&self.position, choice, &mut self.book_rng)
    }

    /// Seeds the choice of moves below full strength. Equal seeds give equal games.
    pub fn seed_level(&mut self, seed: u64) {
        self.level_seed = seed;
    }

    /// The static evaluation in internal units from the perspective of the side to move. It
    /// is undefined, and `None`, in check and after a king has exploded.
    pub fn evaluate(&self) -> Option<Value> {
        let is_defined = eval::has_both_kings(&self.position) && !self.position.in_check();
        is_defined.then(|| eval::evaluate(&self.position, self.net()))
    }

    /// The network that evaluates; `None` if the handcrafted terms do.
    pub fn net(&self) -> Option<&Network> {
        self.settings.use_nnue.then_some(&*self.net)
    }

    /// The loaded network, whether or not `use_nnue` is set.
    pub fn loaded_net(&self) -> &Network {
        &self.net
    }

    /// Searches the position until a limit is reached or the search is stopped through
    /// [`Engine::control`]. The configured level applies unless the search is infinite or
    /// looks for a mate.
    ///
    /// A `stop` that arrives before this call is lost; see [`Engine::go_armed`].
    pub fn go(&mut self, limits: &Limits, listener: &dyn Listener) -> SearchResult {
        self.control.arm(limits.ponder);
        self.go_armed(limits, listener)
    }

    /// Like [`Engine::go`], but without resetting the control: the caller has called
    /// [`Control::arm`] on the thread that receives `stop`, so that no `stop` is lost between
    /// the command and the start of the search.
    pub fn go_armed(&mut self, limits: &Limits, listener: &dyn Listener) -> SearchResult {
        self.lag_meter.begin_search(&self.position, limits);
        let result = self.go_at_level(limits, listener);
        // A clock that counts nodes has no lag.
        let time = result.clock_time.filter(|_| self.settings.node_time == 0);
        self.lag_meter.end_search(&self.position, limits, time);
        result
    }

    /// Like [`Engine::go_armed`], but returns `None` if the control was stopped before the search
    /// or during it.
    #[cfg(feature = "cli")]
    pub(crate) fn go_unless_stopped(
        &mut self,
        limits: &Limits,
        listener: &dyn Listener,
    ) -> Option<SearchResult> {
        if self.control.is_stopped() {
            return None;
        }
        let result = self.go_armed(limits, listener);
        (!self.control.is_stopped()).then_some(result)
    }

    fn go_at_level(&self, limits: &Limits, listener: &dyn Listener) -> SearchResult {
        let (pos, multipv) = (&self.position, self.settings.multipv);
        let is_play = !limits.infinite && limits.mate.is_none();
        let Some(level) = self.settings.level().filter(|_| is_play) else {
            return self.search(pos, limits, multipv, true, listener);
        };
        let limits = level.limits(pos, limits);
        let multipv = multipv.max(Level::CANDIDATES);
        let result = self.search(pos, &limits, multipv, false, listener);
        let move_number = u64::from(pos.fullmove_number()) << 48;
        let seed = pos.key() ^ self.level_seed ^ move_number;
        let mut rng = fastrand::Rng::with_seed(seed);
        let best_line = result.pv().to_vec();
        let chosen = level.choose(pos, &limits, result, &mut rng);
        // The last report and the result agree.
        if chosen.pv() != best_line && listener.wants_reports() {
            listener.report(&chosen.info());
        }
        chosen
    }

    /// Searches the `count` best moves at full strength.
    pub fn go_lines(
        &mut self,
        limits: &Limits,
        count: usize,
        listener: &dyn Listener,
    ) -> SearchResult {
        self.control.arm(limits.ponder);
        self.search(&self.position, limits, count, true, listener)
    }

    fn search(
        &self,
        pos: &Position,
        limits: &Limits,
        multipv: usize,
        helpers: bool,
        listener: &dyn Listener,
    ) -> SearchResult {
        let rate = self.settings.node_time;
        let limits = &Limits { node_time: (rate > 0).then_some(rate), ..limits.clone() };
        let setup = SearchSetup {
            tt: &self.tt,
            control: &self.control,
            net: self.net(),
            multipv,
            reported_lines: self.settings.multipv,
            use_helpers: helpers,
            delays: ClockDelays {
                overhead: Duration::from_millis(self.settings.move_overhead),
                lag: self.lag_meter.lag(),
            },
            syzygy: self.syzygy_config(),
            proof: Some(&self.proof_helper(limits)),
            #[cfg(feature = "tune")]
            tuning: &self.settings.tuning,
        };
        self.threads.search(pos, limits, &setup, listener)
    }

    /// The proof next to a search, which the refutation book may have already.
    fn proof_helper(&self, limits: &Limits) -> ProofHelper {
        let hash = self.settings.hash;
        let uses_book = limits.prove && self.settings.refutation_book;
        let known = uses_book.then(|| Refutations::embedded().find(&self.position));
        match known.flatten() {
            Some(known) => ProofHelper::with_win(hash, known.verified.line),
            None => ProofHelper::new(hash),
        }
    }

    /// Searches for a forced win of `task.attacker` by proof-number search; if `first` is
    /// given, a win that starts with this move. The solver's own hash table has the size of
    /// the TT and is freed at the end.
    ///
    /// # Errors
    /// If the memory or the thread is unavailable.
    pub fn prove(
        &self,
        first: Option<Move>,
        task: &Solver,
        listener: &dyn SolverListener,
    ) -> Result<SolverResult, SolverError> {
        let task = Solver {
            hash_mb: self.settings.hash,
            net: Some(self.loaded_net()),
            guide: Some(self),
            threads: self.settings.threads,
            ..*task
        };
        match first {
            Some(mv) => task.solve_after(&self.position, mv, listener),
            None => task.solve(&self.position, listener),
        }
    }

    fn syzygy_config(&self) -> Option<SyzygyConfig<'_>> {
        Some(SyzygyConfig {
            tb: self.tablebase.as_ref()?,
            probe_depth: self.settings.syzygy_probe_depth,
            probe_limit: self.settings.syzygy_probe_limit,
            rule50: self.settings.syzygy_50_move_rule,
        })
    }
}

/// The solver's guide; one thread searches for it.
impl Guide for Engine {
    fn known(&self, pos: &Position) -> Option<(Value, Option<Move>)> {
        self.tt.known(pos)
    }

    fn search(
        &self,
        pos: &Position,
        nodes: u64,
        time: Option<Duration>,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> u64 {
        let limits = Limits {
            nodes: Some(nodes.max(1)),
            move_time: time,
            mate: Some(score::MAX_PLY as i32 / 2),
            ..Limits::default()
        };
        Engine::search(self, pos, &limits, 1, true, &StopWhen(is_over)).nodes
    }
}

/// A listener that only ends the search.
struct StopWhen<'a>(&'a (dyn Fn() -> bool + Sync));

impl Listener for StopWhen<'_> {
    fn wants_reports(&self) -> bool {
        false
    }

    fn is_stopped(&self) -> bool {
        (self.0)()
    }
}

/// What `make` returns for a setting if it has changed.
fn changed<S: PartialEq, T, E>(
    old: S,
    new: S,
    make: impl FnOnce(S) -> Result<T, E>,
) -> Result<Option<T>, E> {
    (old != new).then(|| make(new)).transpose()
}

fn open_book(file: &Option<PathBuf>) -> Result<Option<Book>, EngineError> {
    let path = file.as_deref().map(util::expand_home);
    Ok(path.as_deref().map(Book::open).transpose()?)
}

fn open_tablebase(path: &OsStr) -> Result<Option<Tablebase>, EngineError> {
    let is_set = !path.is_empty();
    Ok(is_set.then(|| Tablebase::open(path)).transpose()?)
}

/// Loads the network from a file, or the embedded one.
fn load_network(file: &Option<PathBuf>) -> Result<Arc<Network>, EngineError> {
    let Some(file) = file else {
        return Network::embedded().map_err(EngineError::EmbeddedNetwork);
    };
    let bytes = util::read_file(&util::expand_home(file), MAX_NET_SIZE)
        .map_err(|error| EngineError::NetworkIo(file.to_owned(), error))?;
    let net = Network::parse(&bytes).map_err(|error| EngineError::Network(file.to_owned(), error));
    net.map(Arc::new)
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use std::thread;

    use super::*;
    use crate::search::NullListener;

    #[test]
    fn a_stop_ends_the_running_search_and_prevents_the_next() {
        let mut engine = Engine::new();
        let control = engine.control();
        let nodes = Limits { nodes: Some(100), ..Limits::default() };
        assert!(engine.go_unless_stopped(&nodes, &NullListener).is_some());
        assert!(engine.go_unless_stopped(&nodes, &NullListener).is_some());
        let stopper = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            (control.stop(), control.stop())
        });
        let infinite = Limits { infinite: true, ..Limits::default() };
        assert!(engine.go_unless_stopped(&infinite, &NullListener).is_none());
        assert_eq!(stopper.join().unwrap(), (true, false), "only the first");
        assert!(engine.go_unless_stopped(&nodes, &NullListener).is_none());
    }

    #[test]
    fn a_solver_ends_the_search_of_its_guide() {
        let engine = Engine::new();
        let nodes = Guide::search(&engine, &engine.position, 2_000_000, None, &|| true);
        assert!((1..100_000).contains(&nodes), "{nodes} nodes");
    }
}
