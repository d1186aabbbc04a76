//! Errors of reading PGN.
//! Invariant: an error in a game names the game and the line, so that it can be found in the file.

use std::fmt;
use std::io;

use thiserror::Error;

use super::NumberedGame;
use crate::notation::fen::FenError;
use crate::notation::san::SanError;

/// The longest value of a tag in bytes; a tag with a longer one is left out.
pub const MAX_TAG_LENGTH: usize = 1 << 16;

/// The first 60 characters of a text without control characters, for messages.
pub fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

/// Why the next game cannot be returned.
#[derive(Debug, Error)]
pub enum PgnError {
    /// Reading the stream failed; no more games follow.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The game is invalid; others may follow.
    #[error(transparent)]
    Game(Box<PgnGameError>),
}

impl From<PgnGameError> for PgnError {
    fn from(error: PgnGameError) -> PgnError {
        PgnError::Game(Box::new(error))
    }
}

/// A game that cannot be read, or only in part.
#[derive(Clone, Debug, Error)]
pub struct PgnGameError {
    /// The number of the game in the file, from 1.
    pub number: usize,
    /// White and Black, if the tags were read.
    pub names: Option<[String; 2]>,
    /// The line of the file, from 1.
    pub line: usize,
    /// The number of the invalid move, as `12.` or `12...`.
    pub move_number: Option<String>,
    /// What is wrong.
    #[source]
    pub kind: PgnErrorKind,
    /// The game up to the fault, if a move was read.
    pub kept: Option<NumberedGame>,
}

impl fmt::Display for PgnGameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}", self.number)?;
        if let Some([white, black]) = &self.names {
            write!(f, " ({} - {})", printable(white), printable(black))?;
        }
        write!(f, ", line {}", self.line)?;
        if let Some(move_number) = &self.move_number {
            write!(f, ", move {move_number}")?;
        }
        write!(f, ": {}", self.kind)
    }
}

/// What is wrong with a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum PgnErrorKind {
    #[error("without the tag Variant this is a game of ordinary chess")]
    NoVariant,
    #[error("the tag Variant is {0:?}, not atomic")]
    UnsupportedVariant(String),
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error(transparent)]
    Move(#[from] SanError),
    #[error("moves follow the result")]
    MovesAfterResult,
    #[error("a comment is never closed")]
    UnclosedComment,
    #[error("the tag {0} is longer than {MAX_TAG_LENGTH} bytes")]
    TagTooLong(String),
    /// The text of a tag without its closing quote, bracket or value.
    #[error("the tag {0:?} is damaged")]
    DamagedTag(String),
    /// A text that is neither a move nor a known sign.
    #[error("{0:?} is not a move")]
    Unread(String),
}
