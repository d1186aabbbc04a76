//! The result of a game as PGN writes it.
//! Invariant: an unfinished game has no `GameResult`; use `Option<GameResult>` where it may occur.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Color;

/// The result of a finished game.
///
/// # Examples
/// ```
/// use brisance::rules::{Color, GameResult};
///
/// let result: GameResult = "0-1".parse().expect("a result");
/// assert_eq!(result, GameResult::Win(Color::Black));
/// assert_eq!(GameResult::Draw.to_string(), "1/2-1/2");
/// assert!("*".parse::<GameResult>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// The given side won.
    Win(Color),
    /// A draw.
    Draw,
}

impl GameResult {
    /// All results: a win of White, a draw, a win of Black.
    pub const ALL: [GameResult; 3] =
        [GameResult::Win(Color::White), GameResult::Draw, GameResult::Win(Color::Black)];

    /// The PGN notation: `1-0`, `0-1` or `1/2-1/2`.
    pub const fn as_str(self) -> &'static str {
        match self {
            GameResult::Win(Color::White) => "1-0",
            GameResult::Win(Color::Black) => "0-1",
            GameResult::Draw => "1/2-1/2",
        }
    }

    /// The winner; `None` after a draw.
    pub const fn winner(self) -> Option<Color> {
        match self {
            GameResult::Win(color) => Some(color),
            GameResult::Draw => None,
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error of parsing a text that is not `1-0`, `0-1` or `1/2-1/2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("expected 1-0, 0-1 or 1/2-1/2")]
pub struct ParseGameResultError;

impl FromStr for GameResult {
    type Err = ParseGameResultError;

    fn from_str(text: &str) -> Result<GameResult, ParseGameResultError> {
        GameResult::ALL
            .into_iter()
            .find(|result| result.as_str() == text)
            .ok_or(ParseGameResultError)
    }
}
