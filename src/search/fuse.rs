//! Fuses: enemy men beside the enemy king whose capture would explode it.
//! Invariant: right for the position it was made for, and for moves of men that attack no
//! fuse yet, which is every man where no win in one exists.

use crate::rules::{Bitboard, PieceType, Position, Square, attacks};

/// Squares from which a man of the side to move attacks a fuse.
#[derive(Clone, Copy, Default)]
pub(super) struct Fuses {
    pawn: Bitboard,
    knight: Bitboard,
    bishop: Bitboard,
    rook: Bitboard,
}

impl Fuses {
    pub(super) fn of(pos: &Position) -> Fuses {
        let us = pos.side();
        let occupied = pos.occupied();
        let mut fuses = Fuses::default();
        for target in pos.explosive_targets(us) {
            fuses.pawn |= attacks::pawn(!us, target);
            fuses.knight |= attacks::knight(target);
            fuses.bishop |= attacks::bishop(target, occupied);
            fuses.rook |= attacks::rook(target, occupied);
        }
        fuses
    }

    /// True when a man that comes to `to` attacks a fuse from there: next move it could
    /// explode the king.
    pub(super) fn lit_by(&self, kind: PieceType, to: Square) -> bool {
        match kind {
            PieceType::Pawn => self.pawn,
            PieceType::Knight => self.knight,
            PieceType::Bishop => self.bishop,
            PieceType::Rook => self.rook,
            PieceType::Queen => self.bishop | self.rook,
            PieceType::King => Bitboard::EMPTY,
        }
        .contains(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Color, Variant};

    /// Every quiet move of random games, beside the attacks of the man after its move.
    #[test]
    fn agrees_with_the_attacks_after_the_move() {
        let mut rng = fastrand::Rng::with_seed(17);
        let (mut lit, mut unlit) = (0, 0);
        for _ in 0..60 {
            let mut pos = Position::startpos(Variant::Atomic);
            for _ in 0..80 {
                let moves = pos.legal_moves();
                if moves.is_empty() || pos.outcome().is_some() {
                    break;
                }
                if pos.win_in_one().is_none() {
                    let fuses = Fuses::of(&pos);
                    let targets = pos.explosive_targets(pos.side());
                    for &mv in moves.iter().filter(|mv| !mv.is_noisy()) {
                        let Some(piece) = pos.piece_at(mv.from()) else {
                            continue;
                        };
                        if piece.kind() == PieceType::King {
                            continue;
                        }
                        let occupied = pos.occupied().without(mv.from());
                        let (color, to): (Color, Square) = (piece.color(), mv.to());
                        let after = attacks::of(piece.kind(), color, to, occupied) & targets;
                        assert_eq!(fuses.lit_by(piece.kind(), to), after.any());
                        if after.any() {
                            lit += 1;
                        } else {
                            unlit += 1;
                        }
                    }
                }
                pos.make(moves[rng.usize(0..moves.len())]);
            }
        }
        assert!(lit > 100 && unlit > 1000, "{lit} {unlit}");
    }
}
