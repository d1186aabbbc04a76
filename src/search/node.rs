//! The node function: principal-variation alpha-beta.
//! Invariant: returns a fail-soft value; after a stop its value means nothing and every
//! caller throws it away.

use std::cell::OnceCell;

use arrayvec::ArrayVec;

use super::correction::Keys;
use super::picker::{self, Picker};
use super::prune::{self, Outlook};
use super::qsearch::cuts;
use super::reduce::{self, Late};
use super::see;
use super::tt::{self, Entry};
use super::worker::Searcher;
use super::{Bound, params};
use crate::eval::score::{self, INFINITE, TABLE_BOUND, Value};
use crate::rules::{Move, MoveKind};

/// What kind of node is searched, known at compile time.
pub(super) trait Node {
    /// The window is open: part of the principal variation.
    const PV: bool;
    /// The position that the search was asked about.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// A node of the principal variation.
pub(super) struct Pv;
/// A node searched with a null window.
pub(super) struct Null;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl Node for Null {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// What tablebases say is kept as if searched so many plies deeper.
const TABLES_DEPTH: i32 = 6;

/// Moves searched before the one that failed high: they are blamed in the histories.
type Tried = ArrayVec<Move, 64>;

impl Searcher<'_> {
    /// The value of the node at `ply`, searched `depth` plies deep within `alpha` and
    /// `beta`; `cut` when it is expected to fail high.
    ///
    /// Longer than other functions: the order of its steps is what it is about.
    pub(super) fn search<N: Node>(
        &mut self,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        ply: usize,
        cut: bool,
    ) -> Value {
        if depth <= 0 {
            return if N::PV {
                self.quiescence::<true>(alpha, beta, ply, true)
            } else {
                self.quiescence::<false>(alpha, beta, ply, true)
            };
        }
        if self.must_stop() {
            return score::DRAW;
        }
        self.stack.frame(ply).pv.clear();
        self.seldepth = self.seldepth.max(ply);
        let excluded = self.stack.frame(ply).excluded;

        if !N::ROOT {
            if let Some(value) = self.settled(ply) {
                return value;
            }
            if let Some(draw) = self.draw_in_hand(alpha, ply) {
                alpha = draw;
                if alpha >= beta {
                    return alpha;
                }
            }
            // Mate distance: nothing here can beat a shorter mate found elsewhere.
            alpha = alpha.max(score::loss_in(ply));
            beta = beta.min(score::win_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
            // Static win in one: ends the node before table, evaluation and moves.
            if excluded.is_none()
                && let Some(mv) = self.win_in_one(ply)
            {
                if N::PV {
                    self.stack.frame(ply + 1).pv.clear();
                    self.stack.extend_pv(ply, mv);
                }
                return score::win_in(ply + 1);
            }
        }

        // Table.
        let key = self.pos.key();
        let entry = if excluded.is_none() {
            self.shared.table.probe(key)
        } else {
            None
        };
        let table_value = entry.map(|entry| tt::from_table(entry.value, ply));
        let table_move = if N::ROOT {
            self.root_table_move()
        } else {
            entry.and_then(|entry| entry.mv)
        };
        if !N::PV
            && let (Some(entry), Some(value)) = (&entry, table_value)
            && entry.depth >= depth
            && cuts(entry.bound, value, beta, alpha)
            && self.pos.halfmove() < 90
        {
            return value;
        }
        let was_pv = N::PV || entry.is_some_and(|entry| entry.pv);

        // Tablebases.
        let (mut floor, mut ceiling) = (-INFINITE, INFINITE);
        if !N::ROOT
            && excluded.is_none()
            && let Some((value, bound)) = self.ask_tables(depth, ply)
        {
            if cuts(bound, value, beta, alpha) {
                let entry = Entry {
                    mv: None,
                    value: tt::to_table(value, ply),
                    eval: None,
                    depth: (depth + TABLES_DEPTH).min(score::MAX_PLY as i32),
                    bound,
                    pv: was_pv,
                };
                self.shared.table.store(key, entry);
                return value;
            }
            if N::PV && bound == Bound::Lower {
                floor = value;
                alpha = alpha.max(floor);
            } else if N::PV {
                ceiling = value;
            }
        }

        // Static evaluation and what it promises.
        let us = self.pos.side();
        let checked = self.pos.in_check();
        let mut raw_eval = None;
        if excluded.is_none() {
            self.stack.frame(ply).keys = Keys::of(&self.pos);
            if !checked {
                let known = entry.and_then(|entry| entry.eval);
                raw_eval = Some(known.unwrap_or_else(|| self.evaluate()));
            }
            self.stack.frame(ply).eval = raw_eval.map(|raw| self.mended(raw, ply));
        }
        let static_eval = self.stack.frame(ply).eval;
        let threatened = self.pos.threatens_explosion(!us);
        let node = self.outlook(static_eval, &entry, table_value, depth, ply, threatened);

        if !N::PV && !checked && excluded.is_none() {
            if prune::is_far_above(&node, beta) {
                return node.eval;
            }
            if prune::is_far_below(&node, alpha) {
                let value = self.quiescence::<false>(alpha, alpha + 1, ply, true);
                if value <= alpha {
                    return value;
                }
            }
            if let Some(reduction) = prune::null_reduction(&node, beta)
                && self.stack.moved_before(ply, 1).is_some()
                && self.has_pieces()
            {
                self.make_null(ply);
                let depth = depth - reduction;
                let value = -self.search::<Null>(-beta, -beta + 1, depth, ply + 1, !cut);
                self.unmake();
                if self.stopped {
                    return score::DRAW;
                }
                if value >= beta {
                    return if score::is_decisive(value) {
                        beta
                    } else {
                        value
                    };
                }
            }
        }

        // Internal iterative reduction: without a table move the order is poor.
        if table_move.is_none() && depth >= params::iir_depth() && (N::PV || cut) {
            depth -= 1;
        }

        let killers = self.stack.frame(ply).killers;
        self.stack.frame(ply + 1).killers = [None; 2];
        self.stack.frame(ply + 2).cutoffs = 0;
        let mut picker = Picker::new(&self.pos, table_move, killers);
        let mut best = floor;
        let mut best_move = None;
        let mut number = 0;
        let mut legal = 0;
        let mut tried_quiets = 0;
        let mut quiets: Tried = ArrayVec::new();
        let mut captures: Tried = ArrayVec::new();
        let quiet_quota = prune::quiets_worth_trying(&node);
        let start_alpha = alpha;

        let aims = OnceCell::new();
        loop {
            let clues = self.clues(ply, &aims, threatened);
            let Some(mv) = picker.next(&clues) else {
                break;
            };
            if Some(mv) == excluded || (N::ROOT && !self.is_candidate(mv)) {
                continue;
            }
            number += 1;
            legal += 1;
            let noisy = mv.is_noisy();
            // Moves are left out only once something better than a loss is known.
            let may_skip = !N::ROOT && best > -TABLE_BOUND && self.has_pieces();
            // Nothing asks it of a move that comes first.
            let asked = may_skip || number > 1;
            let checks = asked && clues.gives_check(mv);
            let forcing = asked && (checks || clues.lights_fuse(mv));
            let plain = !noisy && !forcing && !checked;
            if may_skip && plain && tried_quiets >= quiet_quota {
                picker.hurry();
                continue;
            }
            let history = if noisy {
                clues.capture_history(mv)
            } else {
                let known = picker.known_history();
                known.unwrap_or_else(|| clues.quiet_history(mv))
            };
            let late = Late {
                depth,
                number,
                pv: N::PV,
                cut,
                improving: node.improving,
                forcing,
                killer: killers.contains(&Some(mv)),
                noisy,
                threatened,
                was_pv: was_pv && !N::PV,
                refuted: self.stack.frame(ply + 1).cutoffs > 3,
                history,
            };

            if may_skip {
                let reduced = depth - self.logarithms.base(depth, number) / 100;
                let skip = if noisy {
                    prune::capture_see_bound(depth).is_some_and(|bound| {
                        let known = picker.known_see();
                        let see = known.unwrap_or_else(|| see::see(&self.pos, mv, &self.worth));
                        let calm = !checked && !checks;
                        see < bound || (calm && prune::is_futile_capture(&node, see, alpha))
                    })
                } else {
                    plain
                        && (prune::is_disliked(depth, history)
                            || prune::is_futile(&node, reduced, history, alpha)
                            || prune::quiet_see_bound(reduced)
                                .is_some_and(|b| see::see(&self.pos, mv, &self.worth) < b))
                };
                if skip {
                    continue;
                }
            }

            // With a move in hand that loses no sooner, one that lets the king explode at once
            // need not be made.
            let looked = !N::ROOT && best >= score::loss_in(ply + 2);
            if looked && self.pos.allows_explosion(mv) {
                number -= 1;
                continue;
            }
            if !noisy {
                self.shared.table.prefetch(self.pos.likely_key(mv));
            }

            let extension = match &entry {
                Some(entry) if !N::ROOT && Some(mv) == table_move && excluded.is_none() => {
                    match self.singular(entry, mv, depth, beta, ply, cut) {
                        Singular::Extend(plies) => plies,
                        Singular::Reduce => -1,
                        Singular::Cut(value) => return value,
                        Singular::Nothing => 0,
                    }
                }
                _ => 0,
            };
            if self.stopped {
                return score::DRAW;
            }
            if N::ROOT {
                self.announce(mv, legal);
            }

            let nodes_before = self.nodes;
            self.make(mv, ply);
            self.stack.frame(ply + 1).harmless = looked && mv.kind() != MoveKind::Castle;
            let next = depth - 1 + extension;
            let mut value = 0;
            let reduction = if depth >= 2 && number > 1 + i32::from(N::ROOT) {
                reduce::reduction(&late, self.logarithms).clamp(0, next.max(1) - 1)
            } else {
                0
            };
            let open = N::PV && number == 1;
            if !open {
                value = -self.search::<Null>(-alpha - 1, -alpha, next - reduction, ply + 1, true);
                // A move that is hardly better than the best is not worth the whole depth.
                let again = next - i32::from(value < best + params::lmr_close());
                if value > alpha && again > next - reduction {
                    value = -self.search::<Null>(-alpha - 1, -alpha, again, ply + 1, !cut);
                }
            }
            if N::PV && (open || value > alpha) {
                value = -self.search::<Pv>(-beta, -alpha, next, ply + 1, false);
            }
            self.unmake();
            if self.stopped {
                return score::DRAW;
            }

            if N::ROOT {
                let better = number == 1 || value > alpha;
                let exact = value > alpha && value < beta;
                self.note_root(mv, value, better, exact, self.nodes - nodes_before);
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.stack.extend_pv(ply, mv);
                    }
                    if value >= beta {
                        self.stack.frame(ply).cutoffs += 1;
                        self.reward(mv, depth, ply, threatened, &quiets, &captures);
                        break;
                    }
                    alpha = value;
                }
            }
            // A move that lets the king explode at once says nothing of how late the next one
            // comes: it took one node, and often all moves but one are of that kind.
            if value <= score::loss_in(ply + 2) {
                number -= 1;
            } else if !noisy {
                tried_quiets += 1;
            }
            if noisy {
                let _ = captures.try_push(mv);
            } else {
                let _ = quiets.try_push(mv);
            }
        }

