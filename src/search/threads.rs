//! The threads of a search: the caller's and helpers that live for one search, so that none
//! spins while it waits for another and takes processor time from the games beside. Not a pool
//! of rayon's: one of its workers that waits for helpers may begin another game meanwhile.
//! Invariant: results come in the order of the threads' numbers, the caller's first.

use std::io;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread::{self, Builder};

/// What a search may need of its thread's stack, in bytes: deep recursion with lists of moves
/// in every frame.
pub const STACK_SIZE: usize = 16 << 20;

fn named(index: usize) -> Builder {
    Builder::new()
        .name(format!("search-{index}"))
        .stack_size(STACK_SIZE)
}

/// Whether the system gives the helpers of a search by `count` threads.
///
/// # Errors
/// That of the system.
pub(super) fn try_out(count: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        // Until all are there none can end.
        let _closed = gate.lock();
        for index in 1..count {
            named(index).spawn_scoped(scope, || drop(gate.lock()))?;
        }
        Ok(())
    })
}

/// `work` of each number below `count`, of 0 on the caller's thread. Helpers that the system
/// does not give any more are left out.
pub(super) fn run<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let start = |index| named(index).spawn_scoped(scope, move || work(index)).ok();
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

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread::current;

    use super::*;

    #[test]
    fn all_run_at_once_and_in_order() {
        try_out(5).expect("four helpers");
        let caller = current().id();
        let all = Barrier::new(5);
        let seen = run(5, |index| {
            all.wait();
            (index, current().id() == caller)
        });
        let wanted: Vec<_> = (0..5).map(|index| (index, index == 0)).collect();
        assert_eq!(seen, wanted);
    }

    #[test]
    #[should_panic(expected = "of a helper")]
    fn a_panic_is_handed_on() {
        run(3, |index| assert!(index != 2, "of a helper"));
    }
}
