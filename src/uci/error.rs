//! The error of a rejected UCI command.
//! Invariant: its text starts with the name of the command.

use std::error::Error;

use thiserror::Error;

use super::argument::BadArgument;

/// Why a command was rejected.
#[derive(Debug, Error)]
pub enum UciError {
    /// An argument is invalid.
    #[error(transparent)]
    Argument(#[from] BadArgument),
    /// The command was ended by `stop`.
    #[error("{0}: stopped")]
    Stopped(&'static str),
    /// The command needs the feature `cli`.
    #[cfg(not(feature = "cli"))]
    #[error("{0}: not available in this build")]
    Unavailable(&'static str),
    /// The command could not be executed.
    #[error("{command}: {source}")]
    Failed {
        /// The name of the command.
        command: &'static str,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl UciError {
    /// Returns a function that wraps the cause of a failure, for `map_err`.
    pub fn in_command<E>(command: &'static str) -> impl FnOnce(E) -> UciError
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        move |source| UciError::Failed {
            command,
            source: source.into(),
        }
    }
}
