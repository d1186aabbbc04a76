//! The errors of a match.
//! Invariant: an error about a file names it, and an error about an engine names the engine.

use std::io;
use std::path::PathBuf;

use rayon::ThreadPoolBuildError;
use thiserror::Error;

use super::failure::Failure;
use super::pgn::TagDifference;
use crate::engine::options::OptionError;

/// Why a match cannot be played or finished.
#[derive(Debug, Error)]
pub enum MatchError {
    /// The settings are invalid; nothing was played.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A game could not be recorded; earlier games are in the record.
    #[error("cannot record a game: {0}")]
    Record(#[source] io::Error),
    /// An engine of this process could not be created; earlier games are in the record.
    #[error(transparent)]
    Engine(OptionError),
    /// The named engine abandoned several games in a row, the last for this reason.
    #[error("{0} abandoned {1} games in a row, the last because it {2}")]
    Abandoned(String, u32, String),
}

/// What is invalid in the settings of a match.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// Fewer than two engines.
    #[error("a match needs at least two engines")]
    TooFewEngines,
    /// Two engines have this name.
    #[error("two players are named {0:?}")]
    DuplicateName(String),
    /// A sequential test with more than two engines.
    #[error("a sequential test needs exactly two engines")]
    TestNeedsTwoEngines,
    /// The named engine of this process cannot ponder.
    #[error("{0}: self cannot ponder; an engine that ponders needs cmd=")]
    OwnPonders(String),
    /// The named engine is to ponder, but has no clock.
    #[error("{0}: pondering needs a clock (tc)")]
    PonderWithoutClock(String),
    /// A lag, but no engine has a clock.
    #[error("lag needs a clock: no engine has a time control (tc)")]
    LagWithoutClock,
    /// There is no opening.
    #[error("no openings")]
    NoOpenings,
    /// The named engine rejects an option.
    #[error("{0}: {1}")]
    Option(String, #[source] OptionError),
    /// The named engine process cannot play.
    #[error("{0}: {1}")]
    Process(String, Failure),
    /// The threads cannot be created.
    #[error(transparent)]
    Threads(#[from] ThreadPoolBuildError),
    /// The record cannot be used.
    #[error(transparent)]
    Record(#[from] MatchRecordError),
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
    /// A new match would overwrite the file.
    #[error("{} exists; --resume continues it", .0.display())]
    Exists(PathBuf),
    /// The name is that of a folder.
    #[error("{} is a folder", .0.display())]
    Folder(PathBuf),
    /// Another match has locked the file.
    #[error("{}: another match is writing to it", .0.display())]
    Locked(PathBuf),
    /// The file cannot be read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// A game in the file (counted from 1) was not written by this program.
    #[error(
        "{}: game {} is not part of a recorded match; the file is unchanged",
        .0.display(), .1
    )]
    ForeignGame(PathBuf, usize),
    /// A game of the record, by pair and number, does not fit this match.
    #[error(
        "{} is the record of another match: game {}.{} {mismatch}; the file is unchanged",
        path.display(), round.0, round.1
    )]
    OtherMatch {
        /// The record.
        path: PathBuf,
        /// The pair and the game in it, from 1.
        round: (usize, usize),
        /// What does not fit.
        mismatch: RecordMismatch,
    },
    /// The end of the record belongs to something else.
    #[error("{} does not end with a game of this match; the file is unchanged", .0.display())]
    ForeignTail(PathBuf),
}

/// Why a recorded game does not fit a match.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordMismatch {
    /// The match has no game of this number.
    #[error("is not in this match")]
    NotScheduled,
    /// The same game of the match has another tag.
    #[error("differs, {0}")]
    Tags(TagDifference),
    /// The record has the game twice.
    #[error("occurs twice")]
    Duplicate,
}
