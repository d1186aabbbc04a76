//! The binary: arguments in, exit code out.

use std::env;
use std::process::ExitCode;

use brisance::cli::{self, Cli};
use clap::Parser;

fn main() -> ExitCode {
    // What is no UTF-8 is no line of UCI; clap says what is wrong with it.
    let arguments: Option<Vec<String>> = env::args_os()
        .skip(1)
        .map(|argument| argument.into_string().ok())
        .collect();
    arguments
        .and_then(|arguments| cli::run_lines(&arguments))
        .unwrap_or_else(|| cli::run(&Cli::parse()).unwrap_or_else(|error| error.report()))
}
