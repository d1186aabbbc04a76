//! The errors of UCI commands.
//! Invariant: their text starts with the name of the command, and quotes at most 80 characters of
//! an argument.

use std::fmt::Display;

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
        BadArgument { command: command.to_owned(), text: shorten(text), reason: reason.into() }
    }
}

/// Why a command was rejected or ended early; the session shows only the text.
pub type UciError = Box<dyn std::error::Error>;

/// Returns a function that adds the command to the cause of a failure, for `map_err`.
pub fn in_command<E: Display>(command: &'static str) -> impl Fn(E) -> UciError {
    move |cause| format!("{command}: {cause}").into()
}
