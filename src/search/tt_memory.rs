//! The memory of large tables: that of the transposition table, and hints to the processor and the
//! operating system, each with a fallback that does nothing. The system supplies zeroed pages when they are first
//! used, so that a table of many gigabytes exists at once.
//! Invariant: all clusters are valid from the start, because zeroes are an empty cluster.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

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
        let bytes = count.checked_mul(size_of::<Cluster>())?.checked_add(align_of::<Cluster>())?;
        let layout = Layout::from_size_align(bytes, BLOCK_ALIGN).ok()?;
        // SAFETY: the size is above zero.
        let block = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let padding = block.as_ptr().align_offset(align_of::<Cluster>());
        // SAFETY: the padding is less than the alignment, by which the block exceeds the clusters.
        let first = unsafe { block.add(padding) }.cast();
        let memory = TtMemory { first, count, block, layout };
        prefer_huge_pages(&memory);
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

/// Starts loading `value` into the processor's caches. Does not wait for it.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = std::ptr::from_ref(value).cast::<i8>();
        // SAFETY: prefetching reads nothing and faults on no address; SSE belongs to every
        // x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Requests huge pages for `memory`, before it is first written to, so that lookups in a large
/// table miss the TLB less often.
fn prefer_huge_pages<T>(memory: &[T]) {
    // Miri cannot call `madvise`.
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use nix::sys::mman::{MmapAdvise, madvise};
        use std::ptr::NonNull;

        const PAGE: usize = 4096;
        let start = memory.as_ptr() as usize;
        let end = start + size_of_val(memory);
        let (first, last) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
        let aligned = memory.as_ptr().wrapping_byte_add(first - start);
        if let Some(aligned) = NonNull::new(aligned.cast_mut())
            && last > first
        {
            // SAFETY: the whole pages from `first` to `last` lie within `memory`, and this advice
            // changes no contents. If the system refuses it, the pages stay small, which is no
            // error.
            let _ = unsafe { madvise(aligned.cast(), last - first, MmapAdvise::MADV_HUGEPAGE) };
        }
    }
    #[cfg(any(not(target_os = "linux"), miri))]
    let _ = memory;
}
