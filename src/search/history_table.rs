//! What all history tables share: their index by piece and target square, the update rule and
//! the allocation.
//! Invariant: a [`PieceTo`] is less than [`PieceTo::COUNT`], so table lookups are in range.

use crate::rules::{Piece, Square};

/// A piece and the square that it moves to, as an index of history tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceTo(u16);

impl PieceTo {
    /// Number of different indices.
    pub const COUNT: usize = 12 * 64;

    pub fn new(piece: Piece, to: Square) -> PieceTo {
        PieceTo((piece.index() * 64 + to.index()) as u16)
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A history table indexed by [`PieceTo`].
pub type PieceToHistory = [i16; PieceTo::COUNT];

/// Rows of histories that can be cleared quickly: only the rows written since the last time are
/// cleared. A short game writes to a small part of them.
pub struct HistoryRows<const ROWS: usize> {
    rows: Box<[PieceToHistory; ROWS]>,
    written: Box<[bool; ROWS]>,
}

impl<const ROWS: usize> HistoryRows<ROWS> {
    pub fn new() -> Self {
        HistoryRows {
            rows: zeroed_box(),
            written: zeroed_box(),
        }
    }

    #[inline]
    pub fn row(&self, row: usize) -> &PieceToHistory {
        &self.rows[row]
    }

    #[inline]
    pub fn entry_mut(&mut self, row: usize, piece_to: PieceTo) -> &mut i16 {
        self.written[row] = true;
        &mut self.rows[row][piece_to.index()]
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        for (row, written) in self.rows.iter_mut().zip(self.written.iter_mut()) {
            if *written {
                row.fill(0);
                *written = false;
            }
        }
    }
}

/// An entry plus `bonus`, minus a share of the entry that grows with |`bonus`| (the "gravity" of
/// history heuristics). The entry stays within ±`BOUND` as long as `bonus` does.
pub fn with_gravity<const BOUND: i32>(entry: i16, bonus: i32) -> i16 {
    let old = i32::from(entry);
    (old + bonus - old * bonus.abs() / BOUND) as i16
}

/// A type whose zero value is a constant.
pub trait Zero: Copy {
    const ZERO: Self;
}

impl Zero for i16 {
    const ZERO: i16 = 0;
}

impl Zero for bool {
    const ZERO: bool = false;
}

impl<T: Zero, const N: usize> Zero for [T; N] {
    const ZERO: [T; N] = [T::ZERO; N];
}

/// A zeroed array on the heap, built without a copy on the stack.
pub fn zeroed_box<T: Zero, const N: usize>() -> Box<[T; N]> {
    match vec![T::ZERO; N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the slice has exactly N elements"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Color, PieceType};

    #[test]
    fn cleared_rows_are_zero() {
        let mut rows = HistoryRows::<5>::new();
        let piece_to = PieceTo::new(Piece::new(Color::Black, PieceType::King), Square::new(7, 7));
        for round in 1..=3 {
            for row in [0, 4] {
                assert_eq!(rows.row(row)[piece_to.index()], 0);
                *rows.entry_mut(row, piece_to) = round;
            }
            assert_eq!(rows.row(4)[piece_to.index()], round);
            rows.clear();
            assert!((0..5).all(|row| rows.row(row).iter().all(|&entry| entry == 0)));
        }
    }

    #[test]
    fn gravity_keeps_entries_within_the_bound() {
        const BOUND: i32 = 16_384;
        let mut entry = 0;
        for _ in 0..1000 {
            entry = with_gravity::<BOUND>(entry, 1600);
        }
        assert!(i32::from(entry) <= BOUND && i32::from(entry) > BOUND * 9 / 10);
        for _ in 0..1000 {
            entry = with_gravity::<BOUND>(entry, -1600);
        }
        assert!(i32::from(entry) >= -BOUND && i32::from(entry) < -BOUND * 9 / 10);
    }
}
