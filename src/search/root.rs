//! The root of the search: iterative deepening, aspiration windows, MultiPV and the decision to
//! stop.
//! Invariant: the main thread completes the first line of depth 1 whatever the limits, so every
//! search has a best move and its score.

use super::node::Root;
use super::proof_helper::{ProofHelper, ProvedMove};
use super::root_move::RootMove;
use super::tb::TbProber;
use super::tt::TranspositionTable;
use super::worker::{SearchShared, Searcher};
use super::{Bound, Listener, SearchInfo, SearchLine, params};
use crate::eval::score::{self, INFINITE, Value};
use crate::eval::wdl::WdlModel;
use crate::rules::{Move, Position};

/// Proofs are requested after an iteration of at least this depth: earlier values change too often.
const MIN_PROOF_DEPTH: i32 = 8;
/// The root is nearly decided if the expected score of the better side is at least this.
const NEARLY_DECIDED: f64 = 0.95;
/// Bounds and current moves are reported only after this many milliseconds, because shorter
/// searches would report too many.
const LONG_SEARCH_MS: u128 = 3000;

impl Searcher<'_> {
    /// Searches with increasing depth until a limit is reached. Returns the depth of the last
    /// completed iteration, or 0.
    pub fn iterative_deepening(&mut self) -> i32 {
        let max_depth = self.shared.limits.depth.unwrap_or(i32::MAX);
        let mut completed = 0;
        let mut stability = BestMoveStability::default();
        for depth in 1..=max_depth.clamp(1, score::MAX_PLY as i32 - 1) {
            // Helpers skip some iterations, so that the threads search different depths.
            if !self.is_main() && (depth as usize + self.index).is_multiple_of(4) {
                continue;
            }
            self.root_depth = depth;
            for root_move in &mut self.root_moves {
                root_move.previous_value = root_move.value;
                root_move.value = -INFINITE;
            }
            for pv_index in 0..self.shared.line_count {
                self.pv_index = pv_index;
                self.seldepth = 0;
                self.aspiration_search(depth);
                if self.stopped {
                    break;
                }
            }
            if self.stopped && self.is_main() && self.show_new_proof() {
                self.stopped = false;
                self.update_lines(depth, completed);
                continue;
            }
            if self.stopped {
                self.sort_unfinished();
                self.update_lines(depth, completed);
                break;
            }
            completed = depth;
            if let Some(listener) = self.listener {
                self.shared.report_tb_warnings(listener);
            }
            self.update_lines(depth, completed);
            if self.is_main() {
                self.request_proof(depth);
                stability.update(self.root_moves[0].mv, self.root_moves[0].value);
                if self.should_stop_deepening(depth, &stability) {
                    break;
                }
            } else if self.is_wanted_mate(self.root_moves[0].value) {
                self.shared.end();
            }
        }
        completed
    }

    /// Searches one line of MultiPV with an aspiration window around its previous value, which
    /// widens until the value lies inside.
    fn aspiration_search(&mut self, depth: i32) {
        let pv_index = self.pv_index;
        let previous_value = self.root_moves[pv_index].previous_value;
        let mut delta = params::aspiration();
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= 5 && !score::is_decisive(previous_value) {
            (alpha, beta) =
                ((previous_value - delta).max(-INFINITE), (previous_value + delta).min(INFINITE));
        }
        loop {
            let value = self.search::<Root>(alpha, beta, depth, 0, false);
            self.root_moves[pv_index..].sort_by_key(RootMove::sort_key);
            if self.stopped {
                return;
            }
            let bound = if value <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (value - delta).max(-INFINITE);
                Bound::Upper
            } else if value >= beta.max(score::DRAW) && self.is_wanted_mate(value) {
                // The line of the last iteration does not mate.
                self.root_moves[pv_index].continuation.clear();
                break;
            } else if value >= beta {
                beta = (value + delta).min(INFINITE);
                Bound::Lower
            } else {
                break;
            };
            delta += delta / 2;
            if delta > 800 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
            if let Some(listener) = self.listener_of_long_search() {
                let root_move = &self.root_moves[pv_index];
                let bound = if root_move.tb_rank.is_some() { Bound::Exact } else { bound };
                let line = self.shared.line(&self.pos, root_move, depth);
                self.shared.report(listener, &self.pos, pv_index, &line, bound);
            }
        }
        self.root_moves[..=pv_index].sort_by_key(RootMove::sort_key);
    }

    /// Sorts the root moves after a stop within an iteration.
    fn sort_unfinished(&mut self) {
        let pv_index = self.pv_index;
        self.root_moves[pv_index..].sort_by_key(RootMove::sort_key);
        // If this iteration has a value for the current line, it has one for all lines above
        // it too, so they can be compared.
        if self.root_moves[pv_index].value > -INFINITE {
            self.root_moves[..=pv_index].sort_by_key(RootMove::sort_key);
        }
    }

    /// Takes the lines of MultiPV from the root moves, and reports them. Those without a value in
    /// the iteration of this depth come from the last completed one. Before there is one, only
    /// the first line has a value.
    fn update_lines(&mut self, depth: i32, completed: i32) {
        let count = if completed == 0 { 1 } else { self.shared.line_count };
        let line = |root_move: &RootMove| {
            let depth = if root_move.value > -INFINITE { depth } else { completed.max(1) };
            self.shared.line(&self.pos, root_move, depth)
        };
        self.lines = self.root_moves[..count].iter().map(line).collect();
        self.report_lines();
    }

    pub fn report_lines(&self) {
        if let Some(listener) = self.listener {
            for (pv_index, line) in self.lines.iter().enumerate() {
                self.shared.report(listener, &self.pos, pv_index, line, Bound::Exact);
            }
        }
    }

    fn should_stop_deepening(&self, depth: i32, stability: &BestMoveStability) -> bool {
        let (limits, time_manager) = (self.shared.limits, &self.shared.time_manager);
        let best = &self.root_moves[0];
        if self.is_wanted_mate(best.value) {
            return true;
        }
        if limits.soft_nodes.is_some_and(|max| self.nodes >= max) {
            return true;
        }
        if !time_manager.is_timed() || limits.infinite {
            return false;
        }
        let control = self.shared.setup.control;
        if control.is_pondering() {
            return false;
        }
        let is_decided = self.candidate_count() == 1
            || (score::is_mate(best.value) && depth > 2 * (score::MATE - best.value.abs()));
        if is_decided && depth >= 4 {
            return true;
        }
        // The larger the share of nodes spent on the best move, the clearer the choice.
        let effort = best.nodes as f64 / self.nodes.max(1) as f64;
        let effort_percent =
            f64::from(params::effort_base()) - f64::from(params::effort_scale()) * effort;
        let time_factor = stability.time_factor() * effort_percent / 100.0;
        let nodes = self.shared.nodes_per_thread();
        time_manager.is_soft_limit_reached(control, nodes, time_factor)
    }

    /// True if the search is for a mate, and this is the value of one, for either side.
    fn is_wanted_mate(&self, value: Value) -> bool {
        let moves = self.shared.limits.mate;
        moves.is_some_and(|moves| value.abs() >= score::mate_in(2 * moves.max(0) as usize))
    }

    /// True if the current line of MultiPV may begin with `mv`: no earlier line does, and no
    /// other move left has a better tablebase rank.
    pub fn is_candidate(&self, mv: Move) -> bool {
        let left = &self.root_moves[self.pv_index..];
        left.iter().any(|root_move| root_move.mv == mv && root_move.tb_rank == left[0].tb_rank)
    }

    /// Number of root moves with the best tablebase rank; all moves without tablebases.
    fn candidate_count(&self) -> usize {
        let best_rank = self.root_moves[0].tb_rank;
        self.root_moves.iter().filter(|root_move| root_move.tb_rank == best_rank).count()
    }

    /// Records the search of a root move with `nodes` nodes, and returns the value that counts. A
    /// move without a value (it did not raise alpha and is not the first) keeps its place in the
    /// order; only an exact value comes with a principal variation.
    pub fn update_root_move(
        &mut self,
        mv: Move,
        value: Value,
        (alpha, beta): (Value, Value),
        is_first: bool,
        nodes: u64,
    ) -> Value {
        let proved = self.shared.proved(mv);
        let value = proved_value(value, proved);
        let moves = &mut self.root_moves;
        let Some(index) = moves.iter().position(|root_move| root_move.mv == mv) else {
            return value;
        };
        moves[index].nodes += nodes;
        if is_first || value > alpha {
            moves[index].value = value;
            moves[index].seldepth = self.seldepth;
            if value > alpha && value < beta {
                moves[index].continuation = self.stack.frame(1).pv.to_vec();
            }
            take_proved_line(&mut moves[index], proved);
        } else {
            moves[index].value = -INFINITE;
        }
        value
    }

    pub fn report_current_move(&self, mv: Move, move_count: i32) {
        if let Some(listener) = self.listener_of_long_search() {
            listener.current_move(self.root_depth, mv, move_count as usize + self.pv_index);
        }
    }

    /// The listener if the search has taken long enough for bounds and current moves. Without
    /// reports the clock is not read: for each root move, this would take 2 % of `datagen` with
    /// 400 nodes per move.
    fn listener_of_long_search(&self) -> Option<&dyn Listener> {
        self.listener.filter(|listener| {
            listener.wants_reports()
                && self.shared.time_manager.elapsed().as_millis() >= LONG_SEARCH_MS
        })
    }
}

