//! Opening books: keys beside shakmaty's, files of every kind of damage, books from games
//! counted by hand, books from a search cut off and resumed, play from a book over UCI, and
//! the book that comes with the source.

use std::collections::hash_map::Entry::Vacant;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use assert_cmd::Command;
use brisance::notation::fen::{self, CastlingStyle};
use brisance::notation::{coord, san};
use brisance::opening::{Book, Choice, Entry, code_of, key};
use brisance::rules::{Move, Position, Variant};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::variant::Atomic;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, EnPassantMode, Position as _, PositionError};

use crate::random::Random;
use crate::walk::{Start, choose};

/// A folder of its own for a test, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new() -> Place {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("brisance-book-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        Place(path)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("writable");
        plain(&path)
    }

    fn name(&self, name: &str) -> String {
        plain(&self.0.join(name))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn plain(path: &Path) -> String {
    path.to_str().expect("a plain name").to_owned()
}

fn brisance(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("brisance").expect("the binary is built");
    command.args(args);
    command
}

fn stdout(args: &[&str]) -> String {
    let output = brisance(args).assert().success().get_output().clone();
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The position after moves from the start.
fn after(moves: &str) -> Position {
    let mut pos = Position::startpos(Variant::Atomic);
    for text in moves.split_whitespace() {
        pos.make(san::parse(&pos, text).expect("a legal move"));
    }
    pos
}

fn entry(pos: &Position, text: &str, weight: u16) -> Entry {
    let mv = san::parse(pos, text).expect("a legal move");
    Entry {
        key: key(pos),
        code: code_of(mv),
        weight,
        learn: 0,
    }
}

/// What `book show --json` says: text of the move and weight.
fn shown(file: &str, moves: &[&str]) -> Vec<(String, u64)> {
    let rest = match moves {
        [] => vec!["book", "show", file, "--json"],
        moves => [&["book", "show", file, "--json", "--moves"], moves].concat(),
    };
    let found: Value = serde_json::from_str(&stdout(&rest)).expect("one object");
    let moves = found["moves"].as_array().expect("a list").iter();
    moves
        .map(|found| {
            let san = found["san"].as_str().expect("a text");
            (san.to_owned(), found["weight"].as_u64().expect("a number"))
        })
        .collect()
}

/// The same position for shakmaty, unless it insists on more than the rules say.
fn theirs(pos: &Position) -> Option<Atomic> {
    let text = fen::write(pos, CastlingStyle::Shredder);
    let setup: Fen = text.parse().expect("a FEN");
    setup
        .into_position::<Atomic>(CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

fn play(pos: &mut Position, theirs: &mut Atomic, mv: Move) {
    let text: UciMove = coord::write(mv, true).parse().expect("a move");
    let same = text.to_move(theirs).expect("legal for both");
    theirs.play_unchecked(same);
    pos.make(mv);
}

#[test]
fn en_passant_counts_in_the_key_even_where_it_would_be_illegal() {
    // Taking on d6 would blow up the white king on c5.
    let text = "4k3/3p4/8/2K1P3/8/8/8/8 b - - 0 1";
    let mut pos = fen::parse(text, Variant::Atomic).expect("a position");
    let mut theirs = theirs(&pos).expect("a position");
    let push = coord::parse(&pos, "d7d5").expect("a legal move");
    play(&mut pos, &mut theirs, push);
    assert_eq!(pos.en_passant(), None);
    let Zobrist64(wanted) = theirs.zobrist_hash(EnPassantMode::PseudoLegal);
    assert_eq!(key(&pos), wanted);
    let Zobrist64(without) = theirs.zobrist_hash(EnPassantMode::Legal);
    assert_ne!(wanted, without);
}

#[test]
fn keys_are_those_of_shakmaty() {
    let mut random = Random::new(11);
    let mut compared = 0;
    for start in Start::rota().take(400) {
        let mut pos = start.position(Variant::Atomic, &mut random);
        let Some(mut theirs) = theirs(&pos) else {
            continue;
        };
        for _ in 0..start.longest_walk() {
            let Zobrist64(wanted) = theirs.zobrist_hash(EnPassantMode::PseudoLegal);
            assert_eq!(key(&pos), wanted, "{pos:?}");
            compared += 1;
            let Some(mv) = choose(&pos, false, &mut random) else {
                break;
            };
            play(&mut pos, &mut theirs, mv);
        }
    }
    assert!(compared > 3000, "{compared}");
}

#[test]
fn moves_are_coded_as_the_format_says() {
    let code = |fen: &str, text: &str| {
        let pos = fen::parse(fen, Variant::Atomic).expect("a position");
        code_of(coord::parse(&pos, text).expect("a legal move"))
    };
    // Target file and rank, origin file and rank, three bits each from below, then the piece.
    assert_eq!(code(fen::STARTPOS, "e2e4"), 4 | 3 << 3 | 4 << 6 | 1 << 9);
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1";
    assert_eq!(code(castling, "e8g8"), 7 | 7 << 3 | 4 << 6 | 7 << 9);
    assert_eq!(code(castling, "e8c8"), 7 << 3 | 4 << 6 | 7 << 9);
    let promotion = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
    for (number, piece) in (1..).zip(["n", "b", "r", "q"]) {
        let wanted = 7 << 3 | 6 << 9 | number << 12;
        assert_eq!(code(promotion, &format!("a7a8{piece}")), wanted);
    }
}

#[test]
fn bytes_are_read_as_they_are_written() {
    let start = after("");
    let mut learnt = entry(&start, "e4", 0x0102);
    learnt.learn = 0x0304_0506;
    let bytes = [
        0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 0x03, 0x1c, 1, 2, 3, 4, 5, 6,
    ];
    assert_eq!(Book::new(vec![learnt]).to_bytes(), bytes);
    assert_eq!(Book::parse(&bytes).expect("a book").entries(), [learnt]);

    // Moves of many positions, and what is legal of them is found again.
    let mut random = Random::new(12);
    let mut wanted: HashMap<u64, Vec<(Move, u16)>> = HashMap::new();
    let (mut positions, mut entries) = (Vec::new(), Vec::new());
    for start in Start::rota().take(60) {
        let mut pos = start.position(Variant::Atomic, &mut random);
        while let Some(mv) = choose(&pos, false, &mut random).filter(|_| pos.ply() < 20) {
            if let Vacant(place) = wanted.entry(key(&pos)) {
                let mut moves: Vec<(Move, u16)> = Vec::new();
                for (at, &mv) in pos.legal_moves().iter().enumerate().take(9) {
                    moves.push((mv, 900 - at as u16));
                }
                entries.extend(moves.iter().map(|&(mv, weight)| Entry {
                    key: key(&pos),
                    code: code_of(mv),
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
        assert_eq!(found, wanted[&key(&pos)], "{pos:?}");
    }
}

#[test]
fn illegal_and_repeated_entries_and_other_rules_give_no_moves() {
    let start = after("");
    let mut bad = entry(&start, "e4", 500);
    bad.code = 0;
    let mut worse = bad;
    worse.code = u16::MAX;
    let entries = vec![bad, worse, entry(&start, "d4", 3), entry(&start, "d4", 2)];
    let book = Book::new(entries);
    let moves = book.moves(&start);
    assert_eq!((moves.len(), moves[0].weight), (1, 3));
    assert!(
        book.moves(&Position::startpos(Variant::NoCheckAtomic))
            .is_empty()
    );
    assert!(book.moves(&after("e4")).is_empty());
}

#[test]
fn choices_follow_the_weights() {
    let start = after("");
    let weights = [("e4", 600), ("Nf3", 300), ("d4", 100), ("a3", 0)];
    let entries = weights.map(|(text, weight)| entry(&start, text, weight));
    let book = Book::new(entries.to_vec());
    let draws = |seed: u64| -> Vec<String> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut draw = || {
            book.choose(&start, Choice::Weighted, &mut rng)
                .expect("a move")
        };
        (0..2000).map(|_| san::write(&start, draw().mv)).collect()
    };
    let drawn = draws(7);
    assert_eq!(drawn, draws(7));
    assert_ne!(drawn, draws(8));
    for (text, weight) in weights {
        let count = drawn.iter().filter(|&other| other == text).count() as f64;
        // Four standard deviations of 2000 draws are below 90.
        assert!(
            (count - 2.0 * f64::from(weight)).abs() < 90.0,
            "{text}: {count}"
        );
    }
    let mut rng = fastrand::Rng::with_seed(1);
    let best = book.choose(&start, Choice::Best, &mut rng).expect("a move");
    assert_eq!(san::write(&start, best.mv), "e4");
    let never = Book::new(vec![entry(&start, "a3", 0)]);
    for choice in [Choice::Best, Choice::Weighted] {
        assert_eq!(never.choose(&start, choice, &mut rng), None);
    }
}

#[test]
fn what_is_no_book_is_refused() {
    let place = Place::new();
    let good = Book::new(vec![
        entry(&after(""), "e4", 1),
        entry(&after("e4"), "e5", 1),
    ])
    .to_bytes();
    let unsorted = [&good[16..], &good[..16]].concat();
    for (name, bytes, wanted) in [
        ("empty.bin", &[][..], "an empty book"),
        ("torn.bin", &good[..31], "31 bytes"),
        ("unsorted.bin", &unsorted[..], "entry 2 of 2"),
        (
            "text.bin",
            &b"[Event \"a game\"]\n\n1. e4 e5 *\n"[..],
            "no Polyglot book",
        ),
    ] {
        let path = place.write(name, bytes);
        brisance(&["book", "show", &path])
            .assert()
            .code(1)
            .stderr(contains(name).and(contains(wanted)));
    }
    brisance(&["book", "show", &place.name("missing.bin")])
        .assert()
        .code(1)
        .stderr(contains("missing.bin"));
    brisance(&["book", "show", &place.name("")])
        .assert()
        .code(1)
        .stderr(contains("not a file"));
}

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
fn a_book_of_games_has_the_weights_of_a_count_by_hand() {
    let place = Place::new();
    let games = place.write("games.pgn", GAMES);
    let (all, some) = (place.name("all.bin"), place.name("some.bin"));
    let text = stdout(&["book", "build", &all, "--pgn", &games, "--min-games", "1"]);
    assert!(
        text.starts_with("5 moves in 3 positions from 4 games; 1 without"),
        "{text}"
    );
    assert_eq!(shown(&all, &[]), weights(&[("Nf3", 3), ("e4", 2)]));
    // 1... f6 lost and drew, 1... e5 won; after 1. e4 it lost.
    assert_eq!(shown(&all, &["Nf3"]), weights(&[("e5", 2), ("f6", 1)]));
    assert_eq!(shown(&all, &["e4"]), weights(&[]));
    assert_eq!(shown(&all, &["Nf3", "f6"]), weights(&[("Nc3", 1)]));

    let rest = ["--min-games", "2", "--max-plies", "1"];
    stdout(&[&["book", "build", &some, "--pgn", &games], &rest[..]].concat());
    assert_eq!(shown(&some, &[]), weights(&[("Nf3", 3)]));
    assert_eq!(shown(&some, &["Nf3"]), weights(&[]));

    let before = std::fs::read(&some).expect("a book");
    brisance(&["book", "build", &some, "--pgn", &games])
        .assert()
        .code(1)
        .stderr(contains("--force"));
    assert_eq!(std::fs::read(&some).expect("a book"), before);
}

#[test]
fn bad_games_are_told_and_the_others_count() {
    let place = Place::new();
    let text = format!("{GAMES}\n[Event \"chess\"]\n\n1. e4 e5 1-0\n\n1. e4 Qh4 1-0\n");
    let games = place.write("games.pgn", text);
    let book = place.name("book.bin");
    brisance(&["book", "build", &book, "--pgn", &games, "--min-games", "1"])
        .assert()
        .code(1)
        .stderr(contains("game 6").and(contains("--assume-atomic")));
    assert_eq!(shown(&book, &[]), weights(&[("Nf3", 3), ("e4", 2)]));
    let rest = ["--min-games", "1", "--force", "--assume-atomic"];
    brisance(&[&["book", "build", &book, "--pgn", &games], &rest[..]].concat())
        .assert()
        .code(1)
        .stderr(contains("game 7").and(contains("Qh4")));
    assert_eq!(shown(&book, &[]), weights(&[("e4", 4), ("Nf3", 3)]));
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
fn a_search_that_is_cut_off_makes_the_same_book() {
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
    // Half of the lines and a torn one, as a kill leaves them.
    let lines = read(&format!("{whole}.jsonl"));
    std::fs::write(&record, &lines[..lines.len() / 2]).expect("writable");
    search(&parts, &plan).assert().success();
    assert_eq!(read(&parts), read(&whole));
    // Of a finished search nothing is searched again.
    let before = read(&record);
    search(&parts, &plan)
        .assert()
        .success()
        .stdout(contains(", 0 judged now"));
    assert_eq!((read(&parts), read(&record)), (read(&whole), before));
    let book = Book::open(Path::new(&whole)).expect("a book");
    let first = book.moves(&after(""));
    assert_eq!(first.first().map(|found| found.weight), Some(10_000));

    for (bad, wanted) in [
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
            .stderr(contains(wanted));
        assert_eq!(std::fs::read_to_string(record).expect("untouched"), bad);
    }
    let rest = ["--nodes", "400", "--width", "3", "--hash", "1"];
    brisance(&[&["book", "build", &parts, "--search"], &rest[..]].concat())
        .assert()
        .code(1)
        .stderr(contains("other searches"));
}

#[test]
fn a_search_may_begin_anywhere_but_not_at_an_end() {
    let place = Place::new();
    let out = place.name("mate.bin");
    let mate = "rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4";
    brisance(&["book", "build", &out, "--nodes", "300", "--search", mate])
        .assert()
        .success()
        .stdout(contains("Qxd7#").and(contains("#1")));
    let over = "4k3/8/8/8/8/8/8/8 w - - 0 1";
    for (words, wanted) in [(over, "over"), ("rubbish", "rubbish")] {
        brisance(&["book", "build", &place.name("no.bin"), "--search", words])
            .assert()
            .code(2)
            .stderr(contains(wanted));
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

/// Everything the engine says to commands given all at once.
fn uci(commands: &str) -> Vec<String> {
    let output = brisance(&[])
        .write_stdin(commands)
        .assert()
        .success()
        .get_output()
        .clone();
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(str::to_owned).collect()
}

fn answers(lines: &[String]) -> Vec<&str> {
    let best = lines
        .iter()
        .filter_map(|line| line.strip_prefix("bestmove "));
    best.map(|rest| rest.split(' ').next().expect("a first word"))
        .collect()
}

/// A book with moves that no search would choose: 1. h4, and 1. a4 never.
fn silly(place: &Place) -> String {
    let (start, reply) = (after(""), after("h4"));
    let entries = vec![
        entry(&start, "h4", 5),
        entry(&start, "a4", 0),
        entry(&reply, "Nh6", 1),
    ];
    place.write("silly.bin", Book::new(entries).to_bytes())
}

#[test]
fn games_are_played_from_the_book_and_analyses_are_not() {
    let place = Place::new();
    let path = silly(&place);
    let open = format!("setoption name BookFile value {path}\n");
    let on = format!("{open}setoption name OwnBook value true\n");
    let lines = uci(&format!(
        "{on}position startpos\ngo wtime 60000 btime 60000\n"
    ));
    let from_book = [
        "info string book of 3 moves in 2 positions",
        "info string h4 is from the book",
    ];
    assert_eq!(&lines[..2], from_book);
    assert!(
        lines[2].contains(" score cp ") && lines[2].ends_with(" pv h2h4"),
        "{lines:?}"
    );
    assert_eq!(lines[3..], ["bestmove h2h4"]);
    for (commands, wanted) in [
        ("position startpos moves h2h4\ngo nodes 9", Some("g8h6")),
        ("position startpos\ngo", Some("h2h4")),
        (
            "setoption name BookBest value true\ngo movetime 9000",
            Some("h2h4"),
        ),
        ("position startpos moves e2e4\ngo nodes 9", None),
        ("setoption name OwnBook value false\ngo nodes 9", None),
        (
            "setoption name UCI_AnalyseMode value true\ngo nodes 9",
            None,
        ),
        ("setoption name BookFile value <empty>\ngo nodes 9", None),
        (
            "setoption name UCI_Variant value nocheckatomic\ngo nodes 9",
            None,
        ),
        ("go infinite\nstop", None),
        ("go ponder nodes 9\nstop", None),
        ("go ponder nodes 9\nponderhit", None),
        ("go nodes 9 searchmoves a2a3 h2h4", None),
        ("go mate 1 nodes 9", None),
        ("go perft 1", None),
        (
            "setoption name BookDepth value 1\nposition startpos moves g1f3 g8f6 f3g1 f6g8\ngo nodes 9",
            None,
        ),
        (
            "position startpos moves g1f3 g8f6 f3g1 f6g8\ngo nodes 9",
            Some("h2h4"),
        ),
    ] {
        let lines = uci(&format!("{on}{commands}\n"));
        let told = lines.iter().any(|line| line.ends_with("from the book"));
        assert_eq!(told, wanted.is_some(), "{commands}: {lines:?}");
        if let Some(wanted) = wanted {
            assert_eq!(answers(&lines), [wanted], "{commands}");
        }
    }
}

#[test]
fn a_bad_book_is_refused_and_the_old_one_stays() {
    let place = Place::new();
    let (good, bad) = (silly(&place), place.write("bad.bin", [7; 33]));
    let lines = uci(&format!(
        "setoption name OwnBook value true\nsetoption name BookFile value {good}\n\
         setoption name BookFile value {bad}\nsetoption name BookFile value {bad}.not\n\
         position startpos\ngo nodes 100\n"
    ));
    let errors: Vec<&String> = lines.iter().filter(|line| line.contains("error")).collect();
    assert_eq!(errors.len(), 2, "{lines:?}");
    assert!(errors[0].contains("bad.bin") && errors[0].contains("33 bytes"));
    assert!(errors[1].contains("bad.bin.not"));
    assert_eq!(answers(&lines), ["h2h4"]);
}

#[test]
fn the_engine_of_a_match_plays_from_its_book() {
    let place = Place::new();
    let path = silly(&place);
    let openings = place.write("start.epd", format!("{}\n", fen::STARTPOS));
    let pgn = place.name("games.pgn");
    let player = format!("self name=reader option.BookFile={path} option.OwnBook=true");
    let rest = [
        "--nodes",
        "50",
        "--games",
        "2",
        "--openings",
        &openings,
        "--pgn",
        &pgn,
    ];
    let players = ["match", "--engine", &player, "--engine", "self name=other"];
    brisance(&[&players[..], &rest[..]].concat())
        .assert()
        .success();
    let games = std::fs::read_to_string(pgn).expect("games");
    assert_eq!(games.matches("1. h4 ").count(), 1, "{games}");
}

#[test]
fn castling_and_promotion_are_played() {
    let place = Place::new();
    for (text, mv, wanted) in [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", "e1g1"),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=N", "a7a8n"),
    ] {
        let pos = fen::parse(text, Variant::Atomic).expect("a position");
        let path = place.write("one.bin", Book::new(vec![entry(&pos, mv, 1)]).to_bytes());
        let commands = format!(
            "setoption name BookFile value {path}\nsetoption name OwnBook value true\n\
             position fen {text}\ngo nodes 9\n"
        );
        assert_eq!(answers(&uci(&commands)), [wanted]);
        let table = stdout(&["book", "show", &path, text]);
        assert!(table.contains(mv) && table.contains("100.0 %"), "{table}");
    }
}

#[test]
fn the_book_that_comes_with_the_source_is_sound() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/brisance.bin");
    let book = Book::open(&path).expect("a book");
    let mut rng = fastrand::Rng::with_seed(1);
    let mut pos = after("");
    while let Some(found) = book.choose(&pos, Choice::Best, &mut rng) {
        pos.make(found.mv);
    }
    assert!(pos.ply() >= 10, "{} plies", pos.ply());
    // Every entry is legal where it stands, and every position is met by legal moves from
    // book positions: some are no longer reached by book moves alone.
    let (mut seen, mut entries) = (HashSet::from([key(&after(""))]), 0);
    let mut open = vec![after("")];
    while let Some(pos) = open.pop() {
        entries += book.moves(&pos).len();
        for mv in pos.legal_moves() {
            let mut next = pos.clone();
            next.make(mv);
            if !book.moves(&next).is_empty() && seen.insert(key(&next)) {
                open.push(next);
            }
        }
    }
    assert_eq!(entries, book.entries().len());
}
