//! The gate between the two threads: which searches have been read, which one runs, and
//! whom `stop`, `ponderhit` and `isready` concern.
//! Invariant: a `stop` reaches every search read before it and none read after it; the
//! switches of a running search are never reset on behalf of the next one.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::search::Control;

/// A question that must be answered while a search runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prompt {
    /// `uci`
    Uci,
    /// `isready`
    IsReady,
}

/// Who answers a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The asking thread, at once.
    Now,
    /// The engine's thread when the search read before the prompt begins.
    AtStart,
    /// The engine's thread in the order of the commands.
    InTurn,
}

/// What kind of work occupies the engine's thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// A search, which `quit` ends.
    Search,
    /// A perft or a benchmark: ends by itself, so `quit` waits for it; scripts pipe in
    /// `go perft 5` and `quit` in one breath.
    Count,
}

struct Ticket {
    job: Job,
    ponder: bool,
    stopped: bool,
}

struct Running {
    job: Job,
    ponder: bool,
    bounded: bool,
    /// Stopped from outside, so that even an analysis without end may be answered.
    stopped: bool,
    control: Arc<Control>,
}

impl Running {
    fn stop(&mut self) {
        self.stopped = true;
        self.control.stop();
    }
}

#[derive(Default)]
struct State {
    /// Read but not begun, oldest first.
    waiting: VecDeque<Ticket>,
    running: Option<Running>,
    owed: Vec<Prompt>,
    closed: bool,
}

/// What the engine's thread learns when it begins a job.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Begun {
    /// True when the opponent's move is still only assumed.
    pub ponder: bool,
    /// Prompts to answer now.
    pub owed: Vec<Prompt>,
}

