//! The inputs of the network. Piece inputs: colour, type and square of a piece, relative to the
//! perspective and its king bucket. Ring inputs: a second input for each piece next to the
//! enemy king, whose capture would explode that king. Capture inputs: each attack of a piece on an
//! enemy piece. Blast inputs: each piece next to an attacked one, which the capture would explode.
//! Invariant: flipping the board and swapping the colours swaps the two perspectives.

use super::arch::{
    BUCKET_INPUTS, CAPTURE_INPUTS, INPUTS, KING_BUCKETS, KING_INPUTS, PIECE_INPUTS, king_bucket,
};
use crate::rules::{Color, Piece, PieceType, Square, attacks};

/// The index of an input, below [`INPUTS`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Feature(u16);

const _: () = assert!(INPUTS <= u16::MAX as usize);

impl Feature {
    /// The index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The point of view of one side: the board is flipped so that its back rank is rank 1, and
/// mirrored so that its king is on files a to d.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Perspective {
    color: Color,
    /// XOR mask from a board square to a square of this perspective.
    flip: u8,
    bucket: u8,
    enemy_king: Square,
    /// Index of the first input of the king bucket.
    first_input: u16,
}

/// The first piece input of a piece within a king bucket, by the colour of the perspective.
const PIECE_OFFSETS: [[u16; Piece::ALL.len()]; 2] = {
    let mut offsets = [[0; Piece::ALL.len()]; 2];
    let mut index = 0;
    while index < Piece::ALL.len() {
        let piece = Piece::ALL[index];
        offsets[Color::White.index()][index] = relative_piece(Color::White, piece) as u16 * 64;
        offsets[Color::Black.index()][index] = relative_piece(Color::Black, piece) as u16 * 64;
        index += 1;
    }
    offsets
};

/// 0 to 11 for the perspective of `color`: own pawn to king, then enemy pawn to king.
const fn relative_piece(color: Color, piece: Piece) -> usize {
    // The lowest bit of a piece index is its colour, the others are its type.
    let is_enemy = (piece.index() & 1) ^ color.index();
    is_enemy * PieceType::ALL.len() + piece.index() / 2
}

impl Perspective {
    /// The perspective of `color` with its king on `king` and the other king on `enemy_king`.
    #[inline]
    pub const fn new(color: Color, king: Square, enemy_king: Square) -> Perspective {
        let vertical = match color {
            Color::White => 0,
            Color::Black => 56,
        };
        let horizontal = if king.file() >= 4 { 7 } else { 0 };
        let rank = king.relative_rank(color);
        let bucket = king_bucket(king.file() ^ horizontal, rank);
        Perspective {
            color,
            flip: vertical ^ horizontal,
            bucket: bucket as u8,
            enemy_king,
            first_input: (bucket * BUCKET_INPUTS) as u16,
        }
    }

    /// The index of a board square as this perspective sees it.
    #[inline]
    pub(super) const fn square(self, square: Square) -> usize {
        square.index() ^ self.flip as usize
    }

    /// The piece input of a piece on a square.
    #[inline]
    pub const fn piece_feature(self, piece: Piece, square: Square) -> Feature {
        let offset = PIECE_OFFSETS[self.color.index()][piece.index()];
        Feature(self.first_input + offset + self.square(square) as u16)
    }

    /// The ring input of a piece on a square; `None` when the square is not next to the enemy
    /// king.
    #[inline]
    pub fn ring_feature(self, piece: Piece, square: Square) -> Option<Feature> {
        if !attacks::king(self.enemy_king).contains(square) {
            return None;
        }
        let (square, center) = (self.square(square), self.square(self.enemy_king));
        // Index in the 3x3 block around the king, from its lower left corner, without the
        // centre.
        let place = (square / 8 + 1 - center / 8) * 3 + (square % 8 + 1 - center % 8);
        let place = place - usize::from(place > 4);
        let input = PIECE_INPUTS + relative_piece(self.color, piece) * 8 + place;
        Some(Feature(self.first_input + input as u16))
    }

    /// The capture input of a piece other than a king that attacks an enemy piece of a type on a
    /// square.
    #[inline]
    pub const fn capture_feature(
        self,
        capturer: Piece,
        captured: PieceType,
        square: Square,
    ) -> Feature {
        let is_enemy = (capturer.color().index() ^ self.color.index()) * 5;
        let pair = (is_enemy + capturer.piece_type().index()) * 6 + captured.index();
        Feature((KING_INPUTS + pair * 64 + self.square(square)) as u16)
    }

    /// The blast input of a piece on a square, not a pawn, that a capture by a side would explode.
    #[inline]
    pub const fn blast_feature(
        self,
        capturer: Color,
        exploded: Color,
        piece_type: PieceType,
        square: Square,
    ) -> Feature {
        let sides =
            (capturer.index() ^ self.color.index()) * 2 + (exploded.index() ^ self.color.index());
        let kind = sides * 5 + piece_type.index() - 1;
        Feature((KING_INPUTS + CAPTURE_INPUTS + kind * 64 + self.square(square)) as u16)
    }

    #[inline]
    pub(super) const fn enemy_king(self) -> Square {
        self.enemy_king
    }

    /// Number of different [`cache_index`](Self::cache_index) values.
    pub(super) const CACHE_SIZE: usize = KING_BUCKETS * 2;

    /// Index of the king bucket and half of the board, on which the piece inputs depend.
    #[inline]
    pub(super) const fn cache_index(self) -> usize {
        self.bucket as usize * 2 + (self.flip & 1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::super::arch::RING_INPUTS;
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn features_of_a_perspective_are_distinct_and_in_range() {
        let mut cache_indices = HashSet::new();
        for king in Square::all() {
            let perspective = Perspective::new(Color::Black, king, Square::new(4, 3));
            cache_indices.insert(perspective.cache_index());
            let mut seen = HashSet::new();
            let mut ring_count = 0;
            for square in Square::all() {
                for piece in Piece::ALL {
                    let ring = perspective.ring_feature(piece, square);
                    ring_count += usize::from(ring.is_some());
                    let feature = perspective.piece_feature(piece, square);
                    for feature in [Some(feature), ring].into_iter().flatten() {
                        assert!(feature.index() < INPUTS && seen.insert(feature));
                    }
                }
            }
            assert_eq!(ring_count, RING_INPUTS);
        }
        assert_eq!(cache_indices.len(), Perspective::CACHE_SIZE);
    }

    #[test]
    fn capture_and_blast_features_are_distinct_and_fill_the_rest() {
        let perspective = Perspective::new(Color::Black, Square::new(6, 7), Square::new(4, 3));
        let mut seen = HashSet::new();
        for square in Square::all() {
            for piece_type in PieceType::ALL {
                for piece in Piece::ALL {
                    if piece.piece_type() != PieceType::King {
                        seen.insert(perspective.capture_feature(piece, piece_type, square));
                    }
                }
                for [capturer, exploded] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                    let [capturer, exploded] = [capturer, exploded].map(|at| Color::ALL[at]);
                    if piece_type != PieceType::Pawn {
                        let feature =
                            perspective.blast_feature(capturer, exploded, piece_type, square);
                        seen.insert(feature);
                    }
                }
            }
        }
        let mut indices: Vec<usize> = seen.iter().map(|feature| feature.index()).collect();
        indices.sort_unstable();
        assert!(indices.into_iter().eq(KING_INPUTS..INPUTS));
    }
}
