//! The UCI front end. One thread reads lines and handles `isready`, `stop`, `ponderhit` and
//! `quit` at once; a second thread owns the engine and executes all other commands in order.
//! Invariant: every output line is a reply to a command; the session ends at `quit`, at the end
//! of the input, and within a second when nobody reads the output any more.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

mod embedded;
mod error;
pub(crate) mod evaluation;
mod format;
mod go;
mod hangup;
mod input;
mod jobs;
mod mate;
mod moves;
mod output;
pub mod parse;
mod queue;
mod search;
mod session;

use std::io::{self, BufRead, BufReader, Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

use hangup::wait_for_hangup;
use input::{InputEnd, InputReader};
use output::UciOutput;
use queue::CommandQueue;
use session::Session;

use crate::search::STACK_SIZE;

pub use embedded::{EmbeddedInput, EmbeddedSession, embedded};

/// How long a session that should end at once waits for the engine thread.
const GRACE: Duration = Duration::from_millis(80);

/// What the threads of a session report to its owner.
enum SessionEvent {
    EngineDone,
    /// The session should end at once.
    EndNow,
}

/// Runs a UCI session on standard input and output until `quit` or the end of the input.
pub fn run() -> ExitCode {
    let input = BufReader::new(io::stdin());
    UciSession::new(Box::new(io::stdout())).run(input, true)
}

/// Runs a UCI session on any input and output until `quit` or the end of the input.
pub fn run_with(input: impl BufRead + Send + 'static, output: Box<dyn Write + Send>) -> ExitCode {
    UciSession::new(output).run(input, false)
}

/// Executes a fixed list of UCI lines, up to `quit`, and waits for every search to finish.
/// The exit code is 2 if a line was rejected.
pub fn run_lines(lines: &[String]) -> ExitCode {
    // A `quit` read during a search would stop it, so it is dropped.
    let lines = lines.iter().map(|line| line.trim());
    let lines = lines.take_while(|line| !line.eq_ignore_ascii_case("quit"));
    let text = lines.collect::<Vec<_>>().join("\n");
    let input = Cursor::new(text.into_bytes());
    let session = UciSession::new(Box::new(io::stdout()));
    let out = Arc::clone(&session.out);
    let code = session.run(input, true);
    if code == ExitCode::SUCCESS && out.has_error() { ExitCode::from(2) } else { code }
}

/// What the threads of a session share.
struct UciSession {
    out: Arc<UciOutput>,
    queue: Arc<CommandQueue>,
    events: Sender<SessionEvent>,
    received: Receiver<SessionEvent>,
}

impl UciSession {
    fn new(writer: Box<dyn Write + Send>) -> UciSession {
        let queue = Arc::new(CommandQueue::default());
        let (events, received) = channel();
        let end_now = end_now(&queue, &events);
        UciSession { out: Arc::new(UciOutput::new(writer, end_now)), queue, events, received }
    }

    /// Runs the session. With `is_stdout`, the output is standard output.
    fn run(self, input: impl BufRead + Send + 'static, is_stdout: bool) -> ExitCode {
        let reader = InputReader::new(Arc::clone(&self.out), Arc::clone(&self.queue));
        let end = end_now(&self.queue, &self.events);
        // This thread may still wait for input when the session ends.
        let read = move || {
            if reader.read(input) == InputEnd::Now {
                end();
            }
        };
        if let Err(error) = self.start_engine().and_then(|()| spawn("input", read)) {
            let text = format!("cannot start the threads of the session: {error}");
            self.out.error(&text);
            return ExitCode::FAILURE;
        }
        if is_stdout {
            let end = end_now(&self.queue, &self.events);
            // Without this thread, a search that prints nothing would not notice that nobody reads
            // its output any more.
            let watch = move || {
                if wait_for_hangup().is_some() {
                    end();
                }
            };
            let _ = spawn("hangup", watch);
        }
        // The threads hold senders of their own, so there is always an event.
        if let Ok(SessionEvent::EndNow) = self.received.recv() {
            let end = Instant::now() + GRACE;
            let left = || end.saturating_duration_since(Instant::now());
            while let Ok(SessionEvent::EndNow) = self.received.recv_timeout(left()) {}
        }
        match self.out.failure() {
            None => ExitCode::SUCCESS,
            Some(error) => {
                let _ = writeln!(io::stderr(), "error: cannot write the output: {error}");
                ExitCode::FAILURE
            }
        }
    }

    fn start_engine(&self) -> io::Result<()> {
        let (out, queue) = (Arc::clone(&self.out), Arc::clone(&self.queue));
        let events = self.events.clone();
        let work = move || {
            let work = || Session::new(Arc::clone(&out), queue).run();
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                // A GUI detects an engine that exits at once, a silent one only on time forfeit.
                out.error("internal error; please report this bug");
                std::process::exit(101);
            }
            let _ = events.send(SessionEvent::EngineDone);
        };
        spawn("engine", work)
    }
}

/// Starts a thread. Its stack is that of a search; a thread uses only what it needs of it.
fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = Builder::new().name(name.to_owned());
    thread.stack_size(STACK_SIZE).spawn(work).map(drop)
}

/// Returns a function that stops all jobs and ends the session.
fn end_now(
    queue: &Arc<CommandQueue>,
    events: &Sender<SessionEvent>,
) -> impl Fn() + Send + Sync + use<> {
    let (queue, events) = (Arc::clone(queue), events.clone());
    move || {
        queue.end();
        let _ = events.send(SessionEvent::EndNow);
    }
}
