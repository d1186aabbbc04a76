//! Work on all cores: a pool of threads with a queue of items, and searches of many positions.
//! Invariant: the results of a batch arrive in the order of the positions, and a search does not
//! depend on the others.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Engine, EngineError, Settings};
use crate::rules::Position;
use crate::search::{Control, Limits, Listener, STACK_SIZE, SearchResult};

/// Threads with the stack of a search each, which take the items of a queue one by one.
pub(crate) struct WorkPool(ThreadPool);

impl WorkPool {
    /// A pool of `threads` threads, at least one.
    pub(crate) fn new(threads: usize) -> Result<WorkPool, EngineError> {
        let threads = threads.max(1);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK_SIZE)
            .thread_name(|index| format!("worker-{index}"))
            .build()
            .map_err(|source| EngineError::BatchThreads { threads, source })?;
        Ok(WorkPool(pool))
    }

    /// Calls `work` for each number of a range and passes the results to `take` on the calling
    /// thread, as they come. `init` makes the state of each thread. Ends early if `work` returns
    /// `None` (items that have started are finished and taken) or `take` fails.
    ///
    /// This is not a parallel iterator: in one of those, a thread that waits for a search in
    /// another pool would start the next item, so that all items would be searched at once.
    ///
    /// # Errors
    /// An error of `init`, before any work, or of `take`.
    pub(crate) fn run<S: Send, T: Send, E: Send>(
        &self,
        items: Range<u64>,
        init: impl Fn() -> Result<S, E> + Sync,
        work: impl Fn(&mut S, u64) -> Option<T> + Sync,
        mut take: impl FnMut(u64, T) -> Result<(), E>,
    ) -> Result<(), E> {
        let states = self.0.broadcast(|_| init()).into_iter();
        let states = Mutex::new(states.collect::<Result<Vec<S>, E>>()?);
        let next = AtomicU64::new(items.start);
        let (sender, receiver) = channel();
        let (next, states, work) = (&next, &states, &work);
        self.0.in_place_scope(|scope| {
            // The closure owns the sender, so the channel closes when the last thread is done.
            scope.spawn_broadcast(move |_, _| {
                let state = states.lock().pop();
                let mut state = state.expect("a state for each thread");
                loop {
                    let item = next.fetch_add(1, Ordering::Relaxed);
                    if item >= items.end {
                        return;
                    }
                    let Some(result) = work(&mut state, item) else {
                        return next.store(items.end, Ordering::Relaxed);
                    };
                    // The receiver is gone once `take` has failed.
                    if sender.send((item, result)).is_err() {
                        return;
                    }
                }
            });
            for (item, result) in receiver {
                take(item, result).inspect_err(|_| next.store(items.end, Ordering::Relaxed))?;
            }
            Ok(())
        })
    }

    /// Like [`WorkPool::run`], but passes each result on once all earlier ones are available.
    pub(crate) fn run_in_order<S: Send, T: Send, E: Send>(
        &self,
        items: Range<u64>,
        init: impl Fn() -> Result<S, E> + Sync,
        work: impl Fn(&mut S, u64) -> Option<T> + Sync,
        mut take: impl FnMut(u64, T) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut early = BTreeMap::new();
        let mut expected = items.start;
        self.run(items, init, work, |item, result| {
            early.insert(item, result);
            while let Some(result) = early.remove(&expected) {
                take(expected, result)?;
                expected += 1;
            }
            Ok(())
        })
    }

    /// The results of `work` for each number of a range, in order.
    pub(crate) fn map<S: Send, T: Send, E: Send>(
        &self,
        items: Range<u64>,
        init: impl Fn() -> Result<S, E> + Sync,
        work: impl Fn(&mut S, u64) -> T + Sync,
    ) -> Result<Vec<T>, E> {
        let mut all = Vec::new();
        let work = |state: &mut S, item| Some(work(state, item));
        self.run_in_order(items, init, work, |_, result| {
            all.push(result);
            Ok(())
        })?;
        Ok(all)
    }
}

/// An engine with one thread that `control` stops.
pub(crate) fn batch_engine(
    settings: &Settings,
    control: &Arc<Control>,
) -> Result<Engine, EngineError> {
    let mut engine = Engine::with_settings(Settings { threads: 1, ..settings.clone() })?;
    engine.set_control(Arc::clone(control));
    Ok(engine)
}

pub(crate) struct BatchSearch {
    pub limits: Limits,
    /// The settings of each search; `threads` is ignored, every search uses one thread.
    pub settings: Settings,
    pub concurrency: usize,
    pub stop: Arc<Control>,
    /// Tablebase errors, each once.
    pub tablebase_errors: Mutex<BTreeSet<String>>,
}

impl BatchSearch {
    /// Searches `count` positions and passes each result to `take` on the calling thread, in
    /// order. After a stop, the results that are complete and in order are still passed.
    ///
    /// # Errors
    /// The error of `take`, or an engine or thread that cannot be created.
    pub(crate) fn run<E: From<EngineError> + Send>(
        &self,
        count: usize,
        position: impl Fn(usize) -> Position + Sync,
        mut take: impl FnMut(usize, SearchResult) -> Result<(), E>,
    ) -> Result<(), E> {
        if count == 0 {
            return Ok(());
        }
        let pool = WorkPool::new(self.concurrency.clamp(1, count))?;
        pool.run_in_order(
            0..count as u64,
            || Ok(batch_engine(&self.settings, &self.stop)?),
            |engine, index| self.search(engine, position(index as usize)),
            |index, result| {
                // The results of the other searches would be dropped.
                take(index as usize, result).inspect_err(|_| {
                    self.stop.stop();
                })
            },
        )
    }

    /// Returns the tablebase errors since the last call.
    pub(crate) fn take_tablebase_errors(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.tablebase_errors.lock())
    }

    /// Searches one position; `None` if the search was stopped.
    fn search(&self, engine: &mut Engine, pos: Position) -> Option<SearchResult> {
        engine.clear();
        engine.set_position(pos);
        engine.go_unless_stopped(&self.limits, self)
    }
}

impl Listener for BatchSearch {
    fn wants_reports(&self) -> bool {
        false
    }

    fn warning(&self, text: &str) {
        self.tablebase_errors.lock().insert(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_stream_is_ordered_and_ends_early() {
        let pool = WorkPool::new(3).expect("threads");
        let run = |last: u64, bad: u64| {
            let mut taken = Vec::new();
            let result = pool.run_in_order(
                5..60,
                || Ok(()),
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
        assert_eq!(run(40, 100), (Ok(()), (5..40).collect()));
    }

    #[test]
    fn an_error_of_a_thread_precedes_all_work() {
        let pool = WorkPool::new(3).expect("threads");
        let squares = pool.map(0..9, || Ok::<(), ()>(()), |(), item| item * item);
        assert_eq!(squares, Ok((0..9).map(|item| item * item).collect()));
        let started = AtomicU64::new(0);
        let init = || match started.fetch_add(1, Ordering::Relaxed) {
            1 => Err("no memory"),
            _ => Ok(()),
        };
        let result = pool.map(0..9, init, |(), _| panic!("without all threads"));
        assert_eq!(result, Err::<Vec<()>, _>("no memory"));
    }
}