        if legal == 0 {
            return if excluded.is_some() {
                alpha
            } else if checked {
                score::loss_in(ply)
            } else {
                score::DRAW
            };
        }
        best = best.min(ceiling);
        if let Some(eval) = static_eval
            && excluded.is_none()
            && !best_move.is_some_and(Move::is_noisy)
            && !score::is_decisive(best)
            && !(best >= beta && best <= eval)
            && !(best <= start_alpha && best >= eval)
        {
            let line = [1, 2].map(|back| self.stack.moved_before(ply, back));
            let keys = *self.stack.keys(ply);
            self.histories
                .corrections
                .learn(best - eval, depth, us, &keys, line);
        }
        if excluded.is_none() && !(N::ROOT && self.line > 0) {
            let bound = if best >= beta {
                Bound::Lower
            } else if N::PV && best > start_alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let value = tt::to_table(best, ply);
            let eval = raw_eval;
            let entry = Entry {
                mv: best_move,
                value,
                eval,
                depth,
                bound,
                pv: was_pv,
            };
            self.shared.table.store(key, entry);
        }
        best
    }

    fn outlook(
        &self,
        static_eval: Option<Value>,
        entry: &Option<Entry>,
        table_value: Option<Value>,
        depth: i32,
        ply: usize,
        threatened: bool,
    ) -> Outlook {
        let raw = static_eval.unwrap_or(-INFINITE);
        let eval = match (entry, table_value) {
            (Some(entry), Some(value))
                if static_eval.is_some()
                    && !score::is_decisive(value)
                    && cuts(entry.bound, value, raw + 1, raw) =>
            {
                value
            }
            _ => raw,
        };
        let earlier = self
            .stack
            .eval_before(ply, 2)
            .or_else(|| self.stack.eval_before(ply, 4));
        let improving = match (static_eval, earlier) {
            (Some(now), Some(earlier)) => now > earlier,
            (now, _) => now.is_some(),
        };
        let before = self.stack.eval_before(ply, 1);
        let worsening = matches!((static_eval, before), (Some(now), Some(before)) if now > -before);
        Outlook {
            depth,
            eval,
            improving,
            worsening,
            threatened,
        }
    }

