//! `go mate N`: a short ordinary search for a move to fall back on, then the solver.
//! Invariant: a mate announced by the solver is proved; other scores are the search's.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::format::{self, Output};
use super::gate::Gate;
use super::session::Session;
use crate::eval::score;
use crate::eval::wdl::Scale;
use crate::proof::{Answer, Progress, Task, Verdict, Watch};
use crate::rules::Move;
use crate::search::{Bound, Limits, Report};

/// Nodes of the ordinary search.
const FIRST_LOOK: u64 = 100_000;

impl Session {
    /// Answers `go mate`: with the first move of a proved mate in at most `moves`, else with
    /// the best move of a short search.
    pub(super) fn mate(&mut self, moves: i32, limits: &Limits) -> String {
        let start = Instant::now();
        let side = self.engine.position().side();
        let clock = limits.time[side.index()].map(|left| left / 20);
        let time = limits.move_time.or(clock);
        let half = limits.nodes.map_or(u64::MAX, |nodes| nodes / 2);
        let first_look = FIRST_LOOK.min(half).max(1);
        let fallback = self.best_move(&Limits {
            nodes: Some(first_look),
            move_time: time.map(|time| time / 4),
            infinite: false,
            ..limits.clone()
        });
        let most = u16::try_from(moves).map_or(Task::MOST_MOVES, |n| n.min(Task::MOST_MOVES));
        let task = Task {
            within: Some(most),
            nodes: limits.nodes.map(|nodes| nodes.saturating_sub(first_look)),
            time: time.map(|time| time.saturating_sub(start.elapsed())),
            ..Task::new(side)
        };
        match self.prove(&task, &limits.search_moves) {
            Ok(Some((line, answer))) => return self.announce(&line, &answer),
            Ok(None) => self.out.note(&format!("no mate in {most} was proved")),
            Err(error) => self.out.error(&format!("go mate: {error}")),
        }
        fallback
    }

    /// A proved line, if there is one. Where only some first moves are asked for, each is
    /// given more and more effort in turn.
    fn prove(&self, task: &Task, first_moves: &[Move]) -> Result<Option<Proved>, String> {
        let watch = Watcher {
            gate: &self.gate,
            out: &self.out,
            told: Mutex::new(Instant::now()),
        };
        if first_moves.is_empty() {
            let answer = self.engine.prove(None, task, &watch)?;
            return Ok(proved(None, answer));
        }
        let start = Instant::now();
        let mut open = first_moves.to_vec();
        let (mut share, mut spent) = (FIRST_LOOK, 0);
        while !open.is_empty() {
            for mv in std::mem::take(&mut open) {
                let left = task
                    .nodes
                    .map_or(u64::MAX, |most| most.saturating_sub(spent));
                let time = task.time.map(|time| time.saturating_sub(start.elapsed()));
                if watch.is_stopped() || left == 0 || time.is_some_and(|time| time.is_zero()) {
                    return Ok(None);
                }
                let nodes = Some(share.min(left));
                let task = Task {
                    nodes,
                    time,
                    ..*task
                };
                let answer = self.engine.prove(Some(mv), &task, &watch)?;
                spent += answer.nodes;
                match answer.verdict {
                    Verdict::Proved(_) => return Ok(proved(Some(mv), answer)),
                    Verdict::Disproved => {}
                    Verdict::Unknown(_) => open.push(mv),
                }
            }
            share *= 4;
        }
        Ok(None)
    }

    /// The line of a proved mate and its first move.
    fn announce(&self, line: &[Move], answer: &Answer) -> String {
        let plies = line.len().min(score::MAX_PLY - 1);
        let report = Report {
            depth: plies as i32,
            seldepth: plies as i32,
            multipv: 1,
            value: score::win_in(plies),
            scale: Scale::of(self.engine.position()),
            bound: Bound::Exact,
            nodes: answer.nodes,
            time: answer.time,
            hashfull: answer.hashfull,
            tbhits: 0,
            pv: line.to_vec(),
        };
        self.out.say(&format::report(&report, self.style()));
        match line.first() {
            Some(&best) => format::best_move(best, line.get(1).copied(), self.style()),
            None => format::NO_MOVE.to_owned(),
        }
    }
}

/// A line of longest resistance and the answer it comes from.
type Proved = (Vec<Move>, Answer);

fn proved(first: Option<Move>, answer: Answer) -> Option<Proved> {
    let Verdict::Proved(proved) = &answer.verdict else {
        return None;
    };
    let line = first.into_iter().chain(proved.1.line.iter().copied());
    Some((line.collect(), answer))
}

/// Hears `stop`, and tells now and then that the solver is alive.
struct Watcher<'a> {
    gate: &'a Gate,
    out: &'a Output,
    told: Mutex<Instant>,
}

impl Watch for Watcher<'_> {
    fn is_stopped(&self) -> bool {
        self.gate.is_stopped()
    }

    fn progress(&self, progress: &Progress) {
        const EVERY: Duration = Duration::from_secs(1);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() >= EVERY {
            *told = Instant::now();
            self.out.say(&format::effort(progress));
        }
    }
}
