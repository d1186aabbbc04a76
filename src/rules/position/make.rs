//! Making and taking back moves through one list of changes.
//! Invariant: `unmake` after `make` restores every field.

use super::{Bitboard, Change, Move, Piece, PieceType, Position, Square, Undo, attacks};
use crate::rules::{Castling, MoveKind};

impl Position {
    /// Makes a legal move: moves the man or lets the capture explode, drops the castling
    /// rights of every man concerned, and hands the turn over.
    ///
    /// # Panics
    /// When no man stands on the move's first square.
    pub fn make(&mut self, mv: Move) {
        let us = self.side;
        let piece = self
            .piece_at(mv.from())
            .expect("a legal move starts on a man");
        let change = self.change_of(mv, piece);
        let before = self.state.clone();
        let mut rights = before.rights;
        for &(piece, square) in &change.removed {
            self.board.take(piece, square);
            rights = rights & self.castling.kept(square);
        }
        for &(piece, square) in &change.added {
            self.board.put(piece, square);
        }
        let resets = mv.is_capture() || piece.kind() == PieceType::Pawn;
        self.state.halfmove = if resets {
            0
        } else {
            before.halfmove.saturating_add(1)
        };
        self.state.since_null = before.since_null.saturating_add(1);
        self.state.rights = rights;
        self.state.en_passant = None;
        self.state.fullmove = before.fullmove.saturating_add(us as u16);
        self.side = !us;
        if mv.kind() == MoveKind::DoublePush {
            let passed = Square::new(mv.to().file(), 2).relative(us);
            self.state.en_passant = self.has_en_passant(passed).then_some(passed);
        }
        self.state.key = self.full_key(self.board.key());
        self.history.push(Undo {
            state: before,
            mv: Some(mv),
            change,
        });
    }

    /// Takes the last move back.
    ///
    /// # Panics
    /// When there is none.
    pub fn unmake(&mut self) {
        let undo = self.history.pop().expect("a move to take back");
        for &(piece, square) in undo.change.added.iter().rev() {
            self.board.take(piece, square);
        }
        for &(piece, square) in undo.change.removed.iter().rev() {
            self.board.put(piece, square);
        }
        self.side = !self.side;
        self.state = undo.state;
    }

    /// Passes the turn without a move.
    pub fn make_null(&mut self) {
        let before = self.state.clone();
        self.state.en_passant = None;
        self.state.halfmove = before.halfmove.saturating_add(1);
        self.state.since_null = 0;
        self.side = !self.side;
        self.state.key = self.full_key(self.board.key());
        self.history.push(Undo {
            state: before,
            mv: None,
            change: Change::default(),
        });
    }

    /// The men that a legal move of `piece` takes off the board and puts on it.
    fn change_of(&self, mv: Move, piece: Piece) -> Change {
        let (us, from, to) = (self.side, mv.from(), mv.to());
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
                    change
                        .removed
                        .push((Piece::new(!us, PieceType::Pawn), square));
                }
                for square in self.blasted(to).without(from) {
                    if let Some(piece) = self.piece_at(square) {
                        change.removed.push((piece, square));
                    }
                }
            }
        }
        change
    }

    /// The men that an explosion on `centre` removes: whatever stands there, and every
    /// non-pawn around it.
    #[inline]
    pub fn blasted(&self, centre: Square) -> Bitboard {
        let ring = attacks::king(centre) - self.of_kind(PieceType::Pawn);
        ring.with(centre) & self.occupied()
    }

    /// True when the side to move may capture en passant onto `square`.
    pub(super) fn has_en_passant(&self, square: Square) -> bool {
        let us = self.side;
        let pawns = self.pieces(us, PieceType::Pawn) & attacks::pawn(!us, square);
        pawns
            .into_iter()
            .any(|from| self.leaves_king_safe(from, square, MoveKind::EnPassant))
    }
}
