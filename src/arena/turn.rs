//! A game in progress as its players see it, their replies, and what a player's engine must do.
//! Invariant: the position is the one after the moves.

use std::sync::Arc;
use std::time::Duration;

use super::clock::GameClock;
use super::engine_log::EngineLog;
use super::failure::{Failure, FailureKind};
use super::spec::{TimeControl, Timeouts};
use crate::eval::wdl::DisplayScore;
use crate::rules::{Move, Position, Variant};
use crate::search::Control;

#[derive(Clone)]
pub struct GameState<'a> {
    pub start: &'a Position,
    /// The moves since `start`.
    pub moves: Vec<Move>,
    pub pos: Position,
    pub clocks: [GameClock; 2],
    /// Castling moves are written as king takes rook.
    pub chess960: bool,
    pub time_margin: Duration,
}

impl<'a> GameState<'a> {
    pub fn new(
        start: &'a Position,
        clocks: [GameClock; 2],
        chess960: bool,
        time_margin: Duration,
    ) -> GameState<'a> {
        GameState { start, moves: Vec::new(), pos: start.clone(), clocks, chess960, time_margin }
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
        let limit = match self.clock().time_control {
            TimeControl::MoveTime(time) => Some(time),
            _ => self.clock().left(),
        };
        limit.map(|limit| limit + self.time_margin)
    }
}

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

#[derive(Clone, Debug)]
pub struct MoveRecord {
    pub reply: MoveReply,
    /// The player's clock after the move.
    pub clock: Option<Duration>,
}

/// What all players of a match have in common.
#[derive(Clone, Default)]
pub struct PlayerContext {
    pub variant: Variant,
    pub timeouts: Timeouts,
    pub log: Option<Arc<EngineLog>>,
    /// Ends every search and every wait.
    pub stop: Arc<Control>,
}

pub trait MatchEngine: Send {
    fn new_game(&mut self, chess960: bool) -> Result<(), Failure>;

    fn think(&mut self, game: &GameState) -> Result<MoveReply, Failure>;

    /// Starts to ponder a position in which the engine is to move if the opponent replies as it
    /// expects. The next `think` ends it.
    fn ponder(&mut self, _: &GameState) {}

    /// Ends pondering, if the engine ponders, when the game is over.
    fn stop_pondering(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// True if the engine can play on after a failure of this kind.
    fn survives(&self, kind: FailureKind) -> bool;
}
