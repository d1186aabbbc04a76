//! `puzzles`: what the command finds in games, and the puzzles of the browser board. The judge of
//! the lines is shakmaty, and that of short wins a search with its rules alone.
//! Slow: `cargo test --release --test engine puzzles -- --ignored deep_`

use std::collections::HashSet;

use brisance::data::{GameRecord, GameWriter, PlyRecord, SegmentHeader};
use brisance::notation::coord;
use brisance::notation::epd::{self, Epd};
use brisance::proof::{NullListener, ProofVerdict, Solver};
use brisance::rules::{Color, GameResult, Variant};
use shakmaty::uci::UciMove;
use shakmaty::variant::Atomic;
use shakmaty::{KnownOutcome, Position as _};

use crate::peer::{shakmaty_color, shakmaty_position};
use crate::program::Folder;
use crate::repository::read;
use crate::searching::solver;
use crate::table::rows;
use crate::walk::position;

/// Positions with one winning move, that move, and the length of the win in moves.
const KNOWN: &str = "
    4r1k1/8/5p2/pp1PpPP1/2p4p/8/P1Q2R1P/R2qB2K b - - 0 1             | d1g4 | 2
    r2qBr1k/p1p2pp1/bp6/3pP1Pp/1b1n1P2/P1P5/1P6/RNBQK2R w KQ - 0 1   | d1h5 | 2
    r1b1k2r/ppp2p2/2n1pnpp/1B1p4/3P1Q2/4P3/P1P2PPP/4K2R w Kkq - 0 1  | f4d6 | 3";

/// White has a pawn and a king; nothing is won.
const QUIET: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

/// A folder with the known positions as games, one of them twice, and a game without a puzzle.
fn folder() -> Folder {
    let folder = Folder::new();
    let known = rows(KNOWN).into_iter();
    let mut games: Vec<String> = known.map(|[fen, mv, _]| game(fen, mv)).collect();
    games.push(games[0].clone());
    games.push(game(QUIET, "e2e4"));
    folder.write("games.pgn", games.concat());
    folder
}

/// The position before a puzzle and the move that leads to it.
fn before(puzzle: &Epd) -> Option<(Epd, &str)> {
    let (pos, mv) = puzzle.operand("before")?.rsplit_once(' ')?;
    let epd = epd::parse_line(pos, Variant::Atomic).expect(pos);
    Some((epd.expect("a position"), mv))
}

/// Checks `puzzles` with these words, an exit code, and a part of the error or the output.
#[track_caller]
fn check(folder: &Folder, code: &str, words: &str, part: &str) {
    folder.check(&format!("{code} puzzles --solver-nodes 10k --nodes 5k {words} {part}"));
}

/// The puzzles that the command prints.
fn printed(folder: &Folder, words: &str) -> Vec<Epd> {
    let line = format!("puzzles --solver-nodes 10k --nodes 5k --out - {words}");
    puzzles(&folder.stdout(&line))
}

/// A game of one move that the side to move wins.
fn game(text: &str, mv: &str) -> String {
    let pos = position(text);
    let san = brisance::notation::san::write(&pos, coord::parse(&pos, mv).expect(mv));
    let (dots, result) = match pos.side_to_move() {
        Color::White => (".", "1-0"),
        Color::Black => ("...", "0-1"),
    };
    format!(
        "[Variant \"Atomic\"]\n[SetUp \"1\"]\n[FEN \"{text}\"]\n[Result \"{result}\"]\n\n\
         1{dots} {san} {result}\n\n"
    )
}

fn puzzles(text: &str) -> Vec<Epd> {
    let lines = text.lines();
    let lines = lines.filter_map(|line| epd::parse_line(line, Variant::Atomic).expect(line));
    lines.collect()
}

/// The puzzles of the browser board.
pub fn shipped() -> Vec<Epd> {
    puzzles(&read("web/public/puzzles.epd"))
}

fn line(puzzle: &Epd) -> Vec<&str> {
    puzzle.operand("line").expect("a line").split(' ').collect()
}

fn moves(puzzle: &Epd) -> usize {
    let text = puzzle.operand("dm").expect("a length");
    text.parse().expect("a number")
}

fn play(pos: &Atomic, text: &str) -> Atomic {
    let mv: UciMove = text.parse().expect("a move in UCI");
    let mv = mv.to_move(pos);
    after(pos, mv.unwrap_or_else(|_| panic!("{text} is not legal")))
}

fn after(pos: &Atomic, mv: shakmaty::Move) -> Atomic {
    let mut after = pos.clone();
    after.play_unchecked(mv);
    after
}

fn is_won(pos: &Atomic, winner: shakmaty::Color) -> bool {
    pos.outcome().known() == Some(KnownOutcome::Decisive { winner })
}

