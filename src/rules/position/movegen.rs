//! Legal move generation, all moves or noisy and quiet ones separately, into a list or a count.
//! Invariant: the noisy and the quiet moves together are exactly the legal moves.

use super::board::Board;
use super::legal::LegalityInfo;
use super::{Bitboard, Color, Move, MoveList, PieceType, Position, Square, attacks};
use crate::rules::{CastlingSide, MoveKind};

/// The class of moves to generate.
pub trait GenType {
    /// Whether captures, en passant and promotions are generated.
    const NOISY: bool;
    /// Whether all other moves are generated.
    const QUIET: bool;
}

/// Generates captures and promotions.
pub struct Noisy;
/// Generates the moves that are neither captures nor promotions.
pub struct Quiet;
struct All;

impl GenType for Noisy {
    const NOISY: bool = true;
    const QUIET: bool = false;
}

impl GenType for Quiet {
    const NOISY: bool = false;
    const QUIET: bool = true;
}

impl GenType for All {
    const NOISY: bool = true;
    const QUIET: bool = true;
}

/// Receives generated moves: the destinations of one piece, or pawns that make the same step.
trait MoveSink {
    fn add_moves(&mut self, from: Square, targets: Bitboard, kind: MoveKind);
    fn add_promotions(&mut self, from: Square, targets: Bitboard, kinds: &[MoveKind; 4]);
    /// Pawn moves to `targets`, each from the square whose index is lower by `step`.
    fn add_pushes(&mut self, targets: Bitboard, step: i32, kind: MoveKind);
}

impl MoveSink for MoveList {
    #[inline]
    fn add_moves(&mut self, from: Square, targets: Bitboard, kind: MoveKind) {
        for to in targets {
            self.push(Move::new(from, to, kind));
        }
    }

    #[inline]
    fn add_promotions(&mut self, from: Square, targets: Bitboard, kinds: &[MoveKind; 4]) {
        for to in targets {
            for &kind in kinds {
                self.push(Move::new(from, to, kind));
            }
        }
    }

    #[inline]
    fn add_pushes(&mut self, targets: Bitboard, step: i32, kind: MoveKind) {
        for to in targets {
            let from = Square::from_index((to.index() as i32 - step) as u32);
            self.push(Move::new(from, to, kind));
        }
    }
}

/// Restricts the quiet moves to generate by their piece and target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuietFilter {
    /// The targets of each piece type, in index order.
    pub(crate) targets: [Bitboard; 6],
    /// Pieces whose moves are all generated.
    pub(crate) unfiltered: Bitboard,
}

/// Stores the quiet moves that pass a filter.
struct FilteredMoves<'a> {
    list: &'a mut MoveList,
    filter: &'a QuietFilter,
    board: &'a Board,
}

impl MoveSink for FilteredMoves<'_> {
    #[inline]
    fn add_moves(&mut self, from: Square, targets: Bitboard, kind: MoveKind) {
        let passed = match self.board.piece_at(from) {
            Some(piece) if !self.filter.unfiltered.contains(from) => {
                targets & self.filter.targets[piece.piece_type().index()]
            }
            _ => targets,
        };
        self.list.add_moves(from, passed, kind);
    }

    #[inline]
    fn add_promotions(&mut self, _: Square, _: Bitboard, _: &[MoveKind; 4]) {}

    #[inline]
    fn add_pushes(&mut self, targets: Bitboard, step: i32, kind: MoveKind) {
        let unfiltered = self.filter.unfiltered.0;
        let unfiltered = match step {
            0.. => unfiltered << step,
            _ => unfiltered >> -step,
        };
        let passed = self.filter.targets[PieceType::Pawn.index()] | Bitboard(unfiltered);
        self.list.add_pushes(targets & passed, step, kind);
    }
}

/// Counts moves without storing them, for bulk counting in perft.
struct MoveCounter(u64);

impl MoveSink for MoveCounter {
    #[inline]
    fn add_moves(&mut self, _: Square, targets: Bitboard, _: MoveKind) {
        self.0 += u64::from(targets.count());
    }

    #[inline]
    fn add_promotions(&mut self, _: Square, targets: Bitboard, _: &[MoveKind; 4]) {
        self.0 += 4 * u64::from(targets.count());
    }

    #[inline]
    fn add_pushes(&mut self, targets: Bitboard, _: i32, _: MoveKind) {
        self.0 += u64::from(targets.count());
    }
}

impl Position {
    /// Appends the legal moves of the class `G` to `list`; none after the explosion of a king.
    pub fn generate<G: GenType>(&self, list: &mut MoveList) {
        if let Some(info) = LegalityInfo::new(self) {
            self.generate_into::<G>(&info, list);
        }
    }

