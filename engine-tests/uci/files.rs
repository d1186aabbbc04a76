//! Files that a session reads or writes: wrong and endless ones are refused at once, `~` is the
//! home directory, and the log contains every line.

use std::fs;
use std::path::PathBuf;
#[cfg(unix)]
use std::process::Command;

use super::session::{Session, answer, errors};

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("brisance-files-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("writable");
        Folder(path)
    }

    fn name(&self, file: &str) -> String {
        self.0.join(file).to_str().expect("plain").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
#[cfg(unix)]
fn endless_files_are_refused() {
    let folder = Folder::new("endless");
    let sparse = folder.name("sparse");
    let file = fs::File::create(&sparse).expect("writable");
    file.set_len(20 << 30).expect("a sparse file");
    let pipe = folder.name("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let mut session = Session::ready();
    for option in ["EvalFile", "BookFile"] {
        for (path, part) in [
            ("/dev/zero", "a device or a pipe, not a file"),
            (pipe.as_str(), "a device or a pipe, not a file"),
            (sparse.as_str(), "larger than the limit of "),
            ("/", "a directory, not a file"),
        ] {
            session.send(&format!("setoption name {option} value {path}"));
            let lines = session.sync();
            let found = errors(&lines);
            assert_eq!(found.len(), 1, "{option} {path}: {lines:?}");
            let is_named = found[0].contains(path) && found[0].contains(part);
            assert!(is_named, "{option} {path}: {lines:?}");
        }
    }
    for path in ["/dev/zero", &pipe, "/"] {
        session.send(&format!("setoption name Debug Log File value {path}"));
        let lines = session.sync();
        assert_eq!(errors(&lines).len(), 1, "{path}: {lines:?}");
    }
    session.send("genfens 1 seed 1 book /dev/zero");
    let lines = session.until("info string error");
    assert!(
        lines[0].contains("binary data instead of text"),
        "{lines:?}"
    );
    session.send("go depth 1");
    answer(&session.until("bestmove"));
}

#[test]
fn a_tilde_is_the_home_directory() {
    let folder = Folder::new("tilde");
    for name in ["a", "b"] {
        fs::create_dir_all(folder.0.join(name)).expect("writable");
    }
    fs::write(folder.0.join("book.bin"), [0; 16]).expect("writable");
    let home = folder.0.as_os_str();
    let mut session = Session::with(|command| {
        command.env("HOME", home);
    });
    // Both parts are searched: only the second is missing.
    session.send("setoption name SyzygyPath value ~/a:~/missing");
    let lines = session.sync();
    assert!(lines[0].contains(&folder.name("missing")), "{lines:?}");
    session.send("setoption name SyzygyPath value ~/a:~/b");
    let lines = session.sync();
    assert!(lines[0].contains("~/a:~/b") && !lines[0].contains("cannot read"));
    session.send("setoption name BookFile value ~/book.bin");
    let lines = session.sync();
    assert_eq!(lines, ["info string book with 1 move in 1 position"]);
    session.send("setoption name EvalFile value ~/book.bin");
    let lines = session.sync();
    assert!(lines[0].contains("book.bin") && !lines[0].contains("No such file"));
}

#[test]
fn the_log_contains_every_line() {
    let folder = Folder::new("log");
    let name = folder.name("session.log");
    let games = folder.name("games.pgn");
    fs::write(&games, "1. e4 *\n").expect("writable");
    fs::write(&name, ">> an earlier line\n").expect("writable");
    let mut session = Session::ready();
    // Nothing is appended to a file of another kind.
    session.send(&format!("setoption name Debug Log File value {games}"));
    let lines = session.sync();
    assert!(
        lines[0].contains("games.pgn") && lines[0].contains("is not a log"),
        "{lines:?}"
    );
    assert_eq!(fs::read_to_string(&games).expect("kept"), "1. e4 *\n");
    session.send(&format!("setoption name Debug Log File value {name}"));
    session.sync();
    session.send("go depth 2");
    let lines = session.until("bestmove");
    // The log ends before the next line is read.
    session.send("setoption name Debug Log File value <empty>\nd");
    session.sync();
    let log = fs::read_to_string(&name).expect("a log");
    assert!(log.starts_with(">> an earlier line\n"), "{log}");
    for line in &lines {
        assert!(log.contains(&format!("<< {line}\n")), "{line}: {log}");
    }
    assert!(log.contains(">> go depth 2\n"), "{log}");
    assert!(!log.contains(">> d\n") && !log.contains("Fen:"), "{log}");
}

#[test]
fn the_log_begins_right_behind_the_option() {
    let folder = Folder::new("same-write");
    let name = folder.name("session.log");
    let mut session = Session::ready();
    // The engine thread is still searching when the lines are read.
    let option = format!("setoption name debug log file value {name}");
    let rest = "position startpos moves e2e4\ngo depth 1";
    session.send(&format!("go nodes 50000\n{option}\n{rest}"));
    session.until("bestmove");
    session.until("bestmove");
    let log = fs::read_to_string(&name).expect("a log");
    let input: Vec<&str> = log.lines().filter(|line| line.starts_with(">>")).collect();
    assert_eq!(
        input,
        [">> position startpos moves e2e4", ">> go depth 1"],
        "{log}"
    );
    assert!(log.contains("<< bestmove "), "{log}");
}
