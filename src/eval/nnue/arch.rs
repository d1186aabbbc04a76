//! The architecture of the network: (piece inputs + ring inputs) by king bucket -> one hidden
//! layer per perspective -> one output. The output is selected by the number of pieces and by
//! whether the king of the side to move is threatened with an explosion.
//! Invariant: trainer and engine both take the architecture from this file.

use crate::rules::{Color, PieceType};

/// Neurons of the hidden layer per perspective.
pub const HIDDEN: usize = 256;
/// Groups of king squares with separate input weights.
pub const KING_BUCKETS: usize = 10;
/// Piece inputs of a king bucket: colour (own, enemy), type and square.
pub(crate) const PIECE_INPUTS: usize = Color::ALL.len() * PieceType::ALL.len() * 64;
/// Ring inputs of a king bucket: colour (own, enemy), type and place next to the enemy king.
pub(crate) const RING_INPUTS: usize = 8 * Color::ALL.len() * PieceType::ALL.len();
/// All inputs of a king bucket.
pub(crate) const BUCKET_INPUTS: usize = PIECE_INPUTS + RING_INPUTS;
/// All inputs of a perspective.
pub const INPUTS: usize = KING_BUCKETS * BUCKET_INPUTS;
/// Groups of piece counts with separate outputs.
pub(crate) const PIECE_COUNT_BUCKETS: usize = 8;
/// Outputs: those for positions without an explosion threat, then those for positions with one;
/// see [`output_bucket`].
pub const OUTPUT_BUCKETS: usize = 2 * PIECE_COUNT_BUCKETS;

/// Quantisation of the hidden layer: the integer that stands for an activation of 1.
pub const QA: i32 = 255;
/// Quantisation of the output layer: the integer that stands for a weight of 1.
pub const QB: i32 = 256;
/// Largest absolute value of an output weight. Its product with an activation fits in 16 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 127;

// The narrowest SIMD kernel sums 2 * HIDDEN / 4 products of at most 255 * 255 * 127 in each
// 32-bit lane; the sum must not overflow.
const _: () = assert!(2 * HIDDEN as i64 / 4 * 255 * 255 * 127 < i32::MAX as i64);

/// King buckets by rank and file from the king's own perspective, mirrored to files a to d.
/// Most kings stay on the back rank, where each file has its own bucket.
#[rustfmt::skip]
const BUCKET: [[u8; 4]; 8] = [
    [0, 1, 2, 3],
    [4, 4, 5, 5],
    [6, 6, 7, 7],
    [6, 6, 7, 7],
    [8, 8, 9, 9],
    [8, 8, 9, 9],
    [8, 8, 9, 9],
    [8, 8, 9, 9],
];

/// The bucket of a king on `file` (0 to 3) and `rank`, both from its own perspective.
pub(super) const fn king_bucket(file: u8, rank: u8) -> usize {
    BUCKET[rank as usize & 7][file as usize & 3] as usize
}

/// The output for a position with `piece_count` pieces, kings included. `threatened` is true
/// when the opponent could explode the king of the side to move if it were the opponent's turn.
pub const fn output_bucket(piece_count: u32, threatened: bool) -> usize {
    let group = piece_count.saturating_sub(1) as usize * PIECE_COUNT_BUCKETS / 32;
    let last = PIECE_COUNT_BUCKETS - 1;
    let group = if group < last { group } else { last };
    if threatened {
        PIECE_COUNT_BUCKETS + group
    } else {
        group
    }
}
