//! Legality of moves, checks and immediate explosions of a king.
//! Invariant: the rule is applied in this order: a move that explodes its own king is illegal; one
//! that explodes the enemy king is legal; one that leaves the kings adjacent is legal; any other is
//! legal if the mover's king is not attacked afterwards.

use super::{Bitboard, Color, Move, PieceType, Position, Square, attacks};
use crate::rules::{Castling, CastlingSide, MoveKind};

/// Attacks on the king of the side to move, computed once per move generation.
pub struct LegalityInfo {
    pub(super) king: Square,
    /// Squares on which a capture explodes the mover's king: never legal.
    pub(super) own_blast: Bitboard,
    /// Squares on which a capture explodes the enemy king: legal unless in `own_blast`.
    pub(super) enemy_blast: Bitboard,
    /// Attacks on the king do not matter: the kings are adjacent, or the variant has no check.
    pub(super) ignores_check: bool,
    pub(super) checkers: Bitboard,
    /// Own pieces that are the only piece between the king and an enemy slider.
    pub(super) pinned: Bitboard,
    /// Enemy sliders that would attack the king on an empty board.
    snipers: Bitboard,
    /// All pieces, of either colour, between the king and a sniper.
    pub(super) blockers: Bitboard,
    /// Enemy knights and pawns that give check.
    checking_leapers: Bitboard,
}

impl LegalityInfo {
    /// `None` when a king is missing: the game is over and no move is legal.
    pub fn new(pos: &Position) -> Option<LegalityInfo> {
        let (us, them) = (pos.side_to_move, !pos.side_to_move);
        let (king, other) = (pos.king(us)?, pos.king(them)?);
        let ignores_check = !pos.variant.has_check() || attacks::king(king).contains(other);
        let mut info = LegalityInfo {
            king,
            own_blast: attacks::blast(king),
            enemy_blast: attacks::blast(other),
            ignores_check,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            snipers: Bitboard::EMPTY,
            blockers: Bitboard::EMPTY,
            checking_leapers: Bitboard::EMPTY,
        };
        if !ignores_check {
            info.find_attackers(pos, us, them);
        }
        Some(info)
    }

    fn find_attackers(&mut self, pos: &Position, us: Color, them: Color) {
        let (king, occupied) = (self.king, pos.occupied());
        self.snipers = pos.snipers(them, king);
        self.checking_leapers = (attacks::knight(king) & pos.pieces(them, PieceType::Knight))
            | (attacks::pawn(us, king) & pos.pieces(them, PieceType::Pawn));
        self.checkers = self.checking_leapers;
        for sniper in self.snipers {
            let blockers = attacks::between(king, sniper) & occupied;
            if blockers.is_empty() {
                self.checkers |= Bitboard::from_square(sniper);
            } else if !blockers.more_than_one() {
                self.pinned |= blockers & pos.by_color(us);
            }
            self.blockers |= blockers;
        }
    }

    /// True when the king is not attacked after `removed` has left the board: the test for captures
    /// that explode neither king.
    pub fn is_king_safe_without(&self, removed: Bitboard, occupied: Bitboard) -> bool {
        if self.ignores_check || (self.checkers.is_empty() && (removed & self.blockers).is_empty())
        {
            return true;
        }
        let remaining = occupied - removed;
        (self.checking_leapers - removed).is_empty()
            && (self.snipers - removed)
                .into_iter()
                .all(|sniper| (attacks::between(self.king, sniper) & remaining).any())
    }
}

impl Position {
    /// The sliders of `color` that attack `square` on an empty board.
    #[inline]
    pub fn snipers(&self, color: Color, square: Square) -> Bitboard {
        let (straight, diagonal) = self.sliders();
        let attackers =
            attacks::rook_rays(square) & straight | attacks::bishop_rays(square) & diagonal;
        attackers & self.by_color(color)
    }

    /// The squares that a pseudo-legal move empties and those that it fills.
    #[inline]
    pub(crate) fn changed_squares(
        &self,
        from: Square,
        to: Square,
        kind: MoveKind,
    ) -> (Bitboard, Bitboard) {
        let us = self.side_to_move;
        let origin = Bitboard::from_square(from);
        match kind {
            MoveKind::Castle => {
                let side = Castling::side_of(from, to);
                let king_to = Bitboard::from_square(Castling::king_to(us, side));
                (origin.with(to), king_to.with(Castling::rook_to(us, side)))
            }
            MoveKind::EnPassant => {
                let passed = Bitboard::from_square(to).forward(!us);
                (self.blast_victims(to).with(from) | passed, Bitboard::EMPTY)
            }
            _ if kind.is_capture() => (self.blast_victims(to).with(from), Bitboard::EMPTY),
            _ => (origin, Bitboard::from_square(to)),
        }
    }

