//! One frame for each ply of the line now searched.
//! Invariant: frame `p` describes the node `p` plies from the root.

use arrayvec::ArrayVec;

use super::correction::Keys;
use super::history::{PawnHistory, PieceTo};
use crate::eval::score::{MAX_PLY, Value};
use crate::rules::Move;

/// A line of moves, first move first.
pub(super) type Line = ArrayVec<Move, MAX_PLY>;

/// What one node leaves for its children, parents and cousins.
#[derive(Clone, Default)]
pub(super) struct Frame {
    /// Static evaluation; `None` in check.
    pub(super) eval: Option<Value>,
    /// Quiet moves that refuted cousins.
    pub(super) killers: [Option<Move>; 2],
    /// The move made from here; `None` for a null move.
    pub(super) moved: Option<PieceTo>,
    /// The move left out by a singular search.
    pub(super) excluded: Option<Move>,
    /// The parent saw that no capture explodes the king from here, en passant aside.
    pub(super) harmless: bool,
    /// What the position has in common with others.
    pub(super) keys: Keys,
    /// How many nodes at this ply failed high since their grandparent was entered.
    pub(super) cutoffs: u32,
    /// The best line from here.
    pub(super) pv: Line,
}

/// The frames of one thread.
pub(super) struct Stack {
    frames: Vec<Frame>,
}

impl Stack {
    pub(super) fn new() -> Stack {
        Stack {
            frames: vec![Frame::default(); MAX_PLY + 4],
        }
    }

    pub(super) fn reset(&mut self) {
        self.frames.fill_with(Frame::default);
    }

    pub(super) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply]
    }

    /// The move made `back` plies before `ply`.
    pub(super) fn moved_before(&self, ply: usize, back: usize) -> Option<PieceTo> {
        self.frames[ply.checked_sub(back)?].moved
    }

    /// The static evaluation `back` plies before `ply`.
    pub(super) fn eval_before(&self, ply: usize, back: usize) -> Option<Value> {
        self.frames[ply.checked_sub(back)?].eval
    }

    /// The keys noted at `ply`.
    pub(super) fn keys(&self, ply: usize) -> &Keys {
        &self.frames[ply].keys
    }

    /// The index of the pawns at `ply` in the pawn history.
    pub(super) fn pawns(&self, ply: usize) -> usize {
        self.frames[ply].keys.pawns(PawnHistory::SIZE)
    }

    /// Makes `mv` and the child's best line the best line of `ply`.
    pub(super) fn extend_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.frames.split_at_mut(ply + 1);
        let line = &mut head[ply].pv;
        line.clear();
        line.push(mv);
        let room = line.remaining_capacity();
        line.extend(tail[0].pv.iter().copied().take(room));
    }
}
