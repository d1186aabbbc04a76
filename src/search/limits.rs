//! The interface of a search: its limits, its reports and the switches that stop it.
//! Invariant: a search never changes its [`Limits`]; other threads act on it only through
//! [`Control`].

use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::eval::score::Value;
use crate::eval::wdl::{DisplayScore, WdlModel};
use crate::host;
use crate::rules::{Move, Position};
use crate::util;

/// When a search ends: at the first limit that it reaches. Without limits it runs until it is
/// stopped.
///
/// # Examples
/// ```
/// use brisance::engine::Engine;
/// use brisance::search::{Limits, Silent};
///
/// let mut engine = Engine::new();
/// let limits = Limits {
///     nodes: Some(2000),
///     ..Limits::default()
/// };
/// let summary = engine.go(&limits, &Silent);
/// assert_eq!(summary.nodes, 2000);
/// assert!(engine.position().is_legal(summary.best_move.unwrap()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time left on the clocks of White and Black.
    pub time: [Option<Duration>; 2],
    /// Increment per move of White and Black.
    pub increment: [Duration; 2],
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Exact time for this move.
    pub move_time: Option<Duration>,
    /// Maximum depth of iterative deepening in plies.
    pub depth: Option<i32>,
    /// Maximum number of nodes of all threads; exact with one thread, except that depth 1 is always
    /// completed.
    pub nodes: Option<u64>,
    /// Number of nodes after which no new iteration begins.
    pub soft_nodes: Option<u64>,
    /// Nodes per millisecond, if the clock counts nodes instead of time. Games on such a clock
    /// do not depend on the speed or the load of the machine.
    pub node_time: Option<u64>,
    /// Stop once a mate in at most this many moves is found.
    pub mate: Option<i32>,
    /// Run until stopped, even after the last iteration.
    pub infinite: bool,
    /// Search during the opponent's turn, until stopped or until [`Control::ponderhit`], which
    /// starts the clock.
    pub ponder: bool,
    /// Let one of several threads prove the result when the root is nearly decided. Only for
    /// analysis: the thread is missing in the search meanwhile.
    pub prove: bool,
    /// The root moves to search; all legal moves if empty.
    pub search_moves: Vec<Move>,
}

/// How a value of the search relates to the exact value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The exact value.
    Exact,
    /// The exact value is at least this.
    Lower,
    /// The exact value is at most this.
    Upper,
}

impl Bound {
    /// True if a value with this bound decides a node with the window from `alpha` to `beta`.
    pub(super) fn allows_cutoff(self, value: Value, alpha: Value, beta: Value) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        }
    }
}

/// The state of one principal variation during a search.
#[derive(Clone, Debug)]
pub struct Report {
    /// Depth of the iteration in plies.
    pub depth: i32,
    /// Maximum ply reached by this line (selective depth).
    pub seldepth: i32,
    /// Rank of this line, 1 for the best.
    pub multipv: usize,
    /// Internal value from the side to move's point of view.
    pub value: Value,
    /// Converts the value to a score and to win, draw and loss probabilities.
    pub wdl_model: WdlModel,
    /// How the value relates to the exact value.
    pub bound: Bound,
    /// Nodes of all threads so far.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Entries of the transposition table in use, in thousandths.
    pub hashfull: u32,
    /// Successful tablebase probes of all threads.
    pub tbhits: u64,
    /// The principal variation, first move first.
    pub pv: Vec<Move>,
}

impl Report {
    /// The report of a single exact line of `depth` plies that took no nodes and no time.
    pub fn single(depth: i32, value: Value, wdl_model: WdlModel, pv: Vec<Move>) -> Report {
        Report {
            depth,
            seldepth: depth,
            multipv: 1,
            value,
            wdl_model,
            bound: Bound::Exact,
            nodes: 0,
            time: Duration::ZERO,
            hashfull: 0,
            tbhits: 0,
            pv,
        }
    }

