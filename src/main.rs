//! The binary: arguments in, exit code out.

use std::process::ExitCode;

use brisance::cli::{self, Cli};
use clap::Parser;

fn main() -> ExitCode {
    cli::run(&Cli::parse()).unwrap_or_else(|error| error.report())
}
