//! What the programs of the trainer share: the optimiser, how an error ends a program and how it names
//! a file.
//! Invariant: a failure prints one line on stderr and exits with 1.

pub mod tensor;

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

/// The exit code of a program; prints the error.
pub fn exit_code(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// An error as text, after the path of the file that it concerns.
pub fn why(path: &Path, error: &dyn Display) -> String {
    format!("{}: {error}", path.display())
}