impl Searcher<'_> {
    /// Searches until a limit is reached; the last thread proves in between.
    pub fn iterate_with_proof(&mut self) -> i32 {
        let mut completed = self.iterative_deepening();
        while let Some(proof) = self.shared.setup.proof
            && !self.is_main()
            && self.shared.take_interrupt(self.index)
            && !self.shared.is_stopped()
        {
            let setup = &self.shared.setup;
            if proof.prove(&self.pos, setup.net, setup.tt, self.shared) {
                self.shared.interrupt(0);
            }
            self.stopped = false;
            completed = self.iterative_deepening();
        }
        completed
    }

    /// Requests a proof if the best value of a finished iteration calls for one.
    pub fn request_proof(&self, depth: i32) {
        let value = self.root_moves[0].reported_value();
        let Some(proof) = self.shared.setup.proof else {
            return;
        };
        if depth < MIN_PROOF_DEPTH || score::is_mate(value) {
            return;
        }
        let us = self.pos.side_to_move();
        let elapsed = self.shared.time_manager.elapsed();
        let expected = WdlModel::for_position(&self.pos).expected_score(value);
        let is_requested = if expected >= NEARLY_DECIDED {
            proof.request(us, elapsed)
        } else {
            expected <= 1.0 - NEARLY_DECIDED && proof.request(!us, elapsed)
        };
        if is_requested {
            self.shared.interrupt(self.shared.nodes.len() - 1);
        }
    }

    /// Gives the root moves the values and lines of a proof that they do not show yet. False if
    /// there is none.
    pub fn show_new_proof(&mut self) -> bool {
        let has_win = self.shared.setup.proof.is_some_and(ProofHelper::has_win);
        if self.is_proof_shown || !has_win {
            return false;
        }
        self.is_proof_shown = true;
        self.shared.take_interrupt(self.index);
        for root_move in &mut self.root_moves {
            let proved = self.shared.proved(root_move.mv);
            if let Some(searched) = root_move.searched_value() {
                root_move.value = proved_value(searched, proved);
            } else if let Some(proved) = proved {
                // A move without a value must not pass those that have one.
                root_move.value = proved.value;
            }
            take_proved_line(root_move, proved);
        }
        self.root_moves.sort_by_key(RootMove::sort_key);
        true
    }
}

