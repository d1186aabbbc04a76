//! The parameters of the policy head and their rows.
//! Invariant: the parameters have passed every check, so that no sum overflows; flipping the board
//! and swapping the colours leaves the rows of a move as they are.

use arrayvec::ArrayVec;

use super::arch::{ACTIVATION_UNIT, HIDDEN, are_within};
use super::features::Perspective;
use super::policy_threats::THREAT_BIASES;
use crate::rules::{MAX_MOVES, PieceType, Position, Square};

/// The integer that stands for a policy weight of 1.
pub const QP: i32 = 32;
/// Rows of policy weights: by piece type and origin square, then by piece type and target square.
pub const POLICY_ROWS: usize = 2 * TARGET_ROWS;
/// Index of the first row of a target square.
const TARGET_ROWS: usize = PieceType::ALL.len() * 64;
/// Largest absolute value of a policy weight. The sum of two products with activations fits in 16
/// bits.
pub const MAX_POLICY_WEIGHT: i8 = 127;
/// Largest absolute value of a policy bias.
pub const MAX_POLICY_BIAS: i32 = 1 << 24;

// No logit overflows 32 bits.
const _: () = {
    let row = 2 * HIDDEN as i64 * ACTIVATION_UNIT as i64 * MAX_POLICY_WEIGHT as i64;
    assert!(2 * row + 3 * (MAX_POLICY_BIAS as i64) < i32::MAX as i64);
};

/// The weights of the activations of both perspectives, the side to move's first, in units of
/// 1/[`QP`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct PolicyRow(pub [i8; 2 * HIDDEN]);

/// The parameters of the policy head.
///
/// The logit of a quiet move is the sum of the row of its piece type and origin square, of the
/// row of its piece type and target square, and of the bias of its piece type and threats
/// ([`PolicyThreats`](super::PolicyThreats)). The squares are those of the side to move's
/// perspective. A softmax of the logits of all quiet moves gives their probabilities.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolicyHead {
    /// The length is [`POLICY_ROWS`].
    pub(super) weights: Box<[PolicyRow]>,
    /// Biases of the rows in units of 1/([`ACTIVATION_UNIT`]·[`QP`]).
    pub(super) bias: Box<[i32]>,
    /// Biases by piece type and threats, in the same units. The length is [`THREAT_BIASES`].
    pub(super) threat_bias: Box<[i32]>,
}

impl PolicyHead {
    /// A policy head from [`POLICY_ROWS`] rows and biases and [`THREAT_BIASES`] biases of threats;
    /// `None` if a number is out of range or their count is wrong.
    pub fn new(
        weights: Vec<PolicyRow>,
        bias: Vec<i32>,
        threat_bias: Vec<i32>,
    ) -> Option<PolicyHead> {
        let lengths = [weights.len(), bias.len(), threat_bias.len()];
        let valid = lengths == [POLICY_ROWS, POLICY_ROWS, THREAT_BIASES]
            && weights.iter().all(|row| are_within(&row.0, MAX_POLICY_WEIGHT))
            && are_within(&bias, MAX_POLICY_BIAS)
            && are_within(&threat_bias, MAX_POLICY_BIAS);
        valid.then(|| PolicyHead {
            weights: weights.into(),
            bias: bias.into(),
            threat_bias: threat_bias.into(),
        })
    }

    /// The weights of a row.
    ///
    /// # Panics
    /// When `row` is not below [`POLICY_ROWS`].
    pub fn row(&self, row: usize) -> &PolicyRow {
        &self.weights[row]
    }

    /// The bias of a row in units of 1/([`ACTIVATION_UNIT`]·[`QP`]).
    ///
    /// # Panics
    /// When `row` is not below [`POLICY_ROWS`].
    pub fn bias(&self, row: usize) -> i32 {
        self.bias[row]
    }

    /// The bias of a piece type and threats in units of 1/([`ACTIVATION_UNIT`]·[`QP`]).
    ///
    /// # Panics
    /// When `index` is not below [`THREAT_BIASES`].
    pub fn threat_bias(&self, index: usize) -> i32 {
        self.threat_bias[index]
    }
}

/// The products for the rows of the targets and origins of all moves of a position.
pub type ProductList = ArrayVec<i32, { 2 * MAX_MOVES }>;

/// The rows of the moves of a position.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRows {
    perspective: Perspective,
}

impl PolicyRows {
    /// The rows for the side to move of `pos`; `None` if a king is missing.
    #[inline]
    pub fn new(pos: &Position) -> Option<PolicyRows> {
        let us = pos.side_to_move();
        let (king, enemy_king) = (pos.king(us)?, pos.king(!us)?);
        let perspective = Perspective::new(us, king, enemy_king);
        Some(PolicyRows { perspective })
    }

    /// The row of a piece that leaves `from`.
    #[inline]
    pub const fn origin(&self, piece_type: PieceType, from: Square) -> usize {
        piece_type.index() * 64 + self.perspective.square(from)
    }

    /// The row of a piece that reaches `to`.
    #[inline]
    pub const fn target(&self, piece_type: PieceType, to: Square) -> usize {
        TARGET_ROWS + piece_type.index() * 64 + self.perspective.square(to)
    }
}
