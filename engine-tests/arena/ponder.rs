//! `match --ponder`: what is sent to engines that ponder, which the `--debug` log has, and engines
//! that fail while they ponder. The stub exits when the conversation violates UCI.
//! Where time is measured, the tests are in `timing/matches.rs`.

use super::helpers::{PAIR, child};
use super::stub::{OPENING, commands, loses, pids, spec, stubs_play};
use crate::folder::Folder;
use crate::table::rows;

/// A stub that ponders, with a clock.
const PONDERS: &str = "tc=60+1 option.Ponder=true";

/// Compares the lines with a table in which POSITION is the opening, GO a `go` with the clocks of
/// a player with White, and AS BLACK one with Black.
#[track_caller]
fn assert_lines(lines: &[String], table: &str) {
    let table = table.replace("POSITION", &format!("position fen {OPENING}"));
    let table = table.replace("AS BLACK", "wtime T btime T winc 0 binc 1000");
    let table = table.replace("AS WHITE", "wtime T btime T winc 1000 binc 0");
    let expected: Vec<&str> = table.lines().map(str::trim).collect();
    assert_eq!(lines, &expected[1..]);
}

/// Plays a game with each colour, two moves long, between a stub that ponders and one that does
/// not though it could. Returns the commands to the first stub, without `isready`.
fn conversation(behaviour: &str) -> (Folder, Vec<String>) {
    let players = [(behaviour, PONDERS), ("ponders-right", "nodes=5")];
    let (place, games) = stubs_play(players, "--games 2 --max-moves 2");
    for game in &games {
        let reason = "adjudicated as a draw after too many moves";
        assert_eq!(game.reason(), reason, "{behaviour}");
        assert_eq!(game.sans.join(" "), "Kb1 Kb8 Ka1 Ka8");
    }
    let other = commands(&place, "Second");
    let ponders = other.iter().any(|line| line.contains("onder"));
    assert!(!ponders, "{other:?}");
    let lines = commands(&place, "First");
    let (setup, lines) = lines.split_at(lines.iter().position(|l| l == "ucinewgame").unwrap());
    assert!(setup.contains(&"setoption name Ponder value true".to_owned()));
    let lines = lines.iter().filter(|line| {
        let first = line.split(' ').next();
        !matches!(first, Some("isready" | "setoption" | "quit"))
    });
    (place, lines.cloned().collect())
}

#[test]
fn an_expected_move_is_a_ponderhit() {
    let (place, lines) = conversation("ponders-right");
    // The first game is over at the first `stop`.
    assert_lines(
        &lines,
        "
        ucinewgame
        POSITION
        go AS WHITE
        POSITION moves a1b1 a8b8
        go ponder AS WHITE
        ponderhit
        POSITION moves a1b1 a8b8 b1a1 b8a8
        go ponder AS WHITE
        stop
        ucinewgame
        POSITION moves a1b1
        go AS BLACK
        POSITION moves a1b1 a8b8 b1a1
        go ponder AS BLACK
        ponderhit",
    );
    // What the stub reports while it ponders is the score of its next move.
    let comments = place.games()[0].notes();
    assert!(comments[0].starts_with("? "), "{}", comments[0]);
    assert!(comments[2].starts_with("+0.44/"), "{}", comments[2]);
}

#[test]
fn another_move_stops_pondering() {
    let (place, lines) = conversation("ponders-wrong");
    assert_lines(
        &lines,
        "
        ucinewgame
        POSITION
        go AS WHITE
        POSITION moves a1b1 a8a7
        go ponder AS WHITE
        stop
        POSITION moves a1b1 a8b8
        go AS WHITE
        POSITION moves a1b1 a8b8 b1a1 b8b7
        go ponder AS WHITE
        stop
        ucinewgame
        POSITION moves a1b1
        go AS BLACK
        POSITION moves a1b1 a8b8 b1b2
        go ponder AS BLACK
        stop
        POSITION moves a1b1 a8b8 b1a1
        go AS BLACK",
    );
    // Scores of another position do not count.
    let comments = place.games()[0].notes();
    assert!(comments[2].starts_with("? "), "{}", comments[2]);
}