impl SearchShared<'_> {
    fn proved(&self, mv: Move) -> Option<&ProvedMove> {
        self.setup.proof?.proved(mv)
    }

    /// Reports a line of MultiPV from `pos`, unless the listener ignores it: `hashfull` reads a
    /// thousand clusters.
    pub fn report(
        &self,
        listener: &dyn Listener,
        pos: &Position,
        pv_index: usize,
        line: &SearchLine,
        bound: Bound,
    ) {
        if pv_index < self.setup.reported_lines && listener.wants_reports() {
            listener.report(&SearchInfo {
                multipv: pv_index + 1,
                bound,
                nodes: self.total_nodes(),
                time: self.time_manager.elapsed(),
                hashfull: self.setup.tt.hashfull(),
                tbhits: self.tb_prober.as_ref().map_or(0, TbProber::hits),
                ..SearchInfo::new(line.clone(), WdlModel::for_position(pos))
            });
        }
    }

    /// The line of a root move after an iteration of this depth. One that is only a bound is
    /// continued by the moves of the transposition table, up to `depth` moves.
    fn line(&self, pos: &Position, root_move: &RootMove, depth: i32) -> SearchLine {
        let mut pv = vec![root_move.reported];
        pv.extend(&root_move.continuation);
        if pv.len() == 1 && depth > 1 {
            pv.extend(pv_from_tt(pos, root_move.mv, self.setup.tt, depth as usize));
        }
        SearchLine {
            value: root_move.reported_value(),
            depth,
            seldepth: root_move.seldepth.max(1) as i32,
            pv,
        }
    }
}

