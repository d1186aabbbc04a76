//! What the programs of the trainer share: the optimiser, growing networks, how an error ends a program
//! and how it names a file, and which files may be replaced.
//! Invariant: a failure prints one line on stderr and exits with 1.

pub mod grow;
pub mod tensor;

use std::fmt::Display;
use std::path::{Path, PathBuf};
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

/// Fails if an output is an input, or if it exists and `force` is not given.
///
/// # Errors
/// The text names the output.
pub fn check_outputs(outputs: &[PathBuf], inputs: &[&Path], force: bool) -> Result<(), String> {
    for output in outputs {
        let is_output = |input: &&Path| same_file::is_same_file(input, output).unwrap_or(false);
        if inputs.iter().any(is_output) {
            return Err(why(output, &"it is an input; use another output"));
        }
        if output.exists() && !force {
            return Err(why(output, &"it exists; use --force to replace it"));
        }
    }
    Ok(())
}
