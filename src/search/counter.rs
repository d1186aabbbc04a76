//! A counter that one thread writes and all threads read.
//! Invariant: only the owning thread calls [`NodeCounter::set`].

use std::sync::atomic::{AtomicU64, Ordering};

/// Nodes or tablebase hits of one thread. Aligned to a cache line of its own, because threads
/// that write to the same line slow each other down.
#[derive(Default)]
#[repr(align(128))]
pub struct NodeCounter(AtomicU64);

impl NodeCounter {
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the count. Only the owning thread may call this.
    pub fn set(&self, count: u64) {
        self.0.store(count, Ordering::Relaxed);
    }
}