    /// Where `king`, the king of the side to move, stands after a legal move.
    #[inline]
    pub(crate) fn king_after(&self, king: Square, mv: Move) -> Square {
        match mv.kind() {
            MoveKind::Castle => {
                Castling::king_to(self.side_to_move, Castling::side_of(mv.from(), mv.to()))
            }
            _ if mv.from() == king => mv.to(),
            _ => king,
        }
    }

    /// True when a pseudo-legal move leaves the mover's king on the board and out of check. Applies
    /// the rule to the board after the move, independently of [`LegalityInfo`].
    pub(super) fn leaves_king_safe(&self, from: Square, to: Square, kind: MoveKind) -> bool {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        let (Some(king), Some(other)) = (self.king(us), self.king(them)) else {
            return false;
        };
        let (removed, added) = self.changed_squares(from, to, kind);
        let king = self.king_after(king, Move::new(from, to, kind));
        if removed.contains(king) {
            return false;
        }
        let ignores_check = !self.variant.has_check() || attacks::king(king).contains(other);
        if ignores_check || removed.contains(other) {
            return true;
        }
        let occupied = (self.occupied() - removed) | added;
        (self.attackers_to(king, occupied) & self.by_color(them) & occupied).is_empty()
    }

    /// True when castling on `side` is legal: the right exists, the path is empty and the king does
    /// not start on, cross or reach an attacked square. A square next to the enemy king is safe.
    pub(super) fn can_castle(&self, side: CastlingSide) -> bool {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        let (Some(king), Some(other)) = (self.king(us), self.king(them)) else {
            return false;
        };
        let Some(rook) =
            self.castling.rook(us, side).filter(|_| self.state.castling_rights.has(us, side))
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
        let next_to_king = attacks::king(other);
        let is_safe = |square: Square, occupied: Bitboard| {
            next_to_king.contains(square)
                || (self.attackers_to(square, occupied) & self.by_color(them)).is_empty()
        };
        let without_king = self.occupied().without(king);
        let after_castling = without_king.without(rook).with(king_to).with(rook_to);
        is_safe(king_to, after_castling)
            && is_safe(king, without_king)
            && attacks::between(king, king_to)
                .into_iter()
                .all(|square| is_safe(square, without_king))
    }

    /// True when `mv`, which may be any move at all, is legal in this position. Does not generate
    /// moves, so moves from the transposition table or from other positions are cheap to verify.
    ///
    /// # Examples
    /// ```
    /// use brisance::rules::{Move, MoveKind, Position, Square, Variant};
    ///
    /// let pos = Position::startpos(Variant::Atomic);
    /// let [e2, e4, e5] = ["e2", "e4", "e5"].map(|name| Square::parse(name).expect("a square"));
    /// assert!(pos.is_legal(Move::new(e2, e4, MoveKind::DoublePush)));
    /// assert!(!pos.is_legal(Move::new(e2, e5, MoveKind::Quiet)));
    /// ```
    pub fn is_legal(&self, mv: Move) -> bool {
        let (us, from, to, kind) = (self.side_to_move, mv.from(), mv.to(), mv.kind());
        let Some(piece) = self.piece_at(from).filter(|piece| piece.color() == us) else {
            return false;
        };
        if kind == MoveKind::Castle {
            let side = Castling::side_of(from, to);
            return piece.piece_type() == PieceType::King
                && self.castling.rook(us, side) == Some(to)
                && self.can_castle(side);
        }
        let is_occupied = self.piece_at(to).is_some();
        if is_occupied != (kind.is_capture() && kind != MoveKind::EnPassant)
            || self.by_color(us).contains(to)
            || (is_occupied && piece.piece_type() == PieceType::King)
        {
            return false;
        }
        let is_pseudo_legal = match piece.piece_type() {
            PieceType::Pawn => self.is_pseudo_legal_pawn_move(from, to, kind),
            piece_type => {
                matches!(kind, MoveKind::Quiet | MoveKind::Capture)
                    && attacks::piece(piece_type, us, from, self.occupied()).contains(to)
            }
        };
        is_pseudo_legal && self.leaves_king_safe(from, to, kind)
    }

