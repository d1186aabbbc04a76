//! King safety: what threatens the king to move, and legality in the order of the rule:
//! own king gone, illegal; enemy king gone, legal; kings touching, legal; else not attacked.

use super::{Bitboard, Color, Move, PieceType, Position, Square, attacks};
use crate::rules::{Castling, CastlingSide, MoveKind};

/// What bears on the king of the side to move, worked out once per generation.
pub(super) struct Danger {
    pub(super) king: Square,
    /// Centres whose blast reaches the own king: never a legal capture.
    pub(super) own_blast: Bitboard,
    /// Centres whose blast reaches the enemy king: always a legal capture unless above.
    pub(super) winning: Bitboard,
    /// No attack on the king counts: the kings touch, or the rules know no check.
    pub(super) exempt: bool,
    pub(super) checkers: Bitboard,
    /// Own men that alone stand between the king and an enemy slider.
    pub(super) pinned: Bitboard,
    /// Enemy sliders on a line with the king, whatever stands between.
    snipers: Bitboard,
    /// Every man between the king and a sniper.
    pub(super) shield: Bitboard,
    leapers: Bitboard,
}

impl Danger {
    /// `None` when a king is missing: the game is over and there is nothing to generate.
    pub(super) fn new(pos: &Position) -> Option<Danger> {
        let (us, them) = (pos.side, !pos.side);
        let (king, other) = (pos.king(us)?, pos.king(them)?);
        let exempt = !pos.variant.has_check() || attacks::king(king).contains(other);
        let mut danger = Danger {
            king,
            own_blast: attacks::blast(king),
            winning: attacks::blast(other),
            exempt,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            snipers: Bitboard::EMPTY,
            shield: Bitboard::EMPTY,
            leapers: Bitboard::EMPTY,
        };
        if !exempt {
            danger.survey(pos, us, them);
        }
        Some(danger)
    }

    fn survey(&mut self, pos: &Position, us: Color, them: Color) {
        let (king, occupied) = (self.king, pos.occupied());
        let queens = pos.of_kind(PieceType::Queen);
        let straight = attacks::rook_rays(king) & (pos.of_kind(PieceType::Rook) | queens);
        let diagonal = attacks::bishop_rays(king) & (pos.of_kind(PieceType::Bishop) | queens);
        self.snipers = (straight | diagonal) & pos.colored(them);
        self.leapers = (attacks::knight(king) & pos.pieces(them, PieceType::Knight))
            | (attacks::pawn(us, king) & pos.pieces(them, PieceType::Pawn));
        self.checkers = self.leapers;
        for sniper in self.snipers {
            let shield = attacks::between(king, sniper) & occupied;
            if shield.is_empty() {
                self.checkers |= Bitboard::from_square(sniper);
            } else if !shield.more_than_one() {
                self.pinned |= shield & pos.colored(us);
            }
            self.shield |= shield;
        }
    }

    /// True when the king is not attacked once `removed` has left the board and nothing
    /// has come: the test for captures that touch neither king.
    pub(super) fn survives(&self, removed: Bitboard, occupied: Bitboard) -> bool {
        if self.exempt || (self.checkers.is_empty() && (removed & self.shield).is_empty()) {
            return true;
        }
        let left = occupied - removed;
        (self.leapers - removed).is_empty()
            && (self.snipers - removed)
                .into_iter()
                .all(|sniper| (attacks::between(self.king, sniper) & left).any())
    }
}

impl Position {
    /// True when the move of the man on `from`, which moves that way, leaves its side's
    /// king unexploded and out of check. Reads the rule afresh from the board after the
    /// move, without [`Danger`]'s short cuts.
    pub(super) fn leaves_king_safe(&self, from: Square, to: Square, kind: MoveKind) -> bool {
        let (us, them) = (self.side, !self.side);
        let (Some(king), Some(other)) = (self.king(us), self.king(them)) else {
            return false;
        };
        let (mut removed, mut added) = (Bitboard::from_square(from), Bitboard::EMPTY);
        if kind.is_capture() {
            removed |= self.blasted(to);
            if kind == MoveKind::EnPassant {
                removed = removed.with(Square::new(to.file(), from.rank()));
            }
        } else {
            added = added.with(to);
        }
        let king = if from == king && !kind.is_capture() {
            to
        } else {
            king
        };
        if removed.contains(king) {
            return false;
        }
        let exempt = !self.variant.has_check() || attacks::king(king).contains(other);
        if exempt || removed.contains(other) {
            return true;
        }
        let occupied = (self.occupied() - removed) | added;
        (self.attackers_to(king, occupied) & self.colored(them) & occupied).is_empty()
    }