/// Plays the line by the rules of shakmaty: only its last move ends the game, and so do the moves
/// that are equal to the last one. The move before leads to the puzzle.
fn judge(puzzle: &Epd) {
    let start = shakmaty_position(&puzzle.pos).expect("a position for shakmaty");
    if let Some((before, mv)) = before(puzzle) {
        let before = shakmaty_position(&before.pos).expect("a position for shakmaty");
        let fields = |pos: &Atomic| {
            let rights = pos.castles().castling_rights();
            (pos.board().clone(), pos.turn(), rights)
        };
        assert_eq!(fields(&play(&before, mv)), fields(&start), "{puzzle}");
    }
    let winner = shakmaty_color(puzzle.pos.side_to_move());
    let line = line(puzzle);
    assert_eq!(line.len(), 2 * moves(puzzle) - 1, "{puzzle}");
    let mut before = vec![start.clone()];
    for text in &line {
        let pos = &before[before.len() - 1];
        assert!(pos.outcome().known().is_none(), "{puzzle}");
        before.push(play(pos, text));
    }
    assert!(is_won(&before[line.len()], winner), "{puzzle}");
    let equal = puzzle.operand("equal").unwrap_or_default();
    for entry in equal.split_whitespace() {
        let (place, equal) = entry.split_once(':').expect("a place and moves");
        let place: usize = place.parse().expect("a number");
        // Only the first move is unique.
        assert!(place > 0 && place.is_multiple_of(2), "{puzzle}");
        for mv in equal.split(',') {
            let after = play(&before[place], mv);
            assert_ne!(mv, line[place], "{puzzle}");
            assert_eq!(is_won(&after, winner), place + 1 == line.len(), "{puzzle}");
        }
    }
}

/// Whether `winner` forces a win within `moves` of its moves, by trying all moves.
fn wins(pos: &Atomic, winner: shakmaty::Color, moves: usize) -> bool {
    if pos.outcome().known().is_some() || moves == 0 {
        return is_won(pos, winner);
    }
    let mut legal = pos.legal_moves().into_iter();
    if pos.turn() == winner {
        legal.any(|mv| wins(&after(pos, mv), winner, moves - 1))
    } else {
        legal.all(|mv| wins(&after(pos, mv), winner, moves))
    }
}

/// The first moves that win within the length of a puzzle, by trying all moves.
fn winning_moves(puzzle: &Epd) -> Vec<String> {
    let pos = shakmaty_position(&puzzle.pos).expect("a position for shakmaty");
    let winner = shakmaty_color(puzzle.pos.side_to_move());
    let winning = |mv: &shakmaty::Move| wins(&after(&pos, *mv), winner, moves(puzzle) - 1);
    let winning = pos.legal_moves().into_iter().filter(winning);
    let text = |mv: shakmaty::Move| mv.to_uci(shakmaty::CastlingMode::Standard).to_string();
    winning.map(text).collect()
}

#[test]
fn the_command_finds_the_known_puzzles() {
    let found = printed(&folder(), "games.pgn");
    assert_eq!(found.len(), 3, "{found:?}");
    for (puzzle, [fen, first, length]) in found.iter().zip(rows(KNOWN)) {
        assert!(puzzle.pos.same_as(&position(fen)), "{puzzle}");
        assert_eq!(line(puzzle)[0], first, "{puzzle}");
        assert_eq!(moves(puzzle).to_string(), length, "{puzzle}");
        judge(puzzle);
        if length == "2" {
            assert_eq!(winning_moves(puzzle), [first], "{puzzle}");
        }
    }
}

#[test]
fn the_move_before_a_puzzle_is_written() {
    let folder = folder();
    let start = "r2qBr1k/p1p2pp1/bp5p/3pP1P1/1b1n1P2/P1P5/1P6/RNBQK2R b KQ - 0 1";
    folder.write(
        "games.pgn",
        format!(
            "[Variant \"Atomic\"]\n[SetUp \"1\"]\n[FEN \"{start}\"]\n[Result \"1-0\"]\n\n\
             1... h5 2. Qxh5 1-0\n\n"
        ),
    );
    let found = printed(&folder, "games.pgn");
    assert_eq!(found.len(), 1, "{found:?}");
    judge(&found[0]);
    assert_eq!(before(&found[0]).map(|(_, mv)| mv), Some("h6h5"));
}

#[test]
fn interruptions_and_threads_do_not_change_the_file() {
    let folder = folder();
    check(&folder, "0", "games.pgn --out a.epd --threads 1", "");
    check(&folder, "0", "games.pgn --out b.epd --threads 3", "");
    let whole = folder.read("a.epd");
    assert_eq!(folder.read("b.epd"), whole);
    // A run that was killed within the header, within a line, and at the end.
    for length in [10, whole.len() - 100, whole.len()] {
        folder.write("b.epd", &whole[..length]);
        check(&folder, "0", "games.pgn --out b.epd", "");
        assert_eq!(folder.read("b.epd"), whole, "{length}");
    }
    let line = "games.pgn --out b.epd --max-moves 4";
    check(&folder, "2", line, "! other options");
    check(&folder, "2", "games.pgn --out games.pgn", "! is an input");
    assert_eq!(folder.read("b.epd"), whole);
    let changed = whole.replace("dm 3", "dm three");
    folder.write("b.epd", &changed);
    let error = "! was not written by this command";
    check(&folder, "1", "games.pgn --out b.epd", error);
    assert_eq!(folder.read("b.epd"), changed);
}

