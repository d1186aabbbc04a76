//! Tablebase probes in the search: ranks of the root moves, and values of positions in the tree
//! right after a capture or pawn move, where the fifty-move counter is zero as the tablebases
//! assume.
//! Invariant: positions below a root that is ranked by DTZ are not probed. Otherwise every
//! winning capture would have the value of the win, and the search would make no progress.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Bound;
use crate::eval::score::{self, Value};
use crate::rules::{Move, Position};
use crate::tablebase::{MoveRank, Tablebase, Wdl};

/// The tablebases of a search and when to probe them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SyzygyConfig<'a> {
    pub tb: &'a Tablebase,
    /// Minimum remaining depth in plies for probes of positions with the maximum number of
    /// pieces. Positions with fewer pieces are probed at any depth.
    pub probe_depth: i32,
    /// Maximum number of pieces, including kings, of a probed position.
    pub probe_limit: u32,
    /// Treat wins and losses that the fifty-move rule prevents as draws.
    pub rule50: bool,
}

/// Value of a win that the fifty-move rule prevents.
const CURSED_WIN: Value = score::DRAW + 1;

/// Probes the tablebases for one search.
pub struct TbProber<'a> {
    config: SyzygyConfig<'a>,
    probe_in_tree: bool,
    /// Successful probes of all threads.
    hits: AtomicU64,
}

impl<'a> TbProber<'a> {
    pub fn new(config: SyzygyConfig<'a>) -> TbProber<'a> {
        let probe_limit = config.probe_limit.min(config.tb.max_pieces());
        TbProber {
            config: SyzygyConfig { probe_limit, ..config },
            probe_in_tree: true,
            hits: AtomicU64::new(0),
        }
    }

    /// The ranks of the root moves, in the order of `moves`, if the tablebases contain the
    /// position.
    pub fn rank_root_moves(&mut self, pos: &Position, moves: &[Move]) -> Option<Vec<MoveRank>> {
        if pos.occupied().count() > self.config.probe_limit {
            return None;
        }
        let ranking = self.config.tb.rank_moves(pos, moves, self.config.rule50)?;
        let is_win = ranking.ranks.iter().any(|rank| rank.wdl() == Wdl::Win);
        self.probe_in_tree = !ranking.by_dtz && is_win;
        *self.hits.get_mut() = moves.len() as u64;
        Some(ranking.ranks)
    }

    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    fn should_probe(&self, pos: &Position, depth: i32) -> bool {
        let piece_count = pos.occupied().count();
        self.probe_in_tree
            && piece_count <= self.config.probe_limit
            && pos.halfmove_clock() == 0
            && (piece_count < self.config.probe_limit || depth >= self.config.probe_depth)
            && self.config.tb.covers(pos)
            // Checkmate has a value of its own.
            && (!pos.in_check() || pos.has_legal_move())
    }

    /// The tablebase value of a node at `ply` with remaining `depth`. Wins and losses are
    /// bounds, because the search can still find a mate.
    #[inline]
    pub fn probe(&self, pos: &Position, depth: i32, ply: usize) -> Option<(Value, Bound)> {
        if !self.should_probe(pos, depth) {
            return None;
        }
        let wdl = self.config.tb.wdl(pos)?;
        self.hits.fetch_add(1, Ordering::Relaxed);
        Some(match (wdl, self.config.rule50) {
            (Wdl::Win, _) | (Wdl::CursedWin, false) => (score::tb_win_in(ply), Bound::Lower),
            (Wdl::Loss, _) | (Wdl::BlessedLoss, false) => (score::tb_loss_in(ply), Bound::Upper),
            (other, true) => (value_with_rule50(other), Bound::Exact),
            (Wdl::Draw, false) => (score::DRAW, Bound::Exact),
        })
    }
}

/// The value of a root move that the tablebases rank `wdl` and the search values `search_value`:
/// that of the tablebases, unless the search found a mate that agrees with them.
pub fn root_value(wdl: Wdl, search_value: Value) -> Value {
    match wdl {
        Wdl::Win => search_value.max(score::tb_win_in(0)),
        Wdl::Loss => search_value.min(score::tb_loss_in(0)),
        other => value_with_rule50(other),
    }
}

/// The value of a position that the fifty-move rule draws, a little off zero if it would be decided
/// without that rule.
fn value_with_rule50(wdl: Wdl) -> Value {
    match wdl {
        Wdl::CursedWin => CURSED_WIN,
        Wdl::BlessedLoss => -CURSED_WIN,
        _ => score::DRAW,
    }
}
