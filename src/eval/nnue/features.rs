//! Inputs of the network: a man on a square as a side sees it from where its king stands.
//! Invariant: turning the board round and swapping colours swaps the two views.

use super::arch::{INPUTS, MEN_INPUTS, king_bucket};
use crate::rules::{Color, PieceType, Square};

/// The number of an input, below [`INPUTS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Feature(u16);

const _: () = assert!(INPUTS <= u16::MAX as usize);

impl Feature {
    /// The number.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a side sees the board: from its own back rank, its king on files a to d.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    side: Color,
    /// Turns a square of the board into one of this view.
    turn: u8,
    bucket: u8,
}

impl View {
    /// The view of `side` with its king on `king`.
    #[inline]
    pub const fn new(side: Color, king: Square) -> View {
        let flip = match side {
            Color::White => 0,
            Color::Black => 56,
        };
        let mirror = if king.file() >= 4 { 7 } else { 0 };
        let rank = king.relative_rank(side);
        View {
            side,
            turn: flip ^ mirror,
            bucket: king_bucket(king.file() ^ mirror, rank) as u8,
        }
    }

    /// The input of a man.
    #[inline]
    pub const fn feature(self, kind: PieceType, color: Color, square: Square) -> Feature {
        let other = (color as u8 != self.side as u8) as usize;
        let square = square.index() ^ self.turn as usize;
        let man = (other * PieceType::ALL.len() + kind.index()) * 64 + square;
        Feature((self.bucket as usize * MEN_INPUTS + man) as u16)
    }

    /// A number below [`View::COUNT`] for all that distinguishes the views of one side.
    #[inline]
    pub(super) const fn slot(self) -> usize {
        self.bucket as usize * 2 + (self.turn & 1) as usize
    }

    /// How many views a side has.
    pub(super) const COUNT: usize = super::arch::KING_BUCKETS * 2;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn views_of_mirrored_boards_agree() {
        for king in Square::all() {
            let white = View::new(Color::White, king);
            let black = View::new(Color::Black, king.flip());
            let sideways = |square: Square| Square::new(7 - square.file(), square.rank());
            let mirrored = View::new(Color::White, sideways(king));
            for square in Square::all() {
                let seen = white.feature(PieceType::Rook, Color::Black, square);
                let turned = black.feature(PieceType::Rook, Color::White, square.flip());
                assert_eq!(seen, turned);
                let other = mirrored.feature(PieceType::Rook, Color::Black, sideways(square));
                assert_eq!(seen, other);
            }
        }
    }

    #[test]
    fn features_of_a_view_are_distinct_and_in_range() {
        let mut views = HashSet::new();
        for king in Square::all() {
            let view = View::new(Color::Black, king);
            views.insert(view.slot());
            let mut seen = HashSet::new();
            for square in Square::all() {
                for kind in PieceType::ALL {
                    for color in Color::ALL {
                        let feature = view.feature(kind, color, square).index();
                        assert!(feature < INPUTS && seen.insert(feature));
                    }
                }
            }
        }
        assert_eq!(views.len(), View::COUNT);
    }
}
