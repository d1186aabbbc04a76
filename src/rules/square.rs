//! The 64 squares of the board.
//! Invariant: the index of a `Square` is always below 64, a1 = 0, b1 = 1, … h8 = 63.

use std::fmt;

use super::Color;

/// A square of the board, a1 = 0, b1 = 1, … h8 = 63.
///
/// # Examples
/// ```
/// use brisance::rules::{Color, Square};
///
/// let e4 = Square::parse("e4").expect("a square");
/// assert_eq!(e4, Square::new(4, 3));
/// assert_eq!((e4.file(), e4.rank(), e4.index()), (4, 3, 28));
/// assert_eq!(e4.relative_rank(Color::Black), 4);
/// assert_eq!(e4.flip().to_string(), "e5");
/// assert_eq!(["e", "e9", "i1", "e44", "é4"].map(Square::parse), [None; 5]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square with the given file (0 = a) and rank (0 = first); both are taken modulo 8.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Square {
        Square((file & 7) | ((rank & 7) << 3))
    }

    /// The square with index `index` modulo 64.
    #[inline]
    pub const fn from_index(index: u32) -> Square {
        Square((index & 63) as u8)
    }

    /// Parses a square name such as `e4`; the letter may be in either case.
    pub fn parse(text: &str) -> Option<Square> {
        let &[file, rank] = text.as_bytes() else {
            return None;
        };
        let file = file.to_ascii_lowercase().wrapping_sub(b'a');
        let rank = rank.wrapping_sub(b'1');
        (file < 8 && rank < 8).then(|| Square::new(file, rank))
    }

    /// The index from 0 to 63.
    #[inline]
    pub const fn index(self) -> usize {
        // The mask lets the compiler drop bounds checks.
        (self.0 & 63) as usize
    }

    /// The file from 0 (a) to 7 (h).
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// The rank from 0 (first) to 7 (eighth).
    #[inline]
    pub const fn rank(self) -> u8 {
        (self.0 >> 3) & 7
    }

    /// The rank counted from the side of `color`: 0 is its back rank.
    #[inline]
    pub const fn relative_rank(self, color: Color) -> u8 {
        match color {
            Color::White => self.rank(),
            Color::Black => 7 - self.rank(),
        }
    }

    /// The square mirrored vertically: a1 becomes a8.
    #[inline]
    pub const fn flip(self) -> Square {
        Square(self.0 ^ 56)
    }

    /// The square from the view of `color`: unchanged for White, mirrored vertically for Black.
    #[inline]
    pub const fn relative(self, color: Color) -> Square {
        match color {
            Color::White => self,
            Color::Black => self.flip(),
        }
    }

    /// The Chebyshev distance: the number of king moves between two squares.
    #[inline]
    pub fn distance(self, other: Square) -> u8 {
        self.file().abs_diff(other.file()).max(self.rank().abs_diff(other.rank()))
    }

    /// All 64 squares from a1 to h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> {
        (0..64).map(Square)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, rank) = ((b'a' + self.file()) as char, (b'1' + self.rank()) as char);
        write!(f, "{file}{rank}")
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
