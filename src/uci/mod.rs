//! The UCI front end. One thread reads lines and handles `isready`, `stop`, `ponderhit` and
//! `quit` at once; a second thread owns the engine and executes all other commands in order.
//! Invariant: every output line is a reply to a command; the session ends only at `quit` or at
//! the end of the input, both with exit code 0.

mod argument;
mod bench;
mod error;
mod format;
mod go;
mod jobs;
mod mate;
pub mod parse;
mod session;

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use jobs::{JobKind, JobQueue, Query, Responder};
use parse::UciCommand;
use session::Session;

use crate::search::STACK_SIZE;
use crate::util::shorten;
use format::UciOutput;

/// Runs a UCI session on standard input and output until `quit` or the end of the input.
pub fn run() -> ExitCode {
    run_with(io::stdin().lock(), Box::new(io::stdout()))
}

/// Runs a UCI session on any input and output until `quit` or the end of the input.
pub fn run_with(input: impl BufRead, output: Box<dyn Write + Send>) -> ExitCode {
    run_session(input, &Arc::new(UciOutput::new(output)))
}

/// Executes a fixed list of UCI lines, up to `quit`, and waits for every search to finish.
/// The exit code is 2 if a line was rejected.
pub fn run_lines(lines: &[String]) -> ExitCode {
    let out = Arc::new(UciOutput::new(Box::new(io::stdout())));
    // A `quit` read during a search would stop it, so it is dropped.
    let lines = lines.iter().map(|line| line.trim());
    let lines: Vec<&str> = lines
        .take_while(|line| !line.eq_ignore_ascii_case("quit"))
        .collect();
    let code = run_session(lines.join("\n").as_bytes(), &out);
    if out.has_error() {
        ExitCode::from(2)
    } else {
        code
    }
}

fn run_session(input: impl BufRead, out: &Arc<UciOutput>) -> ExitCode {
    let jobs = Arc::new(JobQueue::default());
    let (sender, commands) = channel();
    let engine = match spawn(out, &jobs, commands) {
        Ok(engine) => engine,
        Err(error) => {
            out.error(&format!("cannot start the engine thread: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let listener = InputReader {
        out: Arc::clone(out),
        jobs,
        sender,
        debug: false,
    };
    listener.read(input);
    match engine.join() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn spawn(
    out: &Arc<UciOutput>,
    jobs: &Arc<JobQueue>,
    commands: Receiver<UciCommand>,
) -> io::Result<JoinHandle<()>> {
    let (out, jobs) = (Arc::clone(out), Arc::clone(jobs));
    Builder::new()
        .name("engine".to_string())
        .stack_size(STACK_SIZE)
        .spawn(move || {
            let work = AssertUnwindSafe(|| {
                Session::new(Arc::clone(&out), jobs).run(&commands);
            });
            if catch_unwind(work).is_err() {
                // A GUI detects an engine that exits at once, a silent one only on time forfeit.
                out.error("internal error; please report this bug");
                std::process::exit(101);
            }
        })
}

/// The input side of a session.
struct InputReader {
    out: Arc<UciOutput>,
    jobs: Arc<JobQueue>,
    sender: Sender<UciCommand>,
    debug: bool,
}

impl InputReader {
    /// Reads until `quit` or the end of the input. Invalid UTF-8 is replaced, not rejected.
    fn read(mut self, mut input: impl BufRead) {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match input.read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => break self.jobs.close(),
                Ok(_) => {}
            }
            match parse::parse(&String::from_utf8_lossy(&bytes)) {
                Ok(UciCommand::Quit) => break self.jobs.quit(),
                Ok(command) => self.handle(command),
                Err(error) => self.out.error(&error.to_string()),
            }
        }
    }

    fn handle(&mut self, command: UciCommand) {
        match command {
            UciCommand::Uci => self.reply_to(Query::Uci, command),
            UciCommand::IsReady => self.reply_to(Query::IsReady, command),
            UciCommand::Stop => self.jobs.stop(),
            UciCommand::PonderHit => self.jobs.ponderhit(),
            UciCommand::Debug(on) => self.debug = on,
            UciCommand::Register | UciCommand::Quit => {}
            UciCommand::Unknown(line) => self.debug_note("unknown command", &line),
            UciCommand::Go(ref go) => {
                self.debug_note("ignored in go:", &go.ignored.join(" "));
                let job = match go.perft {
                    Some(_) => JobKind::Finite,
                    None => JobKind::Search,
                };
                self.jobs.enqueue(job, go.ponder);
                self.forward(command);
            }
            UciCommand::Bench(_) | UciCommand::GenFens(_) => {
                self.jobs.enqueue(JobKind::Finite, false);
                self.forward(command);
            }
            other => self.forward(other),
        }
    }

    fn reply_to(&self, query: Query, command: UciCommand) {
        match self.jobs.responder(query) {
            Responder::InputThread => self.out.print(&format::reply(query)),
            Responder::EngineAtStart => {}
            Responder::EngineInOrder => self.forward(command),
        }
    }

    /// Prints a note under `debug on` only; some GUIs mishandle unsolicited lines.
    fn debug_note(&self, label: &str, text: &str) {
        if self.debug && !text.is_empty() {
            self.out.info(&format!("{label} {:?}", shorten(text)));
        }
    }

    fn forward(&self, command: UciCommand) {
        // The receiver always exists: a panic in the engine thread ends the process.
        let _ = self.sender.send(command);
    }
}
