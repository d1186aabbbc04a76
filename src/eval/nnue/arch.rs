//! The architecture of the network: (piece inputs + ring inputs) by king bucket, and capture and
//! blast inputs -> one hidden layer per perspective -> squared clipped activations -> L2 -> L3 -> one
//! output. The layers after the activations are selected by the number of pieces and by whether the
//! king of the side to move is threatened with an explosion.
//! Invariant: trainer and engine both take the architecture from this file.

use crate::rules::{Color, PieceType};

/// Neurons of the hidden layer per perspective.
pub const HIDDEN: usize = 256;
/// Neurons of the second layer.
pub const L2: usize = 16;
/// Neurons of the third layer.
pub const L3: usize = 32;
/// Inputs of the third layer: the squares of the activations of the second layer, then the
/// activations.
pub const L3_INPUTS: usize = 2 * L2;
/// Groups of king squares with separate input weights.
pub const KING_BUCKETS: usize = 10;
/// Piece inputs of a king bucket: colour (own, enemy), type and square.
pub const PIECE_INPUTS: usize = Color::ALL.len() * PieceType::ALL.len() * 64;
/// Ring inputs of a king bucket: colour (own, enemy), type and place next to the enemy king.
pub const RING_INPUTS: usize = 8 * Color::ALL.len() * PieceType::ALL.len();
/// All inputs of a king bucket.
pub const BUCKET_INPUTS: usize = PIECE_INPUTS + RING_INPUTS;
/// Inputs by king bucket, which come first.
pub const KING_INPUTS: usize = KING_BUCKETS * BUCKET_INPUTS;
/// Capture inputs: colour (own, enemy) and type of a piece other than a king, type and square of a
/// piece that it attacks.
pub const CAPTURE_INPUTS: usize = Color::ALL.len() * 5 * PieceType::ALL.len() * 64;
/// Blast inputs: colour (own, enemy) of a capturing piece, colour, type and square of a piece other
/// than a pawn next to the captured one.
pub const BLAST_INPUTS: usize = Color::ALL.len() * Color::ALL.len() * 5 * 64;
/// All inputs of a perspective.
pub const INPUTS: usize = KING_INPUTS + CAPTURE_INPUTS + BLAST_INPUTS;
/// Groups of piece counts with separate layer stacks.
pub const PIECE_COUNT_BUCKETS: usize = 8;
/// Layer stacks: those for positions without an explosion threat, then those for positions with
/// one; see [`output_bucket`].
pub const OUTPUT_BUCKETS: usize = 2 * PIECE_COUNT_BUCKETS;

/// The integer that stands for 1 in the hidden layer.
pub const QA: i32 = 255;
/// The square of a clipped hidden neuron is divided by 2 to the power of this, so that it fits in
/// seven bits.
pub const ACTIVATION_SHIFT: u32 = 9;
/// The integer that stands for an activation of 1: 255 * 255 / 2^9, rounded.
pub const ACTIVATION_UNIT: i32 = 127;
/// The integer that stands for 1 in the sums of the second layer.
pub const QS: i32 = 1 << 15;
/// The integer that stands for 1 in the inputs and activations of the third layer.
pub const QL: i32 = 1 << 13;
/// The integer that stands for a weight of 1 of the third layer and of the output.
pub const QW: i32 = 1 << 10;
/// Largest absolute value of a weight of a capture or blast input.
pub const MAX_CAPTURE_WEIGHT: i16 = 127;
/// Largest absolute value of a weight of the second layer. The sum of two products with activations
/// fits in 16 bits.
pub const MAX_L2_WEIGHT: i8 = 127;
/// Largest absolute value of a weight of the third layer.
pub const MAX_L3_WEIGHT: i16 = 2 * QW as i16 - 1;
/// Largest absolute value of a weight of the output.
pub const MAX_OUTPUT_WEIGHT: i16 = 4 * QW as i16 - 1;
/// Largest absolute value of a bias.
pub const MAX_BIAS: i32 = 1 << 27;

const _: () =
    assert!((QA * QA + (1 << (ACTIVATION_SHIFT - 1))) >> ACTIVATION_SHIFT == ACTIVATION_UNIT);
const _: () = assert!(QA * QA + (1 << (ACTIVATION_SHIFT - 1)) <= u16::MAX as i32);
const _: () = assert!(2 * ACTIVATION_UNIT * MAX_L2_WEIGHT as i32 <= i16::MAX as i32);
// No sum overflows 32 bits.
const _: () = {
    let third = L3_INPUTS as i64 * QL as i64 * MAX_L3_WEIGHT as i64;
    let output = L3 as i64 * QL as i64 * MAX_OUTPUT_WEIGHT as i64;
    assert!(third + (MAX_BIAS as i64) < i32::MAX as i64);
    assert!(output + (MAX_BIAS as i64) < i32::MAX as i64);
};

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
pub const fn king_bucket(file: u8, rank: u8) -> usize {
    BUCKET[rank as usize & 7][file as usize & 3] as usize
}

/// The layer stack for a position with `piece_count` pieces, kings included. `threatened` is true
/// when the opponent could explode the king of the side to move if it were the opponent's turn.
pub const fn output_bucket(piece_count: u32, threatened: bool) -> usize {
    let group = piece_count.saturating_sub(1) as usize * PIECE_COUNT_BUCKETS / 32;
    let last = PIECE_COUNT_BUCKETS - 1;
    let group = if group < last { group } else { last };
    if threatened { PIECE_COUNT_BUCKETS + group } else { group }
}

/// True if the absolute value of no number exceeds `most`.
pub fn are_within<N: Copy + Into<i32>>(numbers: &[N], most: N) -> bool {
    let most = most.into();
    let mut numbers = numbers.iter().map(|&number| number.into());
    numbers.all(|number| (-most..=most).contains(&number))
}
