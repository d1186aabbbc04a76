//! Castling as data: rights in four bits, rook squares and the paths that must be empty.
//! Chess960 uses the same code as ordinary castling with other squares in the same tables.

use std::ops::BitAnd;

use super::{Bitboard, Color, Square, attacks};

/// Which of the two rooks the king castles with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum CastlingSide {
    /// Towards h: the king ends on the g-file.
    King,
    /// Towards a: the king ends on the c-file.
    Queen,
}

impl CastlingSide {
    /// Both sides, the king's first.
    pub const ALL: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];
}

/// The castling rights of both colours: bit `2 * color + side`.
///
/// # Examples
/// ```
/// use brisance::rules::{CastlingRights, CastlingSide, Color};
///
/// let rights = CastlingRights::NONE.with(Color::White, CastlingSide::King);
/// assert!(rights.has(Color::White, CastlingSide::King));
/// assert!(!rights.has(Color::White, CastlingSide::Queen));
/// assert!(rights.any(Color::White) && !rights.any(Color::Black));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No rights.
    pub const NONE: CastlingRights = CastlingRights(0);
    const ALL: CastlingRights = CastlingRights(15);

    const fn bit(color: Color, side: CastlingSide) -> u8 {
        1 << (2 * color.index() + side as usize)
    }

    /// The four bits as a number from 0 to 15.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// True when `color` still has the right to castle on `side`.
    #[inline]
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.0 & Self::bit(color, side) != 0
    }

    /// True when `color` has at least one right.
    #[inline]
    pub const fn any(self, color: Color) -> bool {
        self.0 & (3 << (2 * color.index())) != 0
    }

    /// These rights and that of `color` on `side`.
    pub const fn with(self, color: Color, side: CastlingSide) -> CastlingRights {
        CastlingRights(self.0 | Self::bit(color, side))
    }

    const fn without(self, color: Color, side: CastlingSide) -> CastlingRights {
        CastlingRights(self.0 & !Self::bit(color, side))
    }
}

impl BitAnd for CastlingRights {
    type Output = CastlingRights;
    #[inline]
    fn bitand(self, other: CastlingRights) -> CastlingRights {
        CastlingRights(self.0 & other.0)
    }
}

/// The castling geometry of a game: the rook of each castling, the squares that must be empty for
/// it, and the rights that each square is part of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Castling {
    rooks: [[Option<Square>; 2]; 2],
    must_be_empty: [[Bitboard; 2]; 2],
    rights_mask: [CastlingRights; 64],
}

impl Castling {
    /// No castling for either side.
    pub const NONE: Castling = Castling {
        rooks: [[None; 2]; 2],
        must_be_empty: [[Bitboard::EMPTY; 2]; 2],
        rights_mask: [CastlingRights::ALL; 64],
    };

    /// Adds a castling of a king on `king` with a rook on `rook`, both on one rank.
    pub(super) fn add(&mut self, color: Color, side: CastlingSide, king: Square, rook: Square) {
        let (king_to, rook_to) = (Self::king_to(color, side), Self::rook_to(color, side));
        let path = attacks::between(king, king_to).with(king_to)
            | attacks::between(rook, rook_to).with(rook_to);
        let (c, s) = (color.index(), side as usize);
        self.rooks[c][s] = Some(rook);
        self.must_be_empty[c][s] = path.without(king).without(rook);
        for square in [king, rook] {
            let mask = &mut self.rights_mask[square.index()];
            *mask = mask.without(color, side);
        }
    }

    /// The square of the castling rook of `color` on `side`.
    #[inline]
    pub fn rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        self.rooks[color.index()][side as usize]
    }

    /// The squares that must be empty for `color` to castle on `side`.
    #[inline]
    pub(super) fn must_be_empty(&self, color: Color, side: CastlingSide) -> Bitboard {
        self.must_be_empty[color.index()][side as usize]
    }

    /// The rights that survive when a piece leaves `square`, by moving or by exploding.
    #[inline]
    pub(super) fn rights_mask(&self, square: Square) -> CastlingRights {
        self.rights_mask[square.index()]
    }

    /// The destination of the king of `color` when it castles on `side`.
    #[inline]
    pub const fn king_to(color: Color, side: CastlingSide) -> Square {
        let file = match side {
            CastlingSide::King => 6,
            CastlingSide::Queen => 2,
        };
        Square::new(file, 0).relative(color)
    }

    /// The destination of the rook of `color` when it castles on `side`.
    #[inline]
    pub const fn rook_to(color: Color, side: CastlingSide) -> Square {
        let file = match side {
            CastlingSide::King => 5,
            CastlingSide::Queen => 3,
        };
        Square::new(file, 0).relative(color)
    }

    /// True when king and rook stand where they do in ordinary chess: the king on the e-file, the
    /// rook on the a- or h-file.
    pub const fn is_standard(king: Square, rook: Square) -> bool {
        king.file() == 4 && matches!(rook.file(), 0 | 7)
    }

    /// The side on which a king on `king` castles with a rook on `rook`.
    #[inline]
    pub fn side_of(king: Square, rook: Square) -> CastlingSide {
        if rook > king { CastlingSide::King } else { CastlingSide::Queen }
    }
}
