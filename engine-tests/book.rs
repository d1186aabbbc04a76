//! Opening books: keys, choices, round trips and damaged files. The fuzz target `polyglot_key` compares
//! keys with shakmaty.

mod building; // books from games and from a search
mod playing; // book moves over UCI and in matches
mod refutations; // moves that lose by force

use brisance::notation::fen;
use brisance::notation::{coord, san};
use brisance::opening::{Book, BookChoice, BookEntry, polyglot_key, polyglot_move};
use brisance::rules::{Move, Position, Variant};
use std::collections::HashMap;
use std::collections::hash_map::Entry::Vacant;

use crate::program::{Ended, Folder, run};
use crate::random::Random;
use crate::walk::{Start, choose, play, position};

/// The position after moves from the start.
fn after(moves: &str) -> Position {
    let mut pos = position("startpos");
    play(&mut pos, moves);
    pos
}

fn entry(pos: &Position, text: &str, weight: u16) -> BookEntry {
    let mv = san::parse(pos, text).expect("a legal move");
    BookEntry { key: polyglot_key(pos), code: polyglot_move(mv), weight, learn: 0 }
}

/// The moves and weights of `book show --json` as text, after moves from the start.
fn book_show(folder: &Folder, file: &str, moves: &str) -> String {
    let option = if moves.is_empty() { "" } else { "--moves" };
    let line = format!("book show {file} --json {option} {moves}");
    let found = folder.run(&line).code(0).result();
    let moves = found["moves"].as_array().expect("a list").iter();
    let text = |mv: &serde_json::Value| format!("{} {}", mv["san"].as_str().unwrap(), mv["weight"]);
    moves.map(text).collect::<Vec<_>>().join(", ")
}

#[test]
fn moves_are_encoded_as_specified() {
    let code = |fen: &str, text: &str| {
        let pos = position(fen);
        polyglot_move(coord::parse(&pos, text).expect("a legal move"))
    };
    // From the lowest bit: target file and rank, origin file and rank, three bits each, then the
    // promotion piece.
    assert_eq!(code(fen::STARTPOS, "e2e4"), 4 | 3 << 3 | 4 << 6 | 1 << 9);
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1";
    assert_eq!(code(castling, "e8g8"), 7 | 7 << 3 | 4 << 6 | 7 << 9);
    assert_eq!(code(castling, "e8c8"), 7 << 3 | 4 << 6 | 7 << 9);
    let promotion = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
    for (number, piece) in (1..).zip(["n", "b", "r", "q"]) {
        let expected = 7 << 3 | 6 << 9 | number << 12;
        assert_eq!(code(promotion, &format!("a7a8{piece}")), expected);
    }
}

#[test]
fn books_round_trip() {
    let start = after("");
    let mut learned = entry(&start, "e4", 0x0102);
    learned.learn = 0x0304_0506;
    let bytes = [0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 0x03, 0x1c, 1, 2, 3, 4, 5, 6];
    assert_eq!(Book::new(vec![learned]).to_bytes(), bytes);
    assert_eq!(Book::parse(&bytes).expect("a book").entries(), [learned]);

    // The moves of many positions.
    let mut random = Random::new(12);
    let mut expected: HashMap<u64, Vec<(Move, u16)>> = HashMap::new();
    let (mut positions, mut entries) = (Vec::new(), Vec::new());
    for start in Start::cycle().take(60) {
        let mut pos = start.position(Variant::Atomic, &mut random);
        while let Some(mv) = choose(&pos, false, &mut random).filter(|_| pos.ply() < 20) {
            if let Vacant(place) = expected.entry(polyglot_key(&pos)) {
                let legal = pos.legal_moves().into_iter();
                let moves: Vec<(Move, u16)> = legal.zip((0..=900).rev()).take(9).collect();
                entries.extend(moves.iter().map(|&(mv, weight)| BookEntry {
                    key: polyglot_key(&pos),
                    code: polyglot_move(mv),
                    weight,
                    learn: 0,
                }));
                place.insert(moves);
                positions.push(pos.clone());
            }
            pos.make(mv);
        }
    }
    random.shuffle(&mut entries);
    let book = Book::parse(&Book::new(entries).to_bytes()).expect("a book");
    assert_eq!(book.positions(), positions.len());
    assert!(positions.len() > 300);
    for pos in positions {
        let moves = book.moves(&pos);
        let found: Vec<(Move, u16)> = moves.iter().map(|m| (m.mv, m.weight)).collect();
        assert_eq!(found, expected[&polyglot_key(&pos)], "{pos:?}");
    }
}

