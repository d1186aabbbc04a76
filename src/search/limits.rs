//! When a search ends: its limits, and the switches that stop it.
//! Invariant: a search never changes its [`Limits`]; other threads act on it only through
//! [`Control`].

use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::host;
use crate::rules::Move;

/// When a search ends: at the first limit that it reaches. Without limits it runs until it is
/// stopped.
///
/// # Examples
/// ```
/// use brisance::engine::Engine;
/// use brisance::search::{Limits, NullListener};
///
/// let mut engine = Engine::new();
/// let limits = Limits {
///     nodes: Some(2000),
///     ..Limits::default()
/// };
/// let result = engine.go(&limits, &NullListener);
/// assert_eq!(result.nodes, 2000);
/// assert!(engine.position().is_legal(result.best_move().unwrap()));
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