    /// Appends the legal quiet moves that pass `filter`, in the order of [`Position::generate`];
    /// none after the explosion of a king.
    pub(crate) fn generate_quiets(&self, filter: &QuietFilter, list: &mut MoveList) {
        if let Some(info) = LegalityInfo::new(self) {
            let mut sink = FilteredMoves { list, filter, board: &self.board };
            self.generate_into::<Quiet>(&info, &mut sink);
        }
    }

    /// All legal moves; none after the explosion of a king.
    ///
    /// # Examples
    /// ```
    /// use brisance::notation::{fen, san};
    /// use brisance::rules::Variant;
    ///
    /// // White is in check: the king can escape, or the queen can explode the black king.
    /// let text = "3rk3/3p4/8/8/8/8/3Q4/4K2r w - - 0 1";
    /// let pos = fen::parse(text, Variant::Atomic).expect("a position");
    /// let moves = pos.legal_moves().into_iter().map(|mv| san::write(&pos, mv));
    /// assert_eq!(moves.collect::<Vec<_>>(), ["Qxd7#", "Ke2", "Kf2"]);
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate::<All>(&mut list);
        list
    }

    /// The number of legal moves; the four capture-promotions of a pawn count as four moves.
    pub fn count_moves(&self) -> u64 {
        let mut counter = MoveCounter(0);
        if let Some(info) = LegalityInfo::new(self) {
            self.generate_into::<All>(&info, &mut counter);
        }
        counter.0
    }

    /// True when the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.count_moves() > 0
    }

    fn generate_into<G: GenType>(&self, info: &LegalityInfo, sink: &mut impl MoveSink) {
        let empty = !self.occupied();
        // In check a quiet move of another piece than the king must block a single checker.
        let quiet_targets = match info.checkers.first() {
            None => empty,
            Some(_) if info.checkers.more_than_one() => Bitboard::EMPTY,
            Some(checker) => attacks::between(info.king, checker),
        };
        let capture_targets = CaptureTargets::new(self, info);
        self.generate_pieces::<G>(info, &capture_targets, quiet_targets, sink);
        match self.side_to_move {
            Color::White => {
                self.generate_pawns::<G, true>(info, &capture_targets, quiet_targets, sink)
            }
            Color::Black => {
                self.generate_pawns::<G, false>(info, &capture_targets, quiet_targets, sink)
            }
        }
        if G::QUIET {
            self.generate_king(info, empty, sink);
        }
    }

    fn generate_pieces<G: GenType>(
        &self,
        info: &LegalityInfo,
        capture_targets: &CaptureTargets,
        quiet_targets: Bitboard,
        sink: &mut impl MoveSink,
    ) {
        let occupied = self.occupied();
        let mut add_piece = |from: Square, attacks: Bitboard| {
            if G::NOISY {
                let legal =
                    self.legal_captures(info, capture_targets, from, attacks & capture_targets.all);
                sink.add_moves(from, legal, MoveKind::Capture);
            }
            if G::QUIET {
                let mut targets = attacks & quiet_targets;
                if info.pinned.contains(from) {
                    targets &= attacks::line(info.king, from);
                }
                sink.add_moves(from, targets, MoveKind::Quiet);
            }
        };
        for from in self.pieces(self.side_to_move, PieceType::Knight) {
            add_piece(from, attacks::knight(from));
        }
        for from in self.pieces(self.side_to_move, PieceType::Bishop) {
            add_piece(from, attacks::bishop(from, occupied));
        }
        for from in self.pieces(self.side_to_move, PieceType::Rook) {
            add_piece(from, attacks::rook(from, occupied));
        }
        for from in self.pieces(self.side_to_move, PieceType::Queen) {
            add_piece(from, attacks::queen(from, occupied));
        }
    }

    /// The targets that the piece on `from` may legally capture.
    #[inline]
    fn legal_captures(
        &self,
        info: &LegalityInfo,
        capture_targets: &CaptureTargets,
        from: Square,
        targets: Bitboard,
    ) -> Bitboard {
        let always_legal = if info.blockers.contains(from) {
            capture_targets.winning
        } else {
            capture_targets.legal_for_others
        };
        let mut legal = targets & always_legal;
        for to in targets - always_legal {
            let removed = self.blast_victims(to).with(from);
            if info.is_king_safe_without(removed, self.occupied()) {
                legal = legal.with(to);
            }
        }
        legal
    }

    fn generate_pawns<G: GenType, const WHITE: bool>(
        &self,
        info: &LegalityInfo,
        capture_targets: &CaptureTargets,
        quiet_targets: Bitboard,
        sink: &mut impl MoveSink,
    ) {
        let us = if WHITE { Color::White } else { Color::Black };
        let pawns = self.pieces(us, PieceType::Pawn);
        let promotion_rank = Bitboard::relative_rank(us, 7);
        if G::NOISY {
            let origins = capture_targets.all.forward(!us);
            for from in pawns & (origins.east() | origins.west()) {
                let targets = attacks::pawn(us, from) & capture_targets.all;
                let legal = self.legal_captures(info, capture_targets, from, targets);
                sink.add_moves(from, legal - promotion_rank, MoveKind::Capture);
                sink.add_promotions(from, legal & promotion_rank, &MoveKind::CAPTURE_PROMOTIONS);
            }
            if let Some(to) = self.state.en_passant {
                self.generate_en_passant(info, to, pawns & attacks::pawn(!us, to), sink);
            }
        }
        let unpinned = pawns - info.pinned;
        self.generate_pushes::<G, WHITE>(unpinned, quiet_targets, sink);
        for from in pawns & info.pinned {
            let line = attacks::line(info.king, from);
            self.generate_pushes::<G, WHITE>(
                Bitboard::from_square(from),
                quiet_targets & line,
                sink,
            );
        }
    }

    fn generate_pushes<G: GenType, const WHITE: bool>(
        &self,
        pawns: Bitboard,
        targets: Bitboard,
        sink: &mut impl MoveSink,
    ) {
        let (us, step) = if WHITE { (Color::White, 8) } else { (Color::Black, -8) };
        let promotion_rank = Bitboard::relative_rank(us, 7);
        let single = pawns.forward(us) - self.occupied();
        if G::QUIET {
            let on_third_rank = single & Bitboard::relative_rank(us, 2);
            let double = on_third_rank.forward(us) - self.occupied();
            sink.add_pushes((single & targets) - promotion_rank, step, MoveKind::Quiet);
            sink.add_pushes(double & targets, 2 * step, MoveKind::DoublePush);
        }
        if G::NOISY {
            for to in single & targets & promotion_rank {
                let from = Square::from_index((to.index() as i32 - step) as u32);
                sink.add_promotions(from, Bitboard::from_square(to), &MoveKind::PROMOTIONS);
            }
        }
    }

    fn generate_en_passant(
        &self,
        info: &LegalityInfo,
        to: Square,
        pawns: Bitboard,
        sink: &mut impl MoveSink,
    ) {
        if info.own_blast.contains(to) {
            return;
        }
        for from in pawns {
            let (removed, _) = self.changed_squares(from, to, MoveKind::EnPassant);
            let legal = info.enemy_blast.contains(to)
                || info.is_king_safe_without(removed, self.occupied());
            if legal {
                sink.add_moves(from, Bitboard::from_square(to), MoveKind::EnPassant);
            }
        }
    }

    fn generate_king(&self, info: &LegalityInfo, empty: Bitboard, sink: &mut impl MoveSink) {
        let steps = attacks::king(info.king) & empty;
        let legal = if self.variant.has_check() {
            let without_king = self.occupied().without(info.king);
            let them = self.by_color(!self.side_to_move);
            let safe = (steps - info.enemy_blast)
                .into_iter()
                .filter(|&to| (self.attackers_to(to, without_king) & them).is_empty());
            safe.fold(steps & info.enemy_blast, Bitboard::with)
        } else {
            steps
        };
        sink.add_moves(info.king, legal, MoveKind::Quiet);
        if self.state.castling_rights.any(self.side_to_move) {
            for side in CastlingSide::ALL {
                if let Some(rook) = self.castling.rook(self.side_to_move, side)
                    && self.can_castle(side)
                {
                    sink.add_moves(info.king, Bitboard::from_square(rook), MoveKind::Castle);
                }
            }
        }
    }
}

/// Capture targets, grouped by the legality test that they need.
struct CaptureTargets {
    /// Enemy pieces whose capture does not explode the mover's king.
    all: Bitboard,
    /// Those whose capture explodes the enemy king: legal for every piece.
    winning: Bitboard,
    /// Those whose capture is legal for every piece that is not a blocker.
    legal_for_others: Bitboard,
}

impl CaptureTargets {
    #[inline]
    fn new(pos: &Position, info: &LegalityInfo) -> CaptureTargets {
        let all = pos.by_color(!pos.side_to_move) - info.own_blast;
        let winning = all & info.enemy_blast;
        let legal_for_others = if info.ignores_check {
            all
        } else if info.checkers.any() {
            winning
        } else {
            // An explosion opens a line to the king only if it removes a blocker. Pawns are
            // removed only as the captured piece.
            let pawns = pos.by_type(PieceType::Pawn);
            winning | (all - (info.blockers - pawns).expanded() - info.blockers)
        };
        CaptureTargets { all, winning, legal_for_others }
    }
}
