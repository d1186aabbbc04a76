//! Files that a session reads or writes: wrong and endless ones are refused at once, `~` is the
//! home directory, and the log contains every line.

use std::fs;

use super::error;
use super::session::{Session, answer};
use crate::program::{Folder, assert_has};

#[test]
#[cfg(unix)]
fn endless_files_are_refused() {
    let folder = Folder::new();
    let pipe = folder.make_pipe("pipe");
    let mut session = Session::ready();
    for (path, part) in [
        ("/dev/zero", "a device or a pipe, not a file"),
        (pipe.as_str(), "a device or a pipe, not a file"),
        ("/", "a directory, not a file"),
    ] {
        let parts = format!("{path} ; {part}");
        for (option, parts) in [("EvalFile", &*parts), ("BookFile", &parts), ("Debug Log File", "")]
        {
            let line = format!("setoption name {option} value {path}");
            error(&mut session, &line, parts);
        }
    }
    session.send("genfens 1 seed 1 book /dev/zero");
    let lines = session.until("info string error");
    assert_has(&lines[0], &["binary data instead of text"]);
    answer(&session.search("go depth 1"));
}

#[test]
fn a_tilde_is_the_home_directory() {
    let folder = Folder::new();
    for name in ["a", "b"] {
        fs::create_dir_all(folder.path(name)).expect("writable");
    }
    folder.write("book.bin", [0; 16]);
    let home = folder.path("");
    let mut session = Session::with(|command| {
        command.env("HOME", home);
    });
    // Both parts are searched: only the second is missing.
    let lines = session.tell("setoption name SyzygyPath value ~/a:~/missing");
    assert!(lines[0].contains(&folder.at("missing")), "{lines:?}");
    let lines = session.tell("setoption name SyzygyPath value ~/a:~/b");
    assert!(lines[0].contains("~/a:~/b") && !lines[0].contains("cannot read"));
    let lines = session.tell("setoption name BookFile value ~/book.bin");
    assert_eq!(lines, ["info string book with 1 move in 1 position"]);
    let lines = session.tell("setoption name EvalFile value ~/book.bin");
    assert!(lines[0].contains("book.bin") && !lines[0].contains("No such file"));
}

#[test]
fn the_log_contains_every_line() {
    let (folder, games) = Folder::with("games.pgn", "1. e4 *\n");
    let name = folder.write("session.log", ">> an earlier line\n");
    let mut session = Session::ready();
    // Nothing is appended to a file of another kind.
    let lines = session.tell(&format!("setoption name Debug Log File value {games}"));
    let is_named = lines[0].contains("games.pgn") && lines[0].contains("is not a log");
    assert!(is_named, "{lines:?}");
    assert_eq!(folder.read("games.pgn"), "1. e4 *\n");
    session.tell(&format!("setoption name Debug Log File value {name}"));
    let lines = session.search("go depth 2");
    // The log ends before the next line is read.
    session.tell("setoption name Debug Log File value <empty>\nd");
    let log = folder.read("session.log");
    assert!(log.starts_with(">> an earlier line\n"), "{log}");
    for line in &lines {
        assert!(log.contains(&format!("<< {line}\n")), "{line}: {log}");
    }
    assert!(log.contains(">> go depth 2\n"), "{log}");
    assert!(!log.contains(">> d\n") && !log.contains("Fen:"), "{log}");
}

#[test]
fn the_log_begins_right_behind_the_option() {
    let folder = Folder::new();
    let name = folder.at("session.log");
    let mut session = Session::ready();
    // The engine thread is still searching when the lines are read.
    let option = format!("setoption name debug log file value {name}");
    let rest = "position startpos moves e2e4\ngo depth 1";
    session.search(&format!("go nodes 50000\n{option}\n{rest}"));
    session.until("bestmove");
    let log = folder.read("session.log");
    let input: Vec<&str> = log.lines().filter(|line| line.starts_with(">>")).collect();
    let expected = [">> position startpos moves e2e4", ">> go depth 1"];
    assert_eq!(input, expected, "{log}");
    assert!(log.contains("<< bestmove "), "{log}");
}
