//! Reads small numbers and start positions from the bytes of a fuzz input.
//! Invariant: every input gives a valid position or none.

use brisance::rules::{Color, Piece, PieceType, Position, Setup, Square, Variant};

/// The unread bytes of an input; reading past the end gives zeros.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn next(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.next()) % bound
    }

    pub fn flag(&mut self) -> bool {
        self.next() & 1 != 0
    }

    /// A start position: the usual one, one of Chess960, or pieces anywhere.
    pub fn start(&mut self, variant: Variant) -> Option<Position> {
        let mut setup = Setup::empty(variant);
        match self.below(4) {
            0 => return Some(Position::startpos(variant)),
            1 => {
                for color in Color::ALL {
                    self.chess960(&mut setup, color);
                }
            }
            _ => self.scattered(&mut setup),
        }
        Position::from_setup(&setup).ok()
    }

    fn chess960(&mut self, setup: &mut Setup, color: Color) {
        use PieceType::*;
        let mut free: Vec<u8> = (0..8).collect();
        let mut put = |file: u8, piece_type: PieceType| {
            let square = |rank| Square::new(file, rank).relative(color);
            setup.board[square(0).index()] = Some(Piece::new(color, piece_type));
            setup.board[square(1).index()] = Some(Piece::new(color, Pawn));
            if piece_type == Rook {
                setup.castling.push((color, square(0)));
            }
        };
        for first in [0, 1] {
            let file = first + 2 * self.below(4) as u8;
            free.retain(|&other| other != file);
            put(file, Bishop);
        }
        for piece_type in [Queen, Knight, Knight] {
            put(free.remove(self.below(free.len())), piece_type);
        }
        for (&file, piece_type) in free.iter().zip([Rook, King, Rook]) {
            put(file, piece_type);
        }
    }

    fn scattered(&mut self, setup: &mut Setup) {
        if self.flag() {
            setup.side_to_move = Color::Black;
        }
        for _ in 0..self.below(32) {
            let square = self.square();
            let byte = self.next();
            let color = if byte & 1 == 0 {
                Color::White
            } else {
                Color::Black
            };
            let piece_type = match byte >> 1 & 7 {
                0 => PieceType::Knight,
                1 => PieceType::Bishop,
                2 => PieceType::Rook,
                3 => PieceType::Queen,
                _ => PieceType::Pawn,
            };
            if piece_type != PieceType::Pawn || !matches!(square.rank(), 0 | 7) {
                setup.board[square.index()] = Some(Piece::new(color, piece_type));
            }
        }
        let kings = [self.square(), self.square()];
        for (color, king) in Color::ALL.into_iter().zip(kings) {
            setup.board[king.index()] = Some(Piece::new(color, PieceType::King));
        }
        for (color, king) in Color::ALL.into_iter().zip(kings) {
            let rights = self.next();
            for file in 0..8 {
                let rook = Square::new(file, 0).relative(color);
                let is_rook = setup.board[rook.index()] == Some(Piece::new(color, PieceType::Rook));
                if rights >> file & 1 != 0 && is_rook && king.rank() == rook.rank() {
                    setup.castling.push((color, rook));
                }
            }
        }
        let file = self.below(16) as u8;
        if file < 8 {
            setup.en_passant = Some(Square::new(file, 5).relative(setup.side_to_move));
        }
    }

    fn square(&mut self) -> Square {
        Square::from_index(u32::from(self.next() % 64))
    }
}
