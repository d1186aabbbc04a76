//! Stopping searches from another thread, such as that of an interrupt handler.
//! Invariant: after a request no search begins, and every running search ends early.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Engine;
use crate::proof::SolverListener;
use crate::search::{Control, Limits, Listener, SearchResult};

/// A request to stop, shared by all engines that search on its behalf.
#[derive(Debug, Default)]
pub(crate) struct StopSignal {
    requested: AtomicBool,
    /// The controls of the running searches.
    running: Mutex<Vec<Arc<Control>>>,
}

impl StopSignal {
    /// Stops all searches. Returns false if that was requested before.
    pub(crate) fn request(&self) -> bool {
        let is_first = !self.requested.swap(true, Ordering::SeqCst);
        for control in self.running.lock().iter() {
            control.stop();
        }
        is_first
    }

    /// True after the first request.
    pub(crate) fn is_requested(&self) -> bool {
        self.requested.load(Ordering::SeqCst)
    }

    /// Searches the engine's position like [`Engine::go`]. Returns `None` if a stop was
    /// requested before the search or while it ran.
    pub(crate) fn search(
        &self,
        engine: &mut Engine,
        limits: &Limits,
        listener: &dyn Listener,
    ) -> Option<SearchResult> {
        let control = engine.control();
        control.arm(limits.ponder);
        self.running.lock().push(Arc::clone(&control));
        // A request before the push is visible here; a later one finds the control.
        let result = (!self.is_requested()).then(|| engine.go_armed(limits, listener));
        self.running
            .lock()
            .retain(|other| !Arc::ptr_eq(other, &control));
        result.filter(|_| !self.is_requested())
    }
}

impl SolverListener for StopSignal {
    fn is_stopped(&self) -> bool {
        self.is_requested()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::search::NullListener;

    #[test]
    fn a_request_ends_the_running_search_and_prevents_the_next() {
        let stop = Arc::new(StopSignal::default());
        let mut engine = Engine::new();
        let nodes = Limits {
            nodes: Some(100),
            ..Limits::default()
        };
        assert!(stop.search(&mut engine, &nodes, &NullListener).is_some());
        let requester = {
            let stop = Arc::clone(&stop);
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(50));
                stop.request()
            })
        };
        let infinite = Limits {
            infinite: true,
            ..Limits::default()
        };
        assert!(stop.search(&mut engine, &infinite, &NullListener).is_none());
        assert!(requester.join().unwrap(), "the first request");
        assert!(!stop.request());
        assert!(stop.search(&mut engine, &nodes, &NullListener).is_none());
        assert!(stop.running.lock().is_empty());
    }
}
