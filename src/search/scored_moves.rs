//! The moves of a picker with their scores, from which it takes the best one at a time.
//! Invariant: the order is the same on every machine; of moves with equal scores the first
//! generated comes first.

use std::ops::Range;

use arrayvec::ArrayVec;

use crate::rules::{MAX_MOVES, Move};

/// Moves and their scores.
///
/// The sort keys are separate from the moves, and each contains the index of its move, so that
/// the maximum is found without branches by SIMD.
pub struct ScoredMoves {
    /// The score in the high bits, the index from the end in the low bits.
    keys: ArrayVec<i32, MAX_MOVES>,
    moves: ArrayVec<(Move, i16), MAX_MOVES>,
}

/// A move taken from [`ScoredMoves`].
pub struct ScoredMove {
    pub mv: Move,
    pub score: i32,
    /// The blast SEE of a noisy move; the part of the score of a quiet move that is not history.
    pub extra: i32,
}

impl ScoredMoves {
    const INDEX_BITS: u32 = MAX_MOVES.next_power_of_two().trailing_zeros();
    const INDEX_MASK: i32 = (1 << ScoredMoves::INDEX_BITS) - 1;
    const TAKEN: i32 = i32::MIN;

    pub fn new() -> ScoredMoves {
        ScoredMoves { keys: ArrayVec::new(), moves: ArrayVec::new() }
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Adds a move. The score fits into the bits of a key above the index, and `extra` into 16
    /// bits.
    #[inline]
    pub fn push(&mut self, mv: Move, score: i32, extra: i32) {
        let index = ScoredMoves::INDEX_MASK - self.len() as i32;
        self.keys.push(score << ScoredMoves::INDEX_BITS | index);
        self.moves.push((mv, extra as i16));
    }

    /// The index of the best remaining move in `range`.
    pub fn best_index(&self, range: Range<usize>) -> Option<usize> {
        // In lanes, because with a profile the compiler leaves a plain loop without SIMD.
        let (chunks, rest) = self.keys[range].as_chunks::<8>();
        let mut lanes = [ScoredMoves::TAKEN; 8];
        for chunk in chunks {
            for (best, &key) in lanes.iter_mut().zip(chunk) {
                *best = key.max(*best);
            }
        }
        let best = lanes.iter().chain(rest).copied().fold(ScoredMoves::TAKEN, i32::max);
        let index = ScoredMoves::INDEX_MASK - (best & ScoredMoves::INDEX_MASK);
        (best != ScoredMoves::TAKEN).then_some(index as usize)
    }

    pub fn is_taken(&self, index: usize) -> bool {
        self.keys[index] == ScoredMoves::TAKEN
    }

    pub fn score(&self, index: usize) -> i32 {
        self.keys[index] >> ScoredMoves::INDEX_BITS
    }

    pub fn get(&self, index: usize) -> Move {
        self.moves[index].0
    }

    /// Takes the move at `index`, which has not been taken before.
    pub fn take(&mut self, index: usize) -> ScoredMove {
        let score = self.score(index);
        self.keys[index] = ScoredMoves::TAKEN;
        let (mv, extra) = self.moves[index];
        ScoredMove { mv, score, extra: i32::from(extra) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_come_by_score_and_then_in_the_order_of_generation() {
        let mut rng = fastrand::Rng::with_seed(3);
        for count in (0..40).chain([MAX_MOVES as u16]) {
            let mut moves = ScoredMoves::new();
            // Few different scores, so that many are equal.
            let given: Vec<(Move, i32, i32)> = (1..=count)
                .filter_map(Move::from_code)
                .map(|mv| (mv, 1_000 * rng.i32(-3..=3), rng.i32(-9_999..=9_999)))
                .collect();
            for &(mv, score, extra) in &given {
                moves.push(mv, score, extra);
            }
            let start = given.len() / 4;
            let mut expected = given[start..].to_vec();
            expected.sort_by_key(|&(_, score, _)| -score);
            let taken: Vec<(Move, i32, i32)> = std::iter::from_fn(|| {
                let index = moves.best_index(start..moves.len())?;
                assert!(!moves.is_taken(index), "{count} moves: {index} twice");
                let ScoredMove { mv, score, extra } = moves.take(index);
                assert!(moves.is_taken(index) && moves.get(index) == mv);
                Some((mv, score, extra))
            })
            .collect();
            assert_eq!(taken, expected);
        }
    }
}
