//! The `brisance` binary: runs the command line and returns its exit code.
//! Invariant: all work runs on a thread with the stack size that a search needs.

use std::env;
use std::process::ExitCode;
use std::thread::{Builder, JoinHandle};

use brisance::cli;
use brisance::search::STACK_SIZE;

fn main() -> ExitCode {
    // A search may run on the calling thread.
    let thread = Builder::new().name("main".into());
    let thread = thread.stack_size(STACK_SIZE).spawn(run);
    match thread.map(JoinHandle::join) {
        Ok(Ok(code)) => code,
        // The panic handler has printed the message.
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => cli::CliError::Failed(format!("cannot start a thread: {error}")).report(),
    }
}

fn run() -> ExitCode {
    // Arguments that are not UTF-8 are left to clap, which reports them.
    let arguments: Option<Vec<String>> =
        env::args_os().skip(1).map(|argument| argument.into_string().ok()).collect();
    arguments.and_then(|arguments| cli::run_uci_arguments(&arguments)).unwrap_or_else(|| {
        match cli::parse_arguments() {
            Ok(arguments) => cli::run(&arguments).unwrap_or_else(|error| error.report()),
            Err(code) => code,
        }
    })
}