#[test]
fn an_illegal_move_is_not_pondered() {
    let (_, lines) = conversation("ponders-illegal-move");
    let ponders = lines.iter().any(|line| line.contains("ponder"));
    assert!(!ponders, "{lines:?}");
}

#[test]
fn both_engines_can_ponder() {
    let place = Folder::new();
    let words = child("name=First") + " " + &child("name=Second");
    let words = format!("{words} --tc 1+0.02 --margin 30000 --games 2 --max-moves 8");
    for game in place.played(&format!("{words} --ponder --debug log")) {
        assert_ne!(game.tag("Termination"), "abandoned", "{}", game.reason());
        for tag in ["WhiteOptions", "BlackOptions"] {
            assert_eq!(game.tag(tag), "Ponder=true");
        }
    }
    for name in ["First", "Second"] {
        let lines = commands(&place, name);
        let count = |part| lines.iter().filter(|line| line.starts_with(part)).count();
        assert!(count("go ponder") > 4, "{lines:?}");
        assert_eq!(count("go ponder"), count("ponderhit") + count("stop"));
    }
    let part = "WhiteOptions is \"Ponder=true\" in the file and \"\" now";
    place.refuses(2, &format!("{words} --resume"), part);
}

#[cfg(unix)]
#[test]
fn an_engine_that_crashes_while_it_ponders_loses() {
    let behaviour = "crashes-while-pondering";
    let reason = "died while thinking (exit status: 3)";
    loses(behaviour, PONDERS, "--nodes 20", reason, "abandoned");
    // Where the game ends at the same time, its result counts, and the next has a new process.
    let players = [(behaviour, PONDERS), ("moves-at-once", "nodes=5")];
    let (place, games) = stubs_play(players, "--games 4 --max-moves 1");
    assert!(games.iter().all(|game| game.result == "1/2-1/2"));
    // Each has one for the check. The first ponders in the two games with White.
    assert_eq!(pids(&place).len(), 2 + 3 + 1);
}

#[test]
fn an_engine_that_does_not_stop_pondering_loses() {
    let ponders = ("hangs-at-ponder-stop", PONDERS);
    let words = "--games 2 --stop-timeout 0.2 --quit-timeout 0.1";
    let (_, games) = stubs_play([ponders, ("moves-at-once", "nodes=5")], words);
    for (game, side) in games.iter().zip(["White", "Black"]) {
        let reason = format!("{side} stalled: no bestmove within 200ms");
        assert_eq!(game.reason(), reason);
        assert_eq!(game.tag("Termination"), "abandoned");
    }
}

#[test]
fn wrong_settings_are_refused() {
    let place = Folder::new();
    let table = r#"
        --tc 9 --ponder | self                              | A: self cannot ponder
        --tc 9          | self name=X option.Ponder=true    | X: self cannot ponder
        --tc 9          | self option.Ponder=yes            | option.Ponder=yes is neither true nor false
        --nodes 9       | CHILD option.Ponder=true          | X: pondering needs a clock
        --movetime 9    | CHILD option.Ponder=true          | X: pondering needs a clock
        --tc 9          | CHILD option.Ponder=true depth=3  | X: pondering needs a clock
        --tc 9          | STUB                              | Stub: has no option "Ponder""#;
    for [words, engine, part] in rows(table) {
        let engine = match engine.strip_prefix("CHILD") {
            Some(keys) => child(&format!("name=X {keys}")),
            None if engine == "STUB" => spec("moves-at-once", "option.Ponder=true"),
            None => format!("--engine '{engine}'"),
        };
        place.refuses(2, &format!("{PAIR} {words} {engine}"), part);
        assert!(!place.has("games.pgn"), "{words}");
    }
}
