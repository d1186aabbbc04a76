//! Colours, piece types and pieces.
//! Invariant: `Piece` is its type and its colour, `2 * type + color`.

use std::fmt;
use std::ops::Not;

/// A side: White or Black. The operator `!` gives the other one.
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

/// The type of a piece, without its colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum PieceType {
    /// A pawn, the only piece that survives an explosion on an adjacent square.
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    /// A king; it never captures.
    King,
}

impl PieceType {
    /// All six types in index order.
    pub const ALL: [PieceType; 6] = [
        PieceType::Pawn,
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
        PieceType::King,
    ];

    /// The four types that are neither pawn nor king, in index order.
    pub(crate) const PIECES: [PieceType; 4] =
        [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

    /// 0 for the pawn to 5 for the king.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The lower-case English letter: `p n b r q k`.
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

    /// The type with the given English letter in either case.
    pub fn from_letter(letter: char) -> Option<PieceType> {
        let letter = letter.to_ascii_lowercase();
        PieceType::ALL.into_iter().find(|piece_type| piece_type.letter() == letter)
    }
}

/// A piece with its colour; the colour is the lowest bit.
///
/// # Examples
/// ```
/// use brisance::rules::{Color, Piece, PieceType};
///
/// let piece = Piece::new(Color::Black, PieceType::Knight);
/// assert_eq!(piece.color(), Color::Black);
/// assert_eq!(piece.letter(), 'n');
/// assert_eq!(Piece::from_letter('n'), Some(piece));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Piece {
    WhitePawn,
    BlackPawn,
    WhiteKnight,
    BlackKnight,
    WhiteBishop,
    BlackBishop,
    WhiteRook,
    BlackRook,
    WhiteQueen,
    BlackQueen,
    WhiteKing,
    BlackKing,
}

impl Piece {
    /// All twelve pieces in index order.
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
    pub const fn new(color: Color, piece_type: PieceType) -> Piece {
        Piece::ALL[piece_type.index() * 2 + color.index()]
    }

    /// 0 to 11: twice the index of the type plus that of the colour.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The colour of the piece.
    #[inline]
    pub const fn color(self) -> Color {
        if self as u8 & 1 == 0 { Color::White } else { Color::Black }
    }

    /// The type of the piece.
    #[inline]
    pub const fn piece_type(self) -> PieceType {
        PieceType::ALL[self as usize >> 1]
    }

    /// The FEN letter, upper case for White.
    pub const fn letter(self) -> char {
        let letter = self.piece_type().letter();
        match self.color() {
            Color::White => letter.to_ascii_uppercase(),
            Color::Black => letter,
        }
    }

    /// The piece with the given FEN letter; `None` for any other character.
    pub fn from_letter(letter: char) -> Option<Piece> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        Some(Piece::new(color, PieceType::from_letter(letter)?))
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

const _: () = assert!(size_of::<Option<Piece>>() == 1);
