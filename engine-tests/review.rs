//! `brisance analyse` on files: annotated games, lists, pages, and bad input or output. The
//! moves are replayed with shakmaty.

mod errors; // bad input, full disks, interrupts
mod games; // annotated PGN
mod lists; // EPD and JSON, order, resuming
mod marks; // marks, accuracy, proofs, and what another run repeats
mod page; // the page of analysed games
mod spellings; // PGN as people and programs write it

use std::path::Path;

use crate::program::{Ended, Folder, command};

/// Games as Lichess exports them: with clocks, comments, NAGs and variations, a game of Chess960,
/// and an explosion at the end.
const GAMES: &str = "\
[Event \"Rated Atomic game\"]
[Site \"https://lichess.org/abcdefgh\"]
[White \"Zoë\"]
[Black \"B \\\"the\\\" C\"]
[Result \"1-0\"]
[Variant \"Atomic\"]
[TimeControl \"180+2\"]
[Annotator \"lichess.org\"]

{ An intro. } 1. Nf3 { [%eval 0.17] [%clk 0:03:00] } f6 $1 { [%clk 0:03:00] } 2. Nc3 { [%clk 0:02:58] so
far so good } (2. e4 e5 (2... d5 3. Nd4) 3. d4 $10) 2... Nh6 { [%clk 0:02:57] } 3. g4 c6 4. d4 e6 5. Nd5
a6?! { Inaccuracy. } 6. Nc7+ Kf7 7. Ng5+ Kg6?? 8. Nxh7# { [%clk 0:02:31] } 1-0


[White \"A\"]
[Black \"D\"]
[Result \"*\"]
[Variant \"Atomic\"]
[SetUp \"1\"]
[FEN \"nqbbrknr/pppppppp/8/8/8/8/PPPPPPPP/NQBBRKNR w HEhe - 0 1\"]

1. Nf3 d5 2. Nd4 f6 3. O-O *

[White \"E\"]
[Black \"F\"]
[Result \"1/2-1/2\"]
[Variant \"Atomic\"]
[FEN \"8/P6k/8/8/8/8/6p1/K6R b - - 0 30\"]

30... gxh1=Q 31. a8=N 1/2-1/2
";

/// Both sides can win at once all the time, and shuffle.
const MISSED: &str = "\
[Variant \"Atomic\"]
[FEN \"6k1/3Q1ppp/8/8/8/8/q4PPP/6K1 b - - 0 1\"]

1... h6 2. h3 g6 3. g3 Kh8 4. Kh1 Kg8 5. Kg1 h5 6. h4 *
";

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
