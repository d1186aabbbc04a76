//! Check info: the squares from which each piece type of the side to move would give check, or
//! would attack an explosive target (an enemy piece next to the enemy king, whose capture
//! explodes the king).
//! Invariant: correct for the position that it was computed for, and for moves of pieces that do
//! not attack an explosive target yet. That holds for all pieces if there is no win in one.

use super::{Bitboard, Color, Move, MoveKind, PieceType, Position, QuietFilter, Square, attacks};

/// The squares from which each piece type, in index order, attacks one of the targets; none for
/// the king.
#[derive(Clone, Copy, Debug)]
pub struct AttackSquares([Bitboard; 6]);

impl AttackSquares {
    /// The squares from which pieces of `color` attack `targets`.
    pub fn new(targets: Bitboard, color: Color, occupied: Bitboard) -> AttackSquares {
        let [mut pawn, mut knight, mut bishop, mut rook] = [Bitboard::EMPTY; 4];
        for target in targets {
            pawn |= attacks::pawn(!color, target);
            knight |= attacks::knight(target);
            bishop |= attacks::bishop(target, occupied);
            rook |= attacks::rook(target, occupied);
        }
        AttackSquares([pawn, knight, bishop, rook, bishop | rook, Bitboard::EMPTY])
    }

    #[inline]
    pub fn of(&self, piece_type: PieceType) -> Bitboard {
        self.0[piece_type.index()]
    }
}

/// The squares and blockers from which the side to move can threaten the enemy king.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    /// From where a piece of the side to move attacks an explosive target.
    pub(crate) explosion_squares: AttackSquares,
    /// From where a piece of the side to move gives check.
    pub(crate) check_squares: AttackSquares,
    /// Own pieces whose plain quiet moves can give check from any square: those that alone stand
    /// between an own slider and the enemy king, and the king while the kings touch.
    discoverers: Bitboard,
    /// All pieces that stand between an own slider and the enemy king.
    line_blockers: Bitboard,
}

impl CheckInfo {
    /// The check info of a position.
    pub fn new(pos: &Position) -> CheckInfo {
        let (us, occupied) = (pos.side_to_move(), pos.occupied());
        // Without the rule of check, or while the kings touch, only a king move could give
        // check.
        let (king, touching_king) = match (pos.king(us), pos.king(!us)) {
            (Some(own), Some(enemy)) if pos.variant().has_check() => {
                let (own, enemy_ring) = (Bitboard::from_square(own), attacks::king(enemy));
                let touching_king = own & enemy_ring;
                if touching_king.any() {
                    (Bitboard::EMPTY, touching_king)
                } else {
                    (Bitboard::from_square(enemy), touching_king)
                }
            }
            _ => (Bitboard::EMPTY, Bitboard::EMPTY),
        };
        let (line_blockers, discoverers) =
            king.first().map_or_else(Default::default, |king| line_blockers(pos, king));
        CheckInfo {
            explosion_squares: AttackSquares::new(pos.explosive_targets(us), us, occupied),
            check_squares: AttackSquares::new(king, us, occupied),
            discoverers: discoverers | touching_king,
            line_blockers,
        }
    }

    /// True if the piece of a quiet move attacks an explosive target from its new square, so
    /// that it threatens to explode the king.
    #[inline]
    pub fn threatens_explosion(&self, pos: &Position, mv: Move) -> bool {
        let mover = pos.piece_at(mv.from());
        !mv.is_noisy()
            && mover.is_some_and(|piece| {
                self.explosion_squares.of(piece.piece_type()).contains(mv.to())
            })
    }

    /// The quiet moves that can give check: those to a square from which the piece attacks the
    /// king, all moves of pieces that can uncover it, and, because of castling, of the king.
    pub(crate) fn check_candidates(&self, pos: &Position) -> QuietFilter {
        QuietFilter {
            targets: self.check_squares.0,
            unfiltered: self.discoverers | pos.pieces(pos.side_to_move(), PieceType::King),
        }
    }

    /// True if a legal move gives check: [`Position::gives_check`], from the precomputed squares
    /// for most moves. A piece on a line to the king that no other piece blocks would already give
    /// check, so no move opens a line of the moving piece itself. A capture gives check only by
    /// opening a line, because the capturing piece explodes.
    #[inline]
    pub fn gives_check(&self, pos: &Position, mv: Move) -> bool {
        if mv.is_capture() && mv.kind() != MoveKind::EnPassant {
            let removed = pos.blast_victims(mv.to()).with(mv.from());
            return (removed & self.line_blockers).any() && pos.gives_check(mv);
        }
        let is_plain = matches!(mv.kind(), MoveKind::Quiet | MoveKind::DoublePush);
        match pos.piece_at(mv.from()) {
            Some(piece) if is_plain && !self.discoverers.contains(mv.from()) => {
                self.check_squares.of(piece.piece_type()).contains(mv.to())
            }
            _ => pos.gives_check(mv),
        }
    }
}