#[test]
fn illegal_and_repeated_entries_are_ignored() {
    let start = after("");
    let mut bad = entry(&start, "e4", 500);
    bad.code = 0;
    let mut worse = bad;
    worse.code = u16::MAX;
    let entries = vec![bad, worse, entry(&start, "d4", 3), entry(&start, "d4", 2)];
    let book = Book::new(entries);
    let moves = book.moves(&start);
    assert_eq!((moves.len(), moves[0].weight), (1, 3));
    for other in [Position::startpos(Variant::NoCheckAtomic), after("e4")] {
        assert!(book.moves(&other).is_empty());
    }
}

#[test]
fn choices_follow_the_weights() {
    let start = after("");
    let weights = [("e4", 600), ("Nf3", 300), ("d4", 100), ("a3", 0)];
    let entries = weights.map(|(text, weight)| entry(&start, text, weight));
    let book = Book::new(entries.to_vec());
    let draws = |seed: u64| -> Vec<String> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut draw = || book.choose(&start, BookChoice::Weighted, &mut rng);
        let mut draw = || san::write(&start, draw().expect("a move").mv);
        (0..2000).map(|_| draw()).collect()
    };
    let drawn = draws(7);
    assert_eq!(drawn, draws(7));
    assert_ne!(drawn, draws(8));
    for (text, weight) in weights {
        let count = drawn.iter().filter(|&other| other == text).count() as f64;
        // Four standard deviations of 2000 draws are below 90.
        let expected = 2.0 * f64::from(weight);
        assert!((count - expected).abs() < 90.0, "{text}: {count}");
    }
    let mut rng = fastrand::Rng::with_seed(1);
    let best = book.choose(&start, BookChoice::Best, &mut rng);
    assert_eq!(san::write(&start, best.expect("a move").mv), "e4");
    let never = Book::new(vec![entry(&start, "a3", 0)]);
    for choice in [BookChoice::Best, BookChoice::Weighted] {
        assert_eq!(never.choose(&start, choice, &mut rng), None);
    }
}

#[test]
fn files_that_are_no_books_are_errors() {
    let entries = vec![entry(&after(""), "e4", 1), entry(&after("e4"), "e5", 1)];
    let good = Book::new(entries).to_bytes();
    let (folder, _) = Folder::with("empty.bin", "");
    folder.write("truncated.bin", &good[..31]);
    folder.write("unsorted.bin", [&good[16..], &good[..16]].concat());
    folder.write("text.bin", "[Event \"a game\"]\n\n1. e4 e5 *\n");
    folder.check(
        "
        1 book show empty.bin ! empty.bin ! the book is empty
        1 book show truncated.bin ! truncated.bin ! 31 bytes
        1 book show unsorted.bin ! unsorted.bin ! entry 2 of 2
        1 book show text.bin ! text.bin ! not a Polyglot book
        1 book show missing.bin ! missing.bin
        1 book show . ! not a file
        ",
    );
}

/// A book of two moves from the start position and one after each.
fn small_book(first: &str, second: &str, weights: [u16; 2]) -> Book {
    let entry = |moves, text, weight| entry(&after(moves), text, weight);
    Book::new(vec![
        entry("", first, weights[0]),
        entry("", second, weights[1]),
        entry(first, "e5", 7),
    ])
}

