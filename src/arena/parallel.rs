//! Work spread over threads whose items search by themselves.
//! Invariant: results come in the order of the items, whatever thread made them.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::ThreadPool;

/// `work` of each number of a range, with a state that `init` makes once for each thread.
///
/// Not a parallel iterator: a thread of one pool that waits for a search in another would
/// take up the next item meanwhile, and all would be searched at once.
pub(super) fn map<S, T: Send>(
    pool: &ThreadPool,
    items: Range<u64>,
    init: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, u64) -> T + Sync,
) -> Vec<T> {
    let next = AtomicU64::new(items.start);
    let done = pool.broadcast(|_| {
        let mut state = init();
        let mut done = Vec::new();
        loop {
            let item = next.fetch_add(1, Ordering::Relaxed);
            if item >= items.end {
                return done;
            }
            done.push((item, work(&mut state, item)));
        }
    });
    let mut done: Vec<(u64, T)> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(item, _)| item);
    done.into_iter().map(|(_, result)| result).collect()
}
