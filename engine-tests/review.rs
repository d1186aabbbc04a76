//! `brisance analyse` on files: annotated games, lists, pages, and bad input or output. The
//! moves are replayed with shakmaty.

mod errors; // bad input, full disks, interrupts
mod games; // annotated PGN
mod lists; // EPD and JSON, order, resuming
mod marks; // marks, accuracy, proofs, and what another run repeats
mod page; // the page of analysed games
mod spellings; // PGN as people and programs write it

use std::path::Path;

use serde_json::Value;

use crate::program::{Ended, Folder, command};

/// Games as Lichess exports them: with clocks, comments, NAGs and variations, a game of Chess960,
/// and an explosion at the end.
const GAMES: &str = include_str!("data/games.pgn");

/// Both sides can win at once all the time, and shuffle.
const MISSED: &str = "\
[Variant \"Atomic\"]
[FEN \"6k1/3Q1ppp/8/8/8/8/q4PPP/6K1 b - - 0 1\"]

1... h6 2. h3 g6 3. g3 Kh8 4. Kh1 Kg8 5. Kg1 h5 6. h4 *
";

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

/// Standard output and error of `brisance analyse FILE` with 300 nodes per position and more words, in
/// the folder of the file.
#[track_caller]
fn run(file: &str, rest: &str, code: i32) -> (String, String) {
    run_with(file, &format!("{rest} --nodes 300"), code)
}

/// [`run`] without the limit.
#[track_caller]
fn run_with(file: &str, rest: &str, code: i32) -> (String, String) {
    let line = format!("analyse {file} --hash 1 {rest}");
    let folder = Path::new(file).parent().expect("a folder");
    let ended = Ended::of(command(&line).current_dir(folder)).code(code);
    (ended.out, ended.err)
}

/// [`run`] for a file with these games.
#[track_caller]
fn analysed(text: &str, rest: &str, code: i32) -> (String, String) {
    run(&Folder::new().write("games.pgn", text), rest, code)
}

/// The page of these games.
#[track_caller]
fn page(text: &str) -> String {
    let folder = Folder::new();
    run(&folder.write("games.pgn", text), "--html page.html", 0);
    folder.read("page.html")
}
