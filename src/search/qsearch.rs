//! Quiescence search: captures and promotions until none can raise alpha, and quiet checks at
//! its first ply. In check it searches all evasions.
//! Invariant: in check there is neither stand pat nor static evaluation.

use super::Bound;
use super::node::estimate;
use super::ordering::OrderingKeys;
use super::params;
use super::picker::MovePicker;
use super::see;
use super::tt::TtEntry;
use super::worker::Searcher;
use crate::eval::score::{self, INFINITE, Value};
use crate::rules::MoveKind;

impl Searcher<'_> {
    /// The value of a node beyond the depth of the main search, within `alpha` and `beta`.
    /// `with_checks` at the first ply, which searches quiet checks too.
    pub fn qsearch<const PV: bool>(
        &mut self,
        mut alpha: Value,
        beta: Value,
        ply: usize,
        with_checks: bool,
    ) -> Value {
        if self.should_stop() {
            return score::DRAW;
        }
        self.stack.frame(ply).pv.clear();
        self.seldepth = self.seldepth.max(ply);
        if let Some(value) = self.terminal_value(ply) {
            return value;
        }
        if let Some(draw) = self.upcoming_repetition(alpha, ply) {
            alpha = draw;
            if alpha >= beta {
                return alpha;
            }
        }
        if self.has_win_in_one(ply, PV) {
            return score::mate_in(ply + 1);
        }

        self.set_correction_keys(ply);
        let tt_entry = self.probe_tt(ply);
        let tt_move = tt_entry.and_then(|entry| entry.mv);
        if !PV
            && let Some(entry) = &tt_entry
            && entry.bound.allows_cutoff(entry.value, alpha, beta)
        {
            return entry.value;
        }

        let in_check = self.pos.in_check();
        let raw_eval = (!in_check).then(|| {
            tt_entry.and_then(|entry| entry.raw_eval).unwrap_or_else(|| {
                let us = self.pos.side_to_move();
                let king_threatened = self.pos.threatens_explosion(!us);
                self.evaluate(king_threatened)
            })
        });
        let stand_pat = raw_eval.map(|raw_eval| self.corrected_eval(raw_eval, ply));
        let mut best_value = estimate(stand_pat, tt_entry.as_ref());
        if best_value >= beta {
            return best_value;
        }
        let original_alpha = alpha;
        alpha = alpha.max(best_value);

        let keys = OrderingKeys { ply, king_threatened: false, with_policy: false };
        let mut picker = if in_check {
            MovePicker::new(&self.pos, keys, tt_move, [None; 2])
        } else {
            MovePicker::noisy(&self.pos, keys, tt_move, with_checks)
        };
        let mut best_move = None;
        let mut move_count = 0;
        while let Some(mv) = picker.next(self) {
            if let Some(stand_pat) = stand_pat {
                let see =
                    picker.last_see().unwrap_or_else(|| see::see(&self.pos, mv, &self.see_values));
                let see_threshold = if mv.is_noisy() { params::qs_see() } else { 0 };
                if see < see_threshold {
                    continue;
                }
                // Futility pruning: the blast SEE contains all material that the capture wins.
                let futility_value = stand_pat + see + params::delta_margin();
                if futility_value <= alpha && mv.is_noisy() {
                    best_value = best_value.max(futility_value);
                    continue;
                }
            }
            // With a better move known, skip moves that let the king explode at once.
            let skip_explosions = best_value >= score::mated_in(ply + 2);
            if skip_explosions && self.pos.allows_explosion(mv) {
                continue;
            }

            move_count += 1;
            if !in_check && move_count > params::qs_moves() {
                break;
            }
            self.make(mv, ply);
            self.stack.frame(ply + 1).no_win_in_one =
                skip_explosions && mv.kind() != MoveKind::Castle;
            let value = -self.qsearch::<PV>(-beta, -alpha, ply + 1, false);
            self.pos.unmake();
            if self.stopped {
                return score::DRAW;
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    alpha = value;
                    best_move = Some(mv);
                    if PV {
                        self.stack.update_pv(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                }
            }
        }

        if best_value == -INFINITE {
            // In check without an evasion.
            return score::mated_in(ply);
        }
        let entry = TtEntry {
            mv: best_move,
            value: best_value,
            raw_eval,
            depth: 0,
            bound: Bound::of_search(best_value, original_alpha, beta, PV),
            is_pv: PV,
        };
        self.store_tt(entry, ply);
        best_value
    }
}
