//! Runs `brisance match` in a folder of its own and returns what it printed and recorded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::record::{Game, read};

/// An empty folder for one test.
pub struct Place {
    folder: PathBuf,
}

impl Place {
    pub fn new(name: &str) -> Place {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("arena {name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        Place { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file and returns its path.
    pub fn text(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).expect("written");
        self.at(name)
    }

    pub fn at(&self, name: &str) -> String {
        self.path(name).to_str().expect("UTF-8").to_owned()
    }

    /// `brisance match` with `words` split at blanks, then the arguments `more`, and the
    /// record in `games.pgn`.
    pub fn command(&self, words: &str, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brisance"));
        command
            .arg("match")
            .args(words.split_ascii_whitespace())
            .args(more)
            .args(["--pgn", &self.at("games.pgn")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn games(&self) -> Vec<Game> {
        read(&self.path("games.pgn"))
    }

    pub fn bytes(&self) -> Vec<u8> {
        fs::read(self.path("games.pgn")).unwrap_or_default()
    }
}

fn run(mut command: Command) -> Output {
    command.output().expect("the binary runs")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is UTF-8")
}

/// Runs a command that ends with an exit code, and returns its standard output and error.
#[track_caller]
pub fn ends(command: Command, code: i32) -> (String, String) {
    let output = run(command);
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}{error}");
    (out, error)
}

/// Runs a command that succeeds and returns its standard output.
#[track_caller]
pub fn succeed(command: Command) -> String {
    ends(command, 0).0
}

/// As [`succeed`], for output that is one JSON object.
#[track_caller]
pub fn json(command: Command) -> Value {
    serde_json::from_str(&succeed(command)).expect("one JSON object")
}

/// As [`json`], for a match that fails if and only if a player abandons a game.
#[track_caller]
pub fn judged(command: Command) -> Value {
    let output = run(command);
    let summary: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let abandoned: u64 = summary["abandoned"]
        .as_object()
        .into_iter()
        .flat_map(|counts| counts.values())
        .filter_map(Value::as_u64)
        .sum();
    let error = text(&output.stderr);
    let code = i32::from(abandoned > 0);
    assert_eq!(output.status.code(), Some(code), "{summary} {error}");
    assert_eq!(error.contains("abandoned"), code == 1, "{error}");
    let counted = summary["pairings"][0]["games"].as_u64().expect("a number");
    assert_eq!(summary["games"], counted + abandoned, "{summary}");
    summary
}

/// Runs a command whose arguments are refused and returns its standard error.
#[track_caller]
pub fn refused(command: Command) -> String {
    silent(command, 2)
}

/// Runs a command that fails before it prints anything, and returns its standard error.
#[track_caller]
pub fn failed(command: Command) -> String {
    silent(command, 1)
}

#[track_caller]
fn silent(command: Command, code: i32) -> String {
    let (out, error) = ends(command, code);
    assert_eq!(out, "");
    error
}

/// Two settings of this engine.
pub const PAIR: [&str; 4] = [
    "--engine",
    "self name=A",
    "--engine",
    "self name=B option.Hash=1",
];
