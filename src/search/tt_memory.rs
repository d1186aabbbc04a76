//! The memory of the transposition table. The system supplies zeroed pages when they are first
//! used, so that a table of many gigabytes exists at once.
//! Invariant: all clusters are valid from the start, because zeroes are an empty cluster.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

use super::prefetch;

/// Entries per cluster.
pub const CLUSTER_SIZE: usize = 4;

/// A group of entries that fills a cache line. Zeroes are an empty cluster.
#[repr(align(64))]
pub struct Cluster(pub(super) [[AtomicU64; 2]; CLUSTER_SIZE]);

impl Cluster {
    pub fn clear(&self) {
        for [check, data] in &self.0 {
            check.store(0, Ordering::Relaxed);
            data.store(0, Ordering::Relaxed);
        }
    }
}

/// An array of clusters.
pub struct TtMemory {
    /// The first cluster, within `block`.
    first: NonNull<Cluster>,
    count: usize,
    block: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory belongs to this value alone, and a cluster consists of atomics.
unsafe impl Send for TtMemory {}
// SAFETY: as above.
unsafe impl Sync for TtMemory {}

impl TtMemory {
    /// `count` empty clusters, at least one; `None` if there is not enough memory.
    pub fn new(count: usize) -> Option<TtMemory> {
        // For a larger alignment the allocator of the standard library writes the zeroes itself,
        // which takes seconds for a large table. The clusters are aligned within the block.
        const BLOCK_ALIGN: usize = 8;
        let count = count.max(1);
        let bytes = count
            .checked_mul(size_of::<Cluster>())?
            .checked_add(align_of::<Cluster>())?;
        let layout = Layout::from_size_align(bytes, BLOCK_ALIGN).ok()?;
        // SAFETY: the size is above zero.
        let block = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let padding = block.as_ptr().align_offset(align_of::<Cluster>());
        // SAFETY: the padding is less than the alignment, by which the block exceeds the clusters.
        let first = unsafe { block.add(padding) }.cast();
        let memory = TtMemory {
            first,
            count,
            block,
            layout,
        };
        prefetch::prefer_huge_pages(&memory);
        Some(memory)
    }
}

impl Deref for TtMemory {
    type Target = [Cluster];

    #[inline]
    fn deref(&self) -> &[Cluster] {
        // SAFETY: the block holds `count` clusters from `first`. They are initialised with zeroes,
        // which are valid atomics, and live as long as `self`.
        unsafe { slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }
}

impl Drop for TtMemory {
    fn drop(&mut self) {
        // SAFETY: the block was allocated with this layout and is freed once.
        unsafe { dealloc(self.block.as_ptr(), self.layout) };
    }
}
