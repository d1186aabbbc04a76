//! Engines that crash, break the protocol or play illegal moves lose the game, the record has
//! the reason, and the match continues.

use std::path::Path;

use serde_json::json;

use super::helpers::{Place, failed, json, text};
use super::record::Game;
use super::stub::{against_stub, loses, pids, plays_on, spec};

#[cfg(unix)]
#[test]
fn an_engine_that_crashes_loses() {
    let reason = "died before uciok (exit status: 3)";
    loses("crashes-at-start", "--nodes 20", reason, "abandoned");
    let reason = "died while thinking (exit status: 3)";
    let (_, games) = loses("crashes-during-search", "--nodes 20", reason, "abandoned");
    assert!(games.iter().all(|game| game.sans.len() >= 2));
}

#[test]
fn an_engine_without_the_variant_loses() {
    let reason = "does not play atomic";
    loses("no-variant-option", "--nodes 20", reason, "abandoned");
}

#[test]
fn a_late_move_within_the_margin_counts() {
    let words = "--movetime 0.05 --margin 30000 --max-moves 1";
    let (_, games) = against_stub("late-move", words);
    assert!(games.iter().all(|game| game.sans.len() == 2));
}

#[test]
fn an_engine_that_plays_no_legal_move_loses() {
    for (behaviour, text) in [
        ("illegal-move", "a1a3"),
        ("move-none", "(none)"),
        ("null-move", "0000"),
        ("bestmove-without-move", "none named"),
        ("garbage-move", "?[2Je2)e4"),
    ] {
        let reason = format!("played an illegal move: {text}");
        loses(behaviour, "--nodes 20", &reason, "rules infraction");
    }
}

#[test]
fn unexpected_output_is_tolerated() {
    plays_on("garbage-then-move");
    plays_on("huge-line");
    plays_on("unsolicited-bestmove");
    plays_on("case-sensitive-variant");
    let (_, games) = plays_on("reports-scores");
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
    let words = "--nodes 20 --max-moves 1 --quit-timeout 0.1";
    let (place, _) = against_stub("ignores-quit", words);
    let pids = pids(&place);
    assert_eq!(pids.len(), 1, "one process for all games");
    if cfg!(target_os = "linux") {
        let process = Path::new("/proc").join(&pids[0]);
        assert!(!process.exists(), "{process:?} is still running");
    }
}

#[test]
fn an_engine_that_crashes_between_games_is_restarted() {
    let words = "--nodes 20 --max-moves 1";
    let (place, games) = against_stub("crashes-between-games", words);
    let failed = |game: &&Game| game.tag("Termination") == "abandoned";
    // The process crashes before game 2; a new one plays game 3 and crashes before game 4.
    assert_eq!(games.iter().filter(failed).count(), 2);
    assert_eq!(pids(&place).len(), 2);
}

#[test]
fn an_engine_without_chess960_loses_chess960_games() {
    let (why, tag) = ("has no option UCI_Chess960", "abandoned");
    loses("no-chess960-option", "--nodes 20 --chess960", why, tag);
}

#[test]
fn a_resumed_match_counts_failures_as_when_they_were_played() {
    for (behaviour, reason, category, termination) in [
        (
            "move-none",
            "played an illegal move: (none)",
            "played an illegal move",
            "rules infraction",
        ),
        (
            "no-variant-option",
            "does not play atomic",
            "does not play the variant",
            "abandoned",
        ),
    ] {
        let (place, games) = loses(behaviour, "--nodes 20", reason, termination);
        assert!(
            games
                .iter()
                .all(|game| game.tag("TerminationDetails") == category)
        );
        let check = |place: &Place| {
            let (stub, opening) = (spec(place, behaviour), place.at("openings.epd"));
            let own = ["--engine", "self name=Own", "--engine", &stub];
            let more = [&own[..], &["--openings", &opening]].concat();
            let command = place.command("--games 4 --json --nodes 20 --resume", &more);
            let summary = json(command);
            assert_eq!(summary["resumed"], 4, "{summary}");
            assert_eq!(summary["reasons"], json!({ category: 4 }), "{summary}");
            assert_eq!(summary["failures"], json!({ "Own": 0, "Stub": 4 }));
        };
        check(&place);
        // Older versions wrote no tag with the category.
        let text = text(&place.bytes());
        let lines = text.lines().filter(|line| !line.contains("Details"));
        let old: String = lines.map(|line| line.to_owned() + "\n").collect();
        place.text("games.pgn", &old);
        check(&place);
    }
}

#[test]
fn a_missing_program_is_reported() {
    let place = Place::new("no program");
    let more = ["--engine", "self", "--engine", "cmd=./there/is/none name=X"];
    let error = failed(place.command("--nodes 20", &more));
    assert!(error.contains("there/is/none: no such program"), "{error}");
    assert!(!place.path("games.pgn").exists());
    // A name without a path is searched for by the system when the match starts.
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
