//! What bad behaviour costs: each kind of it, by the stub, is scored against the engine
//! that shows it, with the reason in the record, and the match goes on to its end.

use std::fs;
use std::path::Path;

use super::record::{Game, check_atomic};
use super::{Place, json, refused, stub};

/// A match of four games between this engine and the stub from its opening.
fn against_stub(name: &str, behaviour: &str, words: &str) -> (Place, Vec<Game>) {
    let place = Place::new(name);
    let opening = place.text("openings.epd", stub::OPENING);
    let stub = stub::spec();
    let more = [
        "--engine",
        "self name=Own",
        "--engine",
        &stub,
        "--openings",
        &opening,
    ];
    let mut command = place.command(&format!("--games 4 --json {words}"), &more);
    command
        .env(stub::BEHAVIOUR, behaviour)
        .env(stub::PIDS, place.path("pids"));
    let summary = json(command);
    assert_eq!(summary["games"], 4, "{behaviour}: {summary}");
    let games = place.games();
    assert_eq!(games.len(), 4, "{behaviour}");
    games.iter().for_each(check_atomic);
    let lost = games.iter().filter(|game| {
        let stub_is_white = game.tag("White") == "Stub";
        game.result == if stub_is_white { "0-1" } else { "1-0" }
    });
    let failures = summary["failures"]["Stub"].as_u64().expect("a number");
    assert_eq!(failures, lost.count() as u64, "{behaviour}: {summary}");
    assert_eq!(summary["failures"]["Own"], 0, "{behaviour}: {summary}");
    (place, games)
}

/// The stub loses each game for `reason`, which stands in the record with `termination`.
fn loses(behaviour: &str, words: &str, reason: &str, termination: &str) -> (Place, Vec<Game>) {
    let (place, games) = against_stub(behaviour, behaviour, words);
    for game in &games {
        let (color, result) = match game.tag("White") {
            "Stub" => ("White", "0-1"),
            _ => ("Black", "1-0"),
        };
        assert_eq!(game.reason(), format!("{color} {reason}"), "{behaviour}");
        assert_eq!(game.result, result, "{behaviour}");
        assert_eq!(game.tag("Termination"), termination, "{behaviour}");
    }
    (place, games)
}

/// Whatever the stub does, it is no reason to lose: all games are broken off as drawn.
fn plays_on(behaviour: &str) -> (Place, Vec<Game>) {
    let (place, games) = against_stub(behaviour, behaviour, "--nodes 20 --max-moves 3");
    for game in &games {
        let reason = "adjudicated as a draw after too many moves";
        assert_eq!((game.reason(), game.sans.len()), (reason, 6), "{behaviour}");
        assert_eq!(game.tag("Termination"), "adjudication");
    }
    (place, games)
}

#[test]
fn an_engine_that_does_not_start_loses() {
    let dead = "abandoned";
    let words = "--nodes 20 --start-timeout 0.3 --quit-timeout 0.1";
    loses(
        "silent at uci",
        words,
        "stalled: no uciok within 300ms",
        dead,
    );
    loses("floods", words, "stalled: no uciok within 300ms", dead);
    let words = "--nodes 20 --ready-timeout 0.3 --quit-timeout 0.1";
    loses(
        "silent at isready",
        words,
        "stalled: no readyok within 300ms",
        dead,
    );
    let reason = "died before uciok (exit status: 3)";
    if cfg!(unix) {
        loses("dies at start", "--nodes 20", reason, dead);
    }
    loses(
        "knows no variants",
        "--nodes 20",
        "does not play atomic",
        dead,
    );
}

#[test]
fn an_engine_that_stops_answering_loses() {
    let dead = "abandoned";
    let (_, games) = loses(
        "silent at go",
        "--nodes 20 --move-timeout 0.3 --quit-timeout 0.1",
        "stalled: no move within 300ms",
        dead,
    );
    assert!(games.iter().all(|game| game.sans.len() <= 1));
    loses(
        "prints garbage only",
        "--tc 0.1+0 --margin 400 --stop-timeout 0.2 --quit-timeout 0.1",
        "stalled: over time and deaf to stop",
        dead,
    );
    if cfg!(unix) {
        let reason = "died while thinking (exit status: 3)";
        let (_, games) = loses("dies while thinking", "--nodes 20", reason, dead);
        assert!(games.iter().all(|game| game.sans.len() >= 2));
    }
}

