//! A conversation with the real binary, as an interface leads it.
//! Invariant: nothing waits for ever; a binary that is silent too long fails the test.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command as Process, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Far longer than anything here takes; a loaded machine must not fail the tests.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);
/// What the median of several quick answers must stay below, with room for a loaded machine;
/// on an idle one it is under a millisecond.
pub(super) const PROMPT: Duration = Duration::from_millis(100);

/// A conversation with the binary.
pub(super) struct Session {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
}

impl Session {
    pub(super) fn start() -> Session {
        let mut process = Process::new(env!("CARGO_BIN_EXE_brisance"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let output = process.stdout.take().expect("piped");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.expect("the output is UTF-8");
                assert_eq!(line, line.trim_end(), "trailing blanks");
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        Session {
            input: process.stdin.take(),
            process,
            lines,
        }
    }

    /// A conversation in which the handshake is done.
    pub(super) fn ready() -> Session {
        let mut session = Session::start();
        session.send("uci");
        session.until("uciok");
        session.sync();
        session
    }

    pub(super) fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    pub(super) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).expect("the binary reads");
        input.flush().expect("the binary reads");
    }

    fn next(&mut self) -> (Instant, String) {
        self.lines
            .recv_timeout(PATIENCE)
            .expect("a line within the patience of the test")
    }

    /// All lines up to and including the first that begins with `prefix`.
    pub(super) fn until(&mut self, prefix: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let (_, line) = self.next();
            let found = line.starts_with(prefix);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Sends, and measures the time to the first line that begins with `prefix`.
    pub(super) fn measure(&mut self, text: &str, prefix: &str) -> Duration {
        let sent = Instant::now();
        self.send(text);
        loop {
            let (seen, line) = self.next();
            if line.starts_with(prefix) {
                return seen.saturating_duration_since(sent);
            }
        }
    }

    /// All lines that come before the answer to `isready`.
    pub(super) fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        assert_eq!(lines.pop().as_deref(), Some("readyok"));
        lines
    }

    /// The lines that come within `time`.
    pub(super) fn listen(&mut self, time: Duration) -> Vec<String> {
        let end = Instant::now() + time;
        let mut lines = Vec::new();
        loop {
            match self
                .lines
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok((_, line)) => lines.push(line),
                Err(RecvTimeoutError::Timeout) => return lines,
                Err(RecvTimeoutError::Disconnected) => panic!("the binary has ended"),
            }
        }
    }

    /// The FEN that `d` shows.
    pub(super) fn fen(&mut self) -> String {
        self.send("d");
        let lines = self.sync();
        let fen = lines.iter().find_map(|line| line.strip_prefix("Fen: "));
        fen.expect("d shows a FEN").to_string()
    }

    /// Closes the input and returns what is still said and how the process ends.
    pub(super) fn end(mut self) -> (Vec<String>, ExitStatus) {
        self.input = None;
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok((_, line)) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the binary does not end"),
            }
        }
        let status = self.process.wait().expect("the binary has ended");
        (lines, status)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Only this test's own process; it has ended already when the test succeeded.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Everything the binary says to a text that is piped in at once.
pub(super) fn piped(text: &str) -> Vec<String> {
    let mut session = Session::start();
    session.send_bytes(text.as_bytes());
    let (lines, status) = session.end();
    assert!(status.success(), "{text:?}: {status}");
    lines
}

pub(super) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

pub(super) fn errors(lines: &[String]) -> Vec<&String> {
    let is_error = |line: &&String| line.starts_with("info string error ");
    lines.iter().filter(is_error).collect()
}

/// A search's lines: at least one full line before the one `bestmove`, which is returned.
pub(super) fn answer(lines: &[String]) -> &str {
    let is_answer = |line: &&String| line.starts_with("bestmove ");
    assert_eq!(lines.iter().filter(is_answer).count(), 1, "{lines:?}");
    let last = lines.last().expect("counted above");
    let best = last.strip_prefix("bestmove ").expect("the answer is last");
    let full = |line: &String| {
        line.starts_with("info depth ")
            && line.contains(" score ")
            && (line.contains(" pv ") || best == "(none)")
    };
    assert!(lines.iter().any(full), "{lines:?}");
    best.split(' ').next().expect("split gives a first part")
}
