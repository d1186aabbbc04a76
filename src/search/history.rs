//! What earlier parts of the search learnt about moves. Each table has its own type; its
//! `entries` comment gives the order of indices. Values stay within ±`LIMIT` by gravity.

use super::correction::Corrections;
use crate::rules::{Color, Move, Piece, PieceType, Square};

/// Bound of every entry.
const LIMIT: i32 = 16_384;

/// Moves an entry by `bonus`, less the nearer it is to ±`BOUND`, which it never passes as long
/// as `bonus` lies within it too.
pub(super) fn gravitate<const BOUND: i32>(entry: &mut i16, bonus: i32) {
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / BOUND) as i16;
}

fn nudge(entry: &mut i16, bonus: i32) {
    gravitate::<LIMIT>(entry, bonus);
}

/// Quiet moves by side and squares.
pub struct ButterflyHistory {
    /// `[side][threatened][from][to]`; threatened: the enemy could explode the king now.
    entries: Box<[[[[i16; 64]; 64]; 2]; 2]>,
}

impl ButterflyHistory {
    fn new() -> Self {
        Self { entries: boxed() }
    }

    /// What is known of a quiet move.
    pub fn get(&self, side: Color, threatened: bool, mv: Move) -> i32 {
        let table = &self.entries[side.index()][usize::from(threatened)];
        i32::from(table[mv.from().index()][mv.to().index()])
    }

    /// Moves the entry towards `bonus`.
    pub fn update(&mut self, side: Color, threatened: bool, mv: Move, bonus: i32) {
        let table = &mut self.entries[side.index()][usize::from(threatened)];
        nudge(&mut table[mv.from().index()][mv.to().index()], bonus);
    }
}

/// Captures by piece, target square and victim.
pub struct CaptureHistory {
    /// `[piece][to][victim]`.
    entries: Box<[[[i16; 6]; 64]; 12]>,
}

impl CaptureHistory {
    fn new() -> Self {
        Self { entries: boxed() }
    }

    /// What is known of a capture.
    pub fn get(&self, piece: Piece, to: Square, victim: PieceType) -> i32 {
        i32::from(self.entries[piece.index()][to.index()][victim.index()])
    }

    /// Moves the entry towards `bonus`.
    pub fn update(&mut self, piece: Piece, to: Square, victim: PieceType, bonus: i32) {
        nudge(
            &mut self.entries[piece.index()][to.index()][victim.index()],
            bonus,
        );
    }
}

/// A piece and the square it went to: the index of continuation histories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceTo(u16);

impl PieceTo {
    /// The index of a piece that goes to a square.
    pub fn new(piece: Piece, to: Square) -> PieceTo {
        PieceTo((piece.index() * 64 + to.index()) as u16)
    }

    /// The index, less than 768.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What is known of moves, by [`PieceTo`], where something else is given.
pub type Row = [i16; 768];

/// The row where nothing is given.
static BLANK: Row = [0; 768];

/// Quiet moves by an earlier move of the line.
pub struct ContinuationHistory {
    /// `[earlier piece and square][piece and square]`.
    entries: Box<[Row; 768]>,
}

impl ContinuationHistory {
    fn new() -> Self {
        Self { entries: boxed() }
    }

    /// What is known of moves after an earlier one; nothing after none.
    pub fn after(&self, earlier: Option<PieceTo>) -> &Row {
        earlier.map_or(&BLANK, |earlier| &self.entries[earlier.index()])
    }

    /// Moves the entry towards `bonus`.
    pub fn update(&mut self, earlier: PieceTo, this: PieceTo, bonus: i32) {
        nudge(&mut self.entries[earlier.index()][this.index()], bonus);
    }
}

/// Quiet moves by the pawns of both sides.
pub struct PawnHistory {
    /// `[pawns][piece and square]`.
    entries: Box<[Row; PawnHistory::SIZE]>,
}

impl PawnHistory {
    /// Pawn structures told apart.
    pub const SIZE: usize = 1024;

    fn new() -> Self {
        Self { entries: boxed() }
    }

    /// What is known of moves among these pawns.
    pub fn among(&self, pawns: usize) -> &Row {
        &self.entries[pawns]
    }

    /// Moves the entry towards `bonus`.
    pub fn update(&mut self, pawns: usize, this: PieceTo, bonus: i32) {
        nudge(&mut self.entries[pawns][this.index()], bonus);
    }
}

/// All that one thread has learnt.
pub struct Histories {
    /// Quiet moves.
    pub butterfly: ButterflyHistory,
    /// Captures.
    pub capture: CaptureHistory,
    /// Quiet moves after the moves one and two plies before.
    pub continuation: ContinuationHistory,
    /// Quiet moves by the pawns on the board.
    pub pawn: PawnHistory,
    /// Errors of the static evaluation.
    pub corrections: Corrections,
}

impl Histories {
    /// Empty tables.
    pub fn new() -> Histories {
        Histories {
            butterfly: ButterflyHistory::new(),
            capture: CaptureHistory::new(),
            continuation: ContinuationHistory::new(),
            pawn: PawnHistory::new(),
            corrections: Corrections::new(),
        }
    }
}

impl Default for Histories {
    fn default() -> Self {
        Self::new()
    }
}

pub(super) trait Zero: Copy {
    const ZERO: Self;
}

impl Zero for i16 {
    const ZERO: i16 = 0;
}

impl<T: Zero, const N: usize> Zero for [T; N] {
    const ZERO: [T; N] = [T::ZERO; N];
}

/// A zeroed array on the heap, built without passing through the stack.
pub(super) fn boxed<T: Zero, const N: usize>() -> Box<[T; N]> {
    match vec![T::ZERO; N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the slice has exactly N elements"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_within_the_limit() {
        let mut entry = 0;
        for _ in 0..1000 {
            nudge(&mut entry, 1600);
        }
        assert!(i32::from(entry) <= LIMIT && i32::from(entry) > LIMIT * 9 / 10);
        for _ in 0..1000 {
            nudge(&mut entry, -1600);
        }
        assert!(i32::from(entry) >= -LIMIT && i32::from(entry) < -LIMIT * 9 / 10);
    }
}
