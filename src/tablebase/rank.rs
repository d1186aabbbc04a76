//! Ranks the moves of a position by their tablebase results.
//! Invariant: a side that always plays a move of the highest rank approaches a capture, a pawn move
//! or the end of the game with each move, and so wins every position that can be won under the
//! fifty-move rule.

use super::{Tablebase, Wdl, dtz_before_zeroing};
use crate::rules::{Move, Position};

/// The tablebase rank of a move; a better move has a greater rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MoveRank {
    wdl: Wdl,
    /// Orders moves with the same result: the faster win and the longer resistance are greater.
    order: i32,
}

impl MoveRank {
    /// The result of the move for the side that makes it, with the current fifty-move clock.
    pub fn wdl(self) -> Wdl {
        self.wdl
    }

    /// The rank of a move with the given distance to zeroing in plies, made at the given halfmove
    /// clock. Without `use_rule50` the fifty-move rule is ignored.
    fn from_dtz(dtz: i32, clock: i32, use_rule50: bool) -> MoveRank {
        let plies = dtz.abs();
        let in_time = !use_rule50 || plies + clock <= 100;
        let (wdl, order) = match (dtz.signum(), in_time) {
            (0, _) => (Wdl::Draw, 0),
            (1, true) => (Wdl::Win, -plies),
            (1, false) => (Wdl::CursedWin, -plies),
            (_, false) => (Wdl::BlessedLoss, plies),
            // Long before the fifty-move limit the search chooses between losing moves.
            (_, true) => (Wdl::Loss, if 2 * plies + clock >= 100 { plies } else { 0 }),
        };
        MoveRank { wdl, order }
    }
}

/// The ranks of the moves of a position.
#[derive(Clone, Debug)]
pub struct MoveRanking {
    /// One for each move, in the order in which they were given.
    pub ranks: Vec<MoveRank>,
    /// True when the ranks contain distances to zeroing, so that following them makes progress.
    pub by_dtz: bool,
}

impl Tablebase {
    /// Ranks legal `moves`; `None` if the tables do not contain the position after each of them.
    /// Without `use_rule50` the fifty-move rule is ignored. Repetitions with the history of the
    /// position count.
    pub fn rank_moves(
        &self,
        pos: &Position,
        moves: &[Move],
        use_rule50: bool,
    ) -> Option<MoveRanking> {
        if !self.covers(pos) {
            return None;
        }
        let rank_all = |by_dtz| {
            let mut pos = pos.clone();
            let clock = i32::from(pos.halfmove_clock());
            let ranks = moves.iter().map(|&mv| {
                pos.make(mv);
                let rank = match pos.outcome() {
                    Some(outcome) => {
                        let wdl = -Wdl::from_outcome(outcome, pos.side_to_move());
                        Some(MoveRank { wdl, order: 0 })
                    }
                    None if by_dtz => self.rank_by_dtz(&mut pos, clock, use_rule50),
                    None => self.rank_by_wdl(&pos, use_rule50),
                };
                pos.unmake();
                rank
            });
            let ranks = ranks.collect::<Option<_>>()?;
            Some(MoveRanking { ranks, by_dtz })
        };
        rank_all(true).or_else(|| rank_all(false))
    }

    /// The rank of the move that led to `pos`, by distance to zeroing.
    fn rank_by_dtz(&self, pos: &mut Position, clock: i32, use_rule50: bool) -> Option<MoveRank> {
        let rank = if pos.halfmove_clock() == 0 {
            MoveRank::from_dtz(dtz_before_zeroing(-self.wdl(pos)?), 0, use_rule50)
        } else {
            let dtz = -self.dtz(pos)?;
            MoveRank::from_dtz(dtz + dtz.signum(), clock, use_rule50)
        };
        if rank.wdl > Wdl::Draw && opponent_can_repeat(pos) {
            // Better than a move after which the win is lost.
            let (wdl, order) = (Wdl::Draw, 1);
            return Some(MoveRank { wdl, order });
        }
        Some(rank)
    }

    /// The rank of the move that led to `pos`, by result alone.
    fn rank_by_wdl(&self, pos: &Position, use_rule50: bool) -> Option<MoveRank> {
        let wdl = match -self.wdl(pos)? {
            Wdl::CursedWin if !use_rule50 => Wdl::Win,
            Wdl::BlessedLoss if !use_rule50 => Wdl::Loss,
            wdl => wdl,
        };
        Some(MoveRank { wdl, order: 0 })
    }
}

/// True when a move of the side to move leads to the third occurrence of a position.
fn opponent_can_repeat(pos: &mut Position) -> bool {
    if pos.halfmove_clock() < 7 {
        return false;
    }
    pos.legal_moves().into_iter().any(|reply| {
        pos.make(reply);
        let is_draw = pos.repetition_count() >= 2;
        pos.unmake();
        is_draw
    })
}
