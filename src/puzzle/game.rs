//! A game that is searched for puzzles, and the positions in it that may be some.
//! Invariant: a candidate precedes the end of a won game by a few plies, its winner is to move, and
//! the winner did not consider the game decided one move before.

use crate::data::GameRecord;
use crate::eval::score::Value;
use crate::notation::pgn::PgnGame;
use crate::rules::{Color, GameResult, Move, Position};
use crate::search::Limits;

/// The value from which a game counts as decided, in internal units.
const DECIDED: Value = 500;
/// Nodes of the searches that replace values which a game lacks.
const VALUE_NODES: u64 = 1_000;
/// The number of plies that make an opening.
const OPENING_PLIES: usize = 6;

#[derive(Clone, Debug)]
pub struct PuzzleGame {
    start: Position,
    moves: Vec<Move>,
    /// The value of the search in each position, for the side to move; empty if unknown.
    values: Vec<i16>,
    winner: Option<Color>,
}

impl From<GameRecord> for PuzzleGame {
    fn from(game: GameRecord) -> PuzzleGame {
        PuzzleGame {
            start: game.start,
            moves: game.plies.iter().map(|ply| ply.mv).collect(),
            values: game.plies.iter().map(|ply| ply.value).collect(),
            winner: game.result.winner(),
        }
    }
}

impl From<PgnGame> for PuzzleGame {
    fn from(game: PgnGame) -> PuzzleGame {
        let moves = game.main_line.moves.iter();
        PuzzleGame {
            start: game.start,
            moves: moves.map(|played| played.mv).collect(),
            values: Vec::new(),
            winner: game.result.and_then(GameResult::winner),
        }
    }
}

impl PuzzleGame {
    /// The candidates among the last `last_plies` plies, in order, each with the number of plies
    /// before it. `search` gives the value of a position for the side to move, or `None` after a
    /// stop; it is called only if the game has no values.
    pub fn candidates(
        &self,
        last_plies: usize,
        mut search: impl FnMut(&Position, &Limits) -> Option<Value>,
    ) -> Vec<(usize, Position)> {
        let Some(winner) = self.winner else {
            return Vec::new();
        };
        let end = self.moves.len();
        // The moves after a candidate and before it count as well.
        let first = end.saturating_sub(last_plies);
        let limits = Limits { nodes: Some(VALUE_NODES), ..Limits::default() };
        let mut pos = self.start.clone();
        let mut found: Vec<(usize, Position)> = Vec::new();
        // The values of the winner's last two positions; the game may begin with neither.
        let mut before: Option<Value> = None;
        let mut pending: Option<(usize, Position, Value)> = None;
        for (index, &mv) in self.moves.iter().enumerate() {
            if index + 2 >= first && pos.side_to_move() == winner {
                let value = match self.values.get(index) {
                    Some(&value) => value.into(),
                    None => search(&pos, &limits).unwrap_or_default(),
                };
                // A position whose win is seen only a move later is the more interesting one.
                if let Some((ply, pending, own)) = pending.take()
                    && own.max(value) >= DECIDED
                {
                    found.push((ply, pending));
                }
                if index >= first && before.is_none_or(|before| before < DECIDED) {
                    pending = Some((pos.ply(), pos.clone(), value));
                }
                before = Some(value);
            }
            pos.make(mv);
        }
        if let Some((ply, pending, _)) = pending {
            found.push((ply, pending));
        }
        found
    }

    /// The move that led to a candidate with this number of plies before it; `None` if the game
    /// begins there.
    pub fn move_before(&self, ply: usize) -> Option<Move> {
        let index = ply.checked_sub(self.start.ply() + 1)?;
        self.moves.get(index).copied()
    }

    /// A hash of the position after the first plies, those before the start position included.
    pub fn opening(&self) -> u32 {
        let mut pos = self.start.clone();
        while pos.ply() > OPENING_PLIES {
            pos.unmake();
        }
        let missing = OPENING_PLIES - pos.ply();
        let moves = self.moves.iter().take(missing);
        moves.for_each(|&mv| pos.make(mv));
        (pos.key() >> 32) as u32
    }
}
