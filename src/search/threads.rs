//! The threads of a search: the calling thread and helpers that exist for one search only, so
//! that idle helpers take no processor time from other games. Not a rayon pool, because a rayon
//! worker that waits for others may start another game meanwhile.
//! Invariant: results come in the order of the thread numbers, the calling thread's first.

use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, Builder};

use parking_lot::Mutex;

/// The stack that a search thread needs, in bytes: the recursion is deep, and every node has
/// lists of moves.
pub const STACK_SIZE: usize = 16 << 20;

/// The most threads that a search uses on this machine. With many more threads than cores, the
/// main thread would run too rarely to keep the time.
pub fn max_threads() -> usize {
    const THREADS_PER_CORE: usize = 4;
    const AT_LEAST: usize = 16;
    (THREADS_PER_CORE * cores()).max(AT_LEAST)
}

/// Number of threads that this machine runs at once.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn thread_builder(index: usize) -> Builder {
    Builder::new().name(format!("search-{index}")).stack_size(STACK_SIZE)
}

/// Checks that the system can start the helpers of a search with `count` threads.
///
/// # Errors
/// The error of the system.
pub fn check_available(count: usize) -> io::Result<()> {
    let gate = Arc::new(Mutex::new(()));
    // The lock keeps every helper alive until all have started. Nothing waits for their end,
    // which takes long on a busy machine.
    let _closed = gate.lock();
    for index in 1..count {
        let gate = Arc::clone(&gate);
        thread_builder(index).spawn(move || drop(gate.lock()))?;
    }
    Ok(())
}

/// Calls `work` once for each thread number below `count`, 0 on the calling thread. Helpers that
/// the system can no longer start are left out.
pub fn run<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let start = |index| thread_builder(index).spawn_scoped(scope, move || work(index)).ok();
        let helpers: Vec<_> = (1..count).map_while(start).collect();
        let mut results = vec![work(0)];
        results.extend(
            helpers
                .into_iter()
                .map(|helper| helper.join().unwrap_or_else(|panic| resume_unwind(panic))),
        );
        results
    })
}

/// Nodes of one thread, which all threads may read. Aligned to a cache line of its own, because
/// threads that write to the same line slow each other down.
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

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread::current;

    use super::*;

    #[test]
    fn threads_run_at_once_and_results_keep_order() {
        check_available(5).expect("four helpers");
        let caller = current().id();
        let all = Barrier::new(5);
        let results = run(5, |index| {
            all.wait();
            (index, current().id() == caller)
        });
        let expected: Vec<_> = (0..5).map(|index| (index, index == 0)).collect();
        assert_eq!(results, expected);
    }

    #[test]
    #[should_panic(expected = "of a helper")]
    fn panic_of_a_helper_propagates() {
        run(3, |index| assert!(index != 2, "of a helper"));
    }
}