/// All pieces between the mover's sliders and the enemy king, and the mover's pieces that stand
/// there alone: their moves can give a discovered check.
fn line_blockers(pos: &Position, king: Square) -> (Bitboard, Bitboard) {
    let own = pos.by_color(pos.side_to_move());
    let (mut line_blockers, mut discoverers) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for slider in pos.snipers(pos.side_to_move(), king) {
        let between = attacks::between(king, slider) & pos.occupied();
        line_blockers |= between;
        if !between.more_than_one() {
            discoverers |= between & own;
        }
    }
    (line_blockers, discoverers)
}

#[cfg(test)]
mod tests {
    use super::super::{MoveList, Quiet, Variant};
    use super::*;
    use crate::walk;

    /// Compares every quiet move with the attacks of the piece after its move.
    #[test]
    fn threatens_explosion_matches_attacks_after_the_move() {
        let (mut threats, mut others) = (0, 0);
        walk::visit(17, 3_000, Variant::Atomic, |pos| {
            if pos.win_in_one().is_some() {
                return;
            }
            let check_info = CheckInfo::new(pos);
            let targets = pos.explosive_targets(pos.side_to_move());
            for mv in pos.legal_moves().into_iter().filter(|mv| !mv.is_noisy()) {
                let piece = pos.piece_at(mv.from()).expect("a piece");
                if piece.piece_type() == PieceType::King {
                    continue;
                }
                let occupied = pos.occupied().without(mv.from());
                let (kind, color) = (piece.piece_type(), piece.color());
                let after = attacks::piece(kind, color, mv.to(), occupied) & targets;
                assert_eq!(check_info.threatens_explosion(pos, mv), after.any());
                threats += usize::from(after.any());
                others += usize::from(after.is_empty());
            }
        });
        assert!(threats > 100 && others > 1000, "{threats} {others}");
    }

    /// Compares every legal move with [`Position::gives_check`].
    #[test]
    fn gives_check_matches_position() {
        let mut checks = 0;
        for (seed, variant) in [(23, Variant::Atomic), (24, Variant::NoCheckAtomic)] {
            walk::visit(seed, 15_000, variant, |pos| {
                // The artificial positions may begin with a check that is no answer to a move.
                pos.make_null();
                let is_legal = !pos.in_check();
                pos.unmake();
                if !is_legal {
                    return;
                }
                let check_info = CheckInfo::new(pos);
                for mv in pos.legal_moves() {
                    let gives_check = pos.gives_check(mv);
                    assert_eq!(check_info.gives_check(pos, mv), gives_check, "{mv:?}");
                    checks += u32::from(gives_check);
                }
                let filter = check_info.check_candidates(pos);
                let (mut candidates, mut quiets) = (MoveList::new(), MoveList::new());
                pos.generate_quiets(&filter, &mut candidates);
                pos.generate::<Quiet>(&mut quiets);
                quiets.retain(|mv| {
                    let piece = pos.piece_at(mv.from()).expect("a piece").piece_type();
                    let passes = filter.unfiltered.contains(mv.from())
                        || filter.targets[piece.index()].contains(mv.to());
                    assert!(passes || !pos.gives_check(*mv), "{pos:?} {mv:?}");
                    passes
                });
                assert_eq!(candidates, quiets, "{pos:?}");
            });
        }
        assert!(checks > 1000, "{checks}");
    }

    #[test]
    fn kings_that_part_give_check() {
        // The rook attacks the black king as soon as the kings no longer touch.
        let pos = walk::position("8/8/8/3kK3/8/8/3R4/8 w - - 0 1");
        let check_info = CheckInfo::new(&pos);
        let mut moves = pos.legal_moves();
        moves.retain(|&mut mv| check_info.gives_check(&pos, mv));
        // To the three squares of the f file that do not touch d5.
        assert_eq!(moves.len(), 3);
        // The pawn captured en passant, which is not blasted, leaves the diagonal of the bishop.
        let pos = walk::position("6k1/8/8/3pP3/8/8/B7/4K3 w - d6 0 1");
        let passing = |mv: &Move| mv.kind() == MoveKind::EnPassant;
        let mv = pos.legal_moves().into_iter().find(passing).expect("a legal move");
        assert!(CheckInfo::new(&pos).gives_check(&pos, mv));
    }
}
