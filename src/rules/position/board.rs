//! The men on the board: bitboards, mailbox and their Zobrist key.
//! Invariant: the three agree, because `put` and `take` are the only ways to change them.

use super::{Bitboard, Color, Piece, PieceType, Square};
use crate::rules::zobrist;

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Board {
    by_color: [Bitboard; 2],
    by_kind: [Bitboard; 6],
    mailbox: [Option<Piece>; 64],
    key: u64,
}

impl Board {
    pub(super) const EMPTY: Board = Board {
        by_color: [Bitboard::EMPTY; 2],
        by_kind: [Bitboard::EMPTY; 6],
        mailbox: [None; 64],
        key: 0,
    };

    /// Puts `piece` on the empty `square`.
    #[inline]
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        debug_assert!(self.mailbox[square.index()].is_none());
        let bit = Bitboard::from_square(square);
        self.by_color[piece.color().index()] |= bit;
        self.by_kind[piece.kind().index()] |= bit;
        self.mailbox[square.index()] = Some(piece);
        self.key ^= zobrist::piece(piece, square);
    }

    /// Takes `piece`, which stands on `square`, off the board.
    #[inline]
    pub(super) fn take(&mut self, piece: Piece, square: Square) {
        debug_assert_eq!(self.mailbox[square.index()], Some(piece));
        let bit = Bitboard::from_square(square);
        self.by_color[piece.color().index()] ^= bit;
        self.by_kind[piece.kind().index()] ^= bit;
        self.mailbox[square.index()] = None;
        self.key ^= zobrist::piece(piece, square);
    }

    #[inline]
    pub(super) fn piece_at(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    #[inline]
    pub(super) fn colored(&self, color: Color) -> Bitboard {
        self.by_color[color.index()]
    }

    #[inline]
    pub(super) fn of_kind(&self, kind: PieceType) -> Bitboard {
        self.by_kind[kind.index()]
    }

    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    /// The same men put one by one on an empty board: what the invariant promises.
    pub(super) fn rebuilt(&self) -> Board {
        let mut board = Board::EMPTY;
        for square in Square::all() {
            if let Some(piece) = self.mailbox[square.index()] {
                board.put(piece, square);
            }
        }
        board
    }
}