/// See the head of this file.
#[derive(Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing here can leave the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reading thread has read a job and is about to pass it on.
    pub fn read(&self, job: Job, ponder: bool) {
        let stopped = false;
        self.lock().waiting.push_back(Ticket {
            job,
            ponder,
            stopped,
        });
    }

    /// `stop`: ends all jobs read so far.
    pub fn stop(&self) {
        self.stop_where(|_| true);
    }

    /// `quit`: ends all searches read so far; no more commands will come.
    pub fn quit(&self) {
        self.stop_where(|job| job == Job::Search);
        self.lock().closed = true;
    }

    fn stop_where(&self, concerned: impl Fn(Job) -> bool) {
        let mut state = self.lock();
        for ticket in &mut state.waiting {
            ticket.stopped |= concerned(ticket.job);
        }
        if let Some(running) = &mut state.running
            && concerned(running.job)
        {
            running.stop();
        }
        self.changed.notify_all();
    }

    /// The input has ended: no `stop` can come any more, so what needs one is stopped, now or
    /// when it begins.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        if let Some(running) = &mut state.running
            && (running.ponder || !running.bounded)
        {
            running.stop();
        }
        self.changed.notify_all();
    }

    /// `ponderhit`: concerns the oldest search that still ponders.
    pub fn ponderhit(&self) {
        let mut state = self.lock();
        if let Some(running) = state.running.as_mut().filter(|running| running.ponder) {
            running.ponder = false;
            running.control.ponderhit();
        } else if let Some(ticket) = state.waiting.iter_mut().find(|ticket| ticket.ponder) {
            ticket.ponder = false;
        }
        self.changed.notify_all();
    }

    /// Who is to answer a prompt read just now.
    pub fn ask(&self, prompt: Prompt) -> Answer {
        let mut state = self.lock();
        if state.running.is_some() {
            Answer::Now
        } else if state.waiting.is_empty() {
            Answer::InTurn
        } else {
            state.owed.push(prompt);
            Answer::AtStart
        }
    }

    /// The engine's thread begins the oldest job read. `bounded` says that it ends without a
    /// `stop`. Arms the control, and stops it again if a `stop` came in the meantime.
    pub fn begin(&self, control: Arc<Control>, bounded: bool) -> Begun {
        let mut state = self.lock();
        let ticket = state.waiting.pop_front().unwrap_or(Ticket {
            job: Job::Search,
            ponder: false,
            stopped: false,
        });
        let Ticket { job, ponder, .. } = ticket;
        control.arm(ponder);
        let mut running = Running {
            job,
            ponder,
            bounded,
            stopped: false,
            control,
        };
        if ticket.stopped || (state.closed && (ponder || !bounded)) {
            running.stop();
        }
        state.running = Some(running);
        let owed = std::mem::take(&mut state.owed);
        Begun { ponder, owed }
    }

    /// Waits until the running search may be answered: it was stopped, or it is neither
    /// infinite nor pondering. A search is bound to wait by itself; this also covers games
    /// that are over, where nothing is searched.
    pub fn wait_until_released(&self, infinite: bool) {
        let mut state = self.lock();
        while let Some(running) = &state.running
            && !running.stopped
            && (infinite || running.ponder)
        {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// True once the running job was stopped from outside.
    pub fn is_stopped(&self) -> bool {
        let state = self.lock();
        state
            .running
            .as_ref()
            .is_some_and(|running| running.stopped)
    }

    /// The running job has ended. To be called before its answer is printed: a `ponderhit`
    /// that follows the answer belongs to the next search.
    pub fn finish(&self) {
        self.lock().running = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control() -> Arc<Control> {
        Arc::default()
    }

    #[test]
    fn a_stop_before_the_beginning_is_kept() {
        let (gate, control) = (Gate::default(), control());
        gate.read(Job::Search, false);
        gate.stop();
        gate.read(Job::Search, false);
        gate.begin(control.clone(), false);
        assert!(control.is_stopped());
        gate.finish();
        gate.begin(control.clone(), false);
        assert!(!control.is_stopped());
    }

    #[test]
    fn a_search_read_during_another_leaves_it_alone() {
        let (gate, control) = (Gate::default(), control());
        gate.read(Job::Search, true);
        assert!(gate.begin(control.clone(), true).ponder);
        gate.read(Job::Search, true);
        assert!(control.is_pondering());
        gate.ponderhit();
        assert!(!control.is_pondering() && !control.is_stopped());
        gate.ponderhit();
        gate.stop();
        assert!(control.is_stopped());
        gate.finish();
        assert!(!gate.begin(control.clone(), true).ponder);
        assert!(control.is_stopped());
    }

    #[test]
    fn a_ponderhit_after_the_answer_belongs_to_the_next_search() {
        let (gate, control) = (Gate::default(), control());
        gate.read(Job::Search, true);
        gate.begin(control.clone(), true);
        gate.stop();
        gate.finish();
        gate.read(Job::Search, true);
        gate.ponderhit();
        assert!(!gate.begin(control.clone(), true).ponder);
    }

    #[test]
    fn the_end_of_input_stops_what_nobody_else_can() {
        for (ponder, bounded, stopped) in [
            (false, true, false),
            (false, false, true),
            (true, true, true),
            (true, false, true),
        ] {
            for early in [false, true] {
                let (gate, control) = (Gate::default(), control());
                gate.read(Job::Search, ponder);
                if early {
                    gate.close();
                }
                gate.begin(control.clone(), bounded);
                gate.close();
                assert_eq!(control.is_stopped(), stopped, "{ponder} {bounded}");
            }
        }
    }

    #[test]
    fn quit_waits_for_what_ends_by_itself() {
        let (gate, control) = (Gate::default(), control());
        gate.read(Job::Count, false);
        gate.read(Job::Search, false);
        gate.begin(control.clone(), true);
        gate.quit();
        assert!(!control.is_stopped());
        gate.finish();
        gate.begin(control.clone(), true);
        assert!(control.is_stopped());
    }

    #[test]
    fn prompts_wait_for_commands_but_not_for_searches() {
        let gate = Gate::default();
        assert_eq!(gate.ask(Prompt::IsReady), Answer::InTurn);
        gate.read(Job::Search, false);
        assert_eq!(gate.ask(Prompt::IsReady), Answer::AtStart);
        assert_eq!(gate.begin(control(), true).owed, [Prompt::IsReady]);
        assert_eq!(gate.ask(Prompt::Uci), Answer::Now);
        gate.finish();
        assert_eq!(gate.ask(Prompt::IsReady), Answer::InTurn);
    }
}
