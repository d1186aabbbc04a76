//! What the processor and the system offer for large tables, each behind one function with a
//! plain fallback.
//! Invariant: nothing here changes what is in memory.

/// Asks the processor to bring `place` into its caches. Nothing waits for it.
#[inline]
pub(super) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = std::ptr::from_ref(place).cast::<i8>();
        // SAFETY: prefetching reads nothing and faults on no address; SSE belongs to every
        // x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Asks the system to back the memory reserved by `room` with huge pages, before it is first
/// written to. Lookups all over a table then miss the processor's page tables less often.
pub(super) fn prefer_huge_pages<T>(room: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::mman::{MmapAdvise, madvise};
        use std::ptr::NonNull;

        const PAGE: usize = 4096;
        let start = room.as_ptr() as usize;
        let end = start + room.capacity() * size_of::<T>();
        let (first, last) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
        let aligned = room.as_ptr().wrapping_byte_add(first - start);
        if let Some(aligned) = NonNull::new(aligned.cast_mut())
            && last > first
        {
            // SAFETY: the whole pages from `first` to `last` lie within the memory that `room`
            // owns, and this advice changes no contents. Where the system refuses it, the
            // pages stay small, which is no error.
            let _ = unsafe { madvise(aligned.cast(), last - first, MmapAdvise::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = room;
}
