//! The moves of a position in the order of what they lead to. A winning side that always
//! plays a move of the highest rank comes closer to a capture, a pawn move or the end of the
//! game with each move, and so wins within the fifty moves wherever that can be done.

use super::{Tablebase, Wdl, before_zeroing};
use crate::rules::{Move, Position};

/// What a move is worth by the tables; better is greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rank {
    wdl: Wdl,
    /// Among moves with the same result: the shorter win, the longer resistance.
    order: i32,
}

impl Rank {
    /// What the move leads to, from the mover's view and with the clock as it stands.
    pub fn wdl(self) -> Wdl {
        self.wdl
    }

    /// The rank of a move with the given distance to zeroing, made when the clock stood at
    /// `clock`. `fifty` is false when the fifty-move rule is to be ignored.
    fn of(dtz: i32, clock: i32, fifty: bool) -> Rank {
        let plies = dtz.abs();
        let in_time = !fifty || plies + clock <= 100;
        let (wdl, order) = match (dtz.signum(), in_time) {
            (0, _) => (Wdl::Draw, 0),
            (1, true) => (Wdl::Win, -plies),
            (1, false) => (Wdl::CursedWin, -plies),
            (_, false) => (Wdl::BlessedLoss, plies),
            // Far from the hundred half-moves the search chooses how to resist.
            (_, true) => (Wdl::Loss, if 2 * plies + clock >= 100 { plies } else { 0 }),
        };
        Rank { wdl, order }
    }

    fn ended(wdl: Wdl) -> Rank {
        Rank { wdl, order: 0 }
    }
}

/// The ranks of the moves asked about.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// One for each move, in the order in which they were given.
    pub ranks: Vec<Rank>,
    /// Distances to zeroing were known, so the ranks make progress.
    pub by_distance: bool,
}

impl Tablebase {
    /// The ranks of legal `moves`; `None` where the tables do not cover the position or
    /// cannot answer for each of its moves. `fifty` is false when the fifty-move rule is to
    /// be ignored. Repetitions of the position's history count.
    pub fn rank(&self, pos: &Position, moves: &[Move], fifty: bool) -> Option<Ranking> {
        if !self.covers(pos) {
            return None;
        }
        let mut pos = pos.clone();
        let mut all = |rank: &dyn Fn(&mut Position, i32) -> Option<Rank>| -> Option<Vec<Rank>> {
            let clock = i32::from(pos.halfmove());
            let ranks = moves.iter().map(|&mv| {
                pos.make(mv);
                let found = rank(&mut pos, clock);
                pos.unmake();
                found
            });
            ranks.collect()
        };
        if let Some(ranks) = all(&|pos, clock| self.by_distance(pos, clock, fifty)) {
            return Some(Ranking {
                ranks,
                by_distance: true,
            });
        }
        let ranks = all(&|pos, _| self.by_result(pos, fifty))?;
        Some(Ranking {
            ranks,
            by_distance: false,
        })
    }

    /// The rank of the move that led to `pos`, by distance to zeroing.
    fn by_distance(&self, pos: &mut Position, clock: i32, fifty: bool) -> Option<Rank> {
        if let Some(outcome) = pos.outcome() {
            return Some(Rank::ended(-Wdl::of(outcome, pos.side())));
        }
        let rank = if pos.halfmove() == 0 {
            Rank::of(before_zeroing(-self.wdl(pos)?), 0, fifty)
        } else {
            let dtz = -self.dtz(pos)?;
            Rank::of(dtz + dtz.signum(), clock, fifty)
        };
        if rank.wdl > Wdl::Draw && opponent_can_repeat(pos) {
            // Still better than a move that gives the win away for good.
            return Some(Rank {
                wdl: Wdl::Draw,
                order: 1,
            });
        }
        Some(rank)
    }

    /// The rank of the move that led to `pos`, by result alone.
    fn by_result(&self, pos: &mut Position, fifty: bool) -> Option<Rank> {
        if let Some(outcome) = pos.outcome() {
            return Some(Rank::ended(-Wdl::of(outcome, pos.side())));
        }
        Some(Rank::ended(match -self.wdl(pos)? {
            Wdl::CursedWin if !fifty => Wdl::Win,
            Wdl::BlessedLoss if !fifty => Wdl::Loss,
            wdl => wdl,
        }))
    }
}

/// True when the side to move can bring about the third occurrence of a position at once.
fn opponent_can_repeat(pos: &mut Position) -> bool {
    if pos.halfmove() < 7 {
        return false;
    }
    pos.legal_moves().into_iter().any(|reply| {
        pos.make(reply);
        let third = pos.earlier_occurrences() >= 2;
        pos.unmake();
        third
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_decides_what_a_distance_is_worth() {
        let wdl = |dtz, clock| Rank::of(dtz, clock, true).wdl();
        assert_eq!(wdl(40, 60), Wdl::Win);
        assert_eq!(wdl(41, 60), Wdl::CursedWin);
        assert_eq!(wdl(101, 0), Wdl::CursedWin);
        assert_eq!(wdl(-40, 60), Wdl::Loss);
        assert_eq!(wdl(-41, 60), Wdl::BlessedLoss);
        assert_eq!(wdl(0, 99), Wdl::Draw);
        assert_eq!(Rank::of(150, 99, false).wdl(), Wdl::Win);
        assert_eq!(Rank::of(-150, 99, false).wdl(), Wdl::Loss);
    }

    #[test]
    fn short_wins_and_long_resistance_come_first() {
        let rank = |dtz, clock| Rank::of(dtz, clock, true);
        let order = [
            Rank::ended(Wdl::Win),
            rank(1, 0),
            rank(2, 0),
            rank(100, 0),
            rank(101, 0),
            rank(130, 0),
            rank(0, 0),
            rank(-130, 0),
            rank(-101, 0),
            rank(-100, 0),
            rank(-60, 0),
            rank(-3, 0),
        ];
        assert!(order.is_sorted_by(|better, worse| better > worse));
        // Without a hope of the fifty moves all losses are alike.
        assert_eq!(rank(-3, 0), rank(-20, 10));
    }
}
