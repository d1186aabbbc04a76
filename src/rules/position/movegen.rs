//! Fully legal move generation in two stages, into a list or into a bare count.
//! Invariant: the noisy and the quiet stage together are exactly the legal moves.

use super::legal::Danger;
use super::{Bitboard, Color, Move, MoveList, PieceType, Position, Square, attacks};
use crate::rules::{CastlingSide, MoveKind};

/// Which half of the moves to generate.
pub trait Stage {
    /// True for captures (en passant too) and every promotion.
    const NOISY: bool;
    /// True for all other moves.
    const QUIET: bool;
}

/// Captures and promotions.
pub struct Noisy;
/// Everything that is neither a capture nor a promotion.
pub struct Quiet;
struct All;

impl Stage for Noisy {
    const NOISY: bool = true;
    const QUIET: bool = false;
}

impl Stage for Quiet {
    const NOISY: bool = false;
    const QUIET: bool = true;
}

impl Stage for All {
    const NOISY: bool = true;
    const QUIET: bool = true;
}

/// Where generated moves go: sets of targets from one square, or sets of pawns that make
/// the same step.
trait Sink {
    fn moves(&mut self, from: Square, targets: Bitboard, kind: MoveKind);
    fn promotions(&mut self, from: Square, targets: Bitboard, kinds: &[MoveKind; 4]);
    /// Pawns that arrive on `targets`, each having come `back` squares (an index delta).
    fn pushes(&mut self, targets: Bitboard, back: i32, kind: MoveKind);
}

impl Sink for MoveList {
    #[inline]
    fn moves(&mut self, from: Square, targets: Bitboard, kind: MoveKind) {
        for to in targets {
            self.push(Move::new(from, to, kind));
        }
    }

    #[inline]
    fn promotions(&mut self, from: Square, targets: Bitboard, kinds: &[MoveKind; 4]) {
        for to in targets {
            for &kind in kinds {
                self.push(Move::new(from, to, kind));
            }
        }
    }

    #[inline]
    fn pushes(&mut self, targets: Bitboard, back: i32, kind: MoveKind) {
        for to in targets {
            let from = Square::wrapping((to.index() as i32 - back) as u32);
            self.push(Move::new(from, to, kind));
        }
    }
}

/// Counts moves without writing them: what bulk perft needs.
struct Counter(u64);

impl Sink for Counter {
    #[inline]
    fn moves(&mut self, _: Square, targets: Bitboard, _: MoveKind) {
        self.0 += u64::from(targets.count());
    }

    #[inline]
    fn promotions(&mut self, _: Square, targets: Bitboard, _: &[MoveKind; 4]) {
        self.0 += 4 * u64::from(targets.count());
    }

    #[inline]
    fn pushes(&mut self, targets: Bitboard, _: i32, _: MoveKind) {
        self.0 += u64::from(targets.count());
    }
}

impl Position {
    /// Appends the legal moves of a stage to `list`; none once a king is gone.
    pub fn generate<S: Stage>(&self, list: &mut MoveList) {
        if let Some(danger) = Danger::new(self) {
            self.emit::<S>(&danger, list);
        }
    }

