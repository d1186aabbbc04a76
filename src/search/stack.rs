//! The search stack: one frame for each ply of the current line.
//! Invariant: frame `p` describes the node `p` plies from the root.

use arrayvec::ArrayVec;

use super::correction::CorrectionKeys;
use super::history::{Histories, PieceTo};
use crate::eval::score::{MAX_PLY, Value};
use crate::rules::{Move, Position};

/// A principal variation, first move first.
pub type PvLine = ArrayVec<Move, MAX_PLY>;

/// The state of a node that other nodes of the line read.
#[derive(Clone, Default)]
pub struct StackFrame {
    /// Corrected static evaluation in centipawns; `None` in check.
    pub static_eval: Option<Value>,
    /// Quiet moves that caused a cutoff at the same ply.
    pub killers: [Option<Move>; 2],
    /// The current move; `None` for a null move.
    pub piece_to: Option<PieceTo>,
    /// The move excluded by a singular search.
    pub excluded: Option<Move>,
    /// The parent has ruled out that the side to move can explode the king here, except by an
    /// en passant capture.
    pub no_win_in_one: bool,
    pub correction_keys: CorrectionKeys,
    /// Number of nodes at this ply that failed high since the node two plies earlier began.
    pub cutoff_count: u32,
    pub pv: PvLine,
}

pub struct Stack {
    frames: Vec<StackFrame>,
    /// The greatest ply since the last reset.
    deepest: usize,
}

/// A node writes to the frames of its own ply and of this many plies after it.
const FRAMES_AHEAD: usize = 2;

impl Stack {
    pub fn new() -> Stack {
        Stack { frames: vec![StackFrame::default(); MAX_PLY + 4], deepest: 0 }
    }

    /// Resets the frames that the nodes since the last reset have written to.
    pub fn reset(&mut self) {
        let count = self.deepest + FRAMES_AHEAD + 1;
        self.frames[..count].fill(StackFrame::default());
        self.deepest = 0;
    }

    /// Records that the search enters a node at `ply`.
    #[inline]
    pub fn enter(&mut self, ply: usize) {
        self.deepest = self.deepest.max(ply);
    }

    pub fn frame(&mut self, ply: usize) -> &mut StackFrame {
        &mut self.frames[ply]
    }

    /// The move made `back` plies before `ply`.
    pub fn previous_piece_to(&self, ply: usize, back: usize) -> Option<PieceTo> {
        self.frames[ply.checked_sub(back)?].piece_to
    }

    /// The moves made one and two plies before `ply`.
    pub fn previous_moves(&self, ply: usize) -> [Option<PieceTo>; 2] {
        [1, 2].map(|back| self.previous_piece_to(ply, back))
    }

    /// The static evaluation `back` plies before `ply`.
    pub fn previous_static_eval(&self, ply: usize, back: usize) -> Option<Value> {
        self.frames[ply.checked_sub(back)?].static_eval
    }

    /// Sets the correction keys at `ply`, whose position is `pos`. The node before it has set
    /// its own, because it has made a move.
    pub fn set_correction_keys(&mut self, ply: usize, pos: &Position) {
        self.frames[ply].correction_keys = match ply.checked_sub(1) {
            Some(before) => self.frames[before].correction_keys.after_move(pos),
            None => CorrectionKeys::new(pos),
        };
    }

    pub fn correction_keys(&self, ply: usize) -> &CorrectionKeys {
        &self.frames[ply].correction_keys
    }

    /// The pawn structure at `ply` as an index of [`Histories::pawn`].
    pub fn pawn_history_index(&self, ply: usize) -> usize {
        self.correction_keys(ply).pawn_history_index(Histories::PAWN_STRUCTURES)
    }

    /// Sets the principal variation of `ply` to `mv` followed by that of the child.
    pub fn update_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.frames.split_at_mut(ply + 1);
        let pv = &mut head[ply].pv;
        pv.clear();
        pv.push(mv);
        let capacity = pv.remaining_capacity();
        pv.extend(tail[0].pv.iter().copied().take(capacity));
    }
}
