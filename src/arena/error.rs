//! The errors of a match.
//! Invariant: an error about a file names it, and an error about an engine names the engine.

use std::path::PathBuf;

use thiserror::Error;

use super::failure::Failure;
use crate::engine::EngineError;
use crate::engine::options::OptionError;
use crate::files::FileError;

#[derive(Debug, Error)]
pub enum MatchError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("cannot record a game: {0}")]
    Record(#[source] FileError),
    #[error(transparent)]
    Engine(OptionError),
    /// The engine, the number of games, and the reason of the last.
    #[error("{0} abandoned {1} games in a row, the last because it {2}")]
    Abandoned(String, u32, String),
}

impl From<MatchRecordError> for MatchError {
    fn from(error: MatchRecordError) -> MatchError {
        SettingsError::Record(error).into()
    }
}

/// What is invalid in the settings of a match.
#[derive(Debug, Error)]
pub enum SettingsError {
    #[error("a match needs at least two engines")]
    TooFewEngines,
    #[error("a sequential test needs exactly two engines")]
    TestNeedsTwoEngines,
    #[error("{0}: self cannot ponder; an engine that ponders needs cmd=")]
    OwnPonders(String),
    #[error("{0}: pondering needs a clock (tc)")]
    PonderWithoutClock(String),
    #[error("lag needs a clock: no engine has a time control (tc)")]
    LagWithoutClock,
    #[error("{0}: {1}")]
    Option(String, #[source] OptionError),
    #[error("{0}: {1}")]
    Process(String, Failure),
    #[error(transparent)]
    Threads(EngineError),
    #[error(transparent)]
    Record(MatchRecordError),
}

impl SettingsError {
    /// True if the arguments are wrong: by themselves, or for the record that they continue.
    /// Otherwise a file or the system is at fault.
    pub fn is_in_the_arguments(&self) -> bool {
        match self {
            SettingsError::Threads(_) | SettingsError::Option(_, OptionError::Engine(_)) => false,
            SettingsError::Process(_, failure) => failure.is_in_the_specification,
            SettingsError::Record(MatchRecordError::OtherMatch { mismatch, .. }) => {
                *mismatch != RecordMismatch::Duplicate
            }
            SettingsError::Record(_) => false,
            _ => true,
        }
    }
}

/// Why the record of a match cannot be used.
#[derive(Debug, Error)]
pub enum MatchRecordError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "{}: game {} is not part of a recorded match; the file is unchanged",
        .0.display(), .1
    )]
    ForeignGame(PathBuf, usize),
    #[error(
        "{} is the record of another match: game {}.{} {mismatch}; the file is unchanged",
        path.display(), round.0, round.1
    )]
    OtherMatch {
        path: PathBuf,
        /// The pair and the game in it, from 1.
        round: (usize, usize),
        mismatch: RecordMismatch,
    },
    #[error("{} does not end with a game of this match; the file is unchanged", .0.display())]
    ForeignTail(PathBuf),
}

/// Why a recorded game does not fit a match.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordMismatch {
    #[error("is not in this match")]
    NotScheduled,
    #[error("differs, {0}")]
    Tags(String),
    #[error("occurs twice")]
    Duplicate,
}
