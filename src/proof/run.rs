//! One run of a solver: it finds a win with its threads and its guide, and builds the proof.
//! Invariant: a win is only reported as proved when the verifier has accepted the proof.

use std::sync::Arc;

use super::atomic::AtomicGame;
use super::dfpn::{DfPnSearch, DfPnStats, StopCondition};
use super::helpers::{EndOnDrop, Helpers};
use super::status::{LEAF, NodeStatus, Win};
use super::table::ProofTable;
use super::tree::{Proof, ProofBuilder};
use super::verifier::verify;
use super::{
    ProofVerdict, STACK_SIZE, Solver, SolverListener, SolverProgress, SolverResult, UnknownReason,
};
use crate::host::{self, Instant};
use crate::rules::Position;

/// Nodes before the first search of a guide, which takes longer than easy wins.
const FIRST_ROUND: u64 = 32_000;
/// Nodes between its later searches.
const MAX_ROUND: u64 = 500_000;
/// Nodes of the guide for each of the solver.
const GUIDE_SHARE: u64 = 4;
/// Nodes in which every proof can be built, however short its search.
const MIN_BUILDING: u64 = 1_000_000;

struct Run<'r, 'a> {
    solver: &'r Solver<'a>,
    pos: &'r Position,
    table: Arc<ProofTable>,
    /// The greatest length of a win in plies, if it is limited.
    depth: Option<u16>,
    start: Instant,
    helpers: Helpers,
    listener: &'r dyn SolverListener,
}

/// Searches for a win. The table `is_known` to have the wins of a tree, or empty.
pub fn run(
    solver: &Solver,
    pos: &Position,
    table: Arc<ProofTable>,
    is_known: bool,
    listener: &dyn SolverListener,
) -> SolverResult {
    let run = Run {
        solver,
        pos,
        table,
        depth: solver.depth(pos),
        start: Instant::now(),
        helpers: Helpers::default(),
        listener,
    };
    let mut search = run.new_search();
    let verdict = match pos.outcome() {
        Some(outcome) if outcome.is_win_of(solver.attacker) => {
            verified(Proof::empty(pos, solver.attacker))
        }
        Some(_) => ProofVerdict::Disproved,
        None => run.verdict(&mut search, is_known),
    };
    SolverResult {
        verdict,
        nodes: run.nodes(&search),
        time: run.start.elapsed(),
        hashfull: run.table.hashfull(),
    }
}

fn verified(proof: Proof) -> ProofVerdict {
    match verify(&proof.root, proof.attacker, &|pos| proof.reply(pos)) {
        Ok(verified) => ProofVerdict::Proved(Box::new((proof, verified))),
        Err(error) => ProofVerdict::Unknown(UnknownReason::InvalidProof(Box::new(error))),
    }
}

