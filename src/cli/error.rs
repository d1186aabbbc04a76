//! The error of a command and its exit code.
//! Invariant: a closed stdout pipe is no error.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use thiserror::Error;

use crate::data::DataError;
use crate::engine::EngineError;
use crate::util::shorten_message;

/// Why a command failed.
#[derive(Debug, Error)]
pub enum CliError {
    /// The arguments are invalid.
    #[error("{0}")]
    Usage(String),
    /// The command failed.
    #[error("{0}")]
    Failed(String),
    /// The result cannot be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
}

impl CliError {
    /// An error in the arguments.
    pub(super) fn usage(error: impl fmt::Display) -> CliError {
        CliError::Usage(error.to_string())
    }

    /// A failure of the command.
    pub(super) fn failed(error: impl fmt::Display) -> CliError {
        CliError::Failed(error.to_string())
    }

    /// An interrupt after a part of the work, in a run that can be continued.
    pub(super) fn interrupted(done: impl fmt::Display) -> CliError {
        CliError::Failed(format!(
            "interrupted after {done}; the same command continues"
        ))
    }

    /// Prints the error on stderr and returns its exit code. A closed stdout pipe counts as
    /// success and prints nothing.
    pub fn report(&self) -> ExitCode {
        let code = match self {
            CliError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            CliError::Usage(_) => 2,
            CliError::Failed(_) | CliError::Output(_) => 1,
        };
        // eprintln! would panic if stderr is closed.
        let text = shorten_message(&self.to_string());
        let _ = writeln!(io::stderr(), "error: {text}");
        ExitCode::from(code)
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> CliError {
        CliError::Failed(error.to_string())
    }
}

impl From<DataError> for CliError {
    fn from(error: DataError) -> CliError {
        CliError::Failed(error.to_string())
    }
}
