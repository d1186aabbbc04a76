//! Matches against the stub engine of `stub_engine.rs`, and what each of them must show.

use std::path::{Path, PathBuf};

use super::record::{Game, check_atomic};
use crate::folder::Folder;

/// The kings can go back and forth here for ever: no piece can capture another.
pub const OPENING: &str = "k7/8/8/p6p/P6P/8/8/K7 w - - 0 1";

/// Both sides can castle here with the rook on the a-file, whatever White plays first.
pub const CASTLING_OPENING: &str = "r2k4/8/3p4/p1p4p/P1P4P/3P4/8/R2K4 w Qq - 0 1";

/// The stub engine that cargo builds next to the binary, as an example.
fn program() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_brisance")).parent();
    let name = format!("examples/stub_engine{}", std::env::consts::EXE_SUFFIX);
    let program = folder.expect("a file is in a folder").join(name);
    let how = "cargo test without --test builds it, and so does cargo build --example stub_engine";
    assert!(program.exists(), "{program:?} is missing; {how}");
    program
}

/// The option for a stub with a behaviour and more keys; the process ids go to the file `pids` of
/// the folder.
pub fn spec(behaviour: &str, keys: &str) -> String {
    let program = program().display().to_string();
    let words = [format!("cmd={program}"), format!("args={behaviour} pids")];
    let spec = format!("{} name=Stub {keys}", shell_words::join(words));
    format!("--engine {}", shell_words::quote(&spec))
}

/// A folder with the opening of the stub.
pub fn place() -> Folder {
    Folder::with("openings.epd", OPENING).0
}

/// The process ids of all stubs that were started.
pub fn pids(place: &Folder) -> Vec<String> {
    let text = place.read("pids");
    text.lines().map(str::to_owned).collect()
}

/// Plays two games between this engine and a stub with a behaviour and more keys from [`OPENING`].
/// Checks that the games are legal and that exactly those that the stub loses count as its failures.
pub fn against_stub(behaviour: &str, keys: &str, words: &str) -> (Folder, Vec<Game>) {
    let place = place();
    let engines = format!("--engine 'self name=Own' {}", spec(behaviour, keys));
    let rest = format!("--games 2 --openings openings.epd {words}");
    let summary = place.judged(&format!("{engines} {rest}"));
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
pub fn stubs_play(players: [(&str, &str); 2], words: &str) -> (Folder, Vec<Game>) {
    let place = place();
    let [(first, first_keys), (second, second_keys)] = players;
    let first = spec(first, &format!("name=First {first_keys}"));
    let second = spec(second, &format!("name=Second {second_keys}"));
    let rest = format!("--openings openings.epd --debug log {words}");
    place.judged(&format!("{first} {second} {rest}"));
    let games = place.games();
    games.iter().for_each(check_atomic);
    (place, games)
}

/// The commands to an engine in the file `log`, with the times of clocks replaced by `T`, without
/// those to the process that is only checked.
pub fn commands(place: &Folder, engine: &str) -> Vec<String> {
    let text = place.read("log");
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

/// As [`against_stub`]. The stub loses every game for `reason`, and the record has this reason and
/// `termination`.
pub fn loses(
    behaviour: &str,
    keys: &str,
    words: &str,
    reason: &str,
    termination: &str,
) -> (Folder, Vec<Game>) {
    let (place, games) = against_stub(behaviour, keys, words);
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
pub fn plays_on(behaviour: &str) -> (Folder, Vec<Game>) {
    let (place, games) = against_stub(behaviour, "", "--nodes 20 --max-moves 3");
    for game in &games {
        let reason = "adjudicated as a draw after too many moves";
        assert_eq!((game.reason(), game.sans.len()), (reason, 6), "{behaviour}");
        assert_eq!(game.tag("Termination"), "adjudication");
    }
    (place, games)
}
