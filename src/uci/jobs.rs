//! Synchronises the input thread with the engine thread: which jobs are queued, which one
//! runs, and which of them `stop`, `ponderhit` and `isready` apply to.
//! Invariant: a `stop` ends every search read before it and none read after it; the control
//! flags of a running search are never reset for the next one.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;

use crate::host;
use crate::search::Control;

/// A command that must be answered even while a search runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// `uci`
    Uci,
    /// `isready`
    IsReady,
}

/// Which thread replies to a query, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Responder {
    /// The input thread, at once.
    InputThread,
    /// The engine thread, when the search queued before the query starts.
    EngineAtStart,
    /// The engine thread, in command order.
    EngineInOrder,
}

/// The kind of work that occupies the engine thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// A search; `quit` stops it.
    Search,
    /// A perft or a benchmark. It ends by itself, so a `quit` that was read together with it
    /// waits for it: scripts pipe in `go perft 5` immediately followed by `quit`.
    Finite,
}

struct QueuedJob {
    job: JobKind,
    /// The block of input that the job was read in.
    block: u64,
    ponder: bool,
    stopped: bool,
}

struct RunningJob {
    job: JobKind,
    block: u64,
    ponder: bool,
    bounded: bool,
    /// Stopped by a command; even an infinite search may then send its `bestmove`.
    stopped: bool,
    control: Arc<Control>,
}

impl RunningJob {
    fn stop(&mut self) {
        self.stopped = true;
        self.control.stop();
    }
}

#[derive(Default)]
struct QueueState {
    /// Read but not started, oldest first.
    waiting: VecDeque<QueuedJob>,
    running: Option<RunningJob>,
    pending_queries: Vec<Query>,
    closed: bool,
    /// The session ends at once: no job may run.
    ended: bool,
}

/// What the engine thread needs when it starts a job.
#[derive(Debug, PartialEq, Eq)]
pub struct StartedJob {
    /// True if the search starts pondering.
    pub ponder: bool,
    /// Queries to reply to now.
    pub pending_queries: Vec<Query>,
}

/// The jobs read from the input, shared by both threads; see the module documentation.
#[derive(Default)]
pub struct JobQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

impl JobQueue {
    /// Queues a job; called by the input thread before it forwards the command.
    pub fn enqueue(&self, job: JobKind, ponder: bool, block: u64) {
        let stopped = false;
        self.state.lock().waiting.push_back(QueuedJob {
            job,
            block,
            ponder,
            stopped,
        });
    }

    /// `stop`: stops all jobs read so far.
    pub fn stop(&self) {
        self.stop_matching(|_, _| true);
    }

    /// `quit` in a block of input: stops all jobs read so far except a perft or benchmark of the
    /// same block; no more commands follow.
    pub fn quit(&self, block: u64) {
        self.stop_matching(|job, read_in| job == JobKind::Search || read_in != block);
        self.state.lock().closed = true;
    }

    /// The end of the session: stops all jobs, now and when they start.
    pub fn end(&self) {
        self.stop();
        let mut state = self.state.lock();
        state.closed = true;
        state.ended = true;
        // A job may have started in between.
        if let Some(running) = &mut state.running {
            running.stop();
        }
        self.changed.notify_all();
    }

    fn stop_matching(&self, applies_to: impl Fn(JobKind, u64) -> bool) {
        let mut state = self.state.lock();
        for ticket in &mut state.waiting {
            ticket.stopped |= applies_to(ticket.job, ticket.block);
        }
        if let Some(running) = &mut state.running
            && applies_to(running.job, running.block)
        {
            running.stop();
        }
        self.changed.notify_all();
    }