    fn is_pseudo_legal_pawn_move(&self, from: Square, to: Square, kind: MoveKind) -> bool {
        let us = self.side_to_move;
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

    /// True when a legal move explodes the enemy king.
    #[inline]
    pub fn explodes_king(&self, mv: Move) -> bool {
        mv.is_capture()
            && self.king(!self.side_to_move).is_some_and(|k| attacks::blast(k).contains(mv.to()))
    }

    /// True when a legal move gives check. A move that explodes the king ends the game and does not
    /// give check.
    pub fn gives_check(&self, mv: Move) -> bool {
        let (us, from, to, kind) = (self.side_to_move, mv.from(), mv.to(), mv.kind());
        let (Some(king), Some(target)) = (self.king(us), self.king(!us)) else {
            return false;
        };
        if !self.variant.has_check() {
            return false;
        }
        let (removed, added) = self.changed_squares(from, to, kind);
        if removed.contains(target) || attacks::king(self.king_after(king, mv)).contains(target) {
            return false;
        }
        let occupied = (self.occupied() - removed) | added;
        let arrival = match (kind, self.piece_at(from)) {
            (MoveKind::Castle, _) => {
                let rook_to = Castling::rook_to(us, Castling::side_of(from, to));
                Some((PieceType::Rook, rook_to))
            }
            // The capturing piece explodes.
            _ if kind.is_capture() => None,
            (_, piece) => piece.map(|piece| (kind.promotion().unwrap_or(piece.piece_type()), to)),
        };
        let is_direct = arrival.is_some_and(|(piece_type, square)| {
            attacks::piece(piece_type, us, square, occupied).contains(target)
        });
        let unmoved = self.by_color(us) - removed;
        is_direct || (self.attackers_to(target, occupied) & unmoved).any()
    }

    /// The enemy pieces, the king included, whose capture by `color` explodes the enemy king but
    /// not its own.
    #[inline]
    pub fn explosive_targets(&self, color: Color) -> Bitboard {
        match (self.king(color), self.king(!color)) {
            (Some(own), Some(other)) => {
                (attacks::blast(other) & self.by_color(!color)) - attacks::blast(own)
            }
            _ => Bitboard::EMPTY,
        }
    }

    /// The origin and destination of a capture by `color` that explodes the enemy king, whichever
    /// side is to move; en passant is ignored.
    fn find_explosion(&self, color: Color) -> Option<(Square, Square)> {
        let targets = self.explosive_targets(color);
        self.find_capture(color, self.by_color(color), self.occupied(), targets)
    }

    /// One of the `attackers`, pieces of `color`, and one of the `targets` that it attacks, given
    /// the occupied squares.
    fn find_capture(
        &self,
        color: Color,
        attackers: Bitboard,
        occupied: Bitboard,
        targets: Bitboard,
    ) -> Option<(Square, Square)> {
        if targets.is_empty() {
            return None;
        }
        let (straight, diagonal) = self.sliders();
        let hit =
            |from: Square, attacks: Bitboard| (attacks & targets).first().map(|to| (from, to));
        for from in attackers & self.by_type(PieceType::Pawn) & targets.expanded() {
            if let Some(found) = hit(from, attacks::pawn(color, from)) {
                return Some(found);
            }
        }
        for from in attackers & self.by_type(PieceType::Knight) {
            if let Some(found) = hit(from, attacks::knight(from)) {
                return Some(found);
            }
        }
        for from in attackers & straight {
            if (attacks::rook_rays(from) & targets).any()
                && let Some(found) = hit(from, attacks::rook(from, occupied))
            {
                return Some(found);
            }
        }
        for from in attackers & diagonal {
            if (attacks::bishop_rays(from) & targets).any()
                && let Some(found) = hit(from, attacks::bishop(from, occupied))
            {
                return Some(found);
            }
        }
        None
    }

    /// A legal move that explodes the enemy king, if there is one. Such a move is legal regardless
    /// of checks and pins.
    ///
    /// # Examples
    /// ```
    /// use brisance::notation::{fen, san};
    /// use brisance::rules::Variant;
    ///
    /// let text = "rnbqkbnr/1ppppppp/8/p5N1/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3";
    /// let pos = fen::parse(text, Variant::Atomic).expect("a position");
    /// let mv = pos.win_in_one().expect("a capture next to the king");
    /// assert_eq!(san::write(&pos, mv), "Nxf7#");
    /// ```
    pub fn win_in_one(&self) -> Option<Move> {
        let us = self.side_to_move;
        if let Some((from, to)) = self.find_explosion(us) {
            let is_pawn = self.pieces(us, PieceType::Pawn).contains(from);
            let kind = if is_pawn && to.relative_rank(us) == 7 {
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

    /// True when the opponent can answer the legal move `mv` by exploding the king of the side to
    /// move. An approximation that does not make the move: castling moves and en-passant replies
    /// are ignored.
    pub fn allows_explosion(&self, mv: Move) -> bool {
        let (us, from, to) = (self.side_to_move, mv.from(), mv.to());
        let (Some(king), Some(other)) = (self.king(us), self.king(!us)) else {
            return false;
        };
        let kind = mv.kind();
        if kind == MoveKind::Castle {
            return false;
        }
        let (removed, added) = self.changed_squares(from, to, kind);
        if removed.contains(other) {
            return false;
        }
        let king = self.king_after(king, mv);
        let own = (self.by_color(us) - removed) | added;
        let targets = (attacks::blast(king) & own) - attacks::blast(other);
        let attackers = self.by_color(!us) - removed;
        self.find_capture(!us, attackers, own | attackers, targets).is_some()
    }

    /// True when `color`, whichever side is to move, has a capture that explodes the enemy king; en
    /// passant is ignored. The search prunes less under such a threat.
    pub fn threatens_explosion(&self, color: Color) -> bool {
        self.find_explosion(color).is_some()
    }
}
