//! Engines that cannot play are refused before the first game. Games in which they crash do not
//! count; those in which they break the rules are lost. The record has the reason of each.

use std::path::Path;

use serde_json::json;

use super::record::Game;
use super::stub::{against_stub, loses, pids, place, plays_on, spec};
use crate::program::assert_has;
use crate::table::rows;

const OWN: &str = "--engine 'self name=Own'";

/// This engine and a stub in a match.
fn against(behaviour: &str) -> String {
    let stub = spec(behaviour, "");
    format!("{OWN} {stub} --openings openings.epd --nodes 20")
}

#[test]
fn an_engine_that_cannot_play_is_refused() {
    let place = place();
    let table = "
        no-variant-option      |            | does not play atomic
        no-chess960-option     | --chess960 | has no option UCI_Chess960
        crashes-at-start       |            | died before uciok (exit status: 3)
        crashes-at-isready     |            | died before readyok (exit status: 3)
        crashes-at-ucinewgame  |            | died before readyok (exit status: 3)
        no-network             |            | died while thinking (exit status: 1; NETWORK)
        rejects-option         |            | rejects an option: error EvalFile: no such network";
    let network = "ERROR: a network must be available.; ERROR: nn-{1}.nnue was not loaded.";
    for [behaviour, words, reason] in rows(table) {
        if cfg!(windows) && reason.contains("died") {
            continue;
        }
        let reason = reason.replace("NETWORK", network);
        let keys = match behaviour {
            "rejects-option" => "option.EvalFile=none.nnue",
            _ => "",
        };
        let stub = spec(behaviour, keys);
        for engines in [format!("{OWN} {stub}"), format!("{stub} {OWN}")] {
            for more in ["", "--json", "--sprt 0 5", "--resume"] {
                let words = format!("{engines} --openings openings.epd --nodes 20 {words} {more}");
                let error = place.error(1, &words);
                assert_eq!(error, format!("error: Stub: {reason}\n"), "{words}");
                assert!(!place.has("games.pgn"), "{behaviour}");
            }
        }
    }
}

#[test]
fn a_program_that_is_no_engine_is_refused() {
    let place = place();
    let path = place.write("base.txt", "no engine\n");
    let check = |program: &str, reason: &str| {
        let words = format!("{OWN} --engine 'cmd={program} name=X' --nodes 20 --sprt 0 5");
        let error = place.error(1, &words);
        assert!(error.starts_with("error: X: "), "{error}");
        assert!(error.contains(reason), "{reason} in {error}");
        assert!(!place.has("games.pgn"));
    };
    // A name without a path is searched for by the system.
    let missing = "brisance-has-no-such-program";
    for program in [&path, &place.at(""), "./there/is/none", missing] {
        check(program, &format!("{}: ", program.trim_start_matches("./")));
        check(program, "cannot be started: ");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let permissions = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, permissions).expect("a file of ours");
        check(&path, "base.txt: Exec format error");
        check("true", "died before uciok (exit status: 0)");
    }
}

#[cfg(unix)]
#[test]
fn a_game_in_which_an_engine_crashes_does_not_count() {
    let behaviour = "crashes-during-search";
    let reason = "died while thinking (exit status: 3)";
    let (_, games) = loses(behaviour, "", "--nodes 20", reason, "abandoned");
    assert!(games.iter().all(|game| game.sans.len() >= 2));
}

#[test]
fn three_abandoned_games_in_a_row_end_the_match() {
    let place = place();
    let words = format!("{} --sprt 0 5", against("crashes-during-search"));
    let ended = place.play(&words).code(1);
    let (out, error) = (&ended.out, &ended.err);
    assert!(error.contains("Stub abandoned 3 games in a row, the last because it died"));
    let invalid = "\nINVALID MATCH: Stub abandoned 3 games, which do not count\n";
    assert_has(out, &["Own - Stub: 0 games", "Elo unknown"]);
    assert_has(out, &["test undecided", "Stub failed in 3 games", invalid]);
    assert_eq!(place.games().len(), 3);
    // Where the player abandons games now and then, the match goes on.
    let place = super::stub::place();
    let players = against("crashes-during-search --after-games 4");
    let summary = place.judged(&format!("{players} --games 16 --max-moves 2"));
    assert_eq!(summary["interrupted"], false, "{summary}");
    assert_eq!(summary["abandoned"], json!({ "Own": 0, "Stub": 3 }));
    let abandoned = |game: &Game| game.tag("Termination") == "abandoned";
    let games: Vec<bool> = place.games().iter().map(abandoned).collect();
    assert_eq!(games, (1..=16).map(|n| n % 5 == 0).collect::<Vec<_>>());
}

