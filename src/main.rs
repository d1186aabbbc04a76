//! The binary: arguments in, exit code out.

use std::env;
use std::process::ExitCode;
use std::thread::{Builder, JoinHandle};

use brisance::cli::{self, Cli};
use brisance::search::STACK_SIZE;
use clap::Parser;

fn main() -> ExitCode {
    // Searches run on the thread that asks for them.
    let thread = Builder::new().name("main".into());
    let thread = thread.stack_size(STACK_SIZE).spawn(run);
    match thread.map(JoinHandle::join) {
        Ok(Ok(code)) => code,
        // The panic was reported where it happened.
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => cli::Error::Failed(format!("cannot start a thread: {error}")).report(),
    }
}

fn run() -> ExitCode {
    // What is no UTF-8 is no line of UCI; clap says what is wrong with it.
    let arguments: Option<Vec<String>> = env::args_os()
        .skip(1)
        .map(|argument| argument.into_string().ok())
        .collect();
    arguments
        .and_then(|arguments| cli::run_lines(&arguments))
        .unwrap_or_else(|| cli::run(&Cli::parse()).unwrap_or_else(|error| error.report()))
}
