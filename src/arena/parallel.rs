//! Work spread over threads whose items search by themselves.
//! Invariant: results come in the order of the items, whatever thread made them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;

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

/// `work` of each number of a range, like `map`, but each result is handed to `take` on the
/// calling thread as soon as it and all before it are there. Ends early when `work` gives
/// `None` (what was begun is finished, and what then is in order is still taken) or `take`
/// fails.
///
/// # Errors
/// That of `take`.
pub fn stream<S, T: Send, E>(
    pool: &ThreadPool,
    items: Range<u64>,
    init: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, u64) -> Option<T> + Sync,
    mut take: impl FnMut(u64, T) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicU64::new(items.start);
    let (sender, receiver) = channel();
    let (next, init, work) = (&next, &init, &work);
    pool.in_place_scope(|scope| {
        // The sender lives in the closure, so the channel closes when the last thread is done.
        scope.spawn_broadcast(move |_, _| {
            let mut state = init();
            loop {
                let item = next.fetch_add(1, Ordering::Relaxed);
                if item >= items.end {
                    return;
                }
                let Some(result) = work(&mut state, item) else {
                    return next.store(items.end, Ordering::Relaxed);
                };
                // Nobody listens any more once `take` has failed.
                if sender.send((item, result)).is_err() {
                    return;
                }
            }
        });
        let mut early = BTreeMap::new();
        let mut wanted = items.start;
        for (item, result) in receiver {
            early.insert(item, result);
            while let Some(result) = early.remove(&wanted) {
                if let Err(error) = take(wanted, result) {
                    next.store(items.end, Ordering::Relaxed);
                    return Err(error);
                }
                wanted += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use rayon::ThreadPoolBuilder;

    use super::*;

    #[test]
    fn a_stream_is_in_order_and_ends_early() {
        let pool = ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .expect("threads");
        let run = |last: u64, bad: u64| {
            let mut taken = Vec::new();
            let result = stream(
                &pool,
                5..60,
                || (),
                |(), item| {
                    thread::sleep(Duration::from_micros(item * 7919 % 300));
                    (item != last).then_some(item * 2)
                },
                |item, result| {
                    assert_eq!(result, item * 2);
                    taken.push(item);
                    if item == bad { Err(item) } else { Ok(()) }
                },
            );
            (result, taken)
        };
        assert_eq!(run(100, 100), (Ok(()), (5..60).collect()));
        assert_eq!(run(100, 20), (Err(20), (5..=20).collect()));
        let (result, taken) = run(40, 100);
        assert_eq!((result, taken), (Ok(()), (5..40).collect()));
    }
}
