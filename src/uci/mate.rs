//! `go mate N`: a short ordinary search for a move to fall back on, then the solver.
//! Invariant: a mate announced here is proved; any other score is the ordinary search's.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::format::{self, Output};
use super::gate::Gate;
use super::session::Session;
use crate::eval::score;
use crate::proof::{Answer, Progress, Task, Verdict, Verified, Watch};
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
        let first_look = limits
            .nodes
            .map_or(FIRST_LOOK, |nodes| FIRST_LOOK.min(nodes / 2))
            .max(1);
        let look = Limits {
            nodes: Some(first_look),
            move_time: time.map(|time| time / 4),
            infinite: false,
            ..limits.clone()
        };
        let fallback = self.best_move(&look);
        let most = u16::try_from(moves).unwrap_or(Task::MOST_MOVES);
        let task = Task {
            within: Some(most.min(Task::MOST_MOVES)),
            first_moves: limits.search_moves.clone(),
            nodes: limits
                .nodes
                .map(|nodes| nodes.saturating_sub(first_look).max(1)),
            time: time.map(|time| time.saturating_sub(start.elapsed())),
            ..Task::new(side)
        };
        let watch = Watcher {
            gate: &self.gate,
            out: &self.out,
            told: Mutex::new(Instant::now()),
        };
        let answer = match self.engine.prove(task, &watch) {
            Ok(answer) => answer,
            Err(error) => {
                self.out.error(&format!("go mate: {error}"));
                return fallback;
            }
        };
        match &answer.verdict {
            Verdict::Proved(proved) => return self.announce(&proved.1, &answer, limits),
            Verdict::Disproved => self.out.note(&format!("no mate in {most}: proved")),
            Verdict::Unknown(_) => self.out.note(&format!("no mate in {most} found")),
        }
        fallback
    }

    /// The line of a proved mate and its first move.
    fn announce(&self, verified: &Verified, answer: &Answer, limits: &Limits) -> String {
        let mut line = verified.line.clone();
        // Of capture-promotions, which are all alike, the one that was asked for by name.
        let alike = |a: Move, b: Move| (a.from(), a.to()) == (b.from(), b.to());
        if let Some(first) = line.first_mut()
            && !limits.search_moves.contains(first)
            && let Some(&asked) = limits.search_moves.iter().find(|&&mv| alike(mv, *first))
        {
            *first = asked;
        }
        let plies = verified.plies.min(score::MAX_PLY - 1);
        let report = Report {
            depth: plies as i32,
            seldepth: plies as i32,
            multipv: 1,
            value: score::win_in(plies),
            bound: Bound::Exact,
            nodes: answer.nodes,
            time: answer.time,
            hashfull: answer.hashfull,
            tbhits: 0,
            pv: line.clone(),
        };
        self.out.say(&format::report(&report, self.style()));
        match line.first() {
            Some(&best) => format::best_move(best, line.get(1).copied(), self.style()),
            None => format::NO_MOVE.to_owned(),
        }
    }
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
