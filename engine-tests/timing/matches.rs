//! Matches against engines that move too late or not at all.

use crate::arena::stub::{against_stub, loses, place, plays_on, spec, stubs_play};
use crate::table::rows;

#[test]
#[ignore = "timing"]
fn late_moves_lose_on_time() {
    for (behaviour, limits) in [
        ("late-move", "--movetime 0.05 --margin 300"),
        ("moves-only-on-stop", "--tc 0.1+0 --margin 300"),
        ("slow-readyok", "--movetime 0.05 --margin 300"),
    ] {
        loses(behaviour, "", limits, "lost on time", "time forfeit");
    }
}

#[test]
#[ignore = "timing"]
fn an_engine_that_does_not_answer_is_refused() {
    let place = place();
    let timeouts = "--start-timeout 0.3 --ready-timeout 0.3 --stop-timeout 0.3 --quit-timeout 0.1";
    let table = "
        silent-at-uci     | no uciok within 300ms
        floods-output     | no uciok within 300ms
        silent-at-isready | no readyok within 300ms
        silent-at-go      | over time and no reply to stop
        garbage-only      | over time and no reply to stop
        hangs-without-network
        | over time and no reply to stop; ERROR: a network must be available.; ERROR: nn-{1}.nnue was not loaded.";
    for [behaviour, reason] in rows(table) {
        let rest = format!("--openings openings.epd --nodes 20 {timeouts}");
        let error = place.error(1, &format!("--engine self {} {rest}", spec(behaviour, "")));
        assert_eq!(error, format!("error: Stub: stalled: {reason}\n"));
        assert!(!place.has("games.pgn"));
    }
    #[cfg(unix)]
    {
        let words = format!("--engine self --engine cmd=cat --nodes 20 {timeouts}");
        let expected = "error: cat: stalled: no uciok within 300ms\n";
        assert_eq!(place.error(1, &words), expected);
    }
    plays_on("slow-uciok");
}

#[test]
#[ignore = "timing"]
fn games_in_which_an_engine_does_not_answer_do_not_count() {
    let table = "
        silent-at-isready | --nodes 20 --ready-timeout 0.3             | no readyok within 300ms
        silent-at-go      | --nodes 20 --move-timeout 0.3              | no move within 300ms
        garbage-only      | --tc 0.1+0 --margin 300 --stop-timeout 0.2 | over time and no reply to stop";
    for [behaviour, words, reason] in rows(table) {
        let behaviour = format!("{behaviour} --after-games 1");
        let words = format!("{words} --quit-timeout 0.1 --max-moves 1");
        let (_, games) = against_stub(&behaviour, "", &words);
        assert_ne!(games[0].tag("Termination"), "abandoned");
        assert_eq!(games[1].reason(), format!("White stalled: {reason}"));
        assert_eq!(games[1].tag("Termination"), "abandoned");
    }
}

#[test]
#[ignore = "timing"]
fn the_clock_stands_still_while_an_engine_ponders() {
    for behaviour in ["ponders-right", "ponders-wrong"] {
        let ponders = (behaviour, "tc=60+0 option.Ponder=true");
        let players = [ponders, ("late-move", "movetime=9")];
        let (place, games) = stubs_play(players, "--games 2 --max-moves 3");
        for game in games {
            let clocks = game.clocks("First");
            assert_eq!(clocks.len(), 3);
            // The opponent takes 0.5 s for each of its moves.
            assert!(clocks[2] > 59.6, "{behaviour}: {clocks:?}");
        }
        // The reports of a stub that ponders are read although nothing waits for them.
        let log = place.read("log");
        let (before, _) = log.split_once("> ponderhit").unwrap_or((&log, ""));
        assert!(before.contains("info depth 1000 "), "{behaviour}");
    }
}

#[test]
#[ignore = "timing"]
fn an_engine_that_moves_while_it_ponders_loses() {
    let ponders = ("moves-while-pondering", "tc=60+0 option.Ponder=true");
    let players = [ponders, ("late-move", "movetime=9")];
    let (_, games) = stubs_play(players, "--games 2");
    for (game, side) in games.iter().zip(["White", "Black"]) {
        assert_eq!(game.reason(), format!("{side} moved while pondering"));
        assert_eq!(game.tag("Termination"), "rules infraction");
    }
}

#[test]
#[ignore = "timing"]
fn an_engine_that_does_not_answer_ponderhit_loses() {
    let ponders = ("hangs-at-ponderhit", "tc=0.3+0 option.Ponder=true");
    let players = [ponders, ("moves-at-once", "nodes=5")];
    let words = "--games 2 --margin 300 --stop-timeout 0.2 --quit-timeout 0.1";
    let (_, games) = stubs_play(players, words);
    for (game, side) in games.iter().zip(["White", "Black"]) {
        let reason = format!("{side} stalled: over time and no reply to stop");
        assert_eq!((game.reason(), game.sans.len() / 2), (&*reason, 1));
    }
}
