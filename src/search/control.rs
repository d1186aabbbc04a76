//! Stopping searches and proofs from another thread, such as that of an interrupt handler.
//! Invariant: only its owner changes a [`Control`]; a search that ends by itself leaves it.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};

use crate::host;
use crate::proof::SolverListener;

/// The switches through which other threads control searches. Several engines may share one.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Control {
    /// Stops the running searches, usually within a millisecond, and those that begin before
    /// [`Control::arm`]. Returns false if they were stopped before.
    pub fn stop(&self) -> bool {
        let is_first = !self.stop.swap(true, Ordering::AcqRel);
        self.wake();
        is_first
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
    pub(crate) fn wait(&self, infinite: bool) {
        host::wait_while(&self.lock, &self.changed, |()| {
            !self.is_stopped() && (infinite || self.is_pondering())
        });
    }

    fn wake(&self) {
        let _guard = self.lock.lock();
        self.changed.notify_all();
    }
}

impl SolverListener for Control {
    fn is_stopped(&self) -> bool {
        self.is_stopped()
    }
}
