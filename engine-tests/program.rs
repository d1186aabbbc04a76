//! Runs the program, in a folder for one test if it needs files.
//! Commands are lines of words, quoted as in a shell; names in capitals stand for positions.

use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

pub use crate::folder::Folder;

/// White wins in one: the queen captures on d7, next to the king on e8.
pub const WIN: &str = "rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4";
/// Black mates in four, published.
pub const FORCED: &str = "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1";
/// The white king has exploded.
pub const EXPLODED: &str = "4k3/8/8/8/8/8/8/8 w - - 0 1";
/// Black is in check from both rooks and cannot move.
pub const CHECKMATE: &str = "R3k3/7R/8/8/8/8/8/4K3 b - - 0 1";

const POSITIONS: [(&str, &str); 6] = [
    ("START", brisance::notation::fen::STARTPOS),
    ("FEN", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1"),
    ("WIN", WIN),
    ("FORCED", FORCED),
    ("EXPLODED", EXPLODED),
    ("CHECKMATE", CHECKMATE),
];

/// The words of a line, with positions in place of their names.
fn words(line: &str) -> Vec<String> {
    let words = shell_words::split(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let position = |word: String| match POSITIONS.iter().find(|(name, _)| *name == word) {
        Some((_, fen)) => (*fen).to_owned(),
        None => word,
    };
    words.into_iter().map(position).collect()
}

/// The program with the words of a line.
pub fn command(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brisance"));
    command.args(words(line)).env("TERM", "xterm-256color");
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub struct Ended {
    line: String,
    code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// Runs a command to its end.
    #[track_caller]
    pub fn of(command: &mut Command) -> Ended {
        let output = command.output().expect("the program runs");
        Ended::new(&format!("{:?}", command.get_args()), output)
    }

    fn new(line: &str, output: Output) -> Ended {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Ended {
            line: line.to_owned(),
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Waits for the end of a command.
    pub fn waited(child: Child) -> Ended {
        Ended::new("a child", child.wait_with_output().expect("it ends"))
    }

    #[track_caller]
    pub fn code(self, code: i32) -> Ended {
        let Ended { line, out, err, .. } = &self;
        assert_eq!(self.code, Some(code), "{line}\n{out}\n{err}");
        self
    }

    /// The output of lines of JSON.
    #[track_caller]
    pub fn json(&self) -> Vec<Value> {
        json_lines(&self.out)
    }

    /// The last line of JSON, which is the result of an analysis.
    #[track_caller]
    pub fn result(&self) -> Value {
        let last = self.json().pop();
        last.unwrap_or_else(|| panic!("{}: no result: {}", self.line, self.err))
    }
}

#[track_caller]
pub fn json_lines(text: &str) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line);
    let lines = text.lines().map(parse).collect::<Result<_, _>>();
    lines.unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Runs a command in the repository.
#[track_caller]
pub fn run(line: &str) -> Ended {
    Ended::of(&mut command(line))
}

/// The standard output of a command that succeeds.
#[track_caller]
pub fn stdout(line: &str) -> String {
    run(line).code(0).out
}

/// [`Folder::check`] for commands without files.
#[track_caller]
pub fn check(table: &str) {
    check_with(table, run);
}

#[track_caller]
fn check_with(table: &str, run: impl Fn(&str) -> Ended) {
    let mut rows: Vec<String> = Vec::new();
    for line in table.lines().map(str::trim) {
        let is_new = line.starts_with(|first: char| first.is_ascii_digit());
        match rows.last_mut() {
            _ if line.is_empty() || line.starts_with('#') => {}
            Some(row) if !is_new => *row += &format!(" {line}"),
            _ => rows.push(line.to_owned()),
        }
    }
    for row in rows {
        let (code, rest) = row.split_once(' ').expect("a code and a command");
        let code: i32 = code.parse().unwrap_or_else(|_| panic!("{row}: no code"));
        let mut parts = rest.split(" | ").flat_map(|part| {
            let mut parts = part.split(" ! ");
            let first = parts.next().map(|part| (true, part));
            first.into_iter().chain(parts.map(|part| (false, part)))
        });
        let (_, line) = parts.next().expect("a command");
        let ended = run(line.trim()).code(code);
        let Ended { out, err, .. } = &ended;
        let mut answers = false;
        for (is_out, part) in parts {
            let text = if is_out { out } else { err };
            assert!(text.contains(part.trim()), "{row}\n{out}\n{err}");
            answers |= is_out;
        }
        if code > 0 && !answers {
            assert!(err.contains("error"), "{row}: {err}");
        }
        if code == 2 && !answers {
            assert_eq!(out, "", "{row}");
        }
    }
}

#[track_caller]
pub fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

/// Prints a text when the test panics.
pub struct PrintOnPanic<F: Fn() -> String>(pub F);

impl<F: Fn() -> String> Drop for PrintOnPanic<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.0());
        }
    }
}

/// Kills a process and waits for its end.
pub fn kill(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

/// Waits for an event that comes long before the time is up.
#[track_caller]
pub fn wait_until(event: &str, mut has_happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !has_happened() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {event}");
        sleep(Duration::from_millis(2));
    }
}

/// Sends the signal of Ctrl-C as soon as the program handles it, and waits for the end.
#[cfg(unix)]
#[track_caller]
pub fn interrupt(child: Child) -> Ended {
    use nix::sys::signal::{Signal, kill};
    let id = child.id();
    if cfg!(target_os = "linux") {
        wait_until("handler of interrupts", || {
            let status = fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
            let caught = status.split("SigCgt:").nth(1).expect("the caught signals");
            let caught = caught.split_whitespace().next().expect("a number");
            let caught = u64::from_str_radix(caught, 16).expect("hexadecimal");
            caught >> (Signal::SIGINT as u32 - 1) & 1 != 0
        });
    } else {
        sleep(Duration::from_secs(1));
    }
    let id = nix::unistd::Pid::from_raw(id.try_into().expect("a process id"));
    kill(id, Signal::SIGINT).expect("it runs");
    Ended::waited(child)
}

impl Folder {
    pub fn command(&self, line: &str) -> Command {
        let mut command = command(line);
        command.current_dir(self.path(""));
        command
    }

    #[track_caller]
    pub fn run(&self, line: &str) -> Ended {
        Ended::of(&mut self.command(line))
    }

    #[track_caller]
    pub fn stdout(&self, line: &str) -> String {
        self.run(line).code(0).out
    }

    /// Runs the commands of a table in this order. A row has the exit code, the command, then parts
    /// of standard output after `|` and of standard error after `!`; it may go on in the
    /// next line.
    /// A command that fails without an answer names an error, and prints nothing if the arguments
    /// are wrong.
    #[track_caller]
    pub fn check(&self, table: &str) {
        check_with(table, |line| self.run(line));
    }
}
