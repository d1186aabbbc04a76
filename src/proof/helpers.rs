//! The other threads of a proof-number search. They search the same root, share the hash table, and
//! prefer nodes that no other thread searches.
//! Invariant: a result that a helper has found is in the table.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::dfpn::{DfPnSearch, DfPnStats, ProofGame, StopCondition};

/// What the threads of a search tell each other.
#[derive(Default)]
pub struct Helpers {
    /// The nodes of all helpers.
    nodes: AtomicU64,
    is_over: AtomicBool,
    has_result: AtomicBool,
    line_cut_off: AtomicBool,
}

impl Helpers {
    /// Searches until the root is solved or the search is over.
    pub fn help<G: ProofGame>(&self, search: &mut DfPnSearch<G>, depth: Option<u16>) {
        let mut counted = 0;
        let mut count = |stats: DfPnStats| {
            self.nodes.fetch_add(stats.nodes - counted, Ordering::Relaxed);
            counted = stats.nodes;
            self.is_over.load(Ordering::Relaxed)
        };
        let mut stop = StopCondition { max_nodes: u64::MAX, should_stop: &mut count };
        let status = search.solve_root(depth, &mut stop);
        count(search.stats());
        self.line_cut_off.fetch_or(search.line_cut_off, Ordering::Release);
        self.has_result.fetch_or(status.is_terminal(), Ordering::Release);
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
