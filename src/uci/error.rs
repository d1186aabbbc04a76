//! The errors of UCI commands.
//! Invariant: their text starts with the name of the command, and quotes at most 80 characters of
//! an argument.

use std::error::Error;

use thiserror::Error;

use crate::util::shorten;

/// A known command with an invalid argument.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{command}: {text:?} {reason}")]
pub struct BadArgument {
    /// The command, with the keyword that the argument belongs to.
    pub command: String,
    /// The invalid text, shortened if it is long.
    pub text: String,
    /// The reason, as a predicate of the text.
    pub reason: String,
}

impl BadArgument {
    pub(super) fn new(command: &str, text: &str, reason: impl Into<String>) -> BadArgument {
        BadArgument {
            command: command.to_owned(),
            text: shorten(text),
            reason: reason.into(),
        }
    }
}

/// Why a command was rejected or ended early.
#[derive(Debug, Error)]
pub enum UciError {
    #[error(transparent)]
    Argument(#[from] BadArgument),
    #[error("{command}: {cause}")]
    Failed {
        command: &'static str,
        cause: Box<dyn Error + Send + Sync>,
    },
}

impl UciError {
    /// Returns a function that wraps the cause of a failure, for `map_err`.
    pub fn in_command<E>(command: &'static str) -> impl Fn(E) -> UciError
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        move |cause| UciError::Failed {
            command,
            cause: cause.into(),
        }
    }
}
