//! A set of squares in 64 bits, with set operators and iteration from a1 to h8.
//! Invariant: bit `n` stands for the square with index `n`.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

use super::{Color, Square};

/// A set of squares: bit `n` is the square with index `n`.
///
/// # Examples
/// ```
/// use brisance::rules::{Bitboard, Square};
///
/// let d4 = Square::parse("d4").expect("a square");
/// let fourth_rank = Bitboard::rank(3);
/// assert!(fourth_rank.contains(d4));
/// assert_eq!(fourth_rank.count(), 8);
///
/// // Set operators: intersection, union, difference and complement.
/// let d_file = Bitboard::file(3);
/// assert_eq!(fourth_rank & d_file, Bitboard::from_square(d4));
/// assert_eq!((fourth_rank | d_file).count(), 15);
/// assert!(!(fourth_rank - d_file).contains(d4));
/// assert_eq!((!fourth_rank).count(), 56);
///
/// // Iteration goes from a1 to h8.
/// let squares = (d_file & Bitboard::BACK_RANKS).into_iter();
/// let names: Vec<String> = squares.map(|square| square.to_string()).collect();
/// assert_eq!(names, ["d1", "d8"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All 64 squares.
    pub const FULL: Bitboard = Bitboard(!0);
    /// Squares of the colour of a1.
    pub const DARK: Bitboard = Bitboard(0xaa55_aa55_aa55_aa55);
    /// Squares of the colour of h1.
    pub const LIGHT: Bitboard = Bitboard(!0xaa55_aa55_aa55_aa55);
    /// The first and the eighth rank.
    pub const BACK_RANKS: Bitboard = Bitboard(0xff00_0000_0000_00ff);
    const FILE_A: u64 = 0x0101_0101_0101_0101;

    /// All squares of file 0 (a) to 7 (h).
    #[inline]
    pub const fn file(file: u8) -> Bitboard {
        Bitboard(Self::FILE_A << (file & 7))
    }

    /// All squares of rank 0 to 7.
    #[inline]
    pub const fn rank(rank: u8) -> Bitboard {
        Bitboard(0xff << (8 * (rank & 7)))
    }

    /// All squares of a rank counted from the side of `color` (0 is its back rank).
    #[inline]
    pub const fn relative_rank(color: Color, rank: u8) -> Bitboard {
        match color {
            Color::White => Self::rank(rank),
            Color::Black => Self::rank(7 - rank),
        }
    }

    /// The set with `square` as its only element.
    #[inline]
    pub const fn from_square(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }

    /// True when no square is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True when at least one square is in the set.
    #[inline]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// True when at least two squares are in the set.
    #[inline]
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Number of squares in the set.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// True when `square` is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The lowest square of the set.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_index(self.0.trailing_zeros())) }
    }

    /// The set with `square` added.
    #[inline]
    pub const fn with(self, square: Square) -> Bitboard {
        Bitboard(self.0 | 1 << square.index())
    }

    /// The set with `square` removed.
    #[inline]
    pub const fn without(self, square: Square) -> Bitboard {
        Bitboard(self.0 & !(1 << square.index()))
    }

    /// The set shifted one rank forward from the view of `color`; squares on its last rank are
    /// dropped.
    #[inline]
    pub const fn forward(self, color: Color) -> Bitboard {
        match color {
            Color::White => Bitboard(self.0 << 8),
            Color::Black => Bitboard(self.0 >> 8),
        }
    }

    /// The set shifted one file towards h; squares on the h-file are dropped.
    #[inline]
    pub const fn east(self) -> Bitboard {
        Bitboard(self.0 << 1 & !Self::FILE_A)
    }

    /// The set shifted one file towards a; squares on the a-file are dropped.
    #[inline]
    pub const fn west(self) -> Bitboard {
        Bitboard(self.0 >> 1 & !(Self::FILE_A << 7))
    }

    /// The set and all squares adjacent to it: the union of the blasts on its squares.
    #[inline]
    pub const fn expanded(self) -> Bitboard {
        let row = self.0 | self.east().0 | self.west().0;
        Bitboard(row | row << 8 | row >> 8)
    }
}

/// Iterator over the squares of a [`Bitboard`], lowest first.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(square)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident, $assign:ident $assign_method:ident, $op:tt;)*) => {$(
        impl $trait for Bitboard {
            type Output = Bitboard;
            #[inline]
            fn $method(self, other: Bitboard) -> Bitboard {
                Bitboard(self.0 $op other.0)
            }
        }

        impl $assign for Bitboard {
            #[inline]
            fn $assign_method(&mut self, other: Bitboard) {
                *self = *self $op other;
            }
        }
    )*};
}
operators! {
    BitAnd bitand, BitAndAssign bitand_assign, &;
    BitOr bitor, BitOrAssign bitor_assign, |;
    BitXor bitxor, BitXorAssign bitxor_assign, ^;
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

/// Set difference: the squares of the left set that are not in the right one.
impl Sub for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn sub(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }
}

/// Eight lines from the eighth rank down, `X` for a square in the set.
impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            for file in 0..8 {
                let mark = if self.contains(Square::new(file, rank)) { 'X' } else { '.' };
                write!(f, "{mark}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
