//! `book build`: from games, with weights counted by hand, and from an interrupted search.

use std::path::Path;

use assert_cmd::Command;
use brisance::opening::Book;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

use super::{Place, after, book_show, brisance, stdout};

const GAMES: &str = "\
[Variant \"Atomic\"]

1. Nf3 f6 1-0

[Variant \"Atomic\"]

1. Nf3 f6 2. Nc3 1/2-1/2

[Variant \"Atomic\"]

1. Nf3 e5 0-1

[Variant \"Atomic\"]

1. e4 e5 1-0

[Variant \"Atomic\"]

1. Nf3 d5 *
";

fn weights(list: &[(&str, u64)]) -> Vec<(String, u64)> {
    list.iter()
        .map(|&(text, weight)| (text.to_owned(), weight))
        .collect()
}

#[test]
fn a_book_of_games_has_the_expected_weights() {
    let place = Place::new();
    let games = place.write("games.pgn", GAMES);
    let (all, some) = (place.name("all.bin"), place.name("some.bin"));
    let text = stdout(&["book", "build", &all, "--pgn", &games, "--min-games", "1"]);
    assert!(
        text.starts_with("5 moves in 3 positions from 4 games; 1 without"),
        "{text}"
    );
    assert_eq!(book_show(&all, &[]), weights(&[("Nf3", 3), ("e4", 2)]));
    // 1... f6 lost and drew, 1... e5 won; after 1. e4 Black lost.
    assert_eq!(book_show(&all, &["Nf3"]), weights(&[("e5", 2), ("f6", 1)]));
    assert_eq!(book_show(&all, &["e4"]), weights(&[]));
    assert_eq!(book_show(&all, &["Nf3", "f6"]), weights(&[("Nc3", 1)]));

    let rest = ["--min-games", "2", "--max-plies", "1"];
    stdout(&[&["book", "build", &some, "--pgn", &games], &rest[..]].concat());
    assert_eq!(book_show(&some, &[]), weights(&[("Nf3", 3)]));
    assert_eq!(book_show(&some, &["Nf3"]), weights(&[]));

    let before = std::fs::read(&some).expect("a book");
    brisance(&["book", "build", &some, "--pgn", &games])
        .assert()
        .code(1)
        .stderr(contains("--force"));
    assert_eq!(std::fs::read(&some).expect("a book"), before);
}

#[test]
fn bad_games_are_reported_and_the_others_counted() {
    let place = Place::new();
    let text = format!("{GAMES}\n[Event \"chess\"]\n\n1. e4 e5 1-0\n\n1. e4 Qh4 1-0\n");
    let games = place.write("games.pgn", text);
    let book = place.name("book.bin");
    brisance(&["book", "build", &book, "--pgn", &games, "--min-games", "1"])
        .assert()
        .code(0)
        .stderr(contains(
            "2 games without the tag Variant skipped; --assume-atomic",
        ));
    assert_eq!(book_show(&book, &[]), weights(&[("Nf3", 3), ("e4", 2)]));
    let rest = ["--min-games", "1", "--force", "--assume-atomic"];
    brisance(&[&["book", "build", &book, "--pgn", &games], &rest[..]].concat())
        .assert()
        .code(1)
        .stderr(contains("game 7").and(contains("Qh4")));
    // The moves before the illegal one count.
    assert_eq!(book_show(&book, &[]), weights(&[("e4", 6), ("Nf3", 3)]));
    let none = place.name("none.bin");
    brisance(&["book", "build", &none, "--pgn", &games, "--min-games", "9"])
        .assert()
        .code(1)
        .stderr(contains("no book is written"));
    assert!(!Path::new(&none).exists());
}

fn search(out: &str, rest: &[&str]) -> Command {
    let few = ["--nodes", "300", "--width", "3", "--hash", "1"];
    brisance(&[&["book", "build", out, "--search"], &few[..], rest].concat())
}

#[test]
fn an_interrupted_search_builds_the_same_book() {
    let place = Place::new();
    let (whole, parts) = (place.name("whole.bin"), place.name("parts.bin"));
    let plan = ["--max-plies", "4", "--margin", "40"];
    let read = |path: &str| std::fs::read(path).expect("readable");
    let all = [&plan[..], &["--threads", "2"]].concat();
    search(&whole, &all)
        .assert()
        .success()
        .stdout(contains("best play"));
    let record = format!("{parts}.jsonl");
    // Half of the file with an incomplete last line, as a kill leaves it.
    let lines = read(&format!("{whole}.jsonl"));
    std::fs::write(&record, &lines[..lines.len() / 2]).expect("writable");
    search(&parts, &plan).assert().success();
    assert_eq!(read(&parts), read(&whole));
    // A finished search is not repeated.
    let before = read(&record);
    search(&parts, &plan)
        .assert()
        .success()
        .stdout(contains(", 0 new positions searched"));
    assert_eq!((read(&parts), read(&record)), (read(&whole), before));
    let book = Book::open(Path::new(&whole)).expect("a book");
    let first = book.moves(&after(""));
    assert_eq!(first.first().map(|found| found.weight), Some(10_000));

    for (bad, expected) in [
        (
            "{\"format\":\"brisance book search 1\"}\n",
            "not the record",
        ),
        ("rubbish", "not the record"),
    ] {
        let record = place.write("bad.jsonl", bad);
        search(&parts, &["--record", &record])
            .assert()
            .code(1)
            .stderr(contains(expected));
        assert_eq!(std::fs::read_to_string(record).expect("untouched"), bad);
    }
    let rest = ["--nodes", "400", "--width", "3", "--hash", "1"];
    brisance(&[&["book", "build", &parts, "--search"], &rest[..]].concat())
        .assert()
        .code(1)
        .stderr(contains("other searches"));
}

#[test]
fn a_search_starts_anywhere_except_in_finished_games() {
    let place = Place::new();
    let out = place.name("mate.bin");
    let mate = "rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4";
    brisance(&["book", "build", &out, "--nodes", "300", "--search", mate])
        .assert()
        .success()
        .stdout(contains("Qxd7#").and(contains("#1")));
    let over = "4k3/8/8/8/8/8/8/8 w - - 0 1";
    for (words, expected) in [(over, "over"), ("rubbish", "rubbish")] {
        brisance(&["book", "build", &place.name("no.bin"), "--search", words])
            .assert()
            .code(2)
            .stderr(contains(expected));
    }
    for args in [
        &["book", "build", "x.bin"][..],
        &["book", "build", "x.bin", "--search", "--pgn", "x.pgn"],
        &["book", "build", "x.bin", "--pgn", "x.pgn", "--width", "2"],
        &["book", "build", "x.bin", "--pgn", "x.pgn", "--handcrafted"],
        &["book", "build", "x.bin", "--search", "--min-games", "2"],
    ] {
        brisance(args).assert().code(2);
    }
}
