//! Colours, piece types and pieces.

use std::fmt;
use std::ops::Not;

/// One of the two sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// The side that moves first.
    White,
    /// The side that moves second.
    Black,
}

impl Color {
    /// Both sides, White first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// 0 for White, 1 for Black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Color {
    type Output = Color;
    #[inline]
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::White => "White",
            Color::Black => "Black",
        })
    }
}

/// A kind of piece, without its colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum PieceType {
    /// The only man that survives a neighbour's blast.
    Pawn,
    /// A knight.
    Knight,
    /// A bishop.
    Bishop,
    /// A rook.
    Rook,
    /// A queen.
    Queen,
    /// The royal piece; it never captures.
    King,
}

impl PieceType {
    /// All six, pawn first, king last.
    pub const ALL: [PieceType; 6] = [
        PieceType::Pawn,
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
        PieceType::King,
    ];

    /// 0 for the pawn to 5 for the king.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Lower-case English letter: `p n b r q k`.
    pub const fn letter(self) -> char {
        match self {
            PieceType::Pawn => 'p',
            PieceType::Knight => 'n',
            PieceType::Bishop => 'b',
            PieceType::Rook => 'r',
            PieceType::Queen => 'q',
            PieceType::King => 'k',
        }
    }

    /// The type named by an English letter in either case.
    pub fn from_letter(letter: char) -> Option<PieceType> {
        let letter = letter.to_ascii_lowercase();
        PieceType::ALL
            .into_iter()
            .find(|kind| kind.letter() == letter)
    }
}

/// A piece with its colour; the colour is the low bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Piece {
    /// White pawn.
    WhitePawn,
    /// Black pawn.
    BlackPawn,
    /// White knight.
    WhiteKnight,
    /// Black knight.
    BlackKnight,
    /// White bishop.
    WhiteBishop,
    /// Black bishop.
    BlackBishop,
    /// White rook.
    WhiteRook,
    /// Black rook.
    BlackRook,
    /// White queen.
    WhiteQueen,
    /// Black queen.
    BlackQueen,
    /// White king.
    WhiteKing,
    /// Black king.
    BlackKing,
}

impl Piece {
    /// All twelve, in index order.
    pub const ALL: [Piece; 12] = [
        Piece::WhitePawn,
        Piece::BlackPawn,
        Piece::WhiteKnight,
        Piece::BlackKnight,
        Piece::WhiteBishop,
        Piece::BlackBishop,
        Piece::WhiteRook,
        Piece::BlackRook,
        Piece::WhiteQueen,
        Piece::BlackQueen,
        Piece::WhiteKing,
        Piece::BlackKing,
    ];

    /// The piece of the given colour and type.
    #[inline]
    pub const fn new(color: Color, kind: PieceType) -> Piece {
        Piece::ALL[kind.index() * 2 + color.index()]
    }

    /// 0 to 11; twice the type's index plus the colour's.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its colour.
    #[inline]
    pub const fn color(self) -> Color {
        if self as u8 & 1 == 0 {
            Color::White
        } else {
            Color::Black
        }
    }

    /// Its type.
    #[inline]
    pub const fn kind(self) -> PieceType {
        PieceType::ALL[self as usize >> 1]
    }

    /// FEN letter: upper case for White.
    pub const fn letter(self) -> char {
        let letter = self.kind().letter();
        match self.color() {
            Color::White => letter.to_ascii_uppercase(),
            Color::Black => letter,
        }
    }

    /// The piece named by a FEN letter.
    pub fn from_letter(letter: char) -> Option<Piece> {
        let color = if letter.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        Some(Piece::new(color, PieceType::from_letter(letter)?))
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

const _: () = assert!(size_of::<Option<Piece>>() == 1);