/// The value of a root move after the search found `value`: a proof is a bound.
fn proved_value(value: Value, proved: Option<&ProvedMove>) -> Value {
    match proved.map(|proved| proved.value) {
        Some(proved) if proved > score::DRAW => value.max(proved),
        Some(proved) => value.min(proved),
        None => value,
    }
}

/// Gives a root move whose value is that of the proof the line of the proof.
fn take_proved_line(root_move: &mut RootMove, proved: Option<&ProvedMove>) {
    if let Some(proved) = proved.filter(|proved| proved.value == root_move.value) {
        root_move.continuation = proved.line[1..].to_vec();
    }
}

/// The moves after `mv` according to the transposition table, at most `depth` - 1 of them. For
/// lines whose search returned only a bound, and for the ponder move.
pub fn pv_from_tt(pos: &Position, mv: Move, tt: &TranspositionTable, depth: usize) -> Vec<Move> {
    let mut pos = pos.clone();
    let mut line = Vec::new();
    pos.make(mv);
    while line.len() + 1 < depth
        && pos.outcome().is_none()
        && !pos.is_repetition(line.len() + 1)
        && let Some(next) = tt.probe(pos.key()).and_then(|entry| entry.mv)
        && pos.is_legal(next)
    {
        pos.make(next);
        line.push(next);
    }
    line
}

/// How long the best move has been the same, and how its value changes between iterations.
#[derive(Default)]
struct BestMoveStability {
    best_move: Option<Move>,
    unchanged_iterations: u32,
    value: Value,
    value_drop: Value,
}

impl BestMoveStability {
    fn update(&mut self, best_move: Move, value: Value) {
        if self.best_move == Some(best_move) {
            self.unchanged_iterations += 1;
            self.value_drop = self.value - value;
        } else {
            self.best_move = Some(best_move);
            self.unchanged_iterations = 0;
            self.value_drop = 0;
        }
        self.value = value;
    }

    /// The factor for the soft time limit: greater while the best move changes or loses value.
    fn time_factor(&self) -> f64 {
        let unchanged = f64::from(self.unchanged_iterations.min(8));
        let change_factor =
            f64::from(params::stability_base()) - f64::from(params::stability_step()) * unchanged;
        let drop_factor =
            f64::from(self.value_drop.clamp(0, 100)) * f64::from(params::time_drop()) / 100.0;
        (change_factor + drop_factor) / 100.0
    }
}
