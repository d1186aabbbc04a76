//! What all history tables share: their index by piece and target square, the update rule and
//! the allocation.
//! Invariant: a [`PieceTo`] is less than [`PieceTo::COUNT`], so table lookups are in range.

use crate::rules::{Piece, Square};

/// A piece and the square that it moves to, as an index of history tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PieceTo(u16);

impl PieceTo {
    /// Number of different indices.
    pub(super) const COUNT: usize = 12 * 64;

    pub(super) fn new(piece: Piece, to: Square) -> PieceTo {
        PieceTo((piece.index() * 64 + to.index()) as u16)
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A history table indexed by [`PieceTo`].
pub(super) type PieceToHistory = [i16; PieceTo::COUNT];

/// Adds `bonus` to an entry and subtracts a share of the entry that grows with |`bonus`| (the
/// "gravity" of history heuristics). The entry stays within ±`BOUND` as long as `bonus` does.
pub(super) fn apply_gravity<const BOUND: i32>(entry: &mut i16, bonus: i32) {
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / BOUND) as i16;
}

/// A type whose zero value is a constant.
pub(super) trait Zero: Copy {
    const ZERO: Self;
}

impl Zero for i16 {
    const ZERO: i16 = 0;
}

impl<T: Zero, const N: usize> Zero for [T; N] {
    const ZERO: [T; N] = [T::ZERO; N];
}

/// A zeroed array on the heap, built without a copy on the stack.
pub(super) fn zeroed_box<T: Zero, const N: usize>() -> Box<[T; N]> {
    match vec![T::ZERO; N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the slice has exactly N elements"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_keeps_entries_within_the_bound() {
        const BOUND: i32 = 16_384;
        let mut entry = 0;
        for _ in 0..1000 {
            apply_gravity::<BOUND>(&mut entry, 1600);
        }
        assert!(i32::from(entry) <= BOUND && i32::from(entry) > BOUND * 9 / 10);
        for _ in 0..1000 {
            apply_gravity::<BOUND>(&mut entry, -1600);
        }
        assert!(i32::from(entry) >= -BOUND && i32::from(entry) < -BOUND * 9 / 10);
    }
}