#[test]
fn books_are_merged() {
    let (folder, _) = Folder::with("one.bin", small_book("e4", "Nf3", [10, 30]).to_bytes());
    let two = small_book("e4", "d4", [50_000, 20_000]);
    folder.write("two.bin", two.to_bytes());
    folder.write("heavy.bin", small_book("e4", "Nf3", [60_000, 1]).to_bytes());
    folder.check("0 book merge out.bin one.bin two.bin | 4 moves in 2 positions");
    let show = |moves| book_show(&folder, "out.bin", moves);
    assert_eq!(show(""), "e4 50010, d4 20000, Nf3 30");
    assert_eq!(show("e4"), "e5 14");
    folder.check(
        "
        0 book merge --force out.bin heavy.bin heavy.bin
        1 book merge no.bin one.bin none.bin ! none.bin
        ",
    );
    // Sums that are too large are scaled, and no move is lost.
    assert_eq!(show(""), "e4 65535, Nf3 1");
}

#[test]
fn games_that_make_no_book_are_counted() {
    let folder = Folder::new();
    let unfinished = "[Variant \"Atomic\"]\n\n1. e4 *\n\n";
    let won = "[Variant \"Atomic\"]\n\n1. e4 e5 1-0\n\n";
    for (text, message) in [
        ("", "there are no games to build it from"),
        (unfinished, "1 game without a result"),
        (won, "no move was played in 3 games of 1 game with a result"),
    ] {
        folder.write("games.pgn", text);
        let line = "book build x --pgn games.pgn";
        folder.check(&format!("1 {line} ! no book is written: {message}"));
    }
    folder.check(
        "0 book build out.bin --pgn games.pgn --min-games 1 --max-plies 1
         | 1 move in 1 position from 1 game; 0 without a result skipped",
    );
}

#[test]
fn a_dump_has_every_position_once() {
    let (folder, _) = Folder::with("book.bin", small_book("e4", "Nf3", [10, 30]).to_bytes());
    let text = folder.stdout("book dump book.bin");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    let moves = "pm Nf3; c0 \"Nf3 75.0 %, e4 25.0 %\";";
    assert!(lines[0].ends_with(moves), "{text}");
    let objects = folder.run("book dump --json book.bin").code(0).json();
    assert_eq!(objects[1]["moves"][0]["san"], "e5");
    let first = folder.stdout("book dump book.bin --plies 0");
    assert_eq!(first.lines().count(), 1);
    // From another position some entries are not reached.
    folder.check(
        "0 book dump book.bin 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1'
         ! 2 of 3 entries not reached",
    );
    // Every line of a real book is another position that has book moves.
    let whole = run("book dump --json book/brisance.bin").code(0).json();
    let keys = whole.iter().map(|object| {
        assert!(!object["moves"].as_array().expect("moves").is_empty());
        let fen = object["fen"].as_str().expect("a FEN");
        polyglot_key(&position(fen))
    });
    let keys: std::collections::HashSet<u64> = keys.collect();
    assert_eq!(keys.len(), whole.len());
    assert!(whole.len() > 400, "{}", whole.len());
}

#[test]
fn a_book_is_browsed_move_by_move() {
    let (folder, _) = Folder::with("book.bin", small_book("e4", "Nf3", [10, 30]).to_bytes());
    let input = "2\nzz9\ne5\nback\nback\nback\nhelp\n99\n0\n99999999999999999999\nquit\n";
    folder.write("input", input);
    let input = std::fs::File::open(folder.path("input")).expect("readable");
    let mut command = folder.command("book browse book.bin");
    let text = Ended::of(command.stdin(input)).code(0).out;
    let pages: Vec<&str> = text.split(" 8  ").skip(1).collect();
    let expected = "Nf3; e5; zz9; not in the book; e5; Nf3; first position; or its number in the \
                    list; no move 99: the last one is 2; no move 0; no move 99999999999999999999";
    let expected: Vec<&str> = expected.split("; ").collect();
    assert_eq!(pages.len(), expected.len(), "{text}");
    for (page, word) in pages.iter().zip(expected) {
        assert!(page.contains(word), "{word}: {page}");
    }
}
