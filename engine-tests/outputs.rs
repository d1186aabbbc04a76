//! Output files: one process at a time writes to a file, every output is checked before the work
//! begins, and nothing is left behind by a command that writes nothing.

use std::any::TypeId;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use assert_cmd::Command;
use brisance::cli::{Cli, OutputPath};
use clap::CommandFactory;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

/// The files that commands read, in each folder.
const INPUTS: [&str; 4] = ["games.pgn", "list.epd", "in.games", "in.bin"];
/// 1. e4 in a book: the key of the start position, the code of the move, a weight of 1.
const BOOK: [u8; 16] = [
    0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 0x03, 0x1c, 0, 1, 0, 0, 0, 0,
];
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
        fs::write(path.join("in.bin"), BOOK).expect("writable");
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
            .filter(|name| !INPUTS.contains(&name.as_str()))
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

/// An argument that names an output, in a command that writes it to `out`.
struct Writer {
    /// The command and the name of the argument.
    argument: &'static str,
    line: &'static str,
    /// The file that the command locks.
    locked: &'static str,
    /// A file that it reads.
    input: &'static str,
    /// The option --force replaces the output.
    has_force: bool,
}

impl Writer {
    /// The words of the command, with another name for the output.
    fn words<'a>(&'a self, out: &'a str) -> Vec<&'a str> {
        let word = |word: &'a str| match word {
            "out" => out,
            "FEN" => "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1",
            word => word,
        };
        self.line.split(' ').map(word).collect()
    }
}

const fn writer(
    argument: &'static str,
    line: &'static str,
    locked: &'static str,
    input: &'static str,
    has_force: bool,
) -> Writer {
    Writer {
        argument,
        line,
        locked,
        input,
        has_force,
    }
}

const WRITERS: [Writer; 17] = [
    writer(
        "analyse --out",
        "analyse games.pgn --nodes 50 --out out",
        "out",
        "games.pgn",
        true,
    ),
    writer(
        "analyse --out",
        "analyse list.epd --nodes 50 --out out",
        "out",
        "list.epd",
        true,
    ),
    writer(
        "analyse --html",
        "analyse games.pgn --nodes 50 --html out",
        "out.lock",
        "games.pgn",
        true,
    ),
    writer("show --svg", "show --svg out", "out.lock", "", true),
    writer(
        "solve --tree",
        "solve FEN --nodes 20k --tree out",
        "out.lock",
        "",
        true,
    ),
    writer(
        "match --debug",
        "match --engine self --engine self --nodes 5 --games 2 --openings list.epd --max-moves 1 --debug out",
        "",
        "list.epd",
        false,
    ),
    writer(
        "match --pgn",
        "match --engine self --engine self --nodes 5 --games 2 --openings list.epd --max-moves 1 --pgn out",
        "",
        "list.epd",
        false,
    ),
    writer(
        "book build out",
        "book build out --pgn games.pgn --min-games 1",
        "out.lock",
        "games.pgn",
        true,
    ),
    writer(
        "book build out",
        "book build out --search --nodes 50 --max-plies 1",
        "out.jsonl",
        "",
        true,
    ),
    writer(
        "book build --record",
        "book build book --search --nodes 50 --max-plies 1 --record out",
        "out",
        "",
        false,
    ),
    writer(
        "book merge out",
        "book merge out in.bin",
        "out.lock",
        "in.bin",
        true,
    ),
    writer(
        "openings file",
        "openings out --count 1 --nodes 50",
        "out",
        "",
        false,
    ),
    writer(
        "datagen file",
        "datagen out --positions 1 --nodes 20 --threads 1 --openings list.epd",
        "out",
        "list.epd",
        false,
    ),
    writer(
        "datagen --cut-nodes",
        "datagen new.games --positions 9 --nodes 90 --threads 1 --openings list.epd --cut-node-divisor 1 --cut-nodes out",
        "out",
        "list.epd",
        false,
    ),
    writer(
        "data merge output",
        "data merge out in.games",
        "out.lock",
        "in.games",
        true,
    ),
    writer(
        "data export output",
        "data export out in.games --early 0 --keep-captures --keep-wins --cap 32000",
        "out.lock",
        "in.games",
        true,
    ),
    writer(
        "puzzles --out",
        "puzzles games.pgn --solver-nodes 50 --out out",
        "out",
        "games.pgn",
        false,
    ),
];

/// Arguments for outputs that the table has not: a folder, and a command of builds for tuning.
const OTHERS: [&str; 2] = ["man dir", "spsa file"];

/// The arguments of a command for outputs.
fn output_arguments(name: &str, command: &clap::Command, found: &mut Vec<String>) {
    for arg in command.get_arguments() {
        if arg.get_value_parser().type_id() == TypeId::of::<OutputPath>() {
            found.push(match arg.get_long() {
                Some(long) => format!("{name} --{long}"),
                None => format!("{name} {}", arg.get_id()),
            });
        }
    }
    for command in command.get_subcommands() {
        let name = format!("{name} {}", command.get_name());
        output_arguments(name.trim(), command, found);
    }
}

