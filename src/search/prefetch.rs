//! Memory hints to the processor and the operating system for large tables, each with a
//! fallback that does nothing.
//! Invariant: no function here changes the contents of memory.

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
pub fn prefer_huge_pages<T>(memory: &[T]) {
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