    /// True when castling on `side` has its right, its squares empty, and no square of the
    /// king's way attacked; a square beside the enemy king counts as safe.
    pub(super) fn can_castle(&self, side: CastlingSide) -> bool {
        let (us, them) = (self.side, !self.side);
        let (Some(king), Some(other)) = (self.king(us), self.king(them)) else {
            return false;
        };
        let Some(rook) = self
            .castling
            .rook(us, side)
            .filter(|_| self.state.rights.has(us, side))
        else {
            return false;
        };
        if (self.castling.must_be_empty(us, side) & self.occupied()).any() {
            return false;
        }
        if !self.variant.has_check() {
            return true;
        }
        let (king_to, rook_to) = (Castling::king_to(us, side), Castling::rook_to(us, side));
        let near = attacks::king(other);
        let safe = |square: Square, occupied: Bitboard| {
            near.contains(square)
                || (self.attackers_to(square, occupied) & self.colored(them)).is_empty()
        };
        let lifted = self.occupied().without(king);
        let completed = lifted.without(rook).with(king_to).with(rook_to);
        safe(king_to, completed)
            && safe(king, lifted)
            && attacks::between(king, king_to)
                .into_iter()
                .all(|square| safe(square, lifted))
    }

    /// True when any code that names a move is legal here. Independent of the generator,
    /// so that moves from the table or from other positions can be tried without it.
    pub fn is_legal(&self, mv: Move) -> bool {
        let (us, from, to, kind) = (self.side, mv.from(), mv.to(), mv.kind());
        let Some(piece) = self.piece_at(from).filter(|piece| piece.color() == us) else {
            return false;
        };
        if kind == MoveKind::Castle {
            let side = Castling::side_of(from, to);
            return piece.kind() == PieceType::King
                && self.castling.rook(us, side) == Some(to)
                && self.can_castle(side);
        }
        let takes = self.piece_at(to).is_some();
        if takes != (kind.is_capture() && kind != MoveKind::EnPassant)
            || self.colored(us).contains(to)
            || (takes && piece.kind() == PieceType::King)
        {
            return false;
        }
        let moves_that_way = match piece.kind() {
            PieceType::Pawn => self.pawn_moves_that_way(from, to, kind),
            other => {
                matches!(kind, MoveKind::Quiet | MoveKind::Capture)
                    && attacks::of(other, us, from, self.occupied()).contains(to)
            }
        };
        moves_that_way && self.leaves_king_safe(from, to, kind)
    }

    fn pawn_moves_that_way(&self, from: Square, to: Square, kind: MoveKind) -> bool {
        let us = self.side;
        if (to.relative_rank(us) == 7) != kind.promotion().is_some() {
            return false;
        }
        if kind.is_capture() {
            return attacks::pawn(us, from).contains(to)
                && (kind != MoveKind::EnPassant || self.state.en_passant == Some(to));
        }
        let empty = !self.occupied();
        let single = Bitboard::from_square(from).forward(us) & empty;
        if kind == MoveKind::DoublePush {
            from.relative_rank(us) == 1 && (single.forward(us) & empty).contains(to)
        } else {
            single.contains(to)
        }
    }

    /// True when a legal move blows up the enemy king.
    #[inline]
    pub fn explodes_king(&self, mv: Move) -> bool {
        mv.is_capture()
            && self
                .king(!self.side)
                .is_some_and(|k| attacks::blast(k).contains(mv.to()))
    }

    /// True when a legal move leaves the other side in check. A move that explodes the
    /// king ends the game and gives no check.
    pub fn gives_check(&self, mv: Move) -> bool {
        let (us, from, to, kind) = (self.side, mv.from(), mv.to(), mv.kind());
        let (Some(king), Some(target)) = (self.king(us), self.king(!us)) else {
            return false;
        };
        if !self.variant.has_check() {
            return false;
        }
        let mut removed = Bitboard::from_square(from);
        let mut added = Bitboard::EMPTY;
        let mut king_after = king;
        // A man that arrives and bears on the enemy king by itself.
        let mut direct = false;
        if kind.is_capture() {
            removed |= self.blasted(to);
            if kind == MoveKind::EnPassant {
                removed = removed.with(Square::new(to.file(), from.rank()));
            }
            if removed.contains(target) {
                return false;
            }
        }
        if kind == MoveKind::Castle {
            let side = Castling::side_of(from, to);
            let rook_to = Castling::rook_to(us, side);
            removed = removed.with(to);
            king_after = Castling::king_to(us, side);
            added = added.with(king_after).with(rook_to);
            let occupied = (self.occupied() - removed) | added;
            direct = attacks::rook(target, occupied).contains(rook_to);
        } else if !kind.is_capture() {
            added = added.with(to);
            if from == king {
                king_after = to;
            } else if let Some(piece) = self.piece_at(from) {
                let arrived = kind.promotion().unwrap_or(piece.kind());
                let occupied = (self.occupied() - removed) | added;
                direct = attacks::of(arrived, us, to, occupied).contains(target);
            }
        }
        if attacks::king(king_after).contains(target) {
            return false;
        }
        let occupied = (self.occupied() - removed) | added;
        let stayed = self.colored(us) - removed;
        direct || (self.attackers_to(target, occupied) & stayed).any()
    }

