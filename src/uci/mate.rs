//! `go mate N`: a short regular search for a fallback move, then the proof-number solver.
//! Invariant: a mate score reported by the solver is proved; all other scores come from the
//! regular search.

use std::time::Duration;

use parking_lot::Mutex;

use super::format;
use super::output::UciOutput;
use super::session::Session;
use crate::eval::score;
use crate::eval::wdl::WdlModel;
use crate::host::Instant;
use crate::proof::{
    ProofVerdict, Solver, SolverError, SolverListener, SolverProgress, SolverResult,
};
use crate::rules::Move;
use crate::search::{Control, Limits, SearchInfo, SearchLine};

const FALLBACK_NODES: u64 = 100_000;

impl Session {
    /// Executes `go mate`. Returns the `bestmove` line: the first move of a proved mate in at
    /// most `moves` moves, otherwise the best move of a short search.
    pub fn search_mate(&mut self, moves: i32, limits: &Limits) -> String {
        let start = Instant::now();
        let side = self.engine.position().side_to_move();
        let clock = limits.time[side.index()].map(|left| left / 20);
        let time = limits.move_time.or(clock);
        let half = limits.nodes.map_or(u64::MAX, |nodes| nodes / 2);
        let fallback_nodes = FALLBACK_NODES.min(half).max(1);
        let fallback = self.best_move(&Limits {
            nodes: Some(fallback_nodes),
            move_time: time.map(|time| time / 4),
            infinite: false,
            ..limits.clone()
        });
        let max_moves = u16::try_from(moves).unwrap_or(Solver::MAX_MOVES);
        let max_nodes = limits.nodes;
        let max_nodes = max_nodes.map(|nodes| nodes.saturating_sub(fallback_nodes));
        let task = Solver {
            max_moves: Some(max_moves),
            max_nodes,
            max_time: time.map(|time| time.saturating_sub(start.elapsed())),
            ..Solver::new(side)
        };
        // A stopped search does not wait for the solver.
        let result = if self.queue.control.is_stopped() {
            Ok(None)
        } else {
            self.prove_mate(&task, &limits.search_moves)
        };
        match result {
            Ok(Some(answer)) => return answer,
            Ok(None) => self.out.info(&format!("no mate in {max_moves} proved")),
            Err(error) => self.out.error(&format!("go mate: {error}")),
        }
        fallback
    }

    /// Runs the solver and returns the `bestmove` line of a proved mate. With `searchmoves`, the
    /// first moves are tried in turn, each round with four times the node budget of the last.
    fn prove_mate(
        &self,
        task: &Solver,
        first_moves: &[Move],
    ) -> Result<Option<String>, SolverError> {
        let listener = MateSearchObserver {
            control: &self.queue.control,
            out: &self.out,
            last_report: Mutex::new(Instant::now()),
        };
        if first_moves.is_empty() {
            let answer = self.engine.prove(None, task, &listener)?;
            return Ok(self.report_mate(None, &answer));
        }
        let start = Instant::now();
        let mut open = first_moves.to_vec();
        let (mut node_budget, mut nodes_used) = (FALLBACK_NODES, 0);
        while !open.is_empty() {
            for mv in std::mem::take(&mut open) {
                let left = task.max_nodes.unwrap_or(u64::MAX);
                let left = left.saturating_sub(nodes_used);
                let time = task.max_time;
                let time = time.map(|time| time.saturating_sub(start.elapsed()));
                if listener.is_stopped() || left == 0 || time.is_some_and(|time| time.is_zero()) {
                    return Ok(None);
                }
                let task =
                    Solver { max_nodes: Some(node_budget.min(left)), max_time: time, ..*task };
                let answer = self.engine.prove(Some(mv), &task, &listener)?;
                nodes_used += answer.nodes;
                match answer.verdict {
                    ProofVerdict::Proved(_) => return Ok(self.report_mate(Some(mv), &answer)),
                    ProofVerdict::Disproved => {}
                    ProofVerdict::Unknown(_) => open.push(mv),
                }
            }
            node_budget *= 4;
        }
        Ok(None)
    }

    /// Prints the line of longest resistance of a proved mate, which begins with `first`, and
    /// returns its `bestmove` line.
    fn report_mate(&self, first: Option<Move>, answer: &SolverResult) -> Option<String> {
        let ProofVerdict::Proved(proved) = &answer.verdict else {
            return None;
        };
        let line = first.into_iter().chain(proved.1.line.iter().copied());
        let line: Vec<Move> = line.collect();
        let plies = line.len().min(score::MAX_PLY - 1);
        let wdl_model = WdlModel::for_position(self.engine.position());
        let mate = SearchLine::new(plies as i32, score::mate_in(plies), line.clone());
        let report = SearchInfo {
            nodes: answer.nodes,
            time: answer.time,
            hashfull: answer.hashfull,
            ..SearchInfo::new(mate, wdl_model)
        };
        self.out.print(&format::info_line(&report, &self.options));
        let [best, ponder] = [0, 1].map(|index| line.get(index).copied());
        Some(format::best_move_line(best, ponder, &self.options))
    }
}

/// Stops the solver on `stop` and prints its progress once per second.
struct MateSearchObserver<'a> {
    control: &'a Control,
    out: &'a UciOutput,
    last_report: Mutex<Instant>,
}

impl SolverListener for MateSearchObserver<'_> {
    fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    fn progress(&self, progress: &SolverProgress) {
        const INTERVAL: Duration = Duration::from_secs(1);
        let mut last_report = self.last_report.lock();
        if last_report.elapsed() >= INTERVAL {
            *last_report = Instant::now();
            self.out.print(&format::solver_info_line(progress));
        }
    }
}
