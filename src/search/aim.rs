//! Aims: from which squares men of the side to move would attack what ends games, the enemy
//! king (a check) and its fuses (enemy men beside it whose capture would explode it).
//! Invariant: right for the position it was made for, and for moves of men that attack no
//! fuse yet, which is every man where no win in one exists.

use crate::rules::{Bitboard, Color, Move, MoveKind, PieceType, Position, Square, attacks};

/// Squares from which each type of man attacks one of some targets.
#[derive(Clone, Copy, Default)]
struct Reach {
    pawn: Bitboard,
    knight: Bitboard,
    bishop: Bitboard,
    rook: Bitboard,
}

impl Reach {
    /// The reach of `side` upon `targets`.
    fn upon(targets: Bitboard, side: Color, occupied: Bitboard) -> Reach {
        let mut reach = Reach::default();
        for target in targets {
            reach.pawn |= attacks::pawn(!side, target);
            reach.knight |= attacks::knight(target);
            reach.bishop |= attacks::bishop(target, occupied);
            reach.rook |= attacks::rook(target, occupied);
        }
        reach
    }

    fn has(&self, kind: PieceType, from: Square) -> bool {
        match kind {
            PieceType::Pawn => self.pawn,
            PieceType::Knight => self.knight,
            PieceType::Bishop => self.bishop,
            PieceType::Rook => self.rook,
            PieceType::Queen => self.bishop | self.rook,
            PieceType::King => Bitboard::EMPTY,
        }
        .contains(from)
    }
}

/// What the side to move can aim at.
#[derive(Clone, Copy)]
pub(super) struct Aims {
    fuses: Reach,
    king: Reach,
    /// Own men that alone stand between an own slider and the enemy king.
    screens: Bitboard,
}

impl Aims {
    pub(super) fn of(pos: &Position) -> Aims {
        let (us, occupied) = (pos.side(), pos.occupied());
        // Without checks in the rules, or while the kings touch, nothing but a move of the
        // king itself could give one.
        let king = match (pos.king(us), pos.king(!us)) {
            (Some(own), Some(other)) if pos.variant().has_check() => {
                Bitboard::from_square(other) - attacks::king(own)
            }
            _ => Bitboard::EMPTY,
        };
        Aims {
            fuses: Reach::upon(pos.explosive_targets(us), us, occupied),
            king: Reach::upon(king, us, occupied),
            screens: king
                .first()
                .map_or(Bitboard::EMPTY, |king| screens(pos, king)),
        }
    }

    /// True when the man that a quiet move brings to its square attacks a fuse from there:
    /// next move it could explode the king.
    pub(super) fn lights_fuse(&self, pos: &Position, mv: Move) -> bool {
        let mover = pos.piece_at(mv.from());
        !mv.is_noisy() && mover.is_some_and(|piece| self.fuses.has(piece.kind(), mv.to()))
    }

    /// True when a legal move leaves the other side in check: [`Position::gives_check`], read
    /// off the squares noted here for most quiet moves. A man on a line to the king that no
    /// other man blocks would give check already, so no move opens its own line.
    pub(super) fn gives_check(&self, pos: &Position, mv: Move) -> bool {
        let straight = matches!(mv.kind(), MoveKind::Quiet | MoveKind::DoublePush);
        match pos.piece_at(mv.from()) {
            Some(piece)
                if straight
                    && piece.kind() != PieceType::King
                    && !self.screens.contains(mv.from()) =>
            {
                self.king.has(piece.kind(), mv.to())
            }
            _ => pos.gives_check(mv),
        }
    }
}

/// Own men that alone stand between an own slider and the enemy king.
fn screens(pos: &Position, king: Square) -> Bitboard {
    let own = pos.colored(pos.side());
    let queens = pos.of_kind(PieceType::Queen);
    let straight = attacks::rook_rays(king) & (pos.of_kind(PieceType::Rook) | queens);
    let diagonal = attacks::bishop_rays(king) & (pos.of_kind(PieceType::Bishop) | queens);
    ((straight | diagonal) & own)
        .into_iter()
        .map(|sniper| attacks::between(king, sniper) & pos.occupied())
        .filter(|between| !between.more_than_one())
        .fold(Bitboard::EMPTY, |screens, between| screens | between & own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

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
                    let aims = Aims::of(&pos);
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
                        assert_eq!(aims.lights_fuse(&pos, mv), after.any());
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

    /// Every legal move of random games, beside the slow test for checks.
    #[test]
    fn agrees_with_the_slow_test_for_checks() {
        let mut rng = fastrand::Rng::with_seed(23);
        let mut checks = 0;
        for game in 0..120 {
            let variant = if game % 8 == 0 {
                Variant::NoCheckAtomic
            } else {
                Variant::Atomic
            };
            let mut pos = Position::startpos(variant);
            for _ in 0..120 {
                let moves = pos.legal_moves();
                if moves.is_empty() || pos.outcome().is_some() {
                    break;
                }
                let aims = Aims::of(&pos);
                for &mv in &moves {
                    let slow = pos.gives_check(mv);
                    assert_eq!(aims.gives_check(&pos, mv), slow, "{mv:?}");
                    checks += u32::from(slow);
                }
                // Captures empty the board too soon for lines to open: one in four is enough.
                let quiet: Vec<_> = moves.iter().filter(|mv| !mv.is_noisy()).collect();
                let pool: Vec<_> = moves.iter().collect();
                let from = if quiet.is_empty() || rng.u8(0..4) == 0 {
                    pool
                } else {
                    quiet
                };
                pos.make(*from[rng.usize(0..from.len())]);
            }
        }
        assert!(checks > 1000, "{checks}");
    }
}