impl<'a> Run<'_, 'a> {
    fn new_search(&self) -> DfPnSearch<AtomicGame<'a>> {
        let Solver { attacker, net, guide, .. } = *self.solver;
        DfPnSearch::new(AtomicGame::new(self.pos, attacker, net, guide), Arc::clone(&self.table))
    }

    fn nodes(&self, search: &DfPnSearch<AtomicGame>) -> u64 {
        search.nodes + self.helpers.nodes()
    }

    fn is_over(&self, nodes: u64) -> bool {
        let Solver { max_nodes, max_time, .. } = *self.solver;
        self.listener.is_stopped()
            || max_time.is_some_and(|max| self.start.elapsed() >= max)
            || max_nodes.is_some_and(|max| nodes >= max)
    }

    /// Does `work` while the other threads do `help` until they are done or `work` is.
    fn with_helpers<T>(
        &self,
        help: impl Fn(&mut DfPnSearch<AtomicGame<'a>>) + Sync,
        work: impl FnOnce() -> T,
    ) -> T {
        self.helpers.begin();
        let help = || help(&mut self.new_search());
        host::with_helpers("proof", STACK_SIZE, self.solver.threads.saturating_sub(1), help, || {
            let _end = EndOnDrop(&self.helpers);
            work()
        })
    }

    /// Finds a win and builds its proof. When the table has lost too much of it, the search goes on
    /// with an empty one, unless it had the wins of a tree.
    fn verdict(&self, search: &mut DfPnSearch<AtomicGame<'a>>, is_known: bool) -> ProofVerdict {
        loop {
            let help =
                |search: &mut DfPnSearch<AtomicGame<'a>>| self.helpers.help(search, self.depth);
            let win = match self.with_helpers(help, || self.find(search)) {
                NodeStatus::Proved(win) => win,
                NodeStatus::Disproved(_) if search.line_cut_off || self.helpers.line_cut_off() => {
                    return ProofVerdict::Unknown(UnknownReason::TooLong);
                }
                NodeStatus::Disproved(_) => return ProofVerdict::Disproved,
                NodeStatus::Unknown { .. } => return ProofVerdict::Unknown(UnknownReason::Limit),
            };
            let nodes = if is_known { u64::MAX } else { self.nodes(search) + MIN_BUILDING };
            if let Some(proof) = self.build(search, win, nodes) {
                return verified(proof);
            }
            if is_known || self.is_over(self.nodes(search)) {
                return ProofVerdict::Unknown(UnknownReason::Limit);
            }
            self.table.clear();
        }
    }

    /// Builds the proof unless that takes more than `nodes` nodes.
    fn build(
        &self,
        search: &mut DfPnSearch<AtomicGame<'a>>,
        win: Win,
        nodes: u64,
    ) -> Option<Proof> {
        let Solver { attacker, threads, .. } = *self.solver;
        let mut builder = ProofBuilder::default();
        (builder.plies, builder.depth, builder.threads) = (win.plies, self.depth, threads);
        let help = |search: &mut DfPnSearch<AtomicGame<'a>>| {
            self.helpers.count(search, |search, stop| builder.build(search, stop));
        };
        let mut stop = StopCondition {
            max_nodes: search.nodes.saturating_add(nodes),
            should_stop: &mut |_| self.listener.is_stopped(),
        };
        let is_built = self.with_helpers(help, || builder.build(search, &mut stop));
        is_built.then(|| builder.into_proof(self.pos, attacker))
    }

    /// Searches until the root is solved or a limit is reached.
    fn find(&self, search: &mut DfPnSearch<AtomicGame<'a>>) -> NodeStatus {
        let (helpers, listener) = (&self.helpers, self.listener);
        let max_nodes = self.solver.max_nodes.unwrap_or(u64::MAX);
        let mut should_stop = |stats: DfPnStats| {
            let nodes = stats.nodes + helpers.nodes();
            let numbers = stats.root.numbers(true);
            listener.progress(&SolverProgress {
                nodes,
                time: self.start.elapsed(),
                hashfull: stats.hashfull,
                proof_number: numbers.phi.div_ceil(LEAF),
                disproof_number: numbers.delta.div_ceil(LEAF),
            });
            self.is_over(nodes) || helpers.have_result()
        };
        // A win that is too long would not help.
        let mut guide = self.solver.guide.filter(|_| self.depth.is_none());
        let mut sees_win = false;
        let mut round = FIRST_ROUND;
        loop {
            let until = guide.map_or(max_nodes, |_| search.nodes + round);
            let mut stop =
                StopCondition { max_nodes: until.min(max_nodes), should_stop: &mut should_stop };
            let status = search.solve_root(self.depth, &mut stop);
            // The result of a helper is in the table.
            if helpers.take_result() && !status.is_terminal() {
                continue;
            }
            let nodes = self.nodes(search);
            if status.is_terminal() || self.is_over(nodes) {
                return status;
            }
            let nodes_left = max_nodes.saturating_sub(nodes);
            let time = self.solver.max_time.map(|max| max.saturating_sub(self.start.elapsed()));
            guide = guide.filter(|guide| {
                let nodes = (GUIDE_SHARE * round).min(nodes_left / 4 * 3);
                let time = time.map(|time| time / 4 * 3);
                let is_over = || listener.is_stopped() || helpers.have_result();
                let _pause = helpers.pause();
                let answer = search.ask(*guide, nodes, time, &is_over);
                if answer == Some(true) && !sees_win {
                    sees_win = true;
                    // Its estimates are from before the win was seen.
                    search.table.clear();
                }
                answer.is_some()
            });
            round = (4 * round).min(MAX_ROUND);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::proof::NullListener;
    use crate::rules::{Color, Variant};

    /// A win in the table where there is none stands for a table that has lost the win's entries.
    #[test]
    fn a_proof_that_cannot_be_built_is_searched_again() {
        // After 1. Nf3 f5; White wins within three moves, and 2. a3 does not win.
        let fen = "rnbqkbnr/ppppp1pp/8/5p2/8/5N2/PPPPPPPP/RNBQKB1R w KQkq f6 0 2";
        let pos = fen::parse(fen, Variant::Atomic).expect("valid");
        let a3 = pos.legal_moves().into_iter().find(|mv| mv.to().to_string() == "a3");
        let after_a3 = pos.after(a3.expect("legal")).key();
        for (is_known, max_nodes, threads, is_searched) in [
            (false, Some(1 << 20), 1, true),
            (false, None, 3, true),
            (false, Some(1), 1, false),
            (true, None, 1, false),
        ] {
            let solver = Solver { hash_mb: 1, max_nodes, threads, ..Solver::new(Color::White) };
            let table = solver.table().expect("memory");
            table.store(after_a3, NodeStatus::Proved(Win::within(2)), 0, u32::MAX);
            let verdict = run(&solver, &pos, table, is_known, &NullListener).verdict;
            let is_proved = matches!(verdict, ProofVerdict::Proved(proved) if proved.1.plies == 5);
            assert_eq!(is_proved, is_searched);
        }
    }
}