#[test]
fn an_engine_that_recovers_plays_on() {
    let place = place();
    // The first process is only checked.
    let players = against("crashes-during-search --process 2");
    let words = format!("{players} --games 6 --max-moves 2");
    let ended = place.play(&words).code(1);
    let (out, error) = (&ended.out, &ended.err);
    let invalid = "INVALID MATCH: Stub abandoned 1 game, which do not count";
    assert!(error.contains(invalid), "{error}");
    // The other game of its pair counts alone.
    let white = "White won 0, drawn 5, Black won 0: White scored 50.0 %";
    let counts = ["Own - Stub: 5 games", "+0 =5 -0, ", "pairs [0, 0, 2, 0, 0]"];
    assert_has(out, &counts);
    assert_has(out, &[white, invalid, "Stub failed in 1 game\n"]);
    assert_eq!(pids(&place).len(), 3);
    let summary = place.judged(&format!("{words} --resume"));
    assert_eq!(summary["resumed"], 6, "{summary}");
    assert_eq!(summary["pairings"][0]["draws"], 5, "{summary}");
}

#[test]
fn a_late_move_within_the_margin_counts() {
    let words = "--movetime 0.05 --margin 30000 --max-moves 1";
    let (_, games) = against_stub("late-move", "", words);
    assert!(games.iter().all(|game| game.sans.len() == 2));
}

#[test]
fn an_engine_that_plays_no_legal_move_loses() {
    let table = "
        moves-at-once --plays a1a3     | a1a3
        moves-at-once --plays '(none)' | (none)
        moves-at-once --plays 0000     | 0000
        moves-at-once --plays ''       | none named
        garbage-move                   | ?[2Je2)e4";
    for [behaviour, text] in rows(table) {
        let reason = format!("played an illegal move: {text}");
        loses(behaviour, "", "--nodes 20", &reason, "rules infraction");
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
        for comment in game.notes()[..6].iter().skip(first).step_by(2) {
            assert!(comment.starts_with("+0.31/7 "), "{comment}");
        }
    }
}

#[test]
fn an_engine_that_ignores_quit_is_killed() {
    let words = "--nodes 20 --max-moves 1 --quit-timeout 0.1";
    let (place, _) = against_stub("ignores-quit", "", words);
    let pids = pids(&place);
    // One process for the check and one for all games.
    assert_eq!(pids.len(), 2);
    for pid in pids.iter().filter(|_| cfg!(target_os = "linux")) {
        let process = Path::new("/proc").join(pid);
        assert!(!process.exists(), "{process:?} is still running");
    }
}

#[test]
fn a_resumed_match_counts_failures_as_when_they_were_played() {
    let table = "
        moves-at-once --plays '(none)' | played an illegal move | : (none)         | rules infraction
        crashes-during-search          | died while thinking    | (exit status: 3) | abandoned";
    for [behaviour, category, reason, termination] in rows(table) {
        let gap = if reason.starts_with('(') { " " } else { "" };
        let reason = format!("{category}{gap}{reason}");
        let (place, games) = loses(behaviour, "", "--nodes 20", &reason, termination);
        let is_named = |game: &Game| game.tag("TerminationDetails") == category;
        assert!(games.iter().all(is_named));
        let summary = place.judged(&format!("{} --games 2 --resume", against(behaviour)));
        assert_eq!(summary["resumed"], 2, "{summary}");
        assert_eq!(summary["reasons"], json!({ category: 2 }), "{summary}");
        assert_eq!(summary["failures"], json!({ "Own": 0, "Stub": 2 }));
    }
}
