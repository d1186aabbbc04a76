//! `book build`: from games, with weights counted by hand, and from an interrupted search.

use super::book_show;
use crate::program::{Folder, check};

/// Games of atomic chess, with their results.
fn games() -> String {
    let games = "Nf3 f6 1-0, Nf3 f6 2. Nc3 1/2-1/2, Nf3 e5 0-1, e4 e5 1-0, Nf3 d5 *";
    let game = |moves| format!("[Variant \"Atomic\"]\n\n1. {moves}\n\n");
    games.split(", ").map(game).collect()
}

#[test]
fn a_book_of_games_has_the_expected_weights() {
    let (folder, _) = Folder::with("games.pgn", games());
    folder.check(
        "
        0 book build all.bin --pgn games.pgn --min-games 1
        | 5 moves in 3 positions from 4 games; 1 without
        0 book build some.bin --pgn games.pgn --min-games 2 --max-plies 1
        ",
    );
    let show = |file, moves| book_show(&folder, file, moves);
    assert_eq!(show("all.bin", ""), "Nf3 3, e4 2");
    // 1... f6 lost and drew, 1... e5 won; after 1. e4 Black lost.
    assert_eq!(show("all.bin", "Nf3"), "e5 2, f6 1");
    assert_eq!(show("all.bin", "e4"), "");
    assert_eq!(show("all.bin", "Nf3 f6"), "Nc3 1");
    assert_eq!(show("some.bin", ""), "Nf3 3");
    assert_eq!(show("some.bin", "Nf3"), "");
}

#[test]
fn bad_games_are_reported_and_the_others_counted() {
    let chess = "[Event \"chess\"]\n\n1. e4 e5 1-0\n\n1. e4 Qh4 1-0\n";
    let (folder, _) = Folder::with("games.pgn", games() + chess);
    folder.check(
        "0 book build book.bin --pgn games.pgn --min-games 1
         ! 2 games without the tag Variant skipped; --variant atomic",
    );
    assert_eq!(book_show(&folder, "book.bin", ""), "Nf3 3, e4 2");
    folder.check(
        "1 book build book.bin --pgn games.pgn --min-games 1 --force --assume-atomic
         ! game 7 ! Qh4",
    );
    // The moves before the illegal one count.
    assert_eq!(book_show(&folder, "book.bin", ""), "e4 6, Nf3 3");
    folder.check("1 book build none.bin --pgn games.pgn --min-games 9 ! no book is written");
    assert!(!folder.has("none.bin"));
}

#[test]
fn an_interrupted_search_builds_the_same_book() {
    let folder = Folder::new();
    let search = |rest: &str| {
        let few = "--nodes 300 --width 3 --hash 1 --max-plies 4 --margin 40";
        folder.check(&format!("0 book build {few} {rest}"));
    };
    search("whole.bin --search --threads 2 | best play");
    // Half of the file with an incomplete last line, as a kill leaves it.
    let lines = folder.bytes("whole.bin.jsonl");
    folder.write("parts.bin.jsonl", &lines[..lines.len() / 2]);
    search("parts.bin --search");
    assert_eq!(folder.bytes("parts.bin"), folder.bytes("whole.bin"));
    // A finished search is not repeated.
    let before = folder.bytes("parts.bin.jsonl");
    search("parts.bin --search | , 0 new positions searched");
    assert_eq!(folder.bytes("parts.bin"), folder.bytes("whole.bin"));
    assert_eq!(folder.bytes("parts.bin.jsonl"), before);
    let moves = book_show(&folder, "whole.bin", "");
    let first = moves.split(", ").next().expect("a move");
    assert!(first.ends_with(" 10000"), "{moves}");

    for bad in ["{\"format\":\"brisance book search 1\"}\n", "rubbish"] {
        folder.write("bad.jsonl", bad);
        folder.check("1 book build parts.bin --search --record bad.jsonl ! not the record");
        assert_eq!(folder.read("bad.jsonl"), bad);
    }
    let other = "--nodes 400 --width 3 --hash 1";
    let line = format!("book build parts.bin --search {other}");
    folder.check(&format!("1 {line} ! other searches"));
}

#[test]
fn a_search_starts_anywhere_except_in_finished_games() {
    let folder = Folder::new();
    folder.check(
        "
        0 book build mate.bin --nodes 300 --search WIN | Qxd7# | #1
        2 book build no.bin --search EXPLODED ! over
        2 book build no.bin --search rubbish ! rubbish
        ",
    );
    check(
        "
        2 book build x.bin
        2 book build x.bin --search --pgn x.pgn
        2 book build x.bin --pgn x.pgn --width 2
        2 book build x.bin --pgn x.pgn --handcrafted
        2 book build x.bin --search --min-games 2
        ",
    );
}
