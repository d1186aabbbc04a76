//! The table of exit codes in `docs/exit-codes.md`, for every command: 0 done, 1 the work failed,
//! 2 the arguments are wrong. A missing file is a failure of the work, whatever the command.

use std::fs;
use std::path::Path;

use crate::program::{Ended, Folder};

const PAGE: &str = include_str!("../docs/exit-codes.md");

/// A folder with the files that the commands read.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("fens.epd", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1\n");
    folder.write("junk.epd", "not a position\n");
    let game = |moves: &str| {
        format!("[Event \"x\"]\n[Variant \"Atomic\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
    };
    folder.write("game.pgn", game("1. e4 e5"));
    folder.write("junk.pgn", game("1. e5"));
    folder.write("junk.json", "junk\n");
    folder
}

/// Command lines in the order in which they run, each with its exit code. Later ones use the
/// files that earlier ones write.
const CASES: &str = include_str!("data/exit-codes.txt");

#[test]
fn every_command_follows_the_table() {
    folder().check(CASES);
}

#[test]
fn the_page_lists_every_command_and_code_of_this_test() {
    // The rows of the table of the page have the columns command, 0, 1 and 2.
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows = rows.map(|row| row.trim_end_matches('|').split('|').map(str::trim));
    let rows: Vec<Vec<&str>> = rows.map(Iterator::collect).collect();
    let named = |row: &[&str]| row[0].trim_matches('`').to_owned();
    let cases = CASES.lines().filter(|line| !line.starts_with('#'));
    let cases = cases.filter_map(|line| line.split_once(' '));
    let cases: Vec<(&str, &str)> =
        cases.map(|(code, line)| (code, line.split(' ').next().unwrap_or_default())).collect();
    for (_, command) in &cases {
        let is_command = command.chars().all(char::is_alphabetic);
        if is_command && !["help", "unknown"].contains(command) {
            assert!(rows.iter().any(|row| named(row) == *command), "{command}");
        }
    }
    for row in &rows {
        let command = named(row);
        for (code, listed) in ["0", "1", "2"].into_iter().zip(&row[1..]) {
            let is_tested = cases.contains(&(code, &command));
            // These fail only when the output or the interrupt does.
            let is_special =
                ["brisance", "perft", "bench", "completions", "spsa"].contains(&command.as_str());
            let is_listed = *listed != "–";
            assert!(is_tested == is_listed || is_special, "{command} {code}");
        }
    }
}

/// The bound is in the message, and reading stops there.
#[test]
#[cfg(unix)]
fn endless_files_are_refused() {
    let folder = folder();
    let sparse = fs::File::create(folder.path("sparse")).expect("writable");
    sparse.set_len(20 << 30).expect("a sparse file");
    folder.make_pipe("pipe");
    folder.check(
        "
        1 solve --check /dev/zero ! a device or a pipe, not a file ! /dev/zero
        1 solve --check pipe ! a device or a pipe, not a file ! pipe
        1 solve --check sparse ! line 1: longer than the limit of 65536 bytes ! sparse
        1 eval FEN --eval-file /dev/zero ! a device or a pipe, not a file ! /dev/zero
        1 eval FEN --eval-file sparse ! larger than the limit of 256 MiB ! sparse
        1 analyse FEN --eval-file . ! a directory, not a file ! .
        1 book show sparse ! larger than the limit of 1024 MiB ! sparse
        1 book show /dev/zero ! a device or a pipe, not a file ! /dev/zero
        ",
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = folder();
    let lines = "help, --version, perft 1 FEN, bench --depth 1, eval FEN, show FEN, \
                 analyse FEN --nodes 10, analyse fens.epd --nodes 10, \
                 analyse game.pgn --nodes 10, completions bash, man, solve WIN, uci";
    for line in lines.split(", ") {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = folder.command(line);
        let ended = Ended::of(command.stdout(full.expect("a device"))).code(1);
        assert!(ended.err.contains("No space left"), "{line}: {}", ended.err);
    }
}
