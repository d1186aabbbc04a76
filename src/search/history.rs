//! Move-ordering histories: how often moves caused a cutoff earlier in the search.
//! Each table is a type of its own; the comment on `entries` gives the order of its indices.
//! Invariant: entries stay within ±`MAX_HISTORY`.

use super::history_table::{HistoryRows, PieceTo, PieceToHistory, Zero, with_gravity, zeroed_box};
use crate::rules::{Color, Move, Piece, PieceType, Square};

/// Bound of every entry.
const MAX_HISTORY: i32 = 16_384;

fn update_entry(entry: &mut i16, bonus: i32) {
    *entry = with_gravity::<MAX_HISTORY>(*entry, bonus);
}

/// Quiet moves by color, origin and target square.
pub struct ButterflyHistory {
    /// `[color][king_threatened][from][to]`; `king_threatened` when the opponent could explode
    /// the king if it were its turn.
    entries: Box<[[[[i16; 64]; 64]; 2]; 2]>,
}

impl ButterflyHistory {
    fn new() -> Self {
        Self {
            entries: zeroed_box(),
        }
    }

    /// The entries `[from][to]` of a side.
    pub fn get(&self, color: Color, king_threatened: bool) -> &[[i16; 64]; 64] {
        &self.entries[color.index()][usize::from(king_threatened)]
    }

    /// Moves the entry towards `bonus`.
    pub fn update(&mut self, color: Color, king_threatened: bool, mv: Move, bonus: i32) {
        let table = &mut self.entries[color.index()][usize::from(king_threatened)];
        update_entry(&mut table[mv.from().index()][mv.to().index()], bonus);
    }
}

/// Captures by piece, target square and captured piece type.
pub struct CaptureHistory {
    /// `[piece][to][captured_type]`.
    entries: Box<[[[i16; 6]; 64]; 12]>,
}

impl CaptureHistory {
    fn new() -> Self {
        Self {
            entries: zeroed_box(),
        }
    }

    pub fn get(&self, piece: Piece, to: Square, captured_type: PieceType) -> i32 {
        i32::from(self.entries[piece.index()][to.index()][captured_type.index()])
    }

    /// Moves the entry towards `bonus`.
    pub fn update(&mut self, piece: Piece, to: Square, captured_type: PieceType, bonus: i32) {
        update_entry(
            &mut self.entries[piece.index()][to.index()][captured_type.index()],
            bonus,
        );
    }
}

/// The history after no previous move, as at the root or after a null move.
static EMPTY_HISTORY: PieceToHistory = [0; PieceTo::COUNT];

/// Quiet moves by a previous move of the line.
pub struct ContinuationHistory {
    /// `[previous PieceTo][PieceTo]`.
    entries: HistoryRows<{ PieceTo::COUNT }>,
}

impl ContinuationHistory {
    fn new() -> Self {
        Self {
            entries: HistoryRows::new(),
        }
    }

    /// The history of moves after a previous move; all zero without one.
    pub fn get(&self, previous: Option<PieceTo>) -> &PieceToHistory {
        previous.map_or(&EMPTY_HISTORY, |previous| {
            self.entries.row(previous.index())
        })
    }

    /// Moves the entry towards `bonus`.
    pub fn update(&mut self, previous: PieceTo, piece_to: PieceTo, bonus: i32) {
        update_entry(self.entries.entry_mut(previous.index(), piece_to), bonus);
    }
}

/// Quiet moves by the pawn structure of both sides.
pub struct PawnHistory {
    /// `[pawn structure][PieceTo]`.
    entries: HistoryRows<{ PawnHistory::SIZE }>,
}

impl PawnHistory {
    /// Number of pawn structure slots; a power of two.
    pub const SIZE: usize = 1024;

    fn new() -> Self {
        Self {
            entries: HistoryRows::new(),
        }
    }

    /// The history of moves with the pawn structure of index `pawns`, less than
    /// [`PawnHistory::SIZE`].
    pub fn get(&self, pawns: usize) -> &PieceToHistory {
        self.entries.row(pawns)
    }

    /// Moves the entry towards `bonus`.
    pub fn update(&mut self, pawns: usize, piece_to: PieceTo, bonus: i32) {
        update_entry(self.entries.entry_mut(pawns, piece_to), bonus);
    }
}

/// The histories of one thread.
pub struct Histories {
    pub(super) butterfly_history: ButterflyHistory,
    pub(super) capture_history: CaptureHistory,
    /// Quiet moves by the moves one, two and four plies earlier.
    pub(super) continuation_history: ContinuationHistory,
    pub(super) pawn_history: PawnHistory,
}

impl Histories {
    pub fn new() -> Histories {
        Histories {
            butterfly_history: ButterflyHistory::new(),
            capture_history: CaptureHistory::new(),
            continuation_history: ContinuationHistory::new(),
            pawn_history: PawnHistory::new(),
        }
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        let Histories {
            butterfly_history,
            capture_history,
            continuation_history,
            pawn_history,
        } = self;
        butterfly_history
            .entries
            .as_flattened_mut()
            .fill(Zero::ZERO);
        capture_history.entries.fill(Zero::ZERO);
        continuation_history.entries.clear();
        pawn_history.entries.clear();
    }
}
