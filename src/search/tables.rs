//! Tablebases in the search: the moves of the root by rank, and results in the tree right
//! after a capture or pawn move, where the clock stands at zero as the tables assume.
//! Invariant: a root ranked by distance is not probed below, for every capture would look
//! like the win itself and the search would see no way to it.

use super::root::RootMove;
use super::worker::{Count, Searcher};
use super::{Bound, Listener};
use crate::eval::score::{self, Value};
use crate::rules::Position;
use crate::tablebase::{Tablebase, Wdl};

/// Tables, and when to ask them.
#[derive(Clone, Copy, Debug)]
pub struct TableUse<'a> {
    /// The tables.
    pub tables: &'a Tablebase,
    /// Positions with as many men as the largest tables asked are probed from this
    /// remaining depth on, smaller ones always.
    pub depth: i32,
    /// Positions with more men are not probed.
    pub men: u32,
    /// Wins that the fifty-move rule takes away are draws.
    pub fifty_moves: bool,
}

/// A win that the fifty-move rule takes away, a shade better than a draw.
const CURSED: Value = 1;

/// What one search does with tables.
pub(super) struct Probing<'a> {
    using: TableUse<'a>,
    in_tree: bool,
    /// Answers each thread got, written by its owner only.
    hits: Vec<Count>,
}

impl<'a> Probing<'a> {
    /// Begins a search of `pos`: ranks and sorts its moves if the tables know them.
    pub(super) fn new(
        using: TableUse<'a>,
        pos: &Position,
        root_moves: &mut [RootMove],
        threads: usize,
    ) -> Probing<'a> {
        let men = using.men.min(using.tables.most_men());
        let mut probing = Probing {
            using: TableUse { men, ..using },
            in_tree: true,
            hits: (0..threads).map(|_| Count::default()).collect(),
        };
        probing.rank(pos, root_moves);
        probing
    }

    fn rank(&mut self, pos: &Position, root_moves: &mut [RootMove]) {
        if pos.occupied().count() > self.using.men {
            return;
        }
        let moves: Vec<_> = root_moves.iter().map(|root_move| root_move.mv).collect();
        let Some(ranking) = self.using.tables.rank(pos, &moves, self.using.fifty_moves) else {
            return;
        };
        for (root_move, &rank) in root_moves.iter_mut().zip(&ranking.ranks) {
            root_move.rank = Some(rank);
        }
        root_moves.sort_by_key(RootMove::order);
        let winning = ranking.ranks.iter().any(|rank| rank.wdl() == Wdl::Win);
        self.in_tree = !ranking.by_distance && winning;
        self.hits[0].set(moves.len() as u64);
    }

    /// Answers of all threads.
    pub(super) fn total_hits(&self) -> u64 {
        self.hits.iter().map(Count::get).sum()
    }

    /// Tells of tables that were found missing or damaged.
    pub(super) fn tell_faults(&self, listener: &dyn Listener) {
        for fault in self.using.tables.take_faults() {
            listener.fault(&fault);
        }
    }

    fn is_wanted(&self, pos: &Position, depth: i32) -> bool {
        let men = pos.occupied().count();
        self.in_tree
            && men <= self.using.men
            && pos.halfmove() == 0
            && (men < self.using.men || depth >= self.using.depth)
            && self.using.tables.covers(pos)
            // A mate has a value of its own.
            && (!pos.in_check() || pos.has_legal_move())
    }
}

impl Searcher<'_> {
    /// What the tables say of the node at `ply`, as a bound on its value: a win there may be
    /// a mate that the search can still find.
    #[inline]
    pub(super) fn ask_tables(&self, depth: i32, ply: usize) -> Option<(Value, Bound)> {
        let probing = self.shared.probing.as_ref()?;
        if !probing.is_wanted(&self.pos, depth) {
            return None;
        }
        let wdl = probing.using.tables.wdl(&self.pos)?;
        let hits = &probing.hits[self.index];
        hits.set(hits.get() + 1);
        Some(match (wdl, probing.using.fifty_moves) {
            (Wdl::Win, _) | (Wdl::CursedWin, false) => (score::table_win_in(ply), Bound::Lower),
            (Wdl::Loss, _) | (Wdl::BlessedLoss, false) => (score::table_loss_in(ply), Bound::Upper),
            (other, true) => (drawish(other), Bound::Exact),
            (Wdl::Draw, false) => (score::DRAW, Bound::Exact),
        })
    }
}

impl RootMove {
    /// The value as it is told: that of the tables, unless the search found a mate that
    /// agrees with them.
    pub(super) fn told_value(&self) -> Value {
        let found = self.known_value();
        let Some(rank) = self.rank else {
            return found;
        };
        match rank.wdl() {
            Wdl::Win if found >= score::MATE_BOUND => found,
            Wdl::Win => score::table_win_in(0),
            Wdl::Loss if found <= -score::MATE_BOUND => found,
            Wdl::Loss => score::table_loss_in(0),
            other => drawish(other),
        }
    }
}

fn drawish(wdl: Wdl) -> Value {
    match wdl {
        Wdl::CursedWin => score::DRAW + CURSED,
        Wdl::BlessedLoss => score::DRAW - CURSED,
        _ => score::DRAW,
    }
}