    /// End of input: no `stop` can follow, so any search that needs one is stopped, now or when
    /// it starts.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        if let Some(running) = &mut state.running
            && (running.ponder || !running.bounded)
        {
            running.stop();
        }
        self.changed.notify_all();
    }

    /// `ponderhit`: applies to the oldest search that still ponders and has not been stopped.
    pub fn ponderhit(&self) {
        let mut state = self.state.lock();
        let running = state.running.as_mut();
        if let Some(running) = running.filter(|running| running.ponder && !running.stopped) {
            running.ponder = false;
            running.control.ponderhit();
        } else {
            let mut waiting = state.waiting.iter_mut();
            if let Some(ticket) = waiting.find(|ticket| ticket.ponder && !ticket.stopped) {
                ticket.ponder = false;
            }
        }
        self.changed.notify_all();
    }

    /// Determines who replies to a query that was just read.
    pub fn responder(&self, query: Query) -> Responder {
        let mut state = self.state.lock();
        if state.running.is_some() {
            Responder::InputThread
        } else if state.waiting.is_empty() {
            Responder::EngineInOrder
        } else {
            state.pending_queries.push(query);
            Responder::EngineAtStart
        }
    }

    /// Starts the oldest queued job; called by the engine thread. `bounded` means that it ends
    /// without a `stop`. Arms the control, and stops it if a `stop` has arrived in the meantime.
    pub fn start_next(&self, control: Arc<Control>, bounded: bool) -> StartedJob {
        let mut state = self.state.lock();
        let ticket = state.waiting.pop_front().unwrap_or(QueuedJob {
            job: JobKind::Search,
            block: 0,
            ponder: false,
            stopped: false,
        });
        let QueuedJob {
            job, block, ponder, ..
        } = ticket;
        control.arm(ponder);
        let mut running = RunningJob {
            job,
            block,
            ponder,
            bounded,
            stopped: false,
            control,
        };
        if ticket.stopped || state.ended || (state.closed && (ponder || !bounded)) {
            running.stop();
        }
        state.running = Some(running);
        let pending_queries = std::mem::take(&mut state.pending_queries);
        StartedJob {
            ponder,
            pending_queries,
        }
    }

    /// Waits until the running search may send its `bestmove`: it was stopped, or it is neither
    /// infinite nor pondering. The search itself waits too; this call also covers finished
    /// games and book moves, where there is no search.
    pub fn wait_for_stop_or_ponderhit(&self, infinite: bool) {
        host::wait_while(&self.state, &self.changed, |state| {
            let running = state.running.as_ref();
            running.is_some_and(|running| !running.stopped && (infinite || running.ponder))
        });
    }

    /// True if the running job has been stopped by a command.
    pub fn is_stopped(&self) -> bool {
        let state = self.state.lock();
        state
            .running
            .as_ref()
            .is_some_and(|running| running.stopped)
    }

    /// Ends the running job. Must be called before `bestmove` is printed: a `ponderhit` after
    /// `bestmove` belongs to the next search.
    pub fn finish(&self) {
        self.state.lock().running = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control() -> Arc<Control> {
        Arc::default()
    }

    #[test]
    fn a_stop_before_the_start_still_applies() {
        let (jobs, control) = (JobQueue::default(), control());
        jobs.enqueue(JobKind::Search, false, 1);
        jobs.stop();
        jobs.enqueue(JobKind::Search, false, 1);
        jobs.start_next(control.clone(), false);
        assert!(control.is_stopped());
        jobs.finish();
        jobs.start_next(control.clone(), false);
        assert!(!control.is_stopped());
    }

    #[test]
    fn queueing_a_search_does_not_affect_the_running_one() {
        let (jobs, control) = (JobQueue::default(), control());
        jobs.enqueue(JobKind::Search, true, 1);
        assert!(jobs.start_next(control.clone(), true).ponder);
        jobs.enqueue(JobKind::Search, true, 1);
        assert!(control.is_pondering());
        jobs.ponderhit();
        assert!(!control.is_pondering() && !control.is_stopped());
        jobs.ponderhit();
        jobs.stop();
        assert!(control.is_stopped());
        jobs.finish();
        assert!(!jobs.start_next(control.clone(), true).ponder);
        assert!(control.is_stopped());
    }

    #[test]
    fn a_ponderhit_after_bestmove_applies_to_the_next_search() {
        let (jobs, control) = (JobQueue::default(), control());
        jobs.enqueue(JobKind::Search, true, 1);
        jobs.start_next(control.clone(), true);
        jobs.stop();
        jobs.finish();
        jobs.enqueue(JobKind::Search, true, 1);
        jobs.ponderhit();
        assert!(!jobs.start_next(control.clone(), true).ponder);
    }

    #[test]
    fn a_ponderhit_after_a_stop_applies_to_the_next_search() {
        for early in [false, true] {
            let (jobs, control) = (JobQueue::default(), control());
            jobs.enqueue(JobKind::Search, true, 1);
            if early {
                jobs.stop();
            }
            jobs.start_next(control.clone(), true);
            jobs.stop();
            jobs.enqueue(JobKind::Search, true, 1);
            jobs.ponderhit();
            jobs.finish();
            assert!(!jobs.start_next(control.clone(), true).ponder, "{early}");
        }
    }

    #[test]
    fn the_end_of_input_stops_unbounded_and_pondering_searches() {
        for (ponder, bounded, stopped) in [
            (false, true, false),
            (false, false, true),
            (true, true, true),
            (true, false, true),
        ] {
            for early in [false, true] {
                let (jobs, control) = (JobQueue::default(), control());
                jobs.enqueue(JobKind::Search, ponder, 1);
                if early {
                    jobs.close();
                }
                jobs.start_next(control.clone(), bounded);
                jobs.close();
                assert_eq!(control.is_stopped(), stopped, "{ponder} {bounded}");
            }
        }
    }

    #[test]
    fn quit_waits_for_a_perft_of_its_block_only() {
        let (jobs, control) = (JobQueue::default(), control());
        jobs.enqueue(JobKind::Finite, false, 1);
        jobs.start_next(control.clone(), true);
        jobs.quit(2);
        assert!(control.is_stopped());
        jobs.finish();
        jobs.enqueue(JobKind::Finite, false, 1);
        jobs.enqueue(JobKind::Search, false, 1);
        jobs.start_next(control.clone(), true);
        jobs.quit(1);
        assert!(!control.is_stopped());
        jobs.finish();
        jobs.start_next(control.clone(), true);
        assert!(control.is_stopped());
    }

    #[test]
    fn after_the_end_no_job_runs() {
        for kind in [JobKind::Search, JobKind::Finite] {
            let (jobs, control) = (JobQueue::default(), control());
            jobs.enqueue(kind, false, 1);
            jobs.start_next(control.clone(), true);
            jobs.end();
            assert!(control.is_stopped() && jobs.is_stopped());
            jobs.finish();
            jobs.enqueue(kind, false, 1);
            jobs.start_next(control.clone(), true);
            assert!(control.is_stopped() && jobs.is_stopped());
        }
    }

    #[test]
    fn queries_wait_for_commands_but_not_for_searches() {
        let jobs = JobQueue::default();
        assert_eq!(jobs.responder(Query::IsReady), Responder::EngineInOrder);
        jobs.enqueue(JobKind::Search, false, 1);
        assert_eq!(jobs.responder(Query::IsReady), Responder::EngineAtStart);
        assert_eq!(
            jobs.start_next(control(), true).pending_queries,
            [Query::IsReady]
        );
        assert_eq!(jobs.responder(Query::Uci), Responder::InputThread);
        jobs.finish();
        assert_eq!(jobs.responder(Query::IsReady), Responder::EngineInOrder);
    }
}