    /// Enemy men that `color` could capture to explode the king of the other side without
    /// its own: the other king itself counts.
    #[inline]
    pub fn explosive_targets(&self, color: Color) -> Bitboard {
        match (self.king(color), self.king(!color)) {
            (Some(own), Some(other)) => {
                (attacks::blast(other) & self.colored(!color)) - attacks::blast(own)
            }
            _ => Bitboard::EMPTY,
        }
    }

    /// A man of `color` and the square of a capture that would explode the other king now,
    /// were `color` to move; en passant aside.
    fn explosion_by(&self, color: Color) -> Option<(Square, Square)> {
        let targets = self.explosive_targets(color);
        self.strike(color, self.colored(color), self.occupied(), targets)
    }

    /// A man of `color` among the `alive` and one of the `targets` that it attacks, with the
    /// board `occupied` as given.
    fn strike(
        &self,
        color: Color,
        alive: Bitboard,
        occupied: Bitboard,
        targets: Bitboard,
    ) -> Option<(Square, Square)> {
        if targets.is_empty() {
            return None;
        }
        let straight = self.of_kind(PieceType::Rook) | self.of_kind(PieceType::Queen);
        let diagonal = self.of_kind(PieceType::Bishop) | self.of_kind(PieceType::Queen);
        let hit = |from: Square, reach: Bitboard| (reach & targets).first().map(|to| (from, to));
        for from in alive & self.of_kind(PieceType::Pawn) & targets.grown() {
            if let Some(found) = hit(from, attacks::pawn(color, from)) {
                return Some(found);
            }
        }
        for from in alive & self.of_kind(PieceType::Knight) {
            if let Some(found) = hit(from, attacks::knight(from)) {
                return Some(found);
            }
        }
        for from in alive & straight {
            if (attacks::rook_rays(from) & targets).any()
                && let Some(found) = hit(from, attacks::rook(from, occupied))
            {
                return Some(found);
            }
        }
        for from in alive & diagonal {
            if (attacks::bishop_rays(from) & targets).any()
                && let Some(found) = hit(from, attacks::bishop(from, occupied))
            {
                return Some(found);
            }
        }
        None
    }

    /// A move by which the side to move explodes the enemy king at once. Such a move is
    /// legal whatever checks and pins there are, so no further test is needed.
    pub fn win_in_one(&self) -> Option<Move> {
        let us = self.side;
        if let Some((from, to)) = self.explosion_by(us) {
            let pawn = self.pieces(us, PieceType::Pawn).contains(from);
            let kind = if pawn && to.relative_rank(us) == 7 {
                MoveKind::CapturePromoteQueen
            } else {
                MoveKind::Capture
            };
            return Some(Move::new(from, to, kind));
        }
        let to = self.state.en_passant?;
        let (own, other) = (self.king(us)?, self.king(!us)?);
        if !attacks::king(other).contains(to) || attacks::blast(own).contains(to) {
            return None;
        }
        let from = (self.pieces(us, PieceType::Pawn) & attacks::pawn(!us, to)).first()?;
        Some(Move::new(from, to, MoveKind::EnPassant))
    }

    /// True when after `mv`, a legal move, the opponent could explode the mover's king at
    /// once, as far as that can be said without making it: neither castling nor an answer en
    /// passant is looked at.
    pub fn allows_explosion(&self, mv: Move) -> bool {
        let (us, from, to) = (self.side, mv.from(), mv.to());
        let (Some(king), Some(other)) = (self.king(us), self.king(!us)) else {
            return false;
        };
        let kind = mv.kind();
        if kind == MoveKind::Castle {
            return false;
        }
        let mut gone = Bitboard::EMPTY.with(from);
        let mut came = Bitboard::EMPTY.with(to);
        if kind.is_capture() {
            gone |= self.blasted(to);
            came = Bitboard::EMPTY;
            if kind == MoveKind::EnPassant {
                gone = gone.with(Square::new(to.file(), from.rank()));
            }
        }
        if gone.contains(other) {
            return false;
        }
        let king = if from == king { to } else { king };
        let own = (self.colored(us) - gone) | came;
        let targets = (attacks::blast(king) & own) - attacks::blast(other);
        let alive = self.colored(!us) - gone;
        self.strike(!us, alive, own | alive, targets).is_some()
    }

    /// True when `color`, were it to move, could explode the other king at once (en passant
    /// aside): the static threat that gates pruning.
    pub fn threatens_explosion(&self, color: Color) -> bool {
        self.explosion_by(color).is_some()
    }
}