#[test]
fn caps_limit_what_is_taken() {
    let folder = folder();
    for (cap, count) in [("--per-length 1", 2), ("--count 1", 1), ("--min-moves 3", 1)] {
        let found = printed(&folder, &format!("games.pgn {cap}"));
        assert_eq!(found.len(), count, "{cap}: {found:?}");
    }
}

#[test]
fn training_games_are_read() {
    let folder = folder();
    let mut writer = GameWriter::append(&folder.path("new.games")).expect("a new file");
    let header = SegmentHeader::default();
    writer.begin_segment(header).expect("writable");
    for [text, mv, _] in rows(KNOWN) {
        let start = position(text);
        let mv = coord::parse(&start, mv).expect(mv);
        let result = GameResult::Win(start.side_to_move());
        let ply = PlyRecord { mv, value: 31_990, random: false };
        let plies = vec![ply];
        let game = GameRecord { start, plies, result };
        writer.add(&game).expect("writable");
    }
    writer.flush().expect("writable");
    assert_eq!(printed(&folder, "new.games").len(), 3);
    folder.write("other.games", include_bytes!("data/version2.games"));
    let line = "other.games --out other.epd --last-plies 1";
    check(&folder, "0", line, "|  games: ");
}

#[test]
fn bad_input_is_named() {
    let folder = folder();
    let damaged = "XRISGAME\u{2}\0\0\0CHNK";
    folder.write("empty.pgn", "");
    folder.write("cut.games", "BRISGAME");
    folder.write("short.games", "BRIS");
    folder.write("damaged.games", damaged);
    folder.write("damaged", damaged);
    folder.write("bad.pgn", game(QUIET, "e2e4").replace("e4", "e5"));
    for [code, line, error] in rows(
        "
        1 | missing.pgn --out x.epd                         | missing.pgn
        1 | empty.pgn --out x.epd                           | empty.pgn has no games
        1 | cut.games --out x.epd                           | cut.games: corrupt at byte 0
        1 | short.games --out x.epd                         | short.games: corrupt at byte 0
        1 | damaged.games --out x.epd                       | corrupt at byte 0: not a game file
        1 | damaged --out x.epd                             | damaged: binary data
        1 | games.pgn bad.pgn --out -                       | 1 game skipped as invalid, or read only in part
        2 | games.pgn --out x.epd --max-other 2             | --max-other
        2 | games.pgn --out x.epd --min-moves 4 --max-moves 3 | --min-moves
        2 | - - --out x.epd                                 | only once",
    ) {
        check(&folder, code, line, &format!("! {error}"));
        assert!(!folder.has("x.epd"), "{line}");
    }
}

#[test]
fn the_lines_of_the_board_end_the_game() {
    let all = shipped();
    assert!(all.len() >= 100, "{}", all.len());
    all.iter().for_each(judge);
    let ids = all.iter().filter_map(|puzzle| puzzle.operand("id"));
    let ids: HashSet<&str> = ids.collect();
    let keys: HashSet<u64> = all.iter().map(|puzzle| puzzle.pos.key()).collect();
    let lines: HashSet<Vec<&str>> = all.iter().map(line).collect();
    assert_eq!([ids.len(), keys.len(), lines.len()], [all.len(); 3]);
    let has_one_in = |n: usize, is_one: &dyn Fn(&&Epd) -> bool| {
        assert!(all.iter().filter(is_one).count() * n >= all.len());
    };
    for grade in ["1", "2", "3", "4"] {
        has_one_in(20, &|puzzle| puzzle.operand("grade") == Some(grade));
    }
    for side in Color::ALL {
        has_one_in(4, &|puzzle| puzzle.pos.side_to_move() == side);
    }
    has_one_in(2, &|puzzle| moves(puzzle) >= 3);
}

#[test]
fn short_puzzles_of_the_board_have_one_winning_move() {
    let all = shipped();
    for puzzle in all.iter().filter(|puzzle| moves(puzzle) == 2).step_by(8) {
        assert_eq!(winning_moves(puzzle), [line(puzzle)[0]], "{puzzle}");
    }
}

#[test]
#[ignore = "deep: a minute"]
fn deep_puzzles_of_the_board_have_one_winning_move() {
    for puzzle in shipped().iter().step_by(10) {
        let solver = Solver {
            max_moves: Some(moves(puzzle) as u16),
            ..solver(puzzle.pos.side_to_move(), 1_000_000)
        };
        for mv in puzzle.pos.legal_moves() {
            let result = solver.solve_after(&puzzle.pos, mv, &NullListener);
            let verdict = result.expect("memory").verdict;
            let is_proved = matches!(verdict, ProofVerdict::Proved(_));
            let is_disproved = matches!(verdict, ProofVerdict::Disproved);
            let is_first = coord::write(mv, false) == line(puzzle)[0];
            assert_eq!(is_proved, is_first, "{mv:?}: {puzzle}");
            assert_eq!(is_disproved, !is_first, "{mv:?}: {puzzle}");
        }
    }
}
