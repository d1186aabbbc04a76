//! The node function of the main search: principal-variation alpha-beta.
//! Invariant: returns a fail-soft value. After a stop the value is meaningless, and every
//! caller discards it.

use arrayvec::ArrayVec;

use super::ordering::{self, OrderingKeys};
use super::picker::MovePicker;
use super::prune::{self, NodeContext};
use super::reduce::{self, LmrInput};
use super::see;
use super::tt::TtEntry;
use super::worker::Searcher;
use super::{Bound, MIN_CUT_NODE_DEPTH, params};
use crate::eval::score::{self, INFINITE, TB_WIN_IN_MAX_PLY, Value};
use crate::rules::{Move, MoveKind};

/// The type of a node, known at compile time.
pub trait NodeType {
    /// A PV node: the window is wider than a null window.
    const PV: bool = true;
    const ROOT: bool = false;
}

pub struct Root;
/// A PV node other than the root.
pub struct Pv;
/// A node searched with a null window.
pub struct NonPv;

impl NodeType for Root {
    const ROOT: bool = true;
}

impl NodeType for Pv {}

impl NodeType for NonPv {
    const PV: bool = false;
}

/// Plies added to the depth of tablebase values in the TT.
const TB_EXTRA_DEPTH: i32 = 6;

/// Moves searched before the one that failed high; their histories get a malus.
type SearchedMoves = ArrayVec<Move, 64>;

