//! The input side of a session: splits the input into lines, answers what must be answered during
//! a search, and forwards the rest to the engine thread.
//! Invariant: no line, however long, takes more memory than `MAX_LINE` bytes and one read.

use std::io::{self, BufRead};
use std::mem;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::format;
use super::output::UciOutput;
use super::parse::{UciCommand, UciMessage, parse};
use super::queue::CommandQueue;
use crate::engine::options::{self, UciOptions};
use crate::util::{expand_home, shorten};

/// Longer lines are ignored with an error.
const MAX_LINE: usize = 64 << 20;
/// Input that ends within this time of its last bytes is a script, whose limited searches are
/// finished; an interface that goes away later wants no more answers.
const SCRIPT_END: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputEnd {
    /// The session ends when all commands are executed.
    Script,
    /// The session ends at once.
    Now,
}

pub struct InputReader {
    out: Arc<UciOutput>,
    pub(super) queue: Arc<CommandQueue>,
    debug: bool,
    /// Number of the current block of input: the bytes of one read.
    block: u64,
    /// The block of the last command for the engine thread.
    last_command: Option<u64>,
}

impl InputReader {
    pub fn new(out: Arc<UciOutput>, queue: Arc<CommandQueue>) -> InputReader {
        InputReader { out, queue, debug: false, block: 0, last_command: None }
    }

    /// Reads until `quit` or the end of the input. Invalid UTF-8 is replaced, not rejected.
    pub fn read(mut self, mut input: impl BufRead) -> InputEnd {
        const PAUSE: Duration = Duration::from_millis(5);
        let mut line = Vec::new();
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
                if line.len() <= MAX_LINE {
                    line.extend_from_slice(part);
                }
                if part.ends_with(b"\n")
                    && let Some(end) = self.handle_line(&mem::take(&mut line))
                {
                    return end;
                }
            }
            input.consume(length);
        }
        if let Some(end) = self.handle_line(&line) {
            return end;
        }
        if last_read.elapsed() < SCRIPT_END {
            self.queue.close();
            InputEnd::Script
        } else {
            InputEnd::Now
        }
    }

    /// Handles a line. The result is the end of the input.
    pub fn handle_line(&mut self, line: &[u8]) -> Option<InputEnd> {
        if line.len() > MAX_LINE {
            let text = format!("a line of more than {} MiB was ignored", MAX_LINE >> 20);
            self.out.error(&text);
            return None;
        }
        let line = String::from_utf8_lossy(line);
        self.out.log_input(&line);
        match parse(&line) {
            Ok(UciCommand::Message(message)) => return self.handle_message(message),
            Ok(UciCommand::Unknown(line)) => self.debug_note("unknown command", &line),
            Ok(command) => {
                if let UciCommand::Go(go) = &command {
                    self.debug_note("ignored in go:", &go.ignored.join(" "));
                }
                self.push(command);
            }
            // The engine thread must not search the position before.
            Err(error) if error.command == "position" => {
                self.push(UciCommand::BadPosition(error));
            }
            Err(error) => self.out.error(&error.to_string()),
        }
        None
    }

    fn handle_message(&mut self, message: UciMessage) -> Option<InputEnd> {
        match &message {
            UciMessage::Quit => return Some(self.quit()),
            UciMessage::Stop => self.queue.stop(),
            UciMessage::PonderHit => self.queue.ponderhit(),
            UciMessage::Debug(on) => self.debug = *on,
            UciMessage::Register { .. } => {}
            UciMessage::Uci | UciMessage::IsReady => {
                if self.queue.push_query(&message) {
                    self.last_command = Some(self.block);
                } else {
                    self.out.print(&format::reply(&message));
                }
            }
            UciMessage::SetOption { name, value }
                if name.eq_ignore_ascii_case(options::LOG_FILE) =>
            {
                if let Err(error) = self.set_log(value.as_deref()) {
                    self.out.error(&format!("setoption: {error}"));
                }
            }
            _ => self.push(UciCommand::Message(message)),
        }
        None
    }

    /// Starts or ends the log. The engine thread would do it too late for the lines that follow.
    fn set_log(&self, value: Option<&str>) -> Result<(), String> {
        let mut state = UciOptions::default();
        options::set(&mut state, options::LOG_FILE, value).map_err(|error| error.to_string())?;
        let path = state.log_file.map(|path| expand_home(&path));
        self.out.set_log(path.as_deref()).map_err(|error| {
            let path = path.unwrap_or_default();
            format!("cannot write {}: {error}", path.display())
        })
    }

    /// `quit` in the same block as the last command belongs to a script: a perft or a benchmark
    /// of that block and all other commands are finished, and only searches are stopped.
    fn quit(&self) -> InputEnd {
        if self.last_command == Some(self.block) {
            self.queue.quit(self.block);
            InputEnd::Script
        } else {
            InputEnd::Now
        }
    }

    /// Prints a note under `debug on` only; some GUIs mishandle unsolicited lines.
    fn debug_note(&self, label: &str, text: &str) {
        if self.debug && !text.is_empty() {
            self.out.info(&format!("{label} {:?}", shorten(text)));
        }
    }

    fn push(&mut self, command: UciCommand) {
        self.last_command = Some(self.block);
        self.queue.push(command, self.block);
    }
}
