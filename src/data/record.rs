//! A game with the values of its searches.
//! Invariant: every move of a record that was read or written is legal.

use thiserror::Error;

use crate::rules::{GameResult, Move, Position, PositionError};

/// Games with more plies cannot be written.
pub const MAX_PLIES: usize = 65_535;

/// A move and the value of the search that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlyRecord {
    /// The move.
    pub mv: Move,
    /// Internal units for the side to move; mate scores as in [`crate::eval::score`]. It is the
    /// value of the best move, which is `mv` unless `random` is set.
    pub value: i16,
    /// The move was picked at random instead of being the best of the search: the rest of the
    /// game says nothing about `value`, so that no label looks past this ply.
    pub random: bool,
}

/// A game with the values of its moves.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// The position before the first ply. The moves in its history are the opening: they have no
    /// values, and no labels are made of them.
    pub start: Position,
    /// The moves in order.
    pub plies: Vec<PlyRecord>,
    /// The result.
    pub result: GameResult,
}

/// Why bytes are not a valid game record.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum RecordError {
    #[error("the game is incomplete")]
    Truncated,
    #[error(transparent)]
    Start(#[from] PositionError),
    #[error("a move of the opening is illegal")]
    IllegalOpening,
    #[error("{0} plies")]
    TooLong(u32),
    /// The move of a ply, counted from 1, is illegal.
    #[error("the move of ply {0} is illegal")]
    IllegalMove(u16),
}

impl GameRecord {
    /// The positions of the game, each with the move played in it.
    pub fn positions(&self) -> impl Iterator<Item = (Position, PlyRecord)> {
        let mut pos = self.start.clone();
        self.plies.iter().map(move |&ply| {
            let before = pos.without_history();
            pos.make(ply.mv);
            (before, ply)
        })
    }
}