#[test]
fn every_output_is_in_the_table() {
    let mut found = vec![];
    output_arguments("", &Cli::command(), &mut found);
    assert!(found.len() > 15, "{found:?}");
    let listed = WRITERS.iter().map(|writer| writer.argument).chain(OTHERS);
    let listed: Vec<&str> = listed.collect();
    for argument in &found {
        assert!(listed.contains(&argument.as_str()), "{argument}");
    }
    for argument in listed.iter().filter(|name| **name != "spsa file") {
        assert!(found.iter().any(|name| name == argument), "{argument}");
    }
}

#[test]
fn an_existing_file_is_kept_without_force() {
    for (index, writer) in WRITERS.iter().enumerate() {
        let folder = Folder::new(&format!("existing-{index}"));
        let (out, old) = (folder.0.join("out"), "notes of somebody\n");
        fs::write(&out, old).expect("writable");
        let failed = folder.brisance(&writer.words("out")).assert().code(1);
        failed.stderr(contains("out"));
        assert_eq!(
            fs::read_to_string(&out).expect("kept"),
            old,
            "{}",
            writer.line
        );
        if !writer.has_force {
            continue;
        }
        folder
            .brisance(&[&writer.words("out")[..], &["--force"]].concat())
            .assert()
            .code(0);
        let new = fs::read(&out).expect("written");
        assert!(!new.is_empty() && new != old.as_bytes(), "{}", writer.line);
        let mut names = folder.names();
        names.retain(|name| name != "out.jsonl");
        assert_eq!(names, ["out"], "{}", writer.line);
    }
    let folder = Folder::new("existing-man");
    let page = folder.0.join("pages/brisance.1");
    fs::create_dir(folder.0.join("pages")).expect("writable");
    fs::write(&page, "mine").expect("writable");
    let failed = folder.brisance(&["man", "pages"]).assert().code(1);
    failed.stderr(contains("brisance.1 exists; use --force to overwrite"));
    let pages = || {
        fs::read_dir(folder.0.join("pages"))
            .expect("a folder")
            .count()
    };
    assert_eq!(
        (fs::read(&page).expect("kept"), pages()),
        (b"mine".to_vec(), 1)
    );
    let forced = folder.brisance(&["man", "pages", "--force"]).assert();
    forced.success();
    assert!(fs::read(&page).expect("written").len() > 500 && pages() > 10);
}

#[test]
fn an_output_is_never_an_input() {
    let folder = Folder::new("input");
    for writer in WRITERS.iter().filter(|writer| !writer.input.is_empty()) {
        let input = folder.0.join(writer.input);
        let old = fs::read(&input).expect("an input");
        let _ = fs::remove_file(folder.0.join("hard"));
        fs::hard_link(&input, folder.0.join("hard")).expect("a link");
        let up = format!(
            "../{}/{}",
            folder.0.file_name().expect("a name").display(),
            writer.input
        );
        let mut names = vec![writer.input, "hard", &up];
        #[cfg(unix)]
        {
            let _ = fs::remove_file(folder.0.join("soft"));
            std::os::unix::fs::symlink(&input, folder.0.join("soft")).expect("a link");
            names.push("soft");
        }
        for name in names {
            let force: &[&str] = if writer.has_force { &["--force"] } else { &[] };
            for more in [&[], force] {
                let words = [&writer.words(name)[..], more].concat();
                let failed = folder.brisance(&words).assert().code(2).stdout("");
                failed.stderr(contains("is an input; ").and(contains(" must be another file")));
                assert_eq!(fs::read(&input).expect("kept"), old, "{words:?}");
            }
        }
    }
    // The engine reads its network too.
    let line = "analyse list.epd --nodes 9 --eval-file a.nnue --out a.nnue --force";
    let words: Vec<&str> = line.split(' ').collect();
    fs::write(folder.0.join("a.nnue"), "a network").expect("writable");
    let failed = folder.brisance(&words).assert().code(2);
    failed.stderr(contains("a.nnue is an input; --out must be another file"));
}

#[test]
fn two_outputs_are_two_files() {
    let folder = Folder::new("two");
    fs::create_dir(folder.0.join("sub")).expect("writable");
    for (line, text) in [
        (
            "analyse games.pgn --nodes 9 --out x --html sub/../x",
            "--out and --html both name",
        ),
        (
            "datagen x --positions 9 --cut-nodes ./x",
            "FILE and --cut-nodes both name",
        ),
        (
            "book build x --search --nodes 9 --record x",
            "OUT and --record both name",
        ),
        (
            "match --engine self --engine self --nodes 5 --pgn x --debug x",
            "--debug and --pgn both name",
        ),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let failed = folder.brisance(&words).assert().code(2);
        failed.stderr(contains(text));
        assert_eq!(folder.names(), ["sub"], "{line}");
    }
}

