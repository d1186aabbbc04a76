//! `match --ponder`: what is sent to engines that ponder, which the `--debug` log has, and engines
//! that fail while they ponder. The stub exits when the conversation violates UCI.
//! Where time is measured, the tests are in `timing/matches.rs`.

use super::helpers::{PAIR, Place, refused, succeed};
use super::record::check_atomic;
use super::stub::{OPENING, commands, loses_with, pids, spec, stubs_play};

/// A stub that ponders, with a clock.
const PONDERS: &str = "tc=60+1 option.Ponder=true";
const GO: &str = "wtime T btime T winc 1000 binc 0";
const GO_AS_BLACK: &str = "wtime T btime T winc 0 binc 1000";

/// Plays a game with each colour, two moves long, between a stub that ponders and one that does
/// not though it could. Returns the commands to the first stub, without `isready`.
fn conversation(behaviour: &str) -> (Place, Vec<String>) {
    let place = Place::new(&format!("conversation {behaviour}"));
    let players = [(behaviour, PONDERS), ("ponders-right", "nodes=5")];
    let games = stubs_play(&place, players, "--games 2 --max-moves 2");
    for game in &games {
        let reason = "adjudicated as a draw after too many moves";
        assert_eq!(game.reason(), reason, "{behaviour}");
        assert_eq!(game.sans.join(" "), "Kb1 Kb8 Ka1 Ka8");
    }
    let other = commands(&place, "Second");
    assert!(
        !other.iter().any(|line| line.contains("onder")),
        "{other:?}"
    );
    let lines = commands(&place, "First");
    let (setup, lines) = lines.split_at(lines.iter().position(|l| l == "ucinewgame").unwrap());
    assert!(setup.contains(&"setoption name Ponder value true".to_owned()));
    let lines = lines.iter().filter(|line| {
        let first = line.split(' ').next();
        !matches!(first, Some("isready" | "setoption" | "quit"))
    });
    (place, lines.cloned().collect())
}

fn position(moves: &str) -> String {
    match moves {
        "" => format!("position fen {OPENING}"),
        moves => format!("position fen {OPENING} moves {moves}"),
    }
}

#[test]
fn an_expected_move_is_a_ponderhit() {
    let (place, lines) = conversation("ponders-right");
    let expected = [
        "ucinewgame".to_owned(),
        position(""),
        format!("go {GO}"),
        position("a1b1 a8b8"),
        format!("go ponder {GO}"),
        "ponderhit".to_owned(),
        position("a1b1 a8b8 b1a1 b8a8"),
        format!("go ponder {GO}"),
        // The game is over.
        "stop".to_owned(),
        "ucinewgame".to_owned(),
        position("a1b1"),
        format!("go {GO_AS_BLACK}"),
        position("a1b1 a8b8 b1a1"),
        format!("go ponder {GO_AS_BLACK}"),
        "ponderhit".to_owned(),
    ];
    assert_eq!(lines, expected);
    // What the stub reports while it ponders is the score of its next move.
    let game = &place.games()[0];
    assert!(game.comments[0].starts_with("? "), "{}", game.comments[0]);
    assert!(
        game.comments[2].starts_with("+0.44/"),
        "{}",
        game.comments[2]
    );
}

#[test]
fn another_move_stops_pondering() {
    let (place, lines) = conversation("ponders-wrong");
    let expected = [
        "ucinewgame".to_owned(),
        position(""),
        format!("go {GO}"),
        position("a1b1 a8a7"),
        format!("go ponder {GO}"),
        "stop".to_owned(),
        position("a1b1 a8b8"),
        format!("go {GO}"),
        position("a1b1 a8b8 b1a1 b8b7"),
        format!("go ponder {GO}"),
        "stop".to_owned(),
        "ucinewgame".to_owned(),
        position("a1b1"),
        format!("go {GO_AS_BLACK}"),
        position("a1b1 a8b8 b1b2"),
        format!("go ponder {GO_AS_BLACK}"),
        "stop".to_owned(),
        position("a1b1 a8b8 b1a1"),
        format!("go {GO_AS_BLACK}"),
    ];
    assert_eq!(lines, expected);
    // Scores of another position do not count.
    let game = &place.games()[0];
    assert!(game.comments[2].starts_with("? "), "{}", game.comments[2]);
}

