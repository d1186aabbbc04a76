//! What a search is asked for, what it reports, and how it is stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::eval::score::Value;
use crate::eval::wdl::{Scale, Shown};
use crate::rules::Move;

/// When a search ends. With nothing set it runs until it is stopped.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time left to White and to Black.
    pub time: [Option<Duration>; 2],
    /// Time gained per move by White and by Black.
    pub increment: [Duration; 2],
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Exactly this long.
    pub move_time: Option<Duration>,
    /// Plies of iterative deepening.
    pub depth: Option<i32>,
    /// Nodes; exact with one thread.
    pub nodes: Option<u64>,
    /// Nodes after which no further iteration begins.
    pub soft_nodes: Option<u64>,
    /// The clock counts nodes instead of time, so many for a millisecond: games on a clock
    /// then neither depend on the machine nor on what else it does.
    pub node_time: Option<u64>,
    /// Stop when a mate in at most this many moves is found.
    pub mate: Option<i32>,
    /// Run until stopped even when nothing is left to find.
    pub infinite: bool,
    /// Run until stopped or told that the pondered move was played; the clock counts from
    /// then.
    pub ponder: bool,
    /// Consider only these root moves; empty means all.
    pub search_moves: Vec<Move>,
}

/// How a reported value relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The value itself.
    Exact,
    /// The true value is at least this.
    Lower,
    /// The true value is at most this.
    Upper,
}

/// One line of a search's progress.
#[derive(Clone, Debug)]
pub struct Report {
    /// Iteration in plies.
    pub depth: i32,
    /// The deepest ply reached.
    pub seldepth: i32,
    /// Rank of this line, 1 for the best.
    pub multipv: usize,
    /// Value from the side to move's view.
    pub value: Value,
    /// What values mean here.
    pub scale: Scale,
    /// How the value relates to the true one.
    pub bound: Bound,
    /// Nodes of all threads so far.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Thousandths of the table in use.
    pub hashfull: u32,
    /// Positions answered by tablebases.
    pub tbhits: u64,
    /// The line, first move first.
    pub pv: Vec<Move>,
}

impl Report {
    /// The score as a user reads it.
    pub fn shown(&self) -> Shown {
        self.scale.shown(self.value)
    }

    /// Nodes per second, 0 while no time has passed.
    pub fn nps(&self) -> u64 {
        nps(self.nodes, self.time)
    }
}

fn nps(nodes: u64, time: Duration) -> u64 {
    let micros = time.as_micros().max(1);
    u64::try_from(u128::from(nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}

/// What a finished search found.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The move to play; `None` when the game is over.
    pub best: Option<Move>,
    /// The reply it expects.
    pub ponder: Option<Move>,
    /// Value from the side to move's view.
    pub value: Value,
    /// What values mean here.
    pub scale: Scale,
    /// The last completed iteration.
    pub depth: i32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Wall time.
    pub time: Duration,
}

impl Summary {
    /// The score as a user reads it.
    pub fn shown(&self) -> Shown {
        self.scale.shown(self.value)
    }

    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        nps(self.nodes, self.time)
    }
}

/// Receives a search's progress on the searching thread.
pub trait Listener: Sync {
    /// A line was completed, or bounded after a long time. The lines of one depth come
    /// together, 1 first.
    fn report(&self, report: &Report);

    /// After three seconds: the root move now searched, numbered from 1.
    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}

    /// Something is wrong with a tablebase; told once for each.
    fn fault(&self, _text: &str) {}
}

/// A listener that ignores everything.
pub struct Silent;

impl Listener for Silent {
    fn report(&self, _: &Report) {}
}

/// The switches by which another thread steers a running search.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Control {
    /// Ends the search as soon as it looks, within a millisecond or so.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.wake();
    }

    /// The pondered move was played: the clock starts now.
    pub fn ponderhit(&self) {
        self.pondering.store(false, Ordering::Release);
        self.wake();
    }

    /// True once [`Control::stop`] was called.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// True while the opponent's move is only assumed.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Makes ready for a search. Call it before the search may be stopped or told of a
    /// ponder hit: on the thread that also receives `stop`.
    pub fn arm(&self, ponder: bool) {
        self.stop.store(false, Ordering::Release);
        self.pondering.store(ponder, Ordering::Release);
    }

    /// Sleeps until stopped, or, unless `infinite`, until no longer pondering.
    pub(super) fn wait(&self, infinite: bool) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() && (infinite || self.is_pondering()) {
            guard = self
                .changed
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn wake(&self) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.changed.notify_all();
    }
}
