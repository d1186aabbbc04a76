//! The binary: arguments in, exit code out.

use std::process::ExitCode;

use brisance::cli::{self, Cli};
use clap::Parser;

fn main() -> ExitCode {
    match cli::run(&Cli::parse()) {
        Ok(code) => code,
        Err(error) => error.report(),
    }
}
