//! The root: iterative deepening, aspiration windows, MultiPV, and when to stop.
//! Invariant: the best root move always has been searched, from the first node on.

use std::cmp::Reverse;

use super::node::Root;
use super::tt::Table;
use super::worker::Searcher;
use super::{Bound, Report, params};
use crate::eval::score::{self, INFINITE, Value};
use crate::eval::wdl::Scale;
use crate::rules::{Move, Position};
use crate::tablebase::Rank;

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    /// The move searched.
    pub(super) mv: Move,
    /// The move shown: differs only for a capture-promotion asked for by name.
    pub(super) shown: Move,
    /// What the tablebases say of it; all moves have a rank or none.
    pub(super) rank: Option<Rank>,
    pub(super) value: Value,
    pub(super) previous: Value,
    pub(super) nodes: u64,
    /// The move and what follows, of the last search of it whose value was no mere bound.
    pub(super) line: Vec<Move>,
    seldepth: usize,
}

impl RootMove {
    pub(super) fn new(mv: Move, shown: Move) -> RootMove {
        RootMove {
            mv,
            shown,
            rank: None,
            value: -INFINITE,
            previous: -INFINITE,
            nodes: 0,
            line: vec![shown],
            seldepth: 0,
        }
    }

    /// What the moves are sorted by, best first: a mate that the search has proved goes
    /// before the ranks, which know no mates.
    pub(super) fn order(&self) -> Reverse<(bool, Option<Rank>, Value)> {
        let mates = self.rank.is_some() && self.told_value() >= score::MATE_BOUND;
        Reverse((mates, self.rank, self.value))
    }

    /// The value of this iteration, else of the last, else a draw.
    pub(super) fn known_value(&self) -> Value {
        [self.value, self.previous]
            .into_iter()
            .find(|&v| v > -INFINITE)
            .unwrap_or(score::DRAW)
    }
}

/// Reports of bounds and current moves begin after this many milliseconds: before, they
/// would only be noise.
const TALKATIVE_AFTER: u128 = 3000;

