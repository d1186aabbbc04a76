//! A UCI session with the binary, as a GUI holds it.
//! Invariant: no wait is endless; a binary that stays silent for `TIMEOUT` fails the test.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command as Process, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A guard against hanging, far longer than anything here takes.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A running binary and its output.
pub struct Session {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
}

impl Session {
    pub fn start() -> Session {
        Session::with(|_| {})
    }

    /// A session with a binary that is started with changes to its environment.
    pub fn with(change: impl FnOnce(&mut Process)) -> Session {
        let mut command = Process::new(env!("CARGO_BIN_EXE_brisance"));
        change(&mut command);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let output = process.stdout.take().expect("piped");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.expect("the output is UTF-8");
                assert_eq!(line, line.trim_end(), "trailing white space");
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        Session { input: process.stdin.take(), process, lines }
    }

    /// A session after the handshake.
    pub fn ready() -> Session {
        let mut session = Session::start();
        session.send("uci");
        session.until("uciok");
        session.sync();
        session
    }

    pub fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("standard input is open");
        input.write_all(bytes).expect("the binary reads");
        input.flush().expect("the binary reads");
    }

    /// All lines up to and including the first that starts with `prefix`, and when that was printed.
    fn read_until(&mut self, prefix: &str) -> (Vec<String>, Instant) {
        let mut lines = Vec::new();
        loop {
            let next = self.lines.recv_timeout(TIMEOUT);
            let (seen, line) = next.expect("a line before the timeout");
            let found = line.starts_with(prefix);
            lines.push(line);
            if found {
                return (lines, seen);
            }
        }
    }

    pub fn until(&mut self, prefix: &str) -> Vec<String> {
        self.read_until(prefix).0
    }

    /// Sends a line and returns the time until the first line that starts with `prefix`.
    pub fn measure(&mut self, text: &str, prefix: &str) -> Duration {
        let sent = Instant::now();
        self.send(text);
        let (_, seen) = self.read_until(prefix);
        seen.saturating_duration_since(sent)
    }

    /// Sends `isready` and returns the lines before `readyok`.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        assert_eq!(lines.pop().as_deref(), Some("readyok"));
        lines
    }

    /// Sends a line and then `isready`, and returns the lines before `readyok`.
    pub fn tell(&mut self, text: &str) -> Vec<String> {
        self.send(text);
        self.sync()
    }

    /// Sends a line and returns all lines up to the next `bestmove`.
    pub fn search(&mut self, text: &str) -> Vec<String> {
        self.send(text);
        self.until("bestmove")
    }

    /// All lines printed within `time`.
    pub fn listen(&mut self, time: Duration) -> Vec<String> {
        let end = Instant::now() + time;
        let mut lines = Vec::new();
        loop {
            let rest = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(rest) {
                Ok((_, line)) => lines.push(line),
                Err(RecvTimeoutError::Timeout) => return lines,
                Err(RecvTimeoutError::Disconnected) => panic!("the binary has ended"),
            }
        }
    }

    /// The FEN that `d` prints.
    pub fn fen(&mut self) -> String {
        let lines = self.tell("d");
        let fen = lines.iter().find_map(|line| line.strip_prefix("Fen: "));
        fen.expect("d shows a FEN").to_string()
    }

    /// Closes the input and returns the remaining lines and the exit status.
    pub fn end(mut self) -> (Vec<String>, ExitStatus) {
        self.input = None;
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(TIMEOUT) {
                Ok((_, line)) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the binary does not end"),
            }
        }
        let status = self.process.wait().expect("the binary has ended");
        (lines, status)
    }

    /// Ends the session by `quit`, after which nothing more is printed.
    #[track_caller]
    pub fn quit(mut self) {
        self.send("quit");
        let (rest, status) = self.end();
        assert!(rest.is_empty() && status.success(), "{rest:?} {status}");
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It has already exited if the test succeeded.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// All lines that the binary prints for `text` on its standard input.
pub fn piped(text: &str) -> Vec<String> {
    let mut session = Session::start();
    session.send_bytes(text.as_bytes());
    let (lines, status) = session.end();
    assert!(status.success(), "{text:?}: {status}");
    lines
}

pub fn errors(lines: &[String]) -> Vec<&String> {
    let is_error = |line: &&String| line.starts_with("info string error ");
    lines.iter().filter(is_error).collect()
}

/// The best move of a search. Checks that exactly one `bestmove` comes last, after at least one
/// complete `info` line.
pub fn answer(lines: &[String]) -> &str {
    let is_best_move = |line: &&String| line.starts_with("bestmove ");
    assert_eq!(lines.iter().filter(is_best_move).count(), 1, "{lines:?}");
    let last = lines.last().expect("not empty");
    let best = last.strip_prefix("bestmove ").expect("bestmove comes last");
    let full = |line: &String| {
        line.starts_with("info depth ")
            && line.contains(" score ")
            && (line.contains(" pv ") || best == "(none)")
    };
    assert!(lines.iter().any(full), "{lines:?}");
    best.split(' ').next().expect("not empty")
}
