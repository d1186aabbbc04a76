//! Matches against engines that move too late or not at all.

// Shared with the other test binary, which uses all of it.
#[allow(dead_code)]
#[path = "../arena/helpers.rs"]
mod helpers;
#[allow(dead_code)]
#[path = "../arena/record.rs"]
mod record;
#[allow(dead_code)]
#[path = "../arena/stub.rs"]
mod stub;

use std::fs;

use serial_test::serial;

use helpers::Place;
use stub::{loses, stubs_play};

#[test]
#[serial]
fn late_moves_lose_on_time() {
    for (behaviour, limits) in [
        ("late-move", "--movetime 0.05 --margin 400"),
        ("moves-only-on-stop", "--tc 0.1+0 --margin 400"),
        ("slow-readyok", "--movetime 0.05 --margin 400"),
    ] {
        loses(behaviour, limits, "lost on time", "time forfeit");
    }
}

#[test]
#[serial]
fn an_engine_that_does_not_start_in_time_loses() {
    let words = "--nodes 20 --start-timeout 0.3 --quit-timeout 0.1";
    for behaviour in ["silent-at-uci", "floods-output"] {
        let reason = "stalled: no uciok within 300ms";
        loses(behaviour, words, reason, "abandoned");
    }
    let words = "--nodes 20 --ready-timeout 0.3 --quit-timeout 0.1";
    let reason = "stalled: no readyok within 300ms";
    loses("silent-at-isready", words, reason, "abandoned");
}

#[test]
#[serial]
fn an_engine_that_does_not_move_loses() {
    let words = "--nodes 20 --move-timeout 0.3 --quit-timeout 0.1";
    let reason = "stalled: no move within 300ms";
    let (_, games) = loses("silent-at-go", words, reason, "abandoned");
    assert!(games.iter().all(|game| game.sans.len() <= 1));
    let words = "--tc 0.1+0 --margin 400 --stop-timeout 0.2 --quit-timeout 0.1";
    let reason = "stalled: over time and no reply to stop";
    loses("garbage-only", words, reason, "abandoned");
}

#[test]
#[serial]
fn the_clock_stands_still_while_an_engine_ponders() {
    for behaviour in ["ponders-right", "ponders-wrong"] {
        let place = Place::new(&format!("clock {behaviour}"));
        let ponders = (behaviour, "tc=60+0 option.Ponder=true");
        let players = [ponders, ("late-move", "movetime=9")];
        for game in stubs_play(&place, players, "--games 2 --max-moves 3") {
            let clocks = game.clocks("First");
            assert_eq!(clocks.len(), 3);
            // The opponent takes 0.8 s for each of its moves.
            assert!(clocks[2] > 59.6, "{behaviour}: {clocks:?}");
        }
        // The reports of a stub that ponders are read although nothing waits for them.
        let log = fs::read_to_string(place.path("log")).expect("a log");
        let (before, _) = log.split_once("> ponderhit").unwrap_or((&log, ""));
        assert!(before.contains("info depth 1000 "), "{behaviour}");
    }
}

#[test]
#[serial]
fn an_engine_that_moves_while_it_ponders_loses() {
    let place = Place::new("moves while pondering");
    let ponders = ("moves-while-pondering", "tc=60+0 option.Ponder=true");
    let players = [ponders, ("late-move", "movetime=9")];
    let games = stubs_play(&place, players, "--games 2");
    for (game, side) in games.iter().zip(["White", "Black"]) {
        assert_eq!(game.reason(), format!("{side} moved while pondering"));
        assert_eq!(game.tag("Termination"), "rules infraction");
    }
}

#[test]
#[serial]
fn an_engine_that_does_not_answer_ponderhit_loses() {
    let place = Place::new("hangs at ponderhit");
    let ponders = ("hangs-at-ponderhit", "tc=0.3+0 option.Ponder=true");
    let players = [ponders, ("moves-at-once", "nodes=5")];
    let words = "--games 2 --margin 400 --stop-timeout 0.2 --quit-timeout 0.1";
    let games = stubs_play(&place, players, words);
    for (game, side) in games.iter().zip(["White", "Black"]) {
        let reason = format!("{side} stalled: over time and no reply to stop");
        assert_eq!((game.reason(), game.sans.len() / 2), (&*reason, 1));
    }
}