impl Searcher<'_> {
    /// Deepens until a limit, telling the listener (the main thread only). Returns the last
    /// completed depth.
    pub(super) fn deepen(&mut self, multipv: usize) -> i32 {
        let listener = self.listener;
        let deepest = self
            .shared
            .limits
            .depth
            .unwrap_or(i32::MAX)
            .min(score::MAX_PLY as i32 - 1);
        let lines = multipv.min(self.root_moves.len());
        let mut completed = 0;
        let mut calm = Calm::default();
        for depth in 1..=deepest {
            // Helpers skip some iterations so that threads spread over depths.
            if !self.is_main() && (depth as usize + self.index).is_multiple_of(4) {
                continue;
            }
            self.root_depth = depth;
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.value;
                root_move.value = -INFINITE;
            }
            for line in 0..lines {
                self.line = line;
                self.seldepth = 0;
                self.aspire(depth);
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                self.finish_stopped(completed, depth, lines);
                break;
            }
            completed = depth;
            if let Some(listener) = listener {
                self.shared.tell_faults(listener);
                for line in 0..lines {
                    listener.report(&self.report(line, depth, Bound::Exact));
                }
                calm.note(self.root_moves[0].mv, self.root_moves[0].value);
                if self.is_enough(depth, &calm) {
                    break;
                }
            }
        }
        completed
    }

    /// One line at one depth within a window that widens until the value lies inside.
    fn aspire(&mut self, depth: i32) {
        let expected = self.root_moves[self.line].previous;
        let mut delta = params::aspiration();
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= 5 && !score::is_decisive(expected) {
            (alpha, beta) = (
                (expected - delta).max(-INFINITE),
                (expected + delta).min(INFINITE),
            );
        }
        loop {
            let value = self.search::<Root>(alpha, beta, depth, 0, false);
            let line = self.line;
            self.root_moves[line..].sort_by_key(RootMove::order);
            if self.stopped {
                return;
            }
            let bound = if value <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (value - delta).max(-INFINITE);
                Bound::Upper
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
            if let Some(listener) = self.listener
                && self.elapsed().as_millis() >= TALKATIVE_AFTER
            {
                listener.report(&self.report(line, depth, bound));
            }
        }
        let line = self.line;
        self.root_moves[..=line].sort_by_key(RootMove::order);
    }

    /// After a stop within an iteration: puts what it found first, if anything, and tells
    /// what is known.
    fn finish_stopped(&mut self, completed: i32, depth: i32, lines: usize) {
        let line = self.line;
        self.root_moves[line..].sort_by_key(RootMove::order);
        // The line under way may have become better than those above it, which this
        // iteration has all come to.
        if self.root_moves[line].value > -INFINITE {
            self.root_moves[..=line].sort_by_key(RootMove::order);
        }
        if let Some(listener) = self.listener {
            // Before the first iteration is through, only the first line is known.
            let shown = if completed == 0 { 1 } else { lines };
            for line in 0..shown {
                // What this iteration did not come to is still known from the last one.
                let fresh = self.root_moves[line].value > -INFINITE;
                let depth = if fresh { depth } else { completed.max(1) };
                listener.report(&self.report(line, depth, Bound::Exact));
            }
        }
    }

    /// What the listener is told of a line.
    pub(super) fn report(&self, line: usize, depth: i32, bound: Bound) -> Report {
        let root_move = &self.root_moves[line];
        let mut pv = root_move.line.clone();
        if pv.len() == 1 && depth > 1 {
            let table = self.shared.table;
            pv.extend(line_after(&self.pos, root_move.mv, table, depth as usize));
        }
        pv[0] = root_move.shown;
        Report {
            depth,
            seldepth: root_move.seldepth.max(1) as i32,
            multipv: line + 1,
            value: root_move.told_value(),
            scale: Scale::of(&self.pos),
            bound: if root_move.rank.is_some() {
                Bound::Exact
            } else {
                bound
            },
            nodes: self.shared.total_nodes(),
            time: self.elapsed(),
            hashfull: self.shared.table.hashfull(),
            tbhits: self.shared.table_hits(),
            pv,
        }
    }

    /// True when no further iteration should begin.
    fn is_enough(&self, depth: i32, calm: &Calm) -> bool {
        let (limits, clock) = (self.shared.limits, &self.shared.clock);
        let best = &self.root_moves[0];
        if let Some(moves) = limits.mate
            && best.value >= score::win_in(2 * moves.max(0) as usize)
        {
            return true;
        }
        if limits.soft_nodes.is_some_and(|most| self.nodes >= most) {
            return true;
        }
        if !clock.is_timed() || limits.infinite {
            return false;
        }
        let control = self.shared.control;
        if control.is_pondering() {
            return false;
        }
        let certain = self.choices() == 1
            || (score::is_mate(best.value) && depth > 2 * (score::MATE - best.value.abs()));
        if certain && depth >= 4 {
            return true;
        }
        // The more of all nodes the best move took, the less is left in doubt.
        let share = best.nodes as f64 / self.nodes.max(1) as f64;
        let doubt = f64::from(params::time_doubt()) - f64::from(params::time_share()) * share;
        clock.is_spent(control, self.nodes, calm.factor() * doubt / 100.0)
    }

    /// The first move to try at the root: the best so far.
    pub(super) fn root_table_move(&self) -> Option<Move> {
        self.root_moves.get(self.line).map(|root_move| root_move.mv)
    }

    /// True for root moves that the present line of MultiPV may choose from: not taken by an
    /// earlier line, and as good as the tablebases leave.
    pub(super) fn is_candidate(&self, mv: Move) -> bool {
        let left = &self.root_moves[self.line..];
        left.iter()
            .any(|root_move| root_move.mv == mv && root_move.rank == left[0].rank)
    }

    /// How many moves may become the best.
    fn choices(&self) -> usize {
        let best = self.root_moves[0].rank;
        self.root_moves
            .iter()
            .filter(|root_move| root_move.rank == best)
            .count()
    }

    /// Notes what the search of a root move returned; moves that did not beat alpha have no
    /// value of their own, and keep their order. An `exact` value comes with a line; a search
    /// that only found a bound has none.
    pub(super) fn note_root(
        &mut self,
        mv: Move,
        value: Value,
        better: bool,
        exact: bool,
        nodes: u64,
    ) {
        let (seldepth, line) = (self.seldepth, self.stack.frame(1).pv.clone());
        let Some(root_move) = self
            .root_moves
            .iter_mut()
            .find(|root_move| root_move.mv == mv)
        else {
            return;
        };
        root_move.nodes += nodes;
        if better {
            root_move.value = value;
            root_move.seldepth = seldepth;
            if exact {
                root_move.line.truncate(1);
                root_move.line.extend(line);
            }
        } else {
            root_move.value = -INFINITE;
        }
    }

    /// Tells the listener which root move is now searched, once the search has taken long.
    pub(super) fn announce(&self, mv: Move, number: i32) {
        if let Some(listener) = self.listener
            && self.elapsed().as_millis() >= TALKATIVE_AFTER
        {
            listener.current_move(self.root_depth, mv, number as usize + self.line);
        }
    }
}

/// What the table thinks is played after `mv`, at most `depth` plies with it: for lines whose
/// search found only a bound, and to ponder on.
pub(super) fn line_after(pos: &Position, mv: Move, table: &Table, depth: usize) -> Vec<Move> {
    let mut pos = pos.clone();
    let mut line = Vec::new();
    pos.make(mv);
    while line.len() + 1 < depth
        && pos.outcome().is_none()
        && !pos.is_repetition(line.len() + 1)
        && let Some(next) = table.probe(pos.key()).and_then(|entry| entry.mv)
        && pos.is_legal(next)
    {
        pos.make(next);
        line.push(next);
    }
    line
}

/// How settled the best move and its value are over the iterations.
#[derive(Default)]
struct Calm {
    best: Option<Move>,
    unchanged: u32,
    value: Value,
    drop: Value,
}

impl Calm {
    fn note(&mut self, best: Move, value: Value) {
        if self.best == Some(best) {
            self.unchanged += 1;
            self.drop = self.value - value;
        } else {
            self.best = Some(best);
            self.unchanged = 0;
            self.drop = 0;
        }
        self.value = value;
    }

    /// Stretches the time budget while the best move changes or loses value.
    fn factor(&self) -> f64 {
        let unchanged = f64::from(self.unchanged.min(8));
        let steady =
            f64::from(params::time_change()) - f64::from(params::time_steady()) * unchanged;
        let drop = f64::from(self.drop.clamp(0, 100)) * f64::from(params::time_drop()) / 100.0;
        (steady + drop) / 100.0
    }
}
