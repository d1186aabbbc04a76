//! The shape of the network: men, and those around the enemy king once more, seen from each
//! side by king bucket, one hidden layer a side, one output chosen by the number of men and by whether
//! the side to move must reckon with an explosion of its king.
//! Invariant: trainer and engine read the shape from here and nowhere else.

use crate::rules::{Color, PieceType};

/// Neurons of the hidden layer, for each of the two views.
pub const HIDDEN: usize = 256;
/// Groups of king squares, each with input weights of its own.
pub const KING_BUCKETS: usize = 10;
/// Colour (own, other), type and square.
pub const MEN_INPUTS: usize = Color::ALL.len() * PieceType::ALL.len() * 64;
/// Place beside the enemy king, colour (own, other) and type.
pub const RING_INPUTS: usize = 8 * Color::ALL.len() * PieceType::ALL.len();
/// Inputs of a king bucket.
pub const BUCKET_INPUTS: usize = MEN_INPUTS + RING_INPUTS;
/// Inputs of a view.
pub const INPUTS: usize = KING_BUCKETS * BUCKET_INPUTS;
/// Groups of numbers of men, each with outputs of its own.
pub const MEN_OUTPUTS: usize = 8;
/// Outputs: those of calm positions, then those of threatened ones, see [`output_bucket`].
pub const OUTPUTS: usize = 2 * MEN_OUTPUTS;

/// A full activation in the quantised hidden layer.
pub const ACTIVE: i32 = 255;
/// The weight 1 of the quantised output layer.
pub const ACTIVE_WEIGHT: i32 = 256;
/// Largest output weight: its product with an activation fits in 16 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 127;

// Sums of products of one vector lane stay within 32 bits: each of the 2 * HIDDEN / 8 terms of
// the narrowest vector path is at most 255 * 255 * 127.
const _: () = assert!(2 * HIDDEN as i64 / 8 * 255 * 255 * 127 < i32::MAX as i64);

/// King buckets by square, as a side sees its own king after mirroring onto files a to d.
/// Most kings stay at home, where each file is its own bucket.
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

/// The bucket of a king on `file` (0 to 3) and `rank`, both as its side sees them.
pub(super) const fn king_bucket(file: u8, rank: u8) -> usize {
    BUCKET[rank as usize & 7][file as usize & 3] as usize
}

/// The output for a position with this many men, `threatened` when the side not to move could
/// explode the other's king if it were its move.
pub const fn output_bucket(men: u32, threatened: bool) -> usize {
    let bucket = men.saturating_sub(1) as usize * MEN_OUTPUTS / 32;
    let last = MEN_OUTPUTS - 1;
    let group = if bucket < last { bucket } else { last };
    if threatened {
        MEN_OUTPUTS + group
    } else {
        group
    }
}
