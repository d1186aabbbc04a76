//! Castling as data: rights in four bits, and the squares and paths they speak of.
//! Chess960 needs no code of its own, only other squares in the same table.

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

/// Which castlings have not been lost: bit `2 * color + side`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No castling left.
    pub const NONE: CastlingRights = CastlingRights(0);
    const ALL: CastlingRights = CastlingRights(15);

    const fn bit(color: Color, side: CastlingSide) -> u8 {
        1 << (2 * color.index() + side as usize)
    }

    /// 0 to 15.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// True when that castling has not been lost.
    #[inline]
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.0 & Self::bit(color, side) != 0
    }

    /// True when the side has at least one castling left.
    #[inline]
    pub const fn any(self, color: Color) -> bool {
        self.0 & (3 << (2 * color.index())) != 0
    }

    /// The rights with one added.
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

/// Where the kings and rooks of a game stood at its start, and what follows from that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Castling {
    rooks: [[Option<Square>; 2]; 2],
    empty: [[Bitboard; 2]; 2],
    keep: [CastlingRights; 64],
}

impl Castling {
    /// No castling possible.
    pub const NONE: Castling = Castling {
        rooks: [[None; 2]; 2],
        empty: [[Bitboard::EMPTY; 2]; 2],
        keep: [CastlingRights::ALL; 64],
    };

    /// Adds a castling of a king on `king` with a rook on `rook`, both on one rank.
    pub fn add(&mut self, color: Color, side: CastlingSide, king: Square, rook: Square) {
        let (king_to, rook_to) = (Self::king_to(color, side), Self::rook_to(color, side));
        let walked = attacks::between(king, king_to).with(king_to)
            | attacks::between(rook, rook_to).with(rook_to);
        let (c, s) = (color.index(), side as usize);
        self.rooks[c][s] = Some(rook);
        self.empty[c][s] = walked.without(king).without(rook);
        for square in [king, rook] {
            let keep = &mut self.keep[square.index()];
            *keep = keep.without(color, side);
        }
    }

    /// Where the rook of that castling stands.
    #[inline]
    pub fn rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        self.rooks[color.index()][side as usize]
    }

    /// The squares that must be empty for that castling.
    #[inline]
    pub fn must_be_empty(&self, color: Color, side: CastlingSide) -> Bitboard {
        self.empty[color.index()][side as usize]
    }

    /// The rights that remain when the man on `square` moves or explodes.
    #[inline]
    pub fn kept(&self, square: Square) -> CastlingRights {
        self.keep[square.index()]
    }

    /// Where the king ends.
    #[inline]
    pub const fn king_to(color: Color, side: CastlingSide) -> Square {
        let file = match side {
            CastlingSide::King => 6,
            CastlingSide::Queen => 2,
        };
        Square::new(file, 0).relative(color)
    }

    /// Where the rook ends.
    #[inline]
    pub const fn rook_to(color: Color, side: CastlingSide) -> Square {
        let file = match side {
            CastlingSide::King => 5,
            CastlingSide::Queen => 3,
        };
        Square::new(file, 0).relative(color)
    }

    /// The side on which a king on `king` castles with a rook on `rook`.
    #[inline]
    pub fn side_of(king: Square, rook: Square) -> CastlingSide {
        if rook > king {
            CastlingSide::King
        } else {
            CastlingSide::Queen
        }
    }
}
