//! Piece placement as bitboards and mailbox, with its Zobrist key.
//! Invariant: the three agree, because only `put` and `remove` change them.

use super::{Bitboard, Color, Piece, PieceType, Square};
use crate::rules::zobrist;

#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    by_color: [Bitboard; 2],
    by_type: [Bitboard; 6],
    mailbox: [Option<Piece>; 64],
    key: u64,
}

impl Board {
    pub const EMPTY: Board = Board {
        by_color: [Bitboard::EMPTY; 2],
        by_type: [Bitboard::EMPTY; 6],
        mailbox: [None; 64],
        key: 0,
    };

    /// Puts `piece` on the empty `square`.
    #[inline]
    pub fn put(&mut self, piece: Piece, square: Square) {
        debug_assert!(self.mailbox[square.index()].is_none());
        let bit = Bitboard::from_square(square);
        self.by_color[piece.color().index()] |= bit;
        self.by_type[piece.piece_type().index()] |= bit;
        self.mailbox[square.index()] = Some(piece);
        self.key ^= zobrist::piece(piece, square);
    }

    /// Removes `piece`, which stands on `square`, from the board.
    #[inline]
    pub fn remove(&mut self, piece: Piece, square: Square) {
        debug_assert_eq!(self.mailbox[square.index()], Some(piece));
        let bit = Bitboard::from_square(square);
        self.by_color[piece.color().index()] ^= bit;
        self.by_type[piece.piece_type().index()] ^= bit;
        self.mailbox[square.index()] = None;
        self.key ^= zobrist::piece(piece, square);
    }

    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    #[inline]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.by_color[color.index()]
    }

    #[inline]
    pub fn by_type(&self, piece_type: PieceType) -> Bitboard {
        self.by_type[piece_type.index()]
    }

    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The same placement built from the mailbox alone, to check the invariant.
    pub fn rebuilt(&self) -> Board {
        let mut board = Board::EMPTY;
        for square in Square::all() {
            if let Some(piece) = self.mailbox[square.index()] {
                board.put(piece, square);
            }
        }
        board
    }
}
