//! The other threads of a proof-number search. They search the same root, share the hash table, and
//! prefer nodes that no other thread searches.
//! Invariant: a result that a helper has found is in the table.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::dfpn::{DfPnSearch, DfPnStats, ProofGame, StopCondition};

/// What the threads of a search tell each other.
#[derive(Default)]
pub struct Helpers {
    /// The nodes of all helpers.
    nodes: AtomicU64,
    is_over: AtomicBool,
    has_result: AtomicBool,
    line_cut_off: AtomicBool,
    /// Held while the guide searches with all threads.
    pause: Mutex<()>,
}

impl Helpers {
    /// Searches until the root is solved or the search is over.
    pub fn help<G: ProofGame>(&self, search: &mut DfPnSearch<G>, depth: Option<u16>) {
        let status = self.count(search, |search, stop| search.solve_root(depth, stop));
        self.line_cut_off.fetch_or(search.line_cut_off, Ordering::Release);
        self.has_result.fetch_or(status.is_terminal(), Ordering::Release);
    }

    /// Does `work`, whose nodes count, until it ends or the search is over.
    pub fn count<G: ProofGame, T>(
        &self,
        search: &mut DfPnSearch<G>,
        work: impl FnOnce(&mut DfPnSearch<G>, &mut StopCondition) -> T,
    ) -> T {
        let mut counted = search.nodes;
        let mut count = |stats: DfPnStats| {
            self.nodes.fetch_add(stats.nodes - counted, Ordering::Relaxed);
            counted = stats.nodes;
            drop(self.pause.lock());
            self.is_over.load(Ordering::Relaxed)
        };
        let result =
            work(search, &mut StopCondition { max_nodes: u64::MAX, should_stop: &mut count });
        count(search.stats());
        result
    }

    /// Lets helpers work, again after the end of an earlier search.
    pub fn begin(&self) {
        self.is_over.store(false, Ordering::Relaxed);
        self.has_result.store(false, Ordering::Relaxed);
    }

    /// Stops the helpers until the result is dropped.
    pub fn pause(&self) -> MutexGuard<'_, ()> {
        self.pause.lock()
    }

    /// Ends the search of all helpers.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// True if a helper has solved the root.
    pub fn have_result(&self) -> bool {
        self.has_result.load(Ordering::Acquire)
    }

    /// True once for each result.
    pub fn take_result(&self) -> bool {
        self.has_result.swap(false, Ordering::Acquire)
    }

    /// True if a helper did not search a line to its end because of its length.
    pub fn line_cut_off(&self) -> bool {
        self.line_cut_off.load(Ordering::Acquire)
    }
}

/// Ends the search of all helpers when it is dropped, also by a panic, since the thread that panics
/// waits for them.
pub struct EndOnDrop<'a>(pub &'a Helpers);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}
