//! The table of exit codes in `docs/exit-codes.md`, for every command: 0 done, 1 the work failed,
//! 2 the arguments are wrong. A missing file is a failure of the work, whatever the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FEN: &str = "4k3/8/8/8/8/8/8/R3K2R w - - 0 1";
const WIN_IN_ONE: &str = "rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4";
const PAGE: &str = include_str!("../docs/exit-codes.md");

/// A folder of its own, with the files that the commands read. It is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("brisance-codes-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("writable");
        let folder = Folder(path);
        folder.write("fens.epd", format!("{FEN}\n"));
        folder.write("junk.epd", "not a position\n".to_owned());
        let game = |moves: &str| {
            format!("[Event \"x\"]\n[Variant \"Atomic\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
        };
        folder.write("game.pgn", game("1. e4 e5"));
        folder.write("junk.pgn", game("1. e5"));
        folder.write("junk.json", "junk\n".to_owned());
        folder
    }

    fn write(&self, name: &str, text: String) {
        fs::write(self.0.join(name), text).expect("writable");
    }

    /// Runs the binary and checks its exit code; returns its standard error.
    #[track_caller]
    fn run(&self, code: i32, words: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_brisance"))
            .args(words)
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .output()
            .expect("the binary runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
        // UCI lines and `solve` without a proof answer on standard output.
        let has_answer = !output.stdout.is_empty();
        if code != 0 && !has_answer {
            assert!(error.contains("error"), "{words:?}: {error}");
        }
        error.into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Words separated by blanks; `FEN` and `WIN` stand for a position.
fn words(line: &str) -> Vec<&str> {
    let word = |word| match word {
        "FEN" => FEN,
        "WIN" => WIN_IN_ONE,
        word => word,
    };
    line.split(' ').map(word).collect()
}

/// Command lines in the order in which they run, each with its exit code. Later ones use the
/// files that earlier ones write.
const CASES: &[(i32, &str)] = &[
    (0, "analyse FEN --nodes 10"),
    (0, "analyse fens.epd --nodes 10"),
    (0, "analyse game.pgn --nodes 10 --threads 1"),
    (1, "analyse missing.epd --nodes 10"),
    (1, "analyse missing.pgn --nodes 10"),
    (1, "analyse junk.epd --nodes 10"),
    (1, "analyse junk.pgn --nodes 10"),
    (1, "analyse FEN --nodes 10 --syzygy missing"),
    (1, "analyse FEN --nodes 10 --eval-file missing.nnue"),
    (2, "analyse junk --nodes 10"),
    (2, "analyse FEN --nodes ten"),
    (2, "analyse fens.epd --nodes 10 --html x.html"),
    (0, "perft 1 FEN"),
    (2, "perft 1 junk"),
    (2, "perft"),
    (0, "bench --depth 1"),
    (2, "bench --depth 0"),
    (0, "eval FEN"),
    (1, "eval FEN --eval-file missing.nnue"),
    (1, "eval FEN --eval-file junk.json"),
    (2, "eval junk"),
    (0, "show FEN"),
    (1, "show FEN --svg missing/x.svg"),
    (1, "show FEN --svg game.pgn"),
    (2, "show junk"),
    (0, "solve WIN --tree proof.json"),
    (0, "solve --check proof.json"),
    (1, "solve FEN --nodes 10"),
    (1, "solve --check missing.json"),
    (1, "solve --check junk.json"),
    (1, "solve WIN --tree missing/x.json"),
    (1, "solve WIN --tree proof.json"),
    (2, "solve junk"),
    (2, "solve WIN --nodes ten"),
    (0, "openings made.epd --count 1 --nodes 50"),
    (1, "openings missing/x.epd --count 1 --nodes 50"),
    (1, "openings junk.epd --count 1 --nodes 50"),
    (2, "openings made.epd --count 2 --nodes 50 --seed 7"),
    (2, "openings x.epd --min-plies 9 --max-plies 8"),
    (
        0,
        "match --engine self --engine self --nodes 5 --games 2 --openings fens.epd --max-moves 2",
    ),
    (
        1,
        "match --engine self --engine self --nodes 5 --openings missing.epd",
    ),
    (
        1,
        "match --engine self --engine self --nodes 5 --openings junk.epd",
    ),
    (
        1,
        "match --engine self --engine self --nodes 5 --syzygy missing",
    ),
    (1, "match --engine self --engine cmd=./missing --nodes 5"),
    (
        1,
        "match --engine self --engine self --nodes 5 --games 2 --pgn missing/x.pgn",
    ),
    (2, "match --engine self --nodes 5"),
    (2, "match --engine self --engine self"),
    (
        0,
        "datagen x.bin --nodes 20 --positions 1 --threads 1 --openings fens.epd",
    ),
    (1, "datagen missing/x.bin --nodes 20 --positions 1"),
    (1, "datagen junk.json --nodes 20 --positions 1"),
    (
        1,
        "datagen y.bin --nodes 20 --positions 1 --openings missing.epd",
    ),
    (1, "datagen y.bin --nodes 20 --positions 1 --syzygy missing"),
    (2, "datagen y.bin --min-plies 9 --max-plies 8"),
    (0, "data info x.bin"),
    (0, "data verify x.bin"),
    (0, "data merge z.bin x.bin"),
    (0, "data show x.bin 1"),
    (1, "data info missing.bin"),
    (1, "data verify junk.json"),
    (1, "data merge z.bin x.bin"),
    (1, "data merge new.bin missing.bin"),
    (1, "data show x.bin 99999"),
    (1, "data export missing/out.bin x.bin"),
    (2, "data export out.bin x.bin --lambda 2"),
    (2, "data show x.bin one"),
    (2, "data export x.bin x.bin"),
    (1, "data export game.pgn x.bin"),
    (0, "book build x.bok --pgn game.pgn --min-games 1"),
    (0, "book show x.bok"),
    (1, "book build y.bok --pgn missing.pgn"),
    (1, "book build missing/y.bok --pgn game.pgn --min-games 1"),
    (1, "book build x.bok --pgn game.pgn --min-games 1"),
    (1, "book show missing.bok"),
    (1, "book show junk.json"),
    (2, "book build y.bok"),
    (2, "book show x.bok junk"),
    (0, "puzzles game.pgn --out p.epd --solver-nodes 50"),
    (1, "puzzles missing.pgn --out p.epd"),
    (1, "puzzles junk.pgn --out q.epd"),
    (1, "puzzles game.pgn --out missing/p.epd"),
    (1, "puzzles game.pgn --out junk.epd"),
    (2, "puzzles game.pgn --out p.epd --solver-nodes 60"),
    (2, "puzzles game.pgn"),
    (0, "completions bash"),
    (2, "completions csh"),
    (0, "man pages"),
    (1, "man pages"),
    (0, "man pages --force"),
    (1, "man junk.json/pages"),
    (2, "man one two"),
    (0, "--version"),
    (0, "help"),
    (2, "unknown"),
    (2, "--unknown"),
];

#[test]
fn every_command_follows_the_table() {
    let folder = Folder::new("table");
    for (code, line) in CASES {
        folder.run(*code, &words(line));
    }
    // UCI lines as arguments.
    folder.run(0, &["position startpos", "go nodes 10"]);
    folder.run(2, &["setoption name Nothing value 1"]);
}

/// The commands of the table of the page: its rows have the columns command, 0, 1 and 2.
fn rows() -> Vec<Vec<&'static str>> {
    let rows = PAGE.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

#[test]
fn the_page_lists_every_command_and_code_of_this_test() {
    let named = |row: &[&str]| row[0].trim_matches('`').to_owned();
    let rows = rows();
    let first = |line: &'static str| line.split(' ').next().unwrap_or_default();
    for (_, line) in CASES {
        let command = first(line);
        if command.starts_with('-') || ["help", "unknown"].contains(&command) {
            continue;
        }
        assert!(rows.iter().any(|row| named(row) == command), "{command}");
    }
    for row in &rows {
        let command = named(row);
        for code in [0, 1, 2] {
            let is_tested = CASES
                .iter()
                .any(|&(tested, line)| first(line) == command && tested == code);
            let is_listed = row[code as usize + 1] != "–";
            // These fail only when the output or the interrupt does.
            let is_special =
                ["brisance", "perft", "bench", "completions", "spsa"].contains(&command.as_str());
            assert!(is_tested == is_listed || is_special, "{command} {code}");
        }
    }
}

/// The bound is in the message, and reading stops there.
#[test]
#[cfg(unix)]
fn endless_files_are_refused() {
    let folder = Folder::new("endless");
    let sparse = fs::File::create(folder.0.join("sparse")).expect("writable");
    sparse.set_len(20 << 30).expect("a sparse file");
    let mut pipe = std::process::Command::new("mkfifo");
    let made = pipe.arg(folder.0.join("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    for (line, part) in [
        ("solve --check /dev/zero", "a device or a pipe, not a file"),
        ("solve --check pipe", "a device or a pipe, not a file"),
        (
            "solve --check sparse",
            "line 1: longer than the limit of 65536 bytes",
        ),
        (
            "eval FEN --eval-file /dev/zero",
            "a device or a pipe, not a file",
        ),
        (
            "eval FEN --eval-file sparse",
            "larger than the limit of 256 MiB",
        ),
        ("analyse FEN --eval-file .", "a directory, not a file"),
        ("book show sparse", "larger than the limit of 1024 MiB"),
        ("book show /dev/zero", "a device or a pipe, not a file"),
    ] {
        let error = folder.run(1, &words(line));
        let file = line.split(' ').next_back().expect("a word");
        assert!(
            error.contains(part) && error.contains(file),
            "{line}: {error}"
        );
    }
}

#[test]
fn long_names_are_shortened() {
    let folder = Folder::new("long");
    let name = "x".repeat(100_000);
    for line in [
        "book show NAME",
        "solve --check NAME",
        "perft NAME",
        "NAME",
        "eval NAME",
    ] {
        let words: Vec<&str> = line
            .split(' ')
            .map(|word| if word == "NAME" { &name } else { word })
            .collect();
        let code = if words.len() > 1 && words[0] != "perft" && words[0] != "eval" {
            1
        } else {
            2
        };
        let error = folder.run(code, &words);
        assert!(error.len() < 5000, "{line}: {}", error.len());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    for line in [
        "help",
        "--version",
        "perft 1 FEN",
        "bench --depth 1",
        "eval FEN",
        "show FEN",
        "analyse FEN --nodes 10",
        "completions bash",
        "man",
        "solve WIN",
        "uci",
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let output = Command::new(env!("CARGO_BIN_EXE_brisance"))
            .args(words(line))
            .stdout(full.expect("a device"))
            .output()
            .expect("the binary runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {error}");
        assert!(error.contains("No space left"), "{line}: {error}");
    }
}