#[test]
fn an_engine_that_is_late_loses_on_time() {
    let (why, tag) = ("lost on time", "time forfeit");
    // A margin for this engine's own moves, which a loaded machine may delay.
    loses("moves late", "--movetime 0.05 --margin 400", why, tag);
    loses("moves when stopped", "--tc 0.1+0 --margin 400", why, tag);
    loses("thinks before go", "--movetime 0.05 --margin 400", why, tag);
}

#[test]
fn a_margin_forgives_a_late_move() {
    let words = "--movetime 0.05 --margin 30000 --max-moves 1";
    let (_, games) = against_stub("margin", "moves late", words);
    assert!(games.iter().all(|game| game.sans.len() == 2));
}

#[test]
fn an_engine_that_plays_no_legal_move_loses() {
    for (behaviour, text) in [
        ("plays an illegal move", "a1a3"),
        ("plays none", "(none)"),
        ("plays zeros", "0000"),
        ("says only bestmove", "none named"),
        ("plays a foreign move", "?[2Je2)e4"),
    ] {
        let reason = format!("played an illegal move: {text}");
        loses(behaviour, "--nodes 20", &reason, "rules infraction");
    }
}

#[test]
fn an_engine_may_talk_as_long_as_it_plays() {
    plays_on("prints garbage and moves");
    plays_on("prints a huge line and moves");
    plays_on("speaks unasked");
    plays_on("wants its own spelling");
    let (_, games) = plays_on("shows its scores");
    for game in games {
        let first = usize::from(game.tag("White") == "Own");
        let of_stub = game.comments[..6].iter().skip(first).step_by(2);
        for comment in of_stub {
            assert!(comment.starts_with("+0.31/7 "), "{comment}");
        }
    }
}

#[test]
fn an_engine_that_ignores_quit_is_killed() {
    let (place, _) = against_stub(
        "ignores quit",
        "ignores quit",
        "--nodes 20 --max-moves 1 --quit-timeout 0.1",
    );
    let pids = fs::read_to_string(place.path("pids")).expect("the stub wrote it");
    assert_eq!(pids.lines().count(), 1, "one process for all games");
    if cfg!(target_os = "linux") {
        for pid in pids.lines() {
            assert!(!Path::new("/proc").join(pid).exists(), "{pid} lives on");
        }
    }
}

#[test]
fn an_engine_that_dies_between_games_is_started_again() {
    let words = "--nodes 20 --max-moves 1";
    let (place, games) = against_stub("dies between", "dies between games", words);
    let failed = |game: &&Game| game.tag("Termination") == "abandoned";
    // Game 2 fails, game 3 has a new process, which fails again in game 4.
    assert_eq!(games.iter().filter(failed).count(), 2);
    let pids = fs::read_to_string(place.path("pids")).expect("the stub wrote it");
    assert_eq!(pids.lines().count(), 2);
}

#[test]
fn an_engine_without_chess960_loses_where_it_is_needed() {
    let (why, tag) = ("has no option UCI_Chess960", "abandoned");
    loses("knows no Chess960", "--nodes 20 --chess960", why, tag);
}

#[test]
fn a_program_that_cannot_be_started() {
    let place = Place::new("no program");
    let more = ["--engine", "self", "--engine", "cmd=./there/is/none name=X"];
    let error = refused(place.command("--nodes 20", &more));
    assert!(error.contains("there/is/none: no such program"), "{error}");
    assert!(!place.path("games.pgn").exists());
    // A bare name is the system's to find, so it shows at the board.
    let more = [
        "--engine",
        "self",
        "--engine",
        "cmd=brisance-has-no-such-program name=X",
    ];
    let summary = json(place.command("--nodes 20 --games 2 --json", &more));
    assert_eq!(summary["failures"]["X"], 2, "{summary}");
    for game in place.games() {
        assert!(
            game.reason().contains(" cannot be started: "),
            "{}",
            game.reason()
        );
    }
}
