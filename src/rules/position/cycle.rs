//! Detection of upcoming repetitions: a legal move that leads back to an earlier position.
//! Invariant: a reported move is legal and repeats a position of the history.

use std::num::NonZeroU64;

use once_cell::sync::Lazy;

use super::{Move, Position, Square, attacks};
use crate::rules::zobrist;
use crate::rules::{MoveKind, Piece, PieceType};

/// The key difference and the two squares of every reversible move of a piece, as a hash table
/// with linear probing: most lookups end at once in an empty slot.
struct ReversibleMoves {
    key_diffs: Vec<Option<NonZeroU64>>,
    squares: Vec<(Square, Square)>,
}

impl ReversibleMoves {
    /// The number of slots: a power of two, more than twice the 3,668 moves.
    const SIZE: usize = 8192;

    fn new() -> ReversibleMoves {
        let corner = Square::new(0, 0);
        let mut table = ReversibleMoves {
            key_diffs: vec![None; ReversibleMoves::SIZE],
            squares: vec![(corner, corner); ReversibleMoves::SIZE],
        };
        for piece in Piece::ALL {
            if piece.piece_type() == PieceType::Pawn {
                continue;
            }
            for a in Square::all() {
                let empty = Default::default();
                for b in attacks::piece(piece.piece_type(), piece.color(), a, empty) {
                    if a.index() < b.index() {
                        table.insert(piece, a, b);
                    }
                }
            }
        }
        table
    }

    fn insert(&mut self, piece: Piece, a: Square, b: Square) {
        let key_diff =
            zobrist::piece(piece, a) ^ zobrist::piece(piece, b) ^ zobrist::side_to_move();
        let mut slot = ReversibleMoves::slot(key_diff);
        while self.key_diffs[slot].is_some() {
            slot = (slot + 1) % ReversibleMoves::SIZE;
        }
        self.key_diffs[slot] = NonZeroU64::new(key_diff);
        self.squares[slot] = (a, b);
    }

    fn slot(key_diff: u64) -> usize {
        key_diff as usize % ReversibleMoves::SIZE
    }

    fn squares(&self, key_diff: u64) -> Option<(Square, Square)> {
        let mut slot = ReversibleMoves::slot(key_diff);
        while let Some(entry) = self.key_diffs[slot] {
            if entry.get() == key_diff {
                return Some(self.squares[slot]);
            }
            slot = (slot + 1) % ReversibleMoves::SIZE;
        }
        None
    }
}

static REVERSIBLE_MOVES: Lazy<ReversibleMoves> = Lazy::new(ReversibleMoves::new);

impl Position {
    /// True when a legal move leads to a position that occurred after the root of a search that is
    /// now `ply` plies deep, so that the side to move can at least draw by repetition.
    pub(crate) fn upcoming_repetition(&self, ply: usize) -> bool {
        let end = self.reversible_plies().min(ply.saturating_sub(1));
        (3..end + 1).step_by(2).any(|distance| {
            let key_diff = self.state.key ^ self.earlier_key(distance);
            REVERSIBLE_MOVES.squares(key_diff).is_some_and(|(a, b)| {
                let is_at_a = self.occupied().contains(a);
                let (from, to) = if is_at_a { (a, b) } else { (b, a) };
                self.is_legal(Move::new(from, to, MoveKind::Quiet))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    /// Compares with making every legal move, in random games that often repeat positions.
    #[test]
    fn matches_making_every_move() {
        let mut rng = fastrand::Rng::with_seed(31);
        let (mut repetitions, mut others) = (0, 0);
        for _ in 0..200 {
            let mut pos = Position::startpos(Variant::Atomic);
            for _ in 0..60 {
                let moves = pos.legal_moves();
                if moves.is_empty() || pos.outcome_by_rule().is_some() {
                    break;
                }
                let ply = pos.ply() + 1;
                let mut expected = false;
                for &mv in &moves {
                    pos.make(mv);
                    expected |= pos.repetition_count() > 0;
                    pos.unmake();
                }
                assert_eq!(pos.upcoming_repetition(ply), expected);
                repetitions += usize::from(expected);
                others += usize::from(!expected);
                // Often takes the last move of the same side back, so that positions repeat.
                let last = pos.ply().checked_sub(2).and_then(|ply| pos.history[ply].mv);
                let reverse = last.map(|mv| Move::new(mv.to(), mv.from(), MoveKind::Quiet));
                let reverse = reverse.filter(|mv| moves.contains(mv) && rng.u8(0..3) > 0);
                let quiet = moves.iter().copied().filter(|mv| !mv.is_noisy());
                let mv = reverse.or_else(|| rng.choice(quiet.collect::<Vec<_>>()));
                pos.make(mv.unwrap_or_else(|| moves[rng.usize(0..moves.len())]));
            }
        }
        assert!(repetitions > 500 && others > 500, "{repetitions} {others}");
    }
}
