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
const CASES: &str = "
    0 analyse FEN --nodes 10
    0 analyse fens.epd --nodes 10
    0 analyse game.pgn --nodes 10 --threads 1
    1 analyse missing.epd --nodes 10
    1 analyse missing.pgn --nodes 10
    1 analyse junk.epd --nodes 10 ! error
    1 analyse junk.pgn --nodes 10 ! error
    1 analyse FEN --nodes 10 --syzygy missing ! cannot read missing
    1 analyse FEN --nodes 10 --eval-file missing.nnue
    2 analyse junk --nodes 10
    2 analyse FEN --nodes ten
    2 analyse fens.epd --nodes 10 --html x.html
    0 perft 1 FEN
    2 perft 1 junk
    2 perft
    0 bench --depth 1
    2 bench --depth 0
    0 eval FEN
    1 eval FEN --eval-file missing.nnue
    1 eval FEN --eval-file junk.json
    2 eval junk
    0 show FEN
    1 show FEN --svg missing/x.svg
    1 show FEN --svg game.pgn
    2 show junk
    0 solve WIN --tree proof.json
    0 solve --check proof.json
    1 solve FEN --nodes 10 | UNKNOWN
    1 solve --check missing.json
    1 solve --check junk.json
    1 solve WIN --tree missing/x.json
    1 solve WIN --tree proof.json
    2 solve junk
    2 solve WIN --nodes ten
    0 openings made.epd --count 1 --nodes 50
    1 openings missing/x.epd --count 1 --nodes 50
    1 openings junk.epd --count 1 --nodes 50 ! line 1 ! not a position
    2 openings made.epd --count 2 --nodes 50 --seed 7
    2 openings x.epd --min-plies 9 --max-plies 8
    0 match --engine self --engine self --nodes 5 --games 2 --openings fens.epd --max-moves 2
    1 match --engine self --engine self --nodes 5 --openings missing.epd
    1 match --engine self --engine self --nodes 5 --openings junk.epd
    1 match --engine self --engine self --nodes 5 --syzygy missing ! cannot read missing
    1 match --engine self --engine cmd=./missing --nodes 5
    1 match --engine self --engine 'self name=X option.EvalFile=none.nnue' --nodes 5 ! X:  ! none.nnue
    1 match --engine self --engine self --nodes 5 --games 2 --pgn missing/x.pgn
    2 match --engine self --nodes 5
    2 match --engine self --engine self
    0 datagen x.bin --nodes 20 --positions 1 --threads 1 --openings fens.epd
    1 datagen missing/x.bin --nodes 20 --positions 1
    1 datagen junk.json --nodes 20 --positions 1
    1 datagen y.bin --nodes 20 --positions 1 --openings missing.epd
    1 datagen y.bin --nodes 20 --positions 1 --syzygy missing ! cannot read missing
    2 datagen y.bin --min-plies 9 --max-plies 8
    0 data info x.bin
    0 data verify x.bin
    0 data merge z.bin x.bin
    0 data show x.bin 1
    1 data info missing.bin
    1 data verify junk.json
    1 data merge z.bin x.bin
    1 data merge new.bin missing.bin
    1 data show x.bin 99999
    1 data export missing/out.bin x.bin
    2 data export out.bin x.bin --lambda 2
    2 data show x.bin one
    2 data export x.bin x.bin
    1 data export game.pgn x.bin
    0 book build x.bok --pgn game.pgn --min-games 1
    0 book show x.bok
    1 book build y.bok --pgn missing.pgn
    1 book build missing/y.bok --pgn game.pgn --min-games 1
    1 book build x.bok --pgn game.pgn --min-games 1
    1 book show missing.bok
    1 book show junk.json
    2 book build y.bok
    2 book show x.bok junk
    0 puzzles game.pgn --out p.epd --solver-nodes 50
    1 puzzles missing.pgn --out p.epd
    1 puzzles junk.pgn --out q.epd
    1 puzzles game.pgn --out missing/p.epd
    1 puzzles game.pgn --out junk.epd
    2 puzzles game.pgn --out p.epd --solver-nodes 60
    2 puzzles game.pgn
    0 completions bash
    2 completions csh
    0 man pages
    1 man pages
    0 man pages --force
    1 man junk.json/pages
    2 man one two
    0 --version
    0 help
    2 unknown
    2 --unknown
    # UCI lines as arguments.
    2 'setoption name Nothing value 1' | error";

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
    let cases = CASES.lines().filter_map(|line| line.trim().split_once(' '));
    let cases: Vec<(&str, &str)> = cases
        .map(|(code, line)| (code, line.split(' ').next().unwrap_or_default()))
        .collect();
    for (_, command) in &cases {
        let is_command = command.chars().all(char::is_alphabetic);
        if is_command && !["help", "unknown", "UCI"].contains(command) {
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
    for line in [
        "help",
        "--version",
        "perft 1 FEN",
        "bench --depth 1",
        "eval FEN",
        "show FEN",
        "analyse FEN --nodes 10",
        "analyse fens.epd --nodes 10",
        "analyse game.pgn --nodes 10",
        "completions bash",
        "man",
        "solve WIN",
        "uci",
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = folder.command(line);
        let ended = Ended::of(command.stdout(full.expect("a device"))).code(1);
        assert!(ended.err.contains("No space left"), "{line}: {}", ended.err);
    }
}
