//! Matches against the stub engine of `stub_engine.rs`, and what each of them must show.

use std::path::{Path, PathBuf};

use super::helpers::{Place, judged};
use super::record::{Game, check_atomic};

/// The kings can go back and forth here for ever: no piece can capture another.
pub const OPENING: &str = "k7/8/8/p6p/P6P/8/8/K7 w - - 0 1";

/// Both sides can castle here with the rook on the a-file, whatever White plays first.
pub const CASTLING_OPENING: &str = "r2k4/8/3p4/p1p4p/P1P4P/3P4/8/R2K4 w Qq - 0 1";

/// The stub engine that cargo builds beside the binary, as an example.
fn program() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_brisance")).parent();
    let name = format!("examples/stub_engine{}", std::env::consts::EXE_SUFFIX);
    let program = folder.expect("a file is in a folder").join(name);
    assert!(
        program.exists(),
        "{} is missing; cargo test without --test builds it, and so does \
         cargo build --example stub_engine in the same profile",
        program.display()
    );
    program
}

/// The engine specification of a stub with a behaviour and options; the process ids go to the file
/// `pids` of the folder.
pub fn spec(place: &Place, behaviour: &str) -> String {
    let args = format!("{behaviour} {}", shell_words::quote(&place.at("pids")));
    let words = [
        format!("cmd={}", program().display()),
        format!("args={args}"),
        "name=Stub".to_owned(),
    ];
    shell_words::join(words)
}

/// The process ids of all stubs that were started.
pub fn pids(place: &Place) -> Vec<String> {
    let text = std::fs::read_to_string(place.path("pids")).expect("the stub wrote it");
    text.lines().map(str::to_owned).collect()
}

/// Plays two games between this engine and a stub from [`OPENING`]. Checks that the games are
/// legal and that exactly those that the stub loses count as its failures.
pub fn against_stub(behaviour: &str, words: &str) -> (Place, Vec<Game>) {
    against_stub_with(["", ""], behaviour, words)
}

/// As [`against_stub`], with more keys of the specifications of this engine and of the stub.
pub fn against_stub_with(keys: [&str; 2], behaviour: &str, words: &str) -> (Place, Vec<Game>) {
    let place = Place::new(behaviour);
    let opening = place.text("openings.epd", OPENING);
    let own = format!("self name=Own {}", keys[0]);
    let stub = format!("{} {}", spec(&place, behaviour), keys[1]);
    let more = ["--engine", &own, "--engine", &stub, "--openings", &opening];
    let summary = judged(place.command(&format!("--games 2 --json {words}"), &more));
    assert_eq!(summary["games"], 2, "{behaviour}: {summary}");
    let games = place.games();
    assert_eq!(games.len(), 2, "{behaviour}");
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

/// Plays games from [`OPENING`] between two stubs, each with its behaviour and more keys of its
/// specification. They are named First and Second, and the file `log` has their lines.
pub fn stubs_play(place: &Place, players: [(&str, &str); 2], words: &str) -> Vec<Game> {
    let [(first, first_keys), (second, second_keys)] = players;
    let first = format!("{} name=First {first_keys}", spec(place, first));
    let second = format!("{} name=Second {second_keys}", spec(place, second));
    let (opening, log) = (place.text("openings.epd", OPENING), place.at("log"));
    let more = [
        "--engine",
        &first,
        "--engine",
        &second,
        "--openings",
        &opening,
        "--debug",
        &log,
    ];
    judged(place.command(&format!("--json {words}"), &more));
    let games = place.games();
    games.iter().for_each(check_atomic);
    games
}

/// The commands to an engine in the file `log`, with the times of clocks replaced by `T`, without
/// those to the process that is only checked.
pub fn commands(place: &Place, engine: &str) -> Vec<String> {
    let text = std::fs::read_to_string(place.path("log")).expect("a log");
    let mut checked = None;
    let lines = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let is_command = words[1] == engine && words[3] == ">";
        let is_checked = words[1] == engine && *checked.get_or_insert(words[2]) == words[2];
        let is_time = |at: usize| matches!(words[at - 1], "wtime" | "btime");
        let word = |at: usize| if is_time(at) { "T" } else { words[at] };
        (is_command && !is_checked)
            .then(|| (4..words.len()).map(word).collect::<Vec<_>>().join(" "))
    });
    lines.collect()
}

/// The stub loses every game for `reason`, and the record has this reason and `termination`.
pub fn loses(behaviour: &str, words: &str, reason: &str, termination: &str) -> (Place, Vec<Game>) {
    loses_with(["", ""], behaviour, words, reason, termination)
}

/// As [`loses`], with more keys of the specifications of this engine and of the stub.
pub fn loses_with(
    keys: [&str; 2],
    behaviour: &str,
    words: &str,
    reason: &str,
    termination: &str,
) -> (Place, Vec<Game>) {
    let (place, games) = against_stub_with(keys, behaviour, words);
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

/// The stub's behaviour is tolerated: every game is adjudicated as a draw after three moves.
pub fn plays_on(behaviour: &str) -> (Place, Vec<Game>) {
    let (place, games) = against_stub(behaviour, "--nodes 20 --max-moves 3");
    for game in &games {
        let reason = "adjudicated as a draw after too many moves";
        assert_eq!((game.reason(), game.sans.len()), (reason, 6), "{behaviour}");
        assert_eq!(game.tag("Termination"), "adjudication");
    }
    (place, games)
}