impl Searcher<'_> {
    /// The value of the node at `ply`, searched to `depth` plies within `alpha` and `beta`.
    /// `cut_node` if it is expected to fail high.
    ///
    /// Longer than other functions, because its steps belong in one sequence: TT, tablebases,
    /// static evaluation, pruning of the node, move loop, history and TT updates.
    pub fn search<N: NodeType>(
        &mut self,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Value {
        if depth <= 0 {
            return if N::PV {
                self.qsearch::<true>(alpha, beta, ply, true)
            } else {
                self.qsearch::<false>(alpha, beta, ply, true)
            };
        }
        if self.should_stop() {
            return score::DRAW;
        }
        self.stack.frame(ply).pv.clear();
        self.seldepth = self.seldepth.max(ply);
        let excluded = self.stack.frame(ply).excluded;

        if !N::ROOT {
            if let Some(value) = self.terminal_value(ply) {
                return value;
            }
            if let Some(draw) = self.upcoming_repetition(alpha, ply) {
                alpha = draw;
                if alpha >= beta {
                    return alpha;
                }
            }
            // Mate distance pruning: a shorter mate is known.
            alpha = alpha.max(score::mated_in(ply));
            beta = beta.min(score::mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
            if excluded.is_none() && self.has_win_in_one(ply, N::PV) {
                return score::mate_in(ply + 1);
            }
        }

        // Transposition table.
        let tt_entry = if excluded.is_none() {
            self.set_correction_keys(ply);
            self.probe_tt(ply)
        } else {
            None
        };
        let tt_move = if N::ROOT {
            Some(self.root_moves[self.pv_index].mv)
        } else {
            tt_entry.and_then(|entry| entry.mv)
        };
        if !N::PV
            && let Some(entry) = &tt_entry
            && entry.depth >= depth
            && entry.bound.allows_cutoff(entry.value, alpha, beta)
            && self.pos.halfmove_clock() < 90
        {
            return entry.value;
        }
        let tt_pv = N::PV || tt_entry.is_some_and(|entry| entry.is_pv);

        // Tablebases.
        let (mut min_value, mut max_value) = (-INFINITE, INFINITE);
        if !N::ROOT
            && excluded.is_none()
            && let Some(tb_prober) = &self.shared.tb_prober
            && let Some((value, bound)) = tb_prober.probe(&self.pos, depth, ply)
        {
            if bound.allows_cutoff(value, alpha, beta) {
                let entry = TtEntry {
                    mv: None,
                    value,
                    raw_eval: None,
                    depth: (depth + TB_EXTRA_DEPTH).min(score::MAX_PLY as i32),
                    bound,
                    is_pv: tt_pv,
                };
                self.store_tt(entry, ply);
                return value;
            }
            if N::PV && bound == Bound::Lower {
                min_value = value;
                alpha = alpha.max(min_value);
            } else if N::PV {
                max_value = value;
            }
        }

        if !N::PV && depth >= 2 && excluded.is_none() {
            self.shared.setup.tt.prefetch(self.pos.key_after_null());
        }

        // Static evaluation.
        let us = self.pos.side_to_move();
        let in_check = self.pos.in_check();
        let king_threatened = self.pos.threatens_explosion(!us);
        let mut raw_eval = None;
        if excluded.is_none() {
            if !in_check {
                let stored = tt_entry.and_then(|entry| entry.raw_eval);
                raw_eval = Some(stored.unwrap_or_else(|| self.evaluate(king_threatened)));
            }
            self.stack.frame(ply).static_eval =
                raw_eval.map(|raw_eval| self.corrected_eval(raw_eval, ply));
        }
        let static_eval = self.stack.frame(ply).static_eval;
        let eval = estimate(static_eval, tt_entry.as_ref());
        let node = self.node_context(static_eval, eval, depth, ply, king_threatened);

        // Pruning of the whole node.
        if !N::PV && !in_check && excluded.is_none() {
            if prune::reverse_futility(&node, beta) {
                return node.eval;
            }
            if prune::razoring(&node, alpha) {
                let value = self.qsearch::<false>(alpha, alpha + 1, ply, true);
                if value <= alpha {
                    return value;
                }
            }
            if let Some(reduction) = prune::null_move_reduction(&node, beta)
                && self.stack.previous_piece_to(ply, 1).is_some()
                && self.has_non_pawn_material()
            {
                self.make_null(ply);
                let depth = depth - reduction;
                let value = -self.search::<NonPv>(-beta, -beta + 1, depth, ply + 1, !cut_node);
                self.pos.unmake();
                if self.stopped {
                    return score::DRAW;
                }
                if value >= beta {
                    return if score::is_decisive(value) { beta } else { value };
                }
            }
        }

        // Internal iterative reduction: without a TT move the move order is poor.
        if tt_move.is_none() && depth >= params::iir_depth() && (N::PV || cut_node) {
            depth -= 1;
        }

        let killers = self.stack.frame(ply).killers;
        self.stack.frame(ply + 1).killers = [None; 2];
        self.stack.frame(ply + 2).cutoff_count = 0;
        let keys = OrderingKeys {
            ply,
            king_threatened,
            with_policy: !in_check && depth >= params::policy_depth(),
        };
        let mut picker = match excluded {
            Some(mv) => MovePicker::excluding(&self.pos, keys, mv, killers),
            None => MovePicker::new(&self.pos, keys, tt_move, killers),
        };
        let mut best_value = min_value;
        let mut best_move = None;
        // Moves that let the king explode at once count as legal, but not as searched.
        let mut legal_count = 0;
        let mut move_count = 0;
        let mut quiet_count = 0;
        let mut quiets_searched: SearchedMoves = ArrayVec::new();
        let mut captures_searched: SearchedMoves = ArrayVec::new();
        let lmp_limit = prune::lmp_limit(&node, alpha);
        let original_alpha = alpha;

        let may_prune_moves = !N::ROOT && self.has_non_pawn_material();
        while let Some(mv) = picker.next(self) {
            if N::ROOT && !self.is_candidate(mv) {
                continue;
            }
            let skipped = picker.take_skipped();
            move_count += 1 + skipped;
            legal_count += 1 + skipped;
            let noisy = mv.is_noisy();
            if !noisy {
                // Early, because the entry takes longer to load than the tests below.
                self.shared.setup.tt.prefetch(self.pos.key_after(mv));
            }
            // Prune moves only once a value better than a loss is known.
            let can_prune = may_prune_moves && best_value > -TB_WIN_IN_MAX_PLY;
            // The first move needs no check info unless it may be pruned.
            let needs_check_info = can_prune || move_count > 1;
            let (mut gives_check, mut forcing) = (false, false);
            if needs_check_info {
                let check_info = picker.check_info(&self.pos);
                gives_check = check_info.gives_check(&self.pos, mv);
                forcing = gives_check || check_info.threatens_explosion(&self.pos, mv);
            }
            let prunable_quiet = !noisy && !forcing && !in_check;
            if can_prune && prunable_quiet && quiet_count >= lmp_limit {
                picker.skip_quiets();
                continue;
            }
            let history = if noisy {
                ordering::capture_history(self.histories, &self.pos, mv)
            } else {
                picker.history(self, mv)
            };

            if can_prune {
                let skip = if noisy {
                    prune::capture_see_threshold(depth).is_some_and(|threshold| {
                        let see = picker
                            .last_see()
                            .unwrap_or_else(|| see::see(&self.pos, mv, &self.see_values));
                        let no_checks = !in_check && !gives_check;
                        see < threshold || (no_checks && prune::capture_futility(&node, see, alpha))
                    })
                } else {
                    let reduction = self.lmr_table.base_reduction(depth, move_count) / 100;
                    let lmr_depth = depth - reduction;
                    prunable_quiet
                        && (prune::history_pruning(depth, history)
                            || prune::futility(&node, lmr_depth, history, alpha)
                            || prune::quiet_see_threshold(lmr_depth).is_some_and(|threshold| {
                                see::see(&self.pos, mv, &self.see_values) < threshold
                            }))
                };
                if skip {
                    continue;
                }
            }

            // With a better move known, skip moves that let the king explode at once.
            let skip_explosions = !N::ROOT && best_value >= score::mated_in(ply + 2);
            if skip_explosions && self.pos.allows_explosion(mv) {
                move_count -= 1;
                continue;
            }
            let lmr_input = LmrInput {
                depth,
                move_count,
                pv_node: N::PV,
                cut_node,
                improving: node.improving,
                forcing,
                killer: killers.contains(&Some(mv)),
                noisy,
                king_threatened,
                tt_pv: tt_pv && !N::PV,
                many_cutoffs: self.stack.frame(ply + 1).cutoff_count > 3,
                eval_gap: if in_check { 0 } else { node.eval - alpha },
                history,
            };

            let extension = match &tt_entry {
                Some(entry) if !N::ROOT && Some(mv) == tt_move && excluded.is_none() => {
                    match self.singular_extension(entry, mv, depth, beta, ply, cut_node) {
                        Singularity::Singular(extension) => extension,
                        Singularity::NotSingular => -1,
                        Singularity::MultiCut(value) => return value,
                        Singularity::Unknown => 0,
                    }
                }
                _ => 0,
            };
            if self.stopped {
                return score::DRAW;
            }
            if N::ROOT {
                self.report_current_move(mv, legal_count);
            }

            let nodes_before = self.nodes;
            self.make(mv, ply);
            self.stack.frame(ply + 1).no_win_in_one =
                skip_explosions && mv.kind() != MoveKind::Castle;
            let mut new_depth = depth - 1 + extension;
            let reduction = if depth >= 2 && move_count > 1 + i32::from(N::ROOT) {
                reduce::lmr_reduction(&lmr_input, self.lmr_table).clamp(0, new_depth.max(1) - 1)
            } else {
                0
            };
            let mut value = 0;
            let is_first_pv_move = N::PV && move_count == 1;
            if !is_first_pv_move {
                let lmr_depth = new_depth - reduction;
                // After a reduced move the opponent is expected to fail high.
                let cut_child = reduction > 0 || !cut_node;
                value = -self.search::<NonPv>(-alpha - 1, -alpha, lmr_depth, ply + 1, cut_child);
                if value > alpha && new_depth > lmr_depth {
                    let close = value < best_value + params::lmr_close();
                    new_depth -= i32::from(close && !N::ROOT && new_depth > lmr_depth + 1);
                    let cut_node = !cut_node;
                    value = -self.search::<NonPv>(-alpha - 1, -alpha, new_depth, ply + 1, cut_node);
                }
            }
            if N::PV && (is_first_pv_move || value > alpha) {
                value = -self.search::<Pv>(-beta, -alpha, new_depth, ply + 1, false);
            }
            self.pos.unmake();
            if self.stopped {
                return score::DRAW;
            }

            if N::ROOT {
                let (window, is_first) = ((alpha, beta), move_count == 1);
                let nodes = self.nodes - nodes_before;
                value = self.update_root_move(mv, value, window, is_first, nodes);
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.stack.update_pv(ply, mv);
                    }
                    if value >= beta {
                        self.stack.frame(ply).cutoff_count += 1;
                        let searched = (&quiets_searched, &captures_searched);
                        self.update_histories(mv, depth, ply, king_threatened, searched);
                        if tt_move.is_none() && depth >= MIN_CUT_NODE_DEPTH {
                            self.report_cut_node(mv, ply, value);
                        }
                        break;
                    }
                    alpha = value;
                }
            }
            // A move that lets the king explode at once takes one node, and often most moves
            // do. It must not make the next move look late.
            if value <= score::mated_in(ply + 2) {
                move_count -= 1;
            } else if !noisy {
                quiet_count += 1;
            }
            if noisy {
                let _ = captures_searched.try_push(mv);
            } else {
                let _ = quiets_searched.try_push(mv);
            }
        }

        if legal_count == 0 {
            return if excluded.is_some() {
                alpha
            } else if in_check {
                score::mated_in(ply)
            } else {
                self.draw_value(ply)
            };
        }
        best_value = best_value.min(max_value);
        if let Some(static_eval) = static_eval
            && excluded.is_none()
            && !score::is_decisive(best_value)
            && !(best_value >= beta && best_value <= static_eval)
            && !(best_value <= original_alpha && best_value >= static_eval)
            && !best_move.is_some_and(|mv| self.wins_material(mv))
        {
            let keys = *self.stack.correction_keys(ply);
            let previous_moves = self.stack.previous_moves(ply);
            let correction_history = self.shared.correction_history;
            correction_history.update(best_value - static_eval, depth, us, &keys, previous_moves);
        }
        if excluded.is_none() && !(N::ROOT && self.pv_index > 0) {
            let entry = TtEntry {
                mv: best_move,
                value: best_value,
                raw_eval,
                depth,
                bound: Bound::of_search(best_value, original_alpha, beta, N::PV),
                is_pv: tt_pv,
            };
            self.store_tt(entry, ply);
        }
        best_value
    }

    fn node_context(
        &self,
        static_eval: Option<Value>,
        eval: Value,
        depth: i32,
        ply: usize,
        king_threatened: bool,
    ) -> NodeContext {
        let our_previous = self
            .stack
            .previous_static_eval(ply, 2)
            .or_else(|| self.stack.previous_static_eval(ply, 4));
        let improving = match (static_eval, our_previous) {
            (Some(now), Some(previous)) => now > previous,
            (now, _) => now.is_some(),
        };
        let their_previous = self.stack.previous_static_eval(ply, 1);
        let opponent_worsening = matches!(
            (static_eval, their_previous),
            (Some(now), Some(previous)) if now > -previous
        );
        NodeContext { depth, eval, improving, opponent_worsening, king_threatened }
    }

    /// Tests by a reduced search without the TT move whether that move is the only good one.
    fn singular_extension(
        &mut self,
        tt_entry: &TtEntry,
        tt_move: Move,
        depth: i32,
        beta: Value,
        ply: usize,
        cut_node: bool,
    ) -> Singularity {
        let tt_value = tt_entry.value;
        let can_be_singular = depth >= params::singular_depth()
            && tt_entry.depth >= depth - 3
            && tt_entry.bound != Bound::Upper
            && !score::is_decisive(tt_value)
            && ply < 2 * self.root_depth as usize;
        if !can_be_singular {
            return Singularity::Unknown;
        }
        let singular_beta = tt_value - params::singular_margin() * depth / 16;
        let singular_depth = (depth - 1) / 2;
        self.stack.frame(ply).excluded = Some(tt_move);
        let value =
            self.search::<NonPv>(singular_beta - 1, singular_beta, singular_depth, ply, cut_node);
        self.stack.frame(ply).excluded = None;
        if value < singular_beta {
            // Double extensions only if the TT move should fail high, and only to a limited
            // ply, so that the search ends.
            let double_extension = value < singular_beta - params::singular_double()
                && tt_value > beta - 2
                && ply < self.root_depth as usize;
            Singularity::Singular(1 + i32::from(double_extension))
        } else if singular_beta >= beta {
            Singularity::MultiCut(singular_beta)
        } else if tt_value >= beta || cut_node {
            Singularity::NotSingular
        } else {
            Singularity::Unknown
        }
    }

    /// Updates killers and histories after `mv` failed high. `searched` are the quiet moves and
    /// the captures searched before it.
    fn update_histories(
        &mut self,
        mv: Move,
        depth: i32,
        ply: usize,
        king_threatened: bool,
        searched: (&SearchedMoves, &SearchedMoves),
    ) {
        let (quiets_searched, captures_searched) = searched;
        let bonus = (params::history_bonus() * depth * depth).min(params::history_limit());
        if mv.is_noisy() {
            self.update_capture_history(mv, bonus);
        } else {
            let killers = &mut self.stack.frame(ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            self.update_quiet_history(mv, ply, king_threatened, bonus);
            for &quiet in quiets_searched {
                self.update_quiet_history(quiet, ply, king_threatened, -bonus);
            }
        }
        for &capture in captures_searched {
            self.update_capture_history(capture, -bonus);
        }
    }

    fn update_quiet_history(&mut self, mv: Move, ply: usize, king_threatened: bool, bonus: i32) {
        let us = self.pos.side_to_move();
        self.histories.update_butterfly(us, king_threatened, mv, bonus);
        let Some(piece_to) = ordering::piece_to(&self.pos, mv) else {
            return;
        };
        for back in [1, 2, 4] {
            if let Some(previous) = self.stack.previous_piece_to(ply, back) {
                self.histories.update_continuation(previous, piece_to, bonus);
            }
        }
        let pawns = self.stack.pawn_history_index(ply);
        self.histories.update_pawn(pawns, piece_to, bonus);
    }

    /// Whether a move is noisy and its blast SEE is not negative: its value says nothing about the
    /// static evaluation.
    fn wins_material(&self, mv: Move) -> bool {
        mv.is_noisy() && see::see(&self.pos, mv, &self.see_values) >= 0
    }

    fn update_capture_history(&mut self, mv: Move, bonus: i32) {
        if let Some(piece) = self.pos.piece_at(mv.from()) {
            let captured_type = ordering::captured_type(&self.pos, mv);
            self.histories.update_capture(piece, mv.to(), captured_type, bonus);
        }
    }
}

/// The static evaluation, or the TT value if its bound makes that a better estimate.
pub fn estimate(static_eval: Option<Value>, tt_entry: Option<&TtEntry>) -> Value {
    let Some(static_eval) = static_eval else {
        return -INFINITE;
    };
    let is_better = |entry: &&TtEntry| {
        let (value, bound) = (entry.value, entry.bound);
        !score::is_decisive(value) && bound.allows_cutoff(value, static_eval, static_eval + 1)
    };
    tt_entry.filter(is_better).map_or(static_eval, |entry| entry.value)
}

/// The result of a singular search.
enum Singularity {
    /// The TT move is the only good one: the extension in plies.
    Singular(i32),
    /// There are other good moves, and the node will probably fail high: reduce the TT move.
    NotSingular,
    /// Several moves fail high, so the node does too: its value.
    MultiCut(Value),
    /// Not tested, or without result.
    Unknown,
}
