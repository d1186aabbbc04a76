//! Repetitions one move ahead: which single move turns a key into that of an earlier position.
//! Invariant: a move that is found is legal and repeats a position of this history.

use std::num::NonZeroU64;

use once_cell::sync::Lazy;

use super::{Move, Position, Square, attacks};
use crate::rules::zobrist;
use crate::rules::{MoveKind, Piece, PieceType};

/// What each quiet move of a piece changes in a key, with the squares it moves between: an open
/// hash table, because almost every question ends at an empty place at once.
struct Reversible {
    changes: Vec<Option<NonZeroU64>>,
    squares: Vec<(Square, Square)>,
}

impl Reversible {
    /// Places; a power of two, more than twice the 3,668 pairs there are.
    const SIZE: usize = 8192;

    fn new() -> Reversible {
        let corner = Square::new(0, 0);
        let mut table = Reversible {
            changes: vec![None; Reversible::SIZE],
            squares: vec![(corner, corner); Reversible::SIZE],
        };
        for piece in Piece::ALL {
            if piece.kind() == PieceType::Pawn {
                continue;
            }
            for a in Square::all() {
                let empty = Default::default();
                for b in attacks::of(piece.kind(), piece.color(), a, empty) {
                    if a.index() < b.index() {
                        table.insert(piece, a, b);
                    }
                }
            }
        }
        table
    }

    fn insert(&mut self, piece: Piece, a: Square, b: Square) {
        let change = zobrist::piece(piece, a) ^ zobrist::piece(piece, b) ^ zobrist::turn();
        let mut place = Reversible::place(change);
        while self.changes[place].is_some() {
            place = (place + 1) % Reversible::SIZE;
        }
        self.changes[place] = NonZeroU64::new(change);
        self.squares[place] = (a, b);
    }

    fn place(change: u64) -> usize {
        change as usize % Reversible::SIZE
    }

    fn squares(&self, change: u64) -> Option<(Square, Square)> {
        let mut place = Reversible::place(change);
        while let Some(found) = self.changes[place] {
            if found.get() == change {
                return Some(self.squares[place]);
            }
            place = (place + 1) % Reversible::SIZE;
        }
        None
    }
}

static REVERSIBLE: Lazy<Reversible> = Lazy::new(Reversible::new);

impl Position {
    /// True when the side to move can bring about a position that occurred since the root of a
    /// search which is now at `ply` plies: it can have a draw.
    pub fn can_repeat(&self, ply: usize) -> bool {
        let history = &self.history;
        let reach = self.state.halfmove.min(self.state.since_null) as usize;
        let reach = reach.min(history.len()).min(ply.saturating_sub(1));
        if reach < 3 {
            return false;
        }
        let table = &*REVERSIBLE;
        (3..=reach).step_by(2).any(|distance| {
            let change = self.state.key ^ history[history.len() - distance].state.key;
            table
                .squares(change)
                .is_some_and(|(a, b)| self.can_move_between(a, b))
        })
    }

    fn can_move_between(&self, a: Square, b: Square) -> bool {
        let (from, to) = if self.occupied().contains(a) {
            (a, b)
        } else {
            (b, a)
        };
        self.is_legal(Move::new(from, to, MoveKind::Quiet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    /// Random games that shuffle pieces about, beside trying every move.
    #[test]
    fn agrees_with_trying_every_move() {
        let mut rng = fastrand::Rng::with_seed(31);
        let (mut yes, mut no) = (0, 0);
        for _ in 0..200 {
            let mut pos = Position::startpos(Variant::Atomic);
            for _ in 0..60 {
                let moves = pos.legal_moves();
                if moves.is_empty() || pos.outcome_by_rule().is_some() {
                    break;
                }
                let ply = pos.ply() + 1;
                let mut slow = false;
                for &mv in &moves {
                    pos.make(mv);
                    slow |= pos.earlier_occurrences() > 0;
                    pos.unmake();
                }
                assert_eq!(pos.can_repeat(ply), slow);
                if slow {
                    yes += 1;
                } else {
                    no += 1;
                }
                // Back where it came from, often enough for positions to repeat.
                let quiet: Vec<Move> = moves.iter().copied().filter(|mv| !mv.is_noisy()).collect();
                let back = pos.ply().checked_sub(2).and_then(|at| pos.history[at].mv);
                let home = back.map(|mv| Move::new(mv.to(), mv.from(), MoveKind::Quiet));
                let mv = match home {
                    Some(mv) if quiet.contains(&mv) && rng.u8(0..3) > 0 => mv,
                    _ if !quiet.is_empty() => quiet[rng.usize(0..quiet.len())],
                    _ => moves[rng.usize(0..moves.len())],
                };
                pos.make(mv);
            }
        }
        assert!(yes > 500 && no > 500, "{yes} {no}");
    }
}
