//! Book moves over UCI and in matches, and the book of this repository.

use std::collections::HashSet;

use brisance::notation::fen;
use brisance::opening::{Book, BookChoice, polyglot_key};

use super::{after, entry};
use crate::program::Folder;
use crate::repository::root;
use crate::table::rows;
use crate::uci::session::{answer, piped};
use crate::walk::position;

/// A book with moves that no search would choose: 1. h4, and 1. a4 with weight 0.
fn unusual_book(folder: &Folder) -> String {
    let (start, reply) = (after(""), after("h4"));
    let moves = [(&start, "h4", 5), (&start, "a4", 0), (&reply, "Nh6", 1)];
    let entries = moves.map(|(pos, text, weight)| entry(pos, text, weight));
    folder.write("silly.bin", Book::new(entries.to_vec()).to_bytes())
}

#[test]
fn the_book_is_used_in_games_but_not_in_analysis() {
    let folder = Folder::new();
    let path = unusual_book(&folder);
    let open = format!("setoption name BookFile value {path}\n");
    let on = format!("{open}setoption name OwnBook value true\n");
    let lines = piped(&format!("{on}position startpos\ngo wtime 60000 btime 60000\n"));
    assert_eq!(lines[0], "info string book with 3 moves in 2 positions");
    assert_eq!(lines[1], "info string book move h4");
    assert!(lines[2].contains(" score cp "), "{lines:?}");
    assert!(lines[2].ends_with(" pv h2h4"), "{lines:?}");
    assert_eq!(lines[3..], ["bestmove h2h4"]);
    // The commands, and the answer from the book or a dash.
    let table = "
        position startpos moves h2h4; go nodes 9                        | g8h6
        position startpos; go                                           | h2h4
        setoption name BookBest value true; go movetime 9000            | h2h4
        position startpos moves e2e4; go nodes 9                        | -
        setoption name OwnBook value false; go nodes 9                  | -
        setoption name UCI_AnalyseMode value true; go nodes 9           | -
        setoption name BookFile value <empty>; go nodes 9               | -
        setoption name UCI_Variant value nocheckatomic; go nodes 9      | -
        go infinite; stop                                               | -
        go ponder nodes 9; stop                                         | -
        go ponder nodes 9; ponderhit                                    | -
        go nodes 9 searchmoves a2a3 h2h4                                | -
        go mate 1 nodes 9                                               | -
        go perft 1                                                      | -
        position startpos moves g1f3 g8f6 f3g1 f6g8; go nodes 9         | h2h4
        setoption name BookDepth value 1; position startpos moves g1f3 g8f6 f3g1 f6g8; go nodes 9 | -";
    for [commands, expected] in rows(table) {
        let commands = commands.replace("; ", "\n");
        let lines = piped(&format!("{on}{commands}\n"));
        let start = "info string book move ";
        let is_book_move = lines.iter().any(|line| line.starts_with(start));
        assert_eq!(is_book_move, expected != "-", "{commands}: {lines:?}");
        if is_book_move {
            assert_eq!(answer(&lines), expected, "{commands}");
        }
    }
}

#[test]
fn a_bad_book_is_an_error_and_keeps_the_old_one() {
    let folder = Folder::new();
    let (good, bad) = (unusual_book(&folder), folder.write("bad.bin", [7; 33]));
    let lines = piped(&format!(
        "setoption name OwnBook value true\nsetoption name BookFile value {good}\n\
         setoption name BookFile value {bad}\nsetoption name BookFile value {bad}.not\n\
         position startpos\ngo nodes 100\n"
    ));
    let errors: Vec<&String> = lines.iter().filter(|line| line.contains("error")).collect();
    assert_eq!(errors.len(), 2, "{lines:?}");
    assert!(errors[0].contains("bad.bin") && errors[0].contains("33 bytes"));
    assert!(errors[1].contains("bad.bin.not"));
    assert_eq!(answer(&lines), "h2h4");
}

#[test]
fn match_engines_use_their_books() {
    let folder = Folder::new();
    let path = unusual_book(&folder);
    let openings = folder.write("start.epd", format!("{}\n", fen::STARTPOS));
    let reader = format!("self name=reader option.BookFile={path} option.OwnBook=true");
    folder.check(&format!(
        "0 match --engine '{reader}' --engine 'self name=other' --nodes 50 --games 2
         --openings {openings} --pgn games.pgn"
    ));
    let games = folder.read("games.pgn");
    assert_eq!(games.matches("1. h4 ").count(), 1, "{games}");
}

#[test]
fn castling_and_promotion_are_found_in_the_book() {
    let folder = Folder::new();
    for (text, mv, expected) in [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", "e1g1"),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=N", "a7a8n"),
    ] {
        let pos = position(text);
        let path = folder.write("one.bin", Book::new(vec![entry(&pos, mv, 1)]).to_bytes());
        let commands = format!(
            "setoption name BookFile value {path}\nsetoption name OwnBook value true\n\
             position fen {text}\ngo nodes 9\n"
        );
        assert_eq!(answer(&piped(&commands)), expected);
        folder.check(&format!("0 book show one.bin '{text}' | {mv} | 100.0 %"));
    }
}

#[test]
fn the_book_of_the_repository_is_valid() {
    let book = Book::open(&root().join("book/brisance.bin")).expect("a book");
    let mut rng = fastrand::Rng::with_seed(1);
    let mut pos = after("");
    while let Some(found) = book.choose(&pos, BookChoice::Best, &mut rng) {
        pos.make(found.mv);
    }
    assert!(pos.ply() >= 10, "{} plies", pos.ply());
    // Every entry is a legal move, and legal moves from other book positions lead to every
    // position: book moves alone no longer reach some of them.
    let (mut seen, mut entries) = (HashSet::from([polyglot_key(&after(""))]), 0);
    let mut open = vec![after("")];
    while let Some(pos) = open.pop() {
        entries += book.moves(&pos).len();
        for mv in pos.legal_moves() {
            let next = pos.after(mv);
            if !book.moves(&next).is_empty() && seen.insert(polyglot_key(&next)) {
                open.push(next);
            }
        }
    }
    assert_eq!(entries, book.entries().len());
}
