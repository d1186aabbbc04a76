//! The refutation book: its contents, damaged files, the commands that make and read it, and what
//! shows it. `scripts/clients/python_chess_refutations.py` replays its proofs with python-chess.

use brisance::notation::san;
use brisance::opening::{Refutations, RefutationsError};
use brisance::rules::Position;

use super::after;
use crate::program::{Folder, assert_has, json_lines, run};
use crate::table::rows;
use crate::uci::session::piped;

/// The moves of a position that lose by force, sorted.
fn losing_moves(book: &Refutations, pos: &Position) -> Vec<String> {
    let mut losing = Vec::new();
    for mv in pos.legal_moves() {
        if book.find(&pos.after(mv)).is_some() {
            losing.push(san::write(pos, mv));
        }
    }
    losing.sort();
    losing
}

#[test]
fn the_replies_to_first_moves_that_lose_are_known() {
    let book = Refutations::embedded();
    assert!(book.len() >= 20_000, "{} positions", book.len());
    // Proof-number search without a network proved the same with a million nodes each.
    let table = "
        Nf3 | Na6 Nc6 Nf6 Nh6 a5 a6 b5 b6 c5 c6 d5 e6 f5 g5 g6 h5 h6
        e3  | Na6 Nc6 Nh6 a5 a6 b5 b6 c5 f6 g5 g6 h5 h6
        e4  | Na6 Nc6 Nh6 a5 a6 b5 b6 c5 e5 f5 f6 g5 h6
        Nh3 | Na6 Nc6 Nf6 Nh6 a5 a6 b5 b6 g5 g6 h5
        c3  | g5
        a3  |
    ";
    for [first, losing] in rows(table) {
        let found = losing_moves(book, &after(first));
        assert_eq!(found.join(" "), losing, "{first}");
    }
    assert!(losing_moves(book, &after("")).is_empty());
}

#[test]
fn a_damaged_book_gives_no_wrong_refutation() {
    use RefutationsError::{Length, Magic, Order};
    let pos = after("Nf3 f5");
    let found = Refutations::embedded().find(&pos).expect("in the book");
    assert_eq!(found.moves(), 3);
    let folder = Folder::new();
    let book = small_book(&folder);
    let parse = |bytes: &[u8]| Refutations::parse(bytes.to_vec());
    assert_eq!(parse(&book).map(|book| book.len()), Ok(3));
    for length in 0..book.len() {
        let error = if length < 8 { Magic } else { Length };
        assert_eq!(parse(&book[..length]), Err(error), "{length} bytes");
    }
    let mut swapped = book.clone();
    swapped[12..22].rotate_left(5);
    assert_eq!(parse(&swapped), Err(Order));
    // No other byte than that of the proof gives the proof.
    let mut lost = 0;
    for index in 8..book.len() {
        for flip in [1, 0x80] {
            let mut damaged = book.clone();
            damaged[index] ^= flip;
            let Ok(damaged) = parse(&damaged) else {
                continue;
            };
            for moves in ["Nf3 a6", "Nf3 f5", "Nf3 d5"] {
                // What is found has been replayed, so it wins, perhaps more slowly.
                match damaged.find(&after(moves)) {
                    Some(found) => assert!(found.verified.plies >= 3, "{moves}"),
                    None => lost += 1,
                }
            }
        }
    }
    assert!(lost > 20, "{lost}");
}

