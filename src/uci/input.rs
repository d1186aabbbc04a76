//! The input side of a session: splits the input into lines, answers what must be answered during
//! a search, and forwards the rest to the engine thread.
//! Invariant: no line, however long, takes more than `MAX_LINE` bytes of memory.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use super::format;
use super::jobs::{JobKind, JobQueue, Query, Responder};
use super::output::UciOutput;
use super::parse::{UciCommand, parse};
use crate::engine::options::{self, UciOptions};
use crate::util::shorten;

/// Longer lines are ignored with an error.
const MAX_LINE: usize = 64 << 20;
/// Input that ends within this time of its last bytes is a script, whose limited searches are
/// finished; an interface that goes away later wants no more answers.
const SCRIPT_END: Duration = Duration::from_secs(1);

/// How the input ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputEnd {
    /// The session ends when all commands are executed.
    Script,
    /// The session ends at once.
    Now,
}

/// The input side of a session.
pub struct InputReader {
    out: Arc<UciOutput>,
    jobs: Arc<JobQueue>,
    sender: Sender<UciCommand>,
    debug: bool,
    /// Number of the current block of input: the bytes of one read.
    block: u64,
    /// The block of the last command for the engine thread.
    last_command: Option<u64>,
}

impl InputReader {
    pub fn new(
        out: Arc<UciOutput>,
        jobs: Arc<JobQueue>,
        sender: Sender<UciCommand>,
    ) -> InputReader {
        InputReader {
            out,
            jobs,
            sender,
            debug: false,
            block: 0,
            last_command: None,
        }
    }

    /// Reads until `quit` or the end of the input. Invalid UTF-8 is replaced, not rejected.
    pub fn read(mut self, mut input: impl BufRead) -> InputEnd {
        const PAUSE: Duration = Duration::from_millis(5);
        let mut line = LineBuffer::default();
        let mut last_read = Instant::now();
        loop {
            let bytes = match input.fill_buf() {
                Ok([]) => break,
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    thread::sleep(PAUSE);
                    continue;
                }
                Err(_) => break,
            };
            let length = bytes.len();
            self.block += 1;
            last_read = Instant::now();
            for part in bytes.split_inclusive(|&byte| byte == b'\n') {
                line.add(part);
                if part.ends_with(b"\n")
                    && let Some(end) = self.handle_line(line.take())
                {
                    return end;
                }
            }
            input.consume(length);
        }
        if let Some(end) = self.handle_line(line.take()) {
            return end;
        }
        if last_read.elapsed() < SCRIPT_END {
            self.jobs.close();
            InputEnd::Script
        } else {
            InputEnd::Now
        }
    }

    /// Handles a line of a session that gets its lines one by one. The result is the end of the
    /// input.
    pub fn line(&mut self, line: &str) -> Option<InputEnd> {
        self.handle_line(Some(line.as_bytes().to_vec()))
    }

    /// The end of the input: searches that need a `stop` are stopped.
    pub fn end(&self) {
        self.jobs.close();
    }

    /// Handles a line; `None` for one that was too long. The result is the end of the input.
    fn handle_line(&mut self, line: Option<Vec<u8>>) -> Option<InputEnd> {
        let Some(line) = line else {
            let text = format!("a line of more than {} MiB was ignored", MAX_LINE >> 20);
            self.out.error(&text);
            return None;
        };
        let line = String::from_utf8_lossy(&line);
        self.out.log_input(&line);
        match parse(&line) {
            Ok(UciCommand::Quit) => return Some(self.quit()),
            Ok(UciCommand::SetOption { name, value })
                if name.eq_ignore_ascii_case(options::LOG_FILE) =>
            {
                self.set_log(value.as_deref());
            }
            Ok(command) => self.handle(command),
            // The engine thread must not search the position before.
            Err(error) if error.command == "position" => {
                self.forward(UciCommand::BadPosition(error));
            }
            Err(error) => self.out.error(&error.to_string()),
        }
        None
    }

    /// Starts or ends the log. The engine thread would do it too late for the lines that follow.
    fn set_log(&self, value: Option<&str>) {
        let mut state = UciOptions::default();
        let result = options::set(&mut state, options::LOG_FILE, value).map_err(|e| e.to_string());
        let log_file = state.log_file.unwrap_or_default();
        let result = result.and_then(|_| {
            let path = (!log_file.as_os_str().is_empty()).then_some(&*log_file);
            let result = self.out.set_log(path);
            result.map_err(|error| format!("cannot write {}: {error}", log_file.display()))
        });
        if let Err(error) = result {
            self.out.error(&format!("setoption: {error}"));
        }
    }

    /// `quit` in the same block as the last command belongs to a script: a perft or a benchmark
    /// of that block and all other commands are finished, and only searches are stopped.
    fn quit(&self) -> InputEnd {
        if self.last_command == Some(self.block) {
            self.jobs.quit(self.block);
            InputEnd::Script
        } else {
            InputEnd::Now
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
                self.jobs.enqueue(job, go.ponder, self.block);
                self.forward(command);
            }
            UciCommand::Bench(_) | UciCommand::GenFens(_) => {
                self.jobs.enqueue(JobKind::Finite, false, self.block);
                self.forward(command);
            }
            other => self.forward(other),
        }
    }

    fn reply_to(&mut self, query: Query, command: UciCommand) {
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

    fn forward(&mut self, command: UciCommand) {
        self.last_command = Some(self.block);
        // The receiver always exists: a panic in the engine thread ends the process.
        let _ = self.sender.send(command);
    }
}

/// The bytes of a line that is being read.
#[derive(Default)]
struct LineBuffer {
    bytes: Vec<u8>,
    is_too_long: bool,
}

impl LineBuffer {
    fn add(&mut self, part: &[u8]) {
        if self.bytes.len() + part.len() > MAX_LINE {
            self.is_too_long = true;
            self.bytes = Vec::new();
        }
        if !self.is_too_long {
            self.bytes.extend_from_slice(part);
        }
    }

    /// The line, and an empty buffer for the next one; `None` if it was too long.
    fn take(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(self);
        (!line.is_too_long).then_some(line.bytes)
    }
}