#[test]
fn an_illegal_move_is_not_pondered() {
    let (_, lines) = conversation("ponders-illegal-move");
    assert!(
        !lines.iter().any(|line| line.contains("ponder")),
        "{lines:?}"
    );
}

#[test]
fn both_engines_can_ponder() {
    let place = Place::new("both ponder");
    let this = |name| format!("cmd={} name={name}", env!("CARGO_BIN_EXE_brisance"));
    let (first, second, log) = (this("First"), this("Second"), place.at("log"));
    let more = ["--engine", &first, "--engine", &second, "--debug", &log];
    let words = "--ponder --tc 1+0.02 --margin 30000 --games 2 --max-moves 8";
    succeed(place.command(words, &more));
    for game in &place.games() {
        check_atomic(game);
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
    let without = words.replace("--ponder", "--resume");
    let error = refused(place.command(&without, &more[..4]));
    let part = "WhiteOptions is \"Ponder=true\" in the file and \"\" now";
    assert!(error.contains(part), "{error}");
}

#[cfg(unix)]
#[test]
fn an_engine_that_crashes_while_it_ponders_loses() {
    let (behaviour, keys) = ("crashes-while-pondering", ["nodes=20", PONDERS]);
    let reason = "died while thinking (exit status: 3)";
    loses_with(keys, behaviour, "", reason, "abandoned");
    // Where the game ends at the same time, its result counts, and the next has a new process.
    let place = Place::new("crashes at the end");
    let players = [(behaviour, PONDERS), ("moves-at-once", "nodes=5")];
    let games = stubs_play(&place, players, "--games 4 --max-moves 1");
    assert!(games.iter().all(|game| game.result == "1/2-1/2"));
    // Each has one for the check. The first ponders in the two games with White.
    assert_eq!(pids(&place).len(), 2 + 3 + 1);
}

#[test]
fn an_engine_that_does_not_stop_pondering_loses() {
    let place = Place::new("does not stop pondering");
    let players = [
        ("hangs-at-ponder-stop", PONDERS),
        ("moves-at-once", "nodes=5"),
    ];
    let words = "--games 2 --stop-timeout 0.2 --quit-timeout 0.1";
    for (game, side) in stubs_play(&place, players, words)
        .iter()
        .zip(["White", "Black"])
    {
        let reason = format!("{side} stalled: no bestmove within 200ms");
        assert_eq!(game.reason(), reason);
        assert_eq!(game.tag("Termination"), "abandoned");
    }
}

#[test]
fn wrong_settings_are_refused() {
    let place = Place::new("wrong settings of ponder");
    let this = format!("cmd={} name=X", env!("CARGO_BIN_EXE_brisance"));
    let without_option = spec(&place, "moves-at-once");
    for (words, engine, part) in [
        ("--tc 9 --ponder", "self", "A: self cannot ponder"),
        (
            "--tc 9",
            "self name=X option.Ponder=true",
            "X: self cannot ponder",
        ),
        (
            "--tc 9",
            "self option.Ponder=yes",
            "option.Ponder=yes is neither true nor false",
        ),
        (
            "--nodes 9",
            &format!("{this} option.Ponder=true"),
            "X: pondering needs a clock",
        ),
        (
            "--movetime 9",
            &format!("{this} option.Ponder=true"),
            "X: pondering needs a clock",
        ),
        (
            "--tc 9",
            &format!("{this} option.Ponder=true depth=3"),
            "X: pondering needs a clock",
        ),
        (
            "--tc 9",
            &format!("{without_option} option.Ponder=true"),
            "Stub: has no option \"Ponder\"",
        ),
    ] {
        let more = [&PAIR[..], &["--engine", engine]].concat();
        let error = refused(place.command(words, &more));
        assert!(error.contains(part), "{part} in {error}");
        assert!(!place.path("games.pgn").exists(), "{words}");
    }
}