    /// Is the table move the only good one? A reduced search without it tells.
    fn singular(
        &mut self,
        entry: &Entry,
        mv: Move,
        depth: i32,
        beta: Value,
        ply: usize,
        cut: bool,
    ) -> Singular {
        let value = tt::from_table(entry.value, ply);
        let fits = depth >= params::singular_depth()
            && entry.depth >= depth - 3
            && entry.bound != Bound::Upper
            && !score::is_decisive(value)
            && ply < 2 * self.root_depth as usize;
        if !fits {
            return Singular::Nothing;
        }
        let bound = value - params::singular_margin() * depth / 16;
        self.stack.frame(ply).excluded = Some(mv);
        let without = self.search::<Null>(bound - 1, bound, (depth - 1) / 2, ply, cut);
        self.stack.frame(ply).excluded = None;
        if without < bound {
            // Only where the table move should fail high, and not without end.
            let twice = without < bound - params::singular_double()
                && value > beta - 2
                && ply < self.root_depth as usize;
            Singular::Extend(1 + i32::from(twice))
        } else if bound >= beta {
            // Several moves beat beta: so will this node.
            Singular::Cut(bound)
        } else if value >= beta || cut {
            Singular::Reduce
        } else {
            Singular::Nothing
        }
    }

    /// Teaches the histories that `mv` failed high and the moves tried before it did not.
    fn reward(
        &mut self,
        mv: Move,
        depth: i32,
        ply: usize,
        threatened: bool,
        quiets: &Tried,
        captures: &Tried,
    ) {
        let bonus = (params::history_bonus() * depth * depth).min(params::history_limit());
        if mv.is_noisy() {
            self.teach_capture(mv, bonus);
        } else {
            let killers = &mut self.stack.frame(ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            self.teach_quiet(mv, ply, threatened, bonus);
            for &quiet in quiets {
                self.teach_quiet(quiet, ply, threatened, -bonus);
            }
        }
        for &capture in captures {
            self.teach_capture(capture, -bonus);
        }
    }

    fn teach_quiet(&mut self, mv: Move, ply: usize, threatened: bool, bonus: i32) {
        self.histories
            .butterfly
            .update(self.pos.side(), threatened, mv, bonus);
        let Some(this) = picker::piece_to(&self.pos, mv) else {
            return;
        };
        for back in [1, 2, 4] {
            if let Some(earlier) = self.stack.moved_before(ply, back) {
                self.histories.continuation.update(earlier, this, bonus);
            }
        }
        let pawns = self.stack.pawns(ply);
        self.histories.pawn.update(pawns, this, bonus);
    }

    fn teach_capture(&mut self, mv: Move, bonus: i32) {
        if let Some(piece) = self.pos.piece_at(mv.from()) {
            let victim = picker::victim(&self.pos, mv);
            self.histories.capture.update(piece, mv.to(), victim, bonus);
        }
    }
}

/// What a search without the table move says of it.
enum Singular {
    /// It stands alone: search it so many plies deeper.
    Extend(i32),
    /// It does not, and the node fails high anyway.
    Cut(Value),
    /// It does not, and the node probably fails high: search it less.
    Reduce,
    /// Not asked, or no answer.
    Nothing,
}