    /// All legal moves; none once a king is gone.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate::<All>(&mut list);
        list
    }

    /// Number of legal moves, a capture-promotion counted four times.
    pub fn count_moves(&self) -> u64 {
        let mut counter = Counter(0);
        if let Some(danger) = Danger::new(self) {
            self.emit::<All>(&danger, &mut counter);
        }
        counter.0
    }

    /// True when the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.count_moves() > 0
    }

    fn emit<S: Stage>(&self, danger: &Danger, sink: &mut impl Sink) {
        // Where quiet men may go: anywhere, or between the king and its one checker.
        let empty = !self.occupied();
        let quiet = match danger.checkers.first() {
            None => empty,
            Some(_) if danger.checkers.more_than_one() => Bitboard::EMPTY,
            Some(checker) => attacks::between(danger.king, checker),
        };
        let aims = Aims::new(self, danger);
        self.emit_pieces::<S>(danger, &aims, quiet, sink);
        match self.side {
            Color::White => self.emit_pawns::<S, true>(danger, &aims, quiet, sink),
            Color::Black => self.emit_pawns::<S, false>(danger, &aims, quiet, sink),
        }
        if S::QUIET {
            self.emit_king(danger, empty, sink);
        }
    }

    fn emit_pieces<S: Stage>(
        &self,
        danger: &Danger,
        aims: &Aims,
        quiet: Bitboard,
        sink: &mut impl Sink,
    ) {
        let occupied = self.occupied();
        let mut piece = |from: Square, reach: Bitboard| {
            if S::NOISY {
                let legal = self.legal_captures(danger, aims, from, reach & aims.all);
                sink.moves(from, legal, MoveKind::Capture);
            }
            if S::QUIET {
                let mut targets = reach & quiet;
                if danger.pinned.contains(from) {
                    targets &= attacks::line(danger.king, from);
                }
                sink.moves(from, targets, MoveKind::Quiet);
            }
        };
        for from in self.pieces(self.side, PieceType::Knight) {
            piece(from, attacks::knight(from));
        }
        for from in self.pieces(self.side, PieceType::Bishop) {
            piece(from, attacks::bishop(from, occupied));
        }
        for from in self.pieces(self.side, PieceType::Rook) {
            piece(from, attacks::rook(from, occupied));
        }
        for from in self.pieces(self.side, PieceType::Queen) {
            piece(from, attacks::queen(from, occupied));
        }
    }

    /// The subset of capture targets that a man on `from` may legally take.
    #[inline]
    fn legal_captures(
        &self,
        danger: &Danger,
        aims: &Aims,
        from: Square,
        targets: Bitboard,
    ) -> Bitboard {
        let plain = if danger.shield.contains(from) {
            aims.winning
        } else {
            aims.certain
        };
        let mut legal = targets & plain;
        for to in targets - plain {
            let removed = self.blasted(to).with(from);
            if danger.survives(removed, self.occupied()) {
                legal = legal.with(to);
            }
        }
        legal
    }

    fn emit_pawns<S: Stage, const WHITE: bool>(
        &self,
        danger: &Danger,
        aims: &Aims,
        quiet: Bitboard,
        sink: &mut impl Sink,
    ) {
        let us = if WHITE { Color::White } else { Color::Black };
        let pawns = self.pieces(us, PieceType::Pawn);
        let last = Bitboard::relative_rank(us, 7);
        if S::NOISY {
            let behind = aims.all.forward(!us);
            for from in pawns & (behind.east() | behind.west()) {
                let targets = attacks::pawn(us, from) & aims.all;
                let legal = self.legal_captures(danger, aims, from, targets);
                sink.moves(from, legal - last, MoveKind::Capture);
                sink.promotions(from, legal & last, &MoveKind::CAPTURE_PROMOTIONS);
            }
            if let Some(to) = self.state.en_passant {
                self.emit_en_passant(danger, to, pawns & attacks::pawn(!us, to), sink);
            }
        }
        let free = pawns - danger.pinned;
        self.emit_pushes::<S, WHITE>(free, quiet, sink);
        for from in pawns & danger.pinned {
            let line = attacks::line(danger.king, from);
            self.emit_pushes::<S, WHITE>(Bitboard::from_square(from), quiet & line, sink);
        }
    }

    fn emit_pushes<S: Stage, const WHITE: bool>(
        &self,
        pawns: Bitboard,
        targets: Bitboard,
        sink: &mut impl Sink,
    ) {
        let (us, step) = if WHITE {
            (Color::White, 8)
        } else {
            (Color::Black, -8)
        };
        let last = Bitboard::relative_rank(us, 7);
        let single = pawns.forward(us) - self.occupied();
        if S::QUIET {
            let third = single & Bitboard::relative_rank(us, 2);
            let double = third.forward(us) - self.occupied();
            sink.pushes((single & targets) - last, step, MoveKind::Quiet);
            sink.pushes(double & targets, 2 * step, MoveKind::DoublePush);
        }
        if S::NOISY {
            for to in single & targets & last {
                let from = Square::wrapping((to.index() as i32 - step) as u32);
                sink.promotions(from, Bitboard::from_square(to), &MoveKind::PROMOTIONS);
            }
        }
    }

    fn emit_en_passant(&self, danger: &Danger, to: Square, pawns: Bitboard, sink: &mut impl Sink) {
        if danger.own_blast.contains(to) {
            return;
        }
        for from in pawns {
            let victim = Square::new(to.file(), from.rank());
            let removed = self.blasted(to).with(from).with(victim);
            let legal = danger.winning.contains(to) || danger.survives(removed, self.occupied());
            if legal {
                sink.moves(from, Bitboard::from_square(to), MoveKind::EnPassant);
            }
        }
    }

    fn emit_king(&self, danger: &Danger, empty: Bitboard, sink: &mut impl Sink) {
        let steps = attacks::king(danger.king) & empty;
        let legal = if self.variant.has_check() {
            let lifted = self.occupied().without(danger.king);
            let them = self.colored(!self.side);
            let open = (steps - danger.winning)
                .into_iter()
                .filter(|&to| (self.attackers_to(to, lifted) & them).is_empty());
            open.fold(steps & danger.winning, Bitboard::with)
        } else {
            steps
        };
        sink.moves(danger.king, legal, MoveKind::Quiet);
        if self.state.rights.any(self.side) {
            for side in CastlingSide::ALL {
                if let Some(rook) = self.castling.rook(self.side, side)
                    && self.can_castle(side)
                {
                    sink.moves(danger.king, Bitboard::from_square(rook), MoveKind::Castle);
                }
            }
        }
    }
}

/// The targets of captures, sorted by how much testing they need.
struct Aims {
    /// Enemy men whose capture does not explode the own king.
    all: Bitboard,
    /// Of those, the ones whose capture explodes the enemy king: legal for any man.
    winning: Bitboard,
    /// Of those, the ones that are legal for any man outside the king's shield.
    certain: Bitboard,
}

impl Aims {
    #[inline]
    fn new(pos: &Position, danger: &Danger) -> Aims {
        let all = pos.colored(!pos.side) - danger.own_blast;
        let winning = all & danger.winning;
        let certain = if danger.exempt {
            all
        } else if danger.checkers.any() {
            winning
        } else {
            // A blast opens a line only if it reaches a man of the shield; pawns of the
            // shield go only when they are the centre.
            let pawns = pos.of_kind(PieceType::Pawn);
            winning | (all - (danger.shield - pawns).grown() - danger.shield)
        };
        Aims {
            all,
            winning,
            certain,
        }
    }
}
