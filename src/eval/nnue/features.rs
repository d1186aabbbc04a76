//! Inputs of the network: a man on a square as a side sees it from where its king stands, and
//! a second one for a man beside the enemy king, whose capture would explode that king.
//! Invariant: turning the board round and swapping colours swaps the two views.

use super::arch::{BUCKET_INPUTS, INPUTS, MEN_INPUTS, king_bucket};
use crate::rules::{Color, PieceType, Position, Square, attacks};

/// The number of an input, below [`INPUTS`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
    /// Where the enemy king stands.
    enemy: Square,
}

impl View {
    /// The view of `side` with its king on `king`, the other's on `enemy`.
    #[inline]
    pub const fn new(side: Color, king: Square, enemy: Square) -> View {
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
            enemy,
        }
    }

    /// The second input of a man beside the enemy king.
    #[inline]
    pub fn near(self, kind: PieceType, color: Color, square: Square) -> Option<Feature> {
        if !attacks::king(self.enemy).contains(square) {
            return None;
        }
        let other = (color as u8 != self.side as u8) as usize;
        let turned = |square: Square| square.index() ^ self.turn as usize;
        let (square, center) = (turned(square), turned(self.enemy));
        // From the king's lower left corner, three a rank; the king's own place is left out.
        let place = (square / 8 + 1 - center / 8) * 3 + (square % 8 + 1 - center % 8);
        let place = place - usize::from(place > 4);
        let man = (other * PieceType::ALL.len() + kind.index()) * 8 + place;
        Some(Feature(
            (self.bucket as usize * BUCKET_INPUTS + MEN_INPUTS + man) as u16,
        ))
    }

    /// The input of a man.
    #[inline]
    pub const fn feature(self, kind: PieceType, color: Color, square: Square) -> Feature {
        let other = (color as u8 != self.side as u8) as usize;
        let square = square.index() ^ self.turn as usize;
        let man = (other * PieceType::ALL.len() + kind.index()) * 64 + square;
        Feature((self.bucket as usize * BUCKET_INPUTS + man) as u16)
    }

    /// The inputs of all men beside the enemy king.
    pub(super) fn ring(self, pos: &Position) -> impl Iterator<Item = Feature> {
        let men = attacks::king(self.enemy) & pos.occupied();
        men.into_iter().filter_map(move |square| {
            let piece = pos.piece_at(square)?;
            self.near(piece.kind(), piece.color(), square)
        })
    }

    /// Where the enemy king stands.
    pub(super) const fn enemy(self) -> Square {
        self.enemy
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
    use super::super::arch::RING_INPUTS;
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn views_of_mirrored_boards_agree() {
        let sideways = |square: Square| Square::new(7 - square.file(), square.rank());
        let kings = Square::all().flat_map(|own| Square::all().map(move |enemy| (own, enemy)));
        for (own, enemy) in kings {
            let white = View::new(Color::White, own, enemy);
            let black = View::new(Color::Black, own.flip(), enemy.flip());
            let mirrored = View::new(Color::White, sideways(own), sideways(enemy));
            for square in Square::all() {
                let inputs = |view: View, color, square| {
                    let plain = view.feature(PieceType::Rook, color, square);
                    (plain, view.near(PieceType::Rook, color, square))
                };
                let seen = inputs(white, Color::Black, square);
                assert_eq!(seen, inputs(black, Color::White, square.flip()));
                assert_eq!(seen, inputs(mirrored, Color::Black, sideways(square)));
            }
        }
    }

    #[test]
    fn features_of_a_view_are_distinct_and_in_range() {
        let mut views = HashSet::new();
        for king in Square::all() {
            let view = View::new(Color::Black, king, Square::new(4, 3));
            views.insert(view.slot());
            let mut seen = HashSet::new();
            let mut near = 0;
            for square in Square::all() {
                for kind in PieceType::ALL {
                    for color in Color::ALL {
                        let plain = view.feature(kind, color, square);
                        let beside = view.near(kind, color, square);
                        near += usize::from(beside.is_some());
                        for feature in [Some(plain), beside].into_iter().flatten() {
                            assert!(feature.index() < INPUTS && seen.insert(feature));
                        }
                    }
                }
            }
            assert_eq!(near, RING_INPUTS);
        }
        assert_eq!(views.len(), View::COUNT);
    }
}
