//! A game in progress as its players see it, and their replies.
//! Invariant: the position is the one after the moves.

use std::time::Duration;

use super::clock::GameClock;
use super::spec::TimeControl;
use crate::eval::wdl::DisplayScore;
use crate::rules::{Move, Position};

/// A game in progress.
#[derive(Clone)]
pub struct GameState<'a> {
    pub start: &'a Position,
    /// The moves since `start`.
    pub moves: Vec<Move>,
    /// The position after the moves.
    pub pos: Position,
    /// The clocks of White and Black.
    pub clocks: [GameClock; 2],
    /// Castling moves are written as king takes rook.
    pub chess960: bool,
    /// How much later than its time limit a move may arrive.
    pub time_margin: Duration,
}

impl<'a> GameState<'a> {
    pub fn new(
        start: &'a Position,
        clocks: [GameClock; 2],
        chess960: bool,
        time_margin: Duration,
    ) -> GameState<'a> {
        GameState {
            start,
            moves: Vec::new(),
            pos: start.clone(),
            clocks,
            chess960,
            time_margin,
        }
    }

    pub fn make(&mut self, mv: Move) {
        self.moves.push(mv);
        self.pos.make(mv);
    }

    /// The clock of the side to move.
    pub fn clock(&self) -> &GameClock {
        &self.clocks[self.pos.side_to_move().index()]
    }

    /// The longest time that a move may take; `None` without a time limit.
    pub fn deadline(&self) -> Option<Duration> {
        let limit = match self.clock().time_control() {
            TimeControl::MoveTime(time) => Some(time),
            _ => self.clock().left(),
        };
        limit.map(|limit| limit + self.time_margin)
    }
}

/// A player's move.
#[derive(Clone, Debug)]
pub struct MoveReply {
    pub mv: Move,
    /// The score from the player's perspective, if it reported one.
    pub score: Option<DisplayScore>,
    /// The depth in plies, if it reported one.
    pub depth: Option<i32>,
    pub time: Duration,
    /// The opponent's reply that a pondering player expects.
    pub ponder: Option<Move>,
}
