//! The policy head at a position: a score for each quiet move, from the activations of the hidden
//! layer and the threats around the move. It orders the quiet moves of a node before the histories
//! know them.
//! Invariant: every SIMD level gives the same scores.

use arrayvec::ArrayVec;

use super::layers::Activations;
use super::policy_head::{PolicyHead, PolicyRows, ProductList};
use super::policy_threats::{PieceThreats, PolicyThreats};
use super::simd::{self, SimdLevel};
use crate::rules::{MAX_MOVES, Move, PieceType, Position, Square};

/// The policy head at one position.
pub struct Policy<'a> {
    pub(super) head: &'a PolicyHead,
    pub(super) rows: PolicyRows,
    pub(super) activations: &'a Activations,
    pub(super) simd: SimdLevel,
}

impl Policy<'_> {
    /// Appends the logits of quiet moves of `pos`, the position of this policy with these threats, in
    /// the order of `moves` and in units of
    /// 1/([`ACTIVATION_UNIT`](super::ACTIVATION_UNIT)·[`QP`](super::QP)).
    pub fn logits(
        &self,
        pos: &Position,
        threats: &PolicyThreats,
        moves: &[Move],
        logits: &mut ArrayVec<i32, MAX_MOVES>,
    ) {
        // The rows of the targets, then those of the origins: one for each run of moves of the same
        // piece.
        let mut rows = ArrayVec::<u16, { 2 * MAX_MOVES }>::new();
        let mut origins = ArrayVec::<u16, MAX_MOVES>::new();
        let mut runs = ArrayVec::<u16, MAX_MOVES>::new();
        let mut biases = ArrayVec::<i32, MAX_MOVES>::new();
        let mut run: Option<(Square, PieceType, PieceThreats)> = None;
        for mv in moves {
            let (from, to) = (mv.from(), mv.to());
            let (_, piece_type, threats) = match &run {
                Some(run) if run.0 == from => run,
                _ => {
                    let piece = pos.piece_at(from);
                    let piece_type = piece.map_or(PieceType::Pawn, |piece| piece.piece_type());
                    origins.push(self.rows.origin(piece_type, from) as u16);
                    run.insert((from, piece_type, threats.of_piece(piece_type, from)))
                }
            };
            let target = self.rows.target(*piece_type, to);
            rows.push(target as u16);
            biases.push(self.head.bias[target] + self.head.threat_bias[threats.index(to)]);
            runs.push(origins.len() as u16 - 1);
        }
        let _ = rows.try_extend_from_slice(&origins);
        let mut sums = ProductList::new();
        simd::products(self.simd, self.activations, &self.head.weights, &rows, &mut sums);
        let (targets, origin_sums) = sums.split_at_mut(moves.len());
        for (sum, row) in origin_sums.iter_mut().zip(&origins) {
            *sum += self.head.bias[usize::from(*row)];
        }
        let of_moves = targets.iter().zip(&runs).zip(&biases);
        logits.extend(
            of_moves.map(|((target, run), bias)| target + origin_sums[usize::from(*run)] + bias),
        );
    }
}
