//! The search stack: one frame for each ply of the current line.
//! Invariant: frame `p` describes the node `p` plies from the root.

use arrayvec::ArrayVec;

use super::correction::CorrectionKeys;
use super::history::PawnHistory;
use super::history_table::PieceTo;
use crate::eval::score::{MAX_PLY, Value};
use crate::rules::Move;

/// A principal variation, first move first.
pub(super) type PvLine = ArrayVec<Move, MAX_PLY>;

/// What a node leaves for the nodes before, after and beside it.
#[derive(Clone, Default)]
pub(super) struct StackFrame {
    /// Corrected static evaluation in centipawns; `None` in check.
    pub(super) static_eval: Option<Value>,
    /// Quiet moves that caused a cutoff at the same ply.
    pub(super) killers: [Option<Move>; 2],
    /// The current move; `None` for a null move.
    pub(super) piece_to: Option<PieceTo>,
    /// The move excluded by a singular search.
    pub(super) excluded: Option<Move>,
    /// The parent has ruled out that the side to move can explode the king here, except by an
    /// en passant capture.
    pub(super) no_win_in_one: bool,
    pub(super) correction_keys: CorrectionKeys,
    /// Number of nodes at this ply that failed high since the node two plies earlier began.
    pub(super) cutoff_count: u32,
    pub(super) pv: PvLine,
}

/// The frames of one thread.
pub(super) struct Stack {
    frames: Vec<StackFrame>,
}

impl Stack {
    pub(super) fn new() -> Stack {
        Stack {
            frames: vec![StackFrame::default(); MAX_PLY + 4],
        }
    }

    pub(super) fn reset(&mut self) {
        self.frames.fill_with(StackFrame::default);
    }

    pub(super) fn frame(&mut self, ply: usize) -> &mut StackFrame {
        &mut self.frames[ply]
    }

    /// The move made `back` plies before `ply`.
    pub(super) fn previous_piece_to(&self, ply: usize, back: usize) -> Option<PieceTo> {
        self.frames[ply.checked_sub(back)?].piece_to
    }

    /// The moves made one and two plies before `ply`.
    pub(super) fn previous_moves(&self, ply: usize) -> [Option<PieceTo>; 2] {
        [1, 2].map(|back| self.previous_piece_to(ply, back))
    }

    /// The static evaluation `back` plies before `ply`.
    pub(super) fn previous_static_eval(&self, ply: usize, back: usize) -> Option<Value> {
        self.frames[ply.checked_sub(back)?].static_eval
    }

    pub(super) fn correction_keys(&self, ply: usize) -> &CorrectionKeys {
        &self.frames[ply].correction_keys
    }

    /// The pawn structure at `ply` as an index of [`PawnHistory`].
    pub(super) fn pawn_history_index(&self, ply: usize) -> usize {
        self.correction_keys(ply)
            .pawn_history_index(PawnHistory::SIZE)
    }

    /// Sets the principal variation of `ply` to `mv` followed by that of the child.
    pub(super) fn update_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.frames.split_at_mut(ply + 1);
        let pv = &mut head[ply].pv;
        pv.clear();
        pv.push(mv);
        let capacity = pv.remaining_capacity();
        pv.extend(tail[0].pv.iter().copied().take(capacity));
    }
}
