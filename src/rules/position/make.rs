//! Making and unmaking moves through one list of changes.
//! Invariant: `make` followed by `unmake` restores every field.

use super::{Bitboard, Change, Move, Piece, PieceType, Position, Square, Undo, attacks};
use crate::rules::{Castling, MoveKind};

impl Position {
    /// Makes a legal move: moves the piece or applies the explosion of a capture, updates castling
    /// rights, clocks and key, and passes the turn.
    ///
    /// # Panics
    /// When the origin of the move is empty.
    ///
    /// # Examples
    /// ```
    /// use brisance::notation::fen;
    /// use brisance::rules::Variant;
    ///
    /// // Nxe5 removes the knight, the pawn on e5 and the bishop on d6, but not the pawn on d5.
    /// let text = "4k3/8/3b4/3pp3/8/5N2/8/4K3 w - - 0 1";
    /// let mut pos = fen::parse(text, Variant::Atomic).expect("a position");
    /// let moves = pos.legal_moves();
    /// let capture = moves.into_iter().find(|mv| mv.is_capture()).expect("Nxe5");
    /// pos.make(capture);
    /// assert_eq!(fen::write(&pos, Default::default()), "4k3/8/8/3p4/8/8/8/4K3 b - - 0 1");
    /// pos.unmake();
    /// assert_eq!(fen::write(&pos, Default::default()), text);
    /// ```
    pub fn make(&mut self, mv: Move) {
        let us = self.side_to_move;
        let piece = self.piece_at(mv.from()).expect("the origin of a legal move is occupied");
        let change = self.change_of(mv, piece);
        let before = self.state.clone();
        let mut castling_rights = before.castling_rights;
        for &(piece, square) in &change.removed {
            self.board.remove(piece, square);
            castling_rights = castling_rights & self.castling.rights_mask(square);
        }
        for &(piece, square) in &change.added {
            self.board.put(piece, square);
        }
        let resets_clock = mv.is_capture() || piece.piece_type() == PieceType::Pawn;
        self.state.halfmove_clock =
            if resets_clock { 0 } else { before.halfmove_clock.saturating_add(1) };
        self.state.plies_from_null = before.plies_from_null.saturating_add(1);
        self.state.castling_rights = castling_rights;
        self.state.en_passant = None;
        self.state.fullmove_number = before.fullmove_number.saturating_add(us as u16);
        self.side_to_move = !us;
        if mv.kind() == MoveKind::DoublePush {
            let passed = Square::new(mv.to().file(), 2).relative(us);
            self.state.en_passant = self.has_en_passant(passed).then_some(passed);
        }
        self.state.key = self.full_key(self.board.key());
        self.history.push(Undo { state: before, mv: Some(mv), change });
    }

    /// Takes back the last move or null move.
    ///
    /// # Panics
    /// When no move has been made.
    pub fn unmake(&mut self) {
        let undo = self.history.pop().expect("a move has been made");
        for &(piece, square) in undo.change.added.iter().rev() {
            self.board.remove(piece, square);
        }
        for &(piece, square) in undo.change.removed.iter().rev() {
            self.board.put(piece, square);
        }
        self.side_to_move = !self.side_to_move;
        self.state = undo.state;
    }

    /// Makes a null move: passes the turn without moving a piece.
    pub fn make_null(&mut self) {
        let before = self.state.clone();
        self.state.en_passant = None;
        self.state.halfmove_clock = before.halfmove_clock.saturating_add(1);
        self.state.plies_from_null = 0;
        self.side_to_move = !self.side_to_move;
        self.state.key = self.full_key(self.board.key());
        self.history.push(Undo { state: before, mv: None, change: Change::default() });
    }

    /// The pieces that a legal move of `piece` removes and adds.
    fn change_of(&self, mv: Move, piece: Piece) -> Change {
        let (us, from, to) = (self.side_to_move, mv.from(), mv.to());
        let mut change = Change::default();
        change.removed.push((piece, from));
        match mv.kind() {
            MoveKind::Quiet | MoveKind::DoublePush => change.added.push((piece, to)),
            MoveKind::Castle => {
                let side = Castling::side_of(from, to);
                let rook = Piece::new(us, PieceType::Rook);
                change.removed.push((rook, to));
                change.added.push((piece, Castling::king_to(us, side)));
                change.added.push((rook, Castling::rook_to(us, side)));
            }
            kind if !kind.is_capture() => {
                let promoted = kind.promotion().unwrap_or(PieceType::Queen);
                change.added.push((Piece::new(us, promoted), to));
            }
            kind => {
                if kind == MoveKind::EnPassant {
                    let square = Square::new(to.file(), from.rank());
                    change.removed.push((Piece::new(!us, PieceType::Pawn), square));
                }
                for square in self.blast_victims(to).without(from) {
                    if let Some(piece) = self.piece_at(square) {
                        change.removed.push((piece, square));
                    }
                }
            }
        }
        change
    }

    /// The squares that an explosion on `center` clears: the centre if it is occupied, and every
    /// piece around it that is not a pawn.
    #[inline]
    pub fn blast_victims(&self, center: Square) -> Bitboard {
        let ring = attacks::king(center) - self.by_type(PieceType::Pawn);
        ring.with(center) & self.occupied()
    }

    /// True when the side to move has a legal en-passant capture to `square`.
    pub(super) fn has_en_passant(&self, square: Square) -> bool {
        let us = self.side_to_move;
        let pawns = self.pieces(us, PieceType::Pawn) & attacks::pawn(!us, square);
        pawns.into_iter().any(|from| self.leaves_king_safe(from, square, MoveKind::EnPassant))
    }
}
