//! The error of a command and its exit code.
//! Invariant: a closed stdout pipe is no error.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use thiserror::Error;

use crate::data::DataError;
use crate::engine::EngineError;
use crate::files::FileError;
use crate::opening::BookError;
use crate::proof::SolverError;
use crate::proof::state::StateError;
use crate::selfplay::openings::OpeningFileError;
#[cfg(feature = "tune")]
use crate::selfplay::spsa::SpsaError;
use crate::tablebase::TablebaseError;
use crate::util::shorten_message;

/// Why a command failed.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum CliError {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Failed(String),
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error(transparent)]
    Tablebase(#[from] TablebaseError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Openings(#[from] OpeningFileError),
    #[cfg(feature = "tune")]
    #[error(transparent)]
    Spsa(#[from] SpsaError),
    #[cfg(feature = "tune")]
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

pub(super) fn usage<T>(text: impl Display) -> Result<T, CliError> {
    Err(CliError::Usage(text.to_string()))
}

pub(super) fn failed<T>(text: impl Display) -> Result<T, CliError> {
    Err(CliError::Failed(text.to_string()))
}

impl From<FileError> for CliError {
    fn from(error: FileError) -> CliError {
        match error {
            FileError::Stdout(error) => CliError::Output(error),
            FileError::Standard(text) => CliError::Usage(text.to_owned()),
            error => CliError::Failed(error.to_string()),
        }
    }
}

impl From<StateError> for CliError {
    fn from(error: StateError) -> CliError {
        match error {
            StateError::File(error) => error.into(),
            error => CliError::Failed(error.to_string()),
        }
    }
}

impl CliError {
    /// An interrupt after a part of the work, in a run that can be continued.
    pub(super) fn interrupted(done: impl Display) -> CliError {
        CliError::stopped(done, "the same command continues")
    }

    /// An interrupt after a part of the work; `kept` tells what becomes of that part.
    pub(super) fn stopped(done: impl Display, kept: impl Display) -> CliError {
        CliError::Failed(format!("interrupted after {done}; {kept}"))
    }

    pub(super) fn read(name: impl Display, error: &io::Error) -> CliError {
        CliError::Failed(format!("cannot read {name}: {error}"))
    }

    /// Prints the error on stderr and returns its exit code. A closed stdout pipe counts as
    /// success and prints nothing.
    pub fn report(&self) -> ExitCode {
        let code = match self {
            CliError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            CliError::Usage(_) => 2,
            _ => 1,
        };
        // eprintln! would panic if stderr is closed.
        let text = shorten_message(&self.to_string());
        let _ = writeln!(io::stderr(), "error: {text}");
        ExitCode::from(code)
    }
}