#[test]
fn a_swapped_input_and_output_is_explained() {
    let folder = Folder::new("swapped");
    let failed = folder
        .brisance(&["data", "export", "in.games", "new"])
        .assert();
    failed.code(1).stderr(contains(
        "error: in.games exists; the first file is the output; use --force to overwrite it",
    ));
}

#[test]
fn a_file_that_is_no_lock_is_kept() {
    let folder = Folder::new("no-lock");
    let lock = folder.0.join("out.lock");
    fs::write(&lock, "versions of crates\n").expect("writable");
    let failed = folder.brisance(&["show", "--svg", "out"]).assert().code(1);
    failed.stderr(contains("out.lock is in the way"));
    assert_eq!(
        fs::read_to_string(lock).expect("kept"),
        "versions of crates\n"
    );
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("link");
    let (link, target) = (folder.0.join("out"), folder.0.join("target.svg"));
    fs::write(&target, "old").expect("writable");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).expect("ours");
    symlink("target.svg", &link).expect("a link");
    let forced = folder
        .brisance(&["show", "--svg", "out", "--force"])
        .assert();
    forced.success();
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    let data = fs::metadata(&target).expect("there");
    assert_eq!(data.permissions().mode() & 0o777, 0o600);
    assert!(data.len() > 100);
}

/// The shell's limit on the size of a file stands for a full disk.
#[cfg(unix)]
#[test]
fn a_failed_write_keeps_the_old_file() {
    for (index, writer) in WRITERS
        .iter()
        .filter(|writer| writer.locked == "out.lock")
        .enumerate()
    {
        let folder = Folder::new(&format!("full-{index}"));
        fs::write(folder.0.join("out"), "old").expect("writable");
        let mut shell = Process::new("sh");
        // Zero blocks: empty files can be made, and nothing can be written.
        shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"]);
        shell.arg(folder.brisance(&[]).get_program());
        shell
            .args(writer.words("out"))
            .arg("--force")
            .current_dir(&folder.0);
        let output = shell.stdout(Stdio::null()).output().expect("a shell");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{}: {error}", writer.line);
        assert!(error.contains("out") && !error.contains(".tmp"), "{error}");
        assert_eq!(fs::read(folder.0.join("out")).expect("kept"), b"old");
        assert_eq!(folder.names(), ["out"], "{}", writer.line);
    }
}

#[test]
fn a_file_has_one_writer() {
    let lockers = WRITERS.iter().filter(|writer| !writer.locked.is_empty());
    for (index, writer) in lockers.enumerate() {
        let (args, locked) = (&writer.words("out"), &writer.locked);
        let folder = Folder::new(&format!("writer-{index}"));
        let file = File::create(folder.0.join(locked)).expect("writable");
        file.lock().expect("files can be locked here");
        let failed = folder.brisance(args).assert().code(1);
        failed.stderr(contains("another process is writing to it"));
        let mut names = folder.names();
        names.retain(|name| name != "new.games");
        assert_eq!(names, [*locked], "{args:?}");
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
    for writer in WRITERS {
        let args: Vec<&str> = writer
            .words("no/such/out")
            .into_iter()
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
    // A file of games begins with a header, before the one of cut nodes is opened.
    assert_eq!(folder.names(), ["new.games"]);
}

#[test]
fn an_empty_file_does_not_block() {
    // A match of `self` with itself has no lines to log, and its record must be a new file.
    let writers = WRITERS.iter().filter(|writer| !writer.locked.is_empty());
    for (index, writer) in writers.enumerate() {
        let args = &writer.words("out");
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

    /// The command waits for its input, a pipe, when it is interrupted.
    #[test]
    fn ctrl_c_leaves_the_old_file_and_no_other() {
        for line in ["data export out pipe", "data merge out pipe"] {
            let folder = Folder::new("interrupt-whole");
            fs::write(folder.0.join("out"), "old").expect("writable");
            let pipe = folder.0.join("pipe");
            let made = Process::new("mkfifo").arg(&pipe).status();
            assert!(made.expect("mkfifo runs").success());
            let program = Command::cargo_bin("brisance").expect("the binary is built");
            let mut child = Process::new(program.get_program())
                .args(line.split(' '))
                .arg("--force")
                .current_dir(&folder.0)
                .stderr(Stdio::piped())
                .spawn()
                .expect("the binary starts");
            // Opening waits until the command reads.
            let input = File::options().write(true).open(&pipe).expect("a pipe");
            assert!(folder.names().len() > 3, "{:?}", folder.names());
            let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
            kill(pid, Signal::SIGINT).expect("running");
            assert_eq!(child.wait().expect("ended").code(), Some(1));
            let mut error = String::new();
            let stderr = child.stderr.as_mut().expect("a pipe");
            stderr.read_to_string(&mut error).expect("text");
            assert!(error.contains("interrupted"), "{error}");
            drop(input);
            assert_eq!(folder.names(), ["out", "pipe"]);
            assert_eq!(fs::read(folder.0.join("out")).expect("kept"), b"old");
        }
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