    /// The score as displayed to a user.
    pub fn display_score(&self) -> DisplayScore {
        self.wdl_model.display_score(self.value)
    }

    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        util::nps(self.nodes, self.time)
    }
}

/// The result of a finished search.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The move to play; `None` if the game is over.
    pub best_move: Option<Move>,
    /// The expected reply.
    pub ponder_move: Option<Move>,
    /// The best line, as in the last report; empty if the game is over.
    pub pv: Vec<Move>,
    /// Internal value from the side to move's point of view, as in the last report.
    pub value: Value,
    /// Converts the value to a score and to win, draw and loss probabilities.
    pub wdl_model: WdlModel,
    /// Depth of the iteration that the value comes from, in plies, as in the last report.
    pub depth: i32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Elapsed time.
    pub time: Duration,
    /// Elapsed time on the engine's clock, which starts with the search or with the ponder hit;
    /// `None` without one.
    pub clock_time: Option<Duration>,
}

impl Summary {
    /// The score as displayed to a user.
    pub fn display_score(&self) -> DisplayScore {
        self.wdl_model.display_score(self.value)
    }

    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        util::nps(self.nodes, self.time)
    }

    /// The result as a report.
    pub fn report(&self) -> Report {
        Report {
            nodes: self.nodes,
            time: self.time,
            ..Report::single(
                self.depth.max(1),
                self.value,
                self.wdl_model,
                self.pv.clone(),
            )
        }
    }
}

/// Receives the progress of a search. The methods run on the thread that called the search.
pub trait Listener: Sync {
    /// Called for each line of a completed iteration, best line first, and for bounds in
    /// searches that take longer than three seconds.
    fn report(&self, report: &Report);

    /// False if the reports and current moves would be ignored; the search then does not make
    /// them.
    fn wants_reports(&self) -> bool {
        true
    }

    /// Called before each root move once the search has taken three seconds. `number` counts
    /// from 1.
    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}

    /// True if [`cut_node`](Listener::cut_node) is to be called.
    fn wants_cut_nodes(&self) -> bool {
        false
    }

    /// Called when a quiet move fails high at a node without a TT move, at least
    /// [`MIN_CUT_NODE_DEPTH`] plies deep: an example for the policy head. `value` is the lower bound
    /// in internal units.
    fn cut_node(&self, _pos: &Position, _mv: Move, _value: Value) {}

    /// Called once for each tablebase that is missing or damaged, with a message.
    fn warning(&self, _text: &str) {}
}

/// Minimum depth of the nodes that [`Listener::cut_node`] receives, in plies.
pub const MIN_CUT_NODE_DEPTH: i32 = 2;

/// A listener that ignores everything.
pub struct Silent;

impl Listener for Silent {
    fn report(&self, _: &Report) {}

    fn wants_reports(&self) -> bool {
        false
    }
}

/// The switches through which other threads control a running search.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Control {
    /// Stops the search, usually within a millisecond.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.wake();
    }

    /// Ends pondering because the opponent has played the expected move; starts the clock.
    pub fn ponderhit(&self) {
        self.pondering.store(false, Ordering::Release);
        self.wake();
    }

    /// True after [`Control::stop`].
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// True while pondering, until [`Control::ponderhit`].
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Resets the switches for the next search. Call it on the thread that also calls `stop`
    /// and `ponderhit`, before either of them can arrive.
    pub fn arm(&self, ponder: bool) {
        self.stop.store(false, Ordering::Release);
        self.pondering.store(ponder, Ordering::Release);
    }

    /// Blocks until stopped or, unless `infinite`, until the search no longer ponders.
    pub(super) fn wait(&self, infinite: bool) {
        host::wait_while(&self.lock, &self.changed, |()| {
            !self.is_stopped() && (infinite || self.is_pondering())
        });
    }

    fn wake(&self) {
        let _guard = self.lock.lock();
        self.changed.notify_all();
    }
}
