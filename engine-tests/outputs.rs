//! Output files: one process at a time writes to a file, every output is checked before the work
//! begins, and nothing is left behind by a command that writes nothing.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use assert_cmd::Command;
use predicates::str::contains;

const GAME: &str = "[Variant \"Atomic\"]\n\n1. Nf3 f6 2. Nd4 d6 1-0\n";

/// A file with a few training games, made once.
fn training_games() -> &'static [u8] {
    static GAMES: OnceLock<Vec<u8>> = OnceLock::new();
    GAMES.get_or_init(|| {
        let name = format!("brisance-outputs-{}.games", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut command = Command::cargo_bin("brisance").expect("the binary is built");
        command.args(["datagen", "--positions", "50", "--nodes", "20"]);
        command.args(["--threads", "1"]).arg(&path);
        command.assert().success();
        let games = fs::read(&path).expect("written");
        fs::remove_file(&path).expect("written");
        games
    })
}

/// An empty folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("brisance-outputs-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        fs::write(path.join("games.pgn"), GAME).expect("writable");
        fs::write(path.join("list.epd"), "startpos\n").expect("writable");
        fs::write(path.join("in.games"), training_games()).expect("writable");
        Folder(path)
    }

    fn brisance(&self, args: &[&str]) -> Command {
        let mut command = Command::cargo_bin("brisance").expect("the binary is built");
        command.args(args).current_dir(&self.0);
        command
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("readable");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names
            .map(|name| name.into_string().expect("a plain name"))
            .filter(|name| !["games.pgn", "list.epd", "in.games"].contains(&name.as_str()))
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Commands that write to `out`, and the file that each of them locks.
const WRITERS: [(&[&str], &str); 11] = [
    (&["openings", "out", "--count", "1", "--nodes", "50"], "out"),
    (
        &[
            "book",
            "build",
            "out",
            "--pgn",
            "games.pgn",
            "--min-games",
            "1",
        ],
        "out.lock",
    ),
    (
        &[
            "book",
            "build",
            "out",
            "--search",
            "--nodes",
            "50",
            "--max-plies",
            "1",
        ],
        "out.jsonl",
    ),
    (
        &["analyse", "games.pgn", "--nodes", "50", "--out", "out"],
        "out",
    ),
    (
        &["analyse", "list.epd", "--nodes", "50", "--out", "out"],
        "out",
    ),
    (
        &["analyse", "games.pgn", "--nodes", "50", "--html", "out"],
        "out.lock",
    ),
    (
        &[
            "puzzles",
            "games.pgn",
            "--solver-nodes",
            "50",
            "--out",
            "out",
        ],
        "out",
    ),
    (&["show", "--svg", "out"], "out.lock"),
    (&["data", "merge", "out", "in.games"], "out.lock"),
    (
        &[
            "data",
            "export",
            "out",
            "in.games",
            "--early",
            "0",
            "--keep-captures",
            "--keep-wins",
            "--cap",
            "32000",
        ],
        "out.lock",
    ),
    (
        &[
            "solve",
            "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1",
            "--nodes",
            "20k",
            "--tree",
            "out",
        ],
        "out.lock",
    ),
];

#[test]
fn a_file_has_one_writer() {
    for (index, (args, locked)) in WRITERS.iter().enumerate() {
        let folder = Folder::new(&format!("writer-{index}"));
        let file = File::create(folder.0.join(locked)).expect("writable");
        file.lock().expect("files can be locked here");
        let failed = folder.brisance(args).assert().code(1);
        failed.stderr(contains("another process is writing to it"));
        assert_eq!(folder.names(), [*locked], "{args:?}");
        drop(file);
        folder.brisance(args).assert().stderr("");
        let out = fs::metadata(folder.0.join("out")).expect("the output");
        assert!(out.len() > 0, "{args:?}");
        let locks = folder
            .names()
            .into_iter()
            .filter(|name| name.ends_with(".lock"));
        assert_eq!(locks.count(), 0, "{args:?}");
    }
}

#[test]
fn a_second_run_does_not_empty_the_file_of_the_first() {
    let folder = Folder::new("second");
    let list = "startpos\n".repeat(1000);
    fs::write(folder.0.join("list.epd"), list).expect("writable");
    let args = [
        "analyse",
        "list.epd",
        "--time",
        "20ms",
        "--threads",
        "1",
        "--out",
        "out",
    ];
    let mut first = Process::new(folder.brisance(&[]).get_program())
        .args(args)
        .current_dir(&folder.0)
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let out = folder.0.join("out");
    while fs::metadata(&out).map_or(0, |data| data.len()) < 500 {
        std::thread::sleep(Duration::from_millis(10));
    }
    for rest in [&["--force"][..], &["--resume"], &[]] {
        let second = folder.brisance(&[&args[..], rest].concat());
        let failed = { second }.assert().code(1);
        failed.stderr(contains("another process is writing to it"));
        assert!(fs::metadata(&out).expect("there").len() >= 500);
    }
    first.kill().expect("running");
    first.wait().expect("ended");
}

#[test]
fn outputs_are_checked_before_the_work() {
    let folder = Folder::new("check");
    for (args, _) in WRITERS {
        let args: Vec<&str> = args
            .iter()
            .map(|&word| if word == "out" { "no/such/out" } else { word })
            // Without a limit these searches take long.
            .map(|word| match word {
                "50" | "20k" => "999999999",
                word => word,
            })
            .collect();
        let mut command = folder.brisance(&args);
        command
            .timeout(Duration::from_secs(60))
            .assert()
            .code(1)
            .stdout("")
            .stderr(contains("no/such/out"));
    }
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn an_empty_file_does_not_block() {
    for (index, (args, _)) in WRITERS.iter().enumerate() {
        let folder = Folder::new(&format!("empty-{index}"));
        fs::write(folder.0.join("out"), "").expect("writable");
        folder.brisance(args).assert().stderr("");
        let out = fs::metadata(folder.0.join("out")).expect("the output");
        assert!(out.len() > 0, "{args:?}");
    }
}

#[test]
fn a_failure_before_the_first_result_leaves_no_file() {
    let folder = Folder::new("failure");
    fs::write(folder.0.join("list.epd"), "startpos\n").expect("writable");
    let args = ["analyse", "list.epd", "--out", "out", "--eval-file", "none"];
    folder.brisance(&args).assert().code(1);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn standard_output_is_refused_where_a_file_is_continued() {
    let folder = Folder::new("standard");
    let engines = [
        "--engine",
        "self name=a",
        "--engine",
        "self name=b",
        "--nodes",
        "9",
    ];
    for args in [
        &["openings", "-"][..],
        &["datagen", "-"],
        &["data", "merge", "-", "x"],
        &["data", "export", "-", "x"],
        &["book", "build", "-", "--search", "--nodes", "50"],
        &[&["match", "--pgn", "-"][..], &engines].concat(),
        &[&["match", "--debug", "-"][..], &engines].concat(),
        &["analyse", "list.epd", "--out", "-", "--resume"],
    ] {
        let failed = folder.brisance(args).assert().code(2);
        failed.stderr(contains("standard output"));
        assert!(folder.names().is_empty(), "{args:?}: {:?}", folder.names());
    }
    // Whole files and lists can be printed.
    let book = [
        "book",
        "build",
        "-",
        "--pgn",
        "games.pgn",
        "--min-games",
        "1",
    ];
    let printed = folder.brisance(&book).assert().success();
    assert_eq!(
        printed.get_output().stdout.len() % 16,
        0,
        "a book and nothing else"
    );
    let lines = ["analyse", "list.epd", "--nodes", "50", "--out", "-"];
    folder
        .brisance(&lines)
        .assert()
        .success()
        .stdout(contains(" acd "));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[cfg(unix)]
mod interrupts {
    use super::*;
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    /// Starts a command, interrupts it after a moment, and returns exit code and stderr.
    fn interrupted(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
        let program = Command::cargo_bin("brisance").expect("the binary is built");
        let mut child = Process::new(program.get_program())
            .args(args)
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        std::thread::sleep(Duration::from_millis(1500));
        let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
        kill(pid, Signal::SIGINT).expect("running");
        let mut error = String::new();
        let stderr = child.stderr.as_mut().expect("a pipe");
        stderr.read_to_string(&mut error).expect("text");
        (child.wait().expect("ended").code(), error)
    }

    #[test]
    fn ctrl_c_is_reported_and_what_is_finished_is_kept() {
        let folder = Folder::new("interrupt");
        for args in [
            &["perft", "9"][..],
            &["bench", "--depth", "60"],
            &["openings", "out", "--nodes", "9000000"],
            &["analyse", "list.epd", "--time", "1h", "--out", "out"],
            &["analyse", "games.pgn", "--time", "1h", "--out", "out"],
        ] {
            let (code, error) = interrupted(&folder.0, args);
            assert_eq!(code, Some(1), "{args:?}: {error}");
            assert!(error.contains("interrupted"), "{args:?}: {error}");
            assert!(folder.names().is_empty(), "{args:?}: {:?}", folder.names());
        }
    }
}
