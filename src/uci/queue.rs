//! The commands of a session on their way from the thread that reads to the thread that owns the
//! engine, and the effect of `stop`, `ponderhit` and `quit` on them.
//! Invariant: a `stop` ends every job read before it and none read after it; the control flags of
//! a running search are never reset for the next one.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::parse::{UciCommand, UciMessage};
use crate::host;
use crate::search::Control;

/// A command that occupies the engine thread: a search, a perft, a benchmark.
#[derive(Clone, Copy)]
struct Job {
    /// A search, which `quit` stops. Other jobs end by themselves, so a `quit` that was read
    /// together with one waits for it: scripts send `go perft 5` immediately followed by `quit`.
    is_search: bool,
    /// The number of the block of input that it was read in.
    block: u64,
    /// It pondered and was stopped when it was read; while it runs, the control has both.
    ponder: bool,
    stopped: bool,
    /// It ends without a `stop`. That is known when it starts.
    bounded: bool,
}

impl Job {
    /// The job that a command is, if it is one.
    fn new(command: &UciCommand, block: u64) -> Option<Job> {
        let (is_search, ponder) = match command {
            UciCommand::Go(go) => (go.perft.is_none(), go.is_ponder()),
            UciCommand::Bench(_) | UciCommand::GenFens(_) => (false, false),
            _ => return None,
        };
        Some(Job { is_search, block, ponder, stopped: false, bounded: true })
    }
}

#[derive(Default)]
struct QueueState {
    /// Read but not executed, oldest first.
    waiting: VecDeque<(UciCommand, Option<Job>)>,
    running: Option<Job>,
    /// No more commands follow.
    closed: bool,
    /// The session ends at once: no job may run.
    ended: bool,
}

#[derive(Default)]
pub struct CommandQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
    /// The control of the running job.
    pub control: Arc<Control>,
}

impl CommandQueue {
    pub fn push(&self, command: UciCommand, block: u64) {
        let job = Job::new(&command, block);
        self.state.lock().waiting.push_back((command, job));
        self.changed.notify_all();
    }

    /// Adds `uci` or `isready`, which must be answered when the commands before it have taken
    /// effect, but not after a search. Returns false if a job is running: the reply is due now.
    pub fn push_query(&self, query: &UciMessage) -> bool {
        let mut state = self.state.lock();
        if state.running.is_some() {
            return false;
        }
        let mut waiting = state.waiting.iter();
        let first_job = waiting.position(|(_, job)| job.is_some());
        let index = first_job.unwrap_or(state.waiting.len());
        let command = UciCommand::Message(query.clone());
        state.waiting.insert(index, (command, None));
        self.changed.notify_all();
        true
    }

    /// `stop`: stops all jobs read so far.
    pub fn stop(&self) {
        self.stop_matching(&mut self.state.lock(), |_| true);
    }

    /// `quit` in a block of input: stops all jobs read so far except a perft or benchmark of the
    /// same block.
    pub fn quit(&self, block: u64) {
        let mut state = self.state.lock();
        state.closed = true;
        self.stop_matching(&mut state, |job| job.is_search || job.block != block);
    }

    /// The end of the session: stops all jobs, now and when they start.
    pub fn end(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.ended = true;
        self.stop_matching(&mut state, |_| true);
    }

    /// The end of the input: no `stop` can follow, so any search that needs one is stopped, now or
    /// when it starts.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        let running = state.running.as_ref();
        if running.is_some_and(|job| !job.bounded || self.control.is_pondering()) {
            self.control.stop();
        }
        self.changed.notify_all();
    }

    fn stop_matching(&self, state: &mut QueueState, applies_to: impl Fn(&Job) -> bool) {
        let waiting = state.waiting.iter_mut().filter_map(|(_, job)| job.as_mut());
        waiting.for_each(|job| job.stopped |= applies_to(job));
        if state.running.as_ref().is_some_and(applies_to) {
            self.control.stop();
        }
        self.changed.notify_all();
    }

    /// `ponderhit`: applies to the oldest search that still ponders and has not been stopped.
    pub fn ponderhit(&self) {
        let mut state = self.state.lock();
        let still_ponders = self.control.is_pondering() && !self.control.is_stopped();
        if state.running.is_some() && still_ponders {
            self.control.ponderhit();
            return;
        }
        let mut waiting = state.waiting.iter_mut().filter_map(|(_, job)| job.as_mut());
        if let Some(job) = waiting.find(|job| job.ponder && !job.stopped) {
            job.ponder = false;
        }
    }

    /// Waits for the next command, which runs from now on if it is a job. `None` at the end.
    pub fn next(&self) -> Option<UciCommand> {
        host::wait_while(&self.state, &self.changed, |state| {
            state.waiting.is_empty() && !state.closed
        });
        self.try_next()
    }

    /// Like [`CommandQueue::next`], but `None` if no command is waiting.
    pub fn try_next(&self) -> Option<UciCommand> {
        let mut state = self.state.lock();
        let (command, job) = state.waiting.pop_front()?;
        if let Some(job) = &job {
            self.control.arm(job.ponder);
            if job.stopped || state.ended || (state.closed && job.ponder) {
                self.control.stop();
            }
        }
        state.running = job;
        Some(command)
    }

    /// Starts the search that `next` returned: `bounded` means that it ends without a `stop`.
    pub fn start(&self, bounded: bool) {
        let mut state = self.state.lock();
        if let Some(running) = &mut state.running {
            running.bounded = bounded;
        }
        if state.closed && !bounded {
            self.control.stop();
        }
    }

    /// Ends the running job. Must be called before `bestmove` is printed: a `ponderhit` after
    /// `bestmove` belongs to the next search.
    pub fn finish(&self) {
        self.state.lock().running = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    impl CommandQueue {
        fn read(&self, line: &str) {
            self.push(parse(line).expect("valid"), 1);
        }

        /// Starts the next job. Returns true if it ponders.
        fn start_next(&self, bounded: bool) -> bool {
            self.try_next().expect("a command");
            self.start(bounded);
            self.control.is_pondering()
        }
    }

    #[test]
    fn queueing_a_search_does_not_affect_the_running_one() {
        let queue = CommandQueue::default();
        queue.read("go ponder");
        assert!(queue.start_next(true));
        queue.read("go ponder");
        assert!(queue.control.is_pondering());
        queue.ponderhit();
        assert!(!queue.control.is_pondering() && !queue.control.is_stopped());
        queue.ponderhit();
        queue.stop();
        assert!(queue.control.is_stopped());
        assert!(!queue.start_next(true));
        assert!(queue.control.is_stopped());
    }

    #[test]
    fn a_ponderhit_after_bestmove_or_a_stop_applies_to_the_next_search() {
        for (early_stop, finished) in [(false, true), (false, false), (true, false)] {
            let queue = CommandQueue::default();
            queue.read("go ponder");
            if early_stop {
                queue.stop();
            }
            queue.start_next(true);
            queue.stop();
            if finished {
                queue.finish();
            }
            queue.read("go ponder");
            queue.ponderhit();
            assert!(!queue.start_next(true), "{early_stop} {finished}");
        }
    }

    #[test]
    fn after_the_end_no_job_runs() {
        for line in ["go", "bench"] {
            let queue = CommandQueue::default();
            queue.read(line);
            queue.start_next(true);
            queue.end();
            assert!(queue.control.is_stopped());
            queue.read(line);
            queue.start_next(true);
            assert!(queue.control.is_stopped());
        }
    }
}
