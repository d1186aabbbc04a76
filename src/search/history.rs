//! Move-ordering histories: how often moves caused a cutoff earlier in the search.
//! Invariant: entries stay within ±`MAX_HISTORY`; a [`PieceTo`] is less than [`PieceTo::COUNT`], so
//! table lookups are in range.

use crate::rules::{Color, Move, Piece, PieceType, Square};

const MAX_HISTORY: i32 = 16_384;

/// A piece and the square that it moves to, as an index of history tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceTo(u16);

impl PieceTo {
    pub const COUNT: usize = 12 * 64;

    pub fn new(piece: Piece, to: Square) -> PieceTo {
        PieceTo((piece.index() * 64 + to.index()) as u16)
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

pub type PieceToHistory = [i16; PieceTo::COUNT];

/// The history after no previous move, as at the root or after a null move.
static EMPTY_HISTORY: PieceToHistory = [0; PieceTo::COUNT];

pub struct Histories {
    /// Quiet moves: `[color][king_threatened][from][to]`; `king_threatened` when the opponent could
    /// explode the king if it were its turn.
    butterfly: Box<[[[[i16; 64]; 64]; 2]; 2]>,
    /// Captures: `[piece][to][captured_type]`.
    capture: Box<[[[i16; 6]; 64]; 12]>,
    /// Quiet moves by the moves one, two and four plies earlier: `[previous PieceTo][PieceTo]`.
    continuation: HistoryRows<{ PieceTo::COUNT }>,
    /// Quiet moves by the pawns of both sides: `[pawn structure][PieceTo]`.
    pawn: HistoryRows<{ Histories::PAWN_STRUCTURES }>,
}

impl Histories {
    /// Number of pawn structure slots; a power of two.
    pub const PAWN_STRUCTURES: usize = 1024;

    pub fn new() -> Histories {
        Histories {
            butterfly: boxed_array([[[0; 64]; 64]; 2]),
            capture: boxed_array([[0; 6]; 64]),
            continuation: HistoryRows::new(),
            pawn: HistoryRows::new(),
        }
    }

    pub fn clear(&mut self) {
        self.butterfly.as_flattened_mut().fill([[0; 64]; 64]);
        self.capture.fill([[0; 6]; 64]);
        self.continuation.clear();
        self.pawn.clear();
    }

    /// The entries `[from][to]` of the quiet moves of a side.
    pub fn butterfly(&self, color: Color, king_threatened: bool) -> &[[i16; 64]; 64] {
        &self.butterfly[color.index()][usize::from(king_threatened)]
    }

    pub fn capture(&self, piece: Piece, to: Square, captured_type: PieceType) -> i32 {
        i32::from(self.capture[piece.index()][to.index()][captured_type.index()])
    }

    /// The history of moves after a previous move; all zero without one.
    pub fn continuation(&self, previous: Option<PieceTo>) -> &PieceToHistory {
        previous.map_or(&EMPTY_HISTORY, |previous| &self.continuation.rows[previous.index()])
    }

    /// The history of moves with a pawn structure below [`Histories::PAWN_STRUCTURES`].
    pub fn pawn(&self, structure: usize) -> &PieceToHistory {
        &self.pawn.rows[structure]
    }

    /// Moves the entry towards `bonus`, like the functions below.
    pub fn update_butterfly(&mut self, color: Color, king_threatened: bool, mv: Move, bonus: i32) {
        let table = &mut self.butterfly[color.index()][usize::from(king_threatened)];
        update_entry(&mut table[mv.from().index()][mv.to().index()], bonus);
    }

    pub fn update_capture(&mut self, piece: Piece, to: Square, captured: PieceType, bonus: i32) {
        let table = &mut self.capture[piece.index()];
        update_entry(&mut table[to.index()][captured.index()], bonus);
    }

    pub fn update_continuation(&mut self, previous: PieceTo, piece_to: PieceTo, bonus: i32) {
        update_entry(self.continuation.entry(previous.index(), piece_to), bonus);
    }

    pub fn update_pawn(&mut self, structure: usize, piece_to: PieceTo, bonus: i32) {
        update_entry(self.pawn.entry(structure, piece_to), bonus);
    }
}

fn update_entry(entry: &mut i16, bonus: i32) {
    *entry = with_gravity::<MAX_HISTORY>(*entry, bonus);
}

/// Rows of histories that can be cleared quickly: only the rows written since the last time are
/// cleared. A short game writes to a small part of them.
struct HistoryRows<const ROWS: usize> {
    rows: Box<[PieceToHistory; ROWS]>,
    written: Box<[bool; ROWS]>,
}

impl<const ROWS: usize> HistoryRows<ROWS> {
    fn new() -> Self {
        HistoryRows { rows: boxed_array([0; PieceTo::COUNT]), written: boxed_array(false) }
    }

    #[inline]
    fn entry(&mut self, row: usize, piece_to: PieceTo) -> &mut i16 {
        self.written[row] = true;
        &mut self.rows[row][piece_to.index()]
    }

    fn clear(&mut self) {
        for (row, written) in self.rows.iter_mut().zip(self.written.iter_mut()) {
            if std::mem::take(written) {
                row.fill(0);
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

/// An array on the heap, built without a copy on the stack.
fn boxed_array<T: Clone, const N: usize>(element: T) -> Box<[T; N]> {
    match vec![element; N].into_boxed_slice().try_into() {
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
            entry = with_gravity::<BOUND>(entry, 1600);
        }
        assert!(i32::from(entry) <= BOUND && i32::from(entry) > BOUND * 9 / 10);
        for _ in 0..1000 {
            entry = with_gravity::<BOUND>(entry, -1600);
        }
        assert!(i32::from(entry) >= -BOUND && i32::from(entry) < -BOUND * 9 / 10);
    }
}