/// A record with one playable position, as `book build --search` writes it, and other values.
fn record(folder: &Folder, good: &str) -> String {
    let header =
        r#"{"format":"brisance book search 1","nodes":1,"lines":4,"hash":16,"evaluation":"none"}"#;
    let epd = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -";
    let lines = format!(r#"{{"epd":"{epd}","lines":[["f7f6",-100]{good}]}}"#);
    folder.write("record.jsonl", format!("{header}\n{lines}\n"))
}

/// The bytes of a book of 1. Nf3 a6, f5 and d5.
fn small_book(folder: &Folder) -> Vec<u8> {
    let others = [
        "a7a5", "b7b6", "b7b5", "c7c6", "c7c5", "d7d6", "e7e6", "e7e5", "g7g6", "g7g5", "h7h6",
        "h7h5", "b8a6", "b8c6", "g8f6", "g8h6",
    ];
    let good = others.map(|text| format!(r#",["{text}",0]"#)).concat();
    record(folder, &good);
    folder.run("book refutations small.bin --record record.jsonl --force").code(0);
    folder.bytes("small.bin")
}

#[test]
fn a_book_is_made_and_continued() {
    let folder = Folder::new();
    record(&folder, "");
    let line = "book refutations out.bin --record record.jsonl --nodes 2k";
    let ended = folder.run(line).code(0);
    assert_has(&ended.out, &["17 of 19 positions refuted", " bytes"]);
    let book = folder.bytes("out.bin");
    let results = folder.read("out.bin.jsonl");
    // Without its last lines, and with half of one, the results are completed.
    let kept: Vec<&str> = results.split_inclusive('\n').take(5).collect();
    folder.write("out.bin.jsonl", kept.concat() + r#"{"epd":"rnb"#);
    folder.run(line).code(0);
    assert_eq!(folder.bytes("out.bin"), book);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&folder.read("out.bin.jsonl")), sorted(&results));
    folder.write("bad.jsonl", "no record\n");
    folder.check(
        "
        1 book refutations new.bin --record bad.jsonl     ! bad.jsonl: not the record of a book search
        1 book refutations new.bin --record missing.jsonl ! missing.jsonl
        1 book refute --book record.jsonl                 ! not a refutation book
        2 book refute --tree new.json                     ! the book has no forced win
    ",
    );
    assert!(!folder.has("new.json"));
    let line = "book refute --book out.bin Nf3 --json";
    assert_eq!(json_lines(&folder.stdout(line)).len(), 17);
}

#[test]
fn the_reply_to_a_losing_move_is_told_and_proved() {
    let folder = Folder::new();
    let text = folder.stdout("book refute Nf3 f5");
    assert_has(&text, &["1... f5 loses by force in 3 moves: 2. Ne5 "]);
    assert_eq!(folder.stdout("book refute --moves Nf3 f5"), text);
    let list = folder.stdout("book refute Nf3");
    assert_has(&list, &[&text, "\n17 of 20 moves lose by force\n"]);
    let found = folder.run("book refute Nf3 f5 --json").result();
    assert_eq!(found["losing_move"]["san"], "f5");
    assert!(found["moves"] == 3 && found["line_san"][0] == "Ne5");
    let fen = found["fen"].as_str().expect("a text");
    let from_fen = folder.stdout(&format!("book refute '{fen}'"));
    assert_has(&from_fen, &["White wins by force in 3 moves: 2. Ne5 "]);
    folder.stdout("book refute Nf3 f5 --tree proof.json");
    let checked = folder.stdout("solve --check proof.json");
    assert_has(&checked, &["the proof is valid: White wins within 3 moves"]);
}

#[test]
fn an_analysis_shows_the_win_at_once() {
    // The options, and the score of the first line.
    let table = "
        -                                        | go infinite; stop   | mate 3
        setoption name UCI_AnalyseMode value true | go depth 1         | mate 3
        setoption name RefutationBook value false | go infinite; stop  | cp
        -                                        | go depth 1          | cp
    ";
    for [option, go, score] in rows(table) {
        let go = go.replace("; ", "\n");
        let option = option.trim_matches('-');
        let lines = piped(&format!("{option}\nposition startpos moves g1f3 f7f5\n{go}\n"));
        let first = lines.iter().find(|line| line.contains(" score "));
        let first = first.expect("a score");
        assert!(first.contains(&format!(" score {score}")), "{first}");
    }
    let text = run("analyse --moves Nf3 f5 --depth 1").code(0).out;
    assert_has(&text, &["refuted   1... f5 loses by force in 3 moves: 2. Ne5 ", "#3"]);
}
