//! Quiescence: captures and promotions until none promises anything, at its first ply quiet checks
//! too; in check every evasion, with neither stand-pat nor static evaluation.

use std::cell::OnceCell;

use super::Bound;
use super::correction::Keys;
use super::params;
use super::picker::Picker;
use super::see;
use super::tt::{self, Entry};
use super::worker::Searcher;
use crate::eval::score::{self, INFINITE, Value};
use crate::rules::MoveKind;

impl Searcher<'_> {
    /// The value of a node at the search's horizon, within `alpha` and `beta`; `first` when the
    /// move that led there was still the search's own.
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        mut alpha: Value,
        beta: Value,
        ply: usize,
        first: bool,
    ) -> Value {
        if self.must_stop() {
            return score::DRAW;
        }
        self.stack.frame(ply).pv.clear();
        self.seldepth = self.seldepth.max(ply);
        if let Some(value) = self.settled(ply) {
            return value;
        }
        if let Some(draw) = self.draw_in_hand(alpha, ply) {
            alpha = draw;
            if alpha >= beta {
                return alpha;
            }
        }
        if let Some(mv) = self.win_in_one(ply) {
            if PV {
                self.stack.frame(ply + 1).pv.clear();
                self.stack.extend_pv(ply, mv);
            }
            return score::win_in(ply + 1);
        }
        let key = self.pos.key();
        let entry = self.shared.table.probe(key);
        if let Some(entry) = &entry {
            let value = tt::from_table(entry.value, ply);
            if !PV && cuts(entry.bound, value, beta, alpha) {
                return value;
            }
        }
        let checked = self.pos.in_check();
        let raw = (!checked).then(|| {
            entry
                .and_then(|e| e.eval)
                .unwrap_or_else(|| self.evaluate())
        });
        self.stack.frame(ply).keys = Keys::of(&self.pos);
        let stand_pat = raw.map(|raw| self.mended(raw, ply));
        let mut best = stand_pat.unwrap_or(-INFINITE);
        if let (Some(_), Some(entry)) = (stand_pat, &entry) {
            let value = tt::from_table(entry.value, ply);
            if !score::is_decisive(value) && cuts(entry.bound, value, best + 1, best) {
                best = value;
            }
        }
        if best >= beta {
            return best;
        }
        let start_alpha = alpha;
        alpha = alpha.max(best);
        let table_move = entry.and_then(|e| e.mv);
        let mut picker = if checked {
            Picker::new(&self.pos, table_move, [None; 2])
        } else if first {
            Picker::noisy_and_checks(&self.pos, table_move)
        } else {
            Picker::noisy(&self.pos, table_move)
        };
        let mut best_move = None;
        let aims = OnceCell::new();
        while let Some(mv) = picker.next(&self.clues(ply, &aims, false)) {
            if let Some(stand_pat) = stand_pat {
                let see = picker
                    .known_see()
                    .unwrap_or_else(|| see::see(&self.pos, mv, &self.worth));
                let bound = if mv.is_noisy() { params::qs_see() } else { 0 };
                if see < bound {
                    continue;
                }
                // The blast itself is the bound, bystanders included.
                let promise = stand_pat + see + params::delta_margin();
                if promise <= alpha && mv.is_noisy() {
                    best = best.max(promise);
                    continue;
                }
            }
            let looked = best >= score::loss_in(ply + 2);
            if looked && self.pos.allows_explosion(mv) {
                continue;
            }
            self.make(mv, ply);
            self.stack.frame(ply + 1).harmless = looked && mv.kind() != MoveKind::Castle;
            let value = -self.quiescence::<PV>(-beta, -alpha, ply + 1, false);
            self.unmake();
            if self.stopped {
                return score::DRAW;
            }
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_move = Some(mv);
                    if PV {
                        self.stack.extend_pv(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                }
            }
        }
        if best == -INFINITE {
            // In check without an evasion.
            return score::loss_in(ply);
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if PV && best > start_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let value = tt::to_table(best, ply);
        self.shared.table.store(
            key,
            Entry {
                mv: best_move,
                value,
                eval: raw,
                depth: 0,
                bound,
                pv: PV,
            },
        );
        best
    }
}

/// True when a bound from the table settles the window.
pub(super) fn cuts(bound: Bound, value: Value, beta: Value, alpha: Value) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => value >= beta,
        Bound::Upper => value <= alpha,
    }
}
