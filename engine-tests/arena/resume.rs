//! Matches that are killed, truncated or interrupted, and resumed. Files of other matches stay
//! unchanged.

use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::helpers::{PAIR, Place, failed, refused, succeed, text};
use super::record::essence;

/// A guard against hanging, far longer than anything here takes.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A match long enough to be interrupted.
const LONG: &str = "--nodes 2000 --games 24 --seed 3";

/// Starts a match and waits until its record has `games` games.
fn started(place: &Place, words: &str, games: usize) -> Child {
    let mut process = place
        .command(words, &PAIR)
        .spawn()
        .expect("the binary starts");
    let end = Instant::now() + TIMEOUT;
    loop {
        let text = String::from_utf8_lossy(&place.bytes()).into_owned();
        if text.matches("[Result ").count() >= games {
            return process;
        }
        assert!(Instant::now() < end, "{games} games in time");
        let ended = process.try_wait().expect("its status can be read");
        assert!(ended.is_none(), "it ended too early");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_killed_match_is_resumed() {
    let whole = Place::new("whole");
    let expected = succeed(whole.command(LONG, &PAIR));
    let place = Place::new("killed");
    let mut process = started(&place, LONG, 3);
    process.kill().expect("it can be killed");
    process.wait().expect("it has ended");
    assert!(
        place
            .bytes()
            .windows(8)
            .filter(|w| w == b"[Result ")
            .count()
            < 16
    );
    let resume = || place.command(&format!("{LONG} --resume --concurrency 2"), &PAIR);
    let out = succeed(resume());
    assert!(out.contains(" games already played"), "{out}");
    assert_eq!(essence(&place.games()), essence(&whole.games()));
    // The totals include the games played before.
    let table = |out: &str| {
        let lines: Vec<&str> = out.lines().collect();
        lines[lines.len() - 5..].join("\n")
    };
    assert_eq!(table(&out), table(&expected));
}

#[test]
fn a_truncated_record_is_repaired() {
    let words = "--nodes 100 --games 6";
    let place = Place::new("cut");
    succeed(place.command(words, &PAIR));
    let (bytes, games) = (place.bytes(), essence(&place.games()));
    let last = place.games().len() - 1;
    let start = text(&bytes).rfind("[Event ").expect("a game");
    // In the tags, between tags and moves, in the moves, in and after the result.
    let moves = start + text(&bytes[start..]).find("\n\n").expect("an end of tags");
    let cuts = [start, start + 3, start + 40, moves + 1, moves + 9];
    let ends = [1, 2, 3, 4].map(|back| bytes.len() - back);
    for cut in cuts.into_iter().chain(ends) {
        fs::write(place.path("games.pgn"), &bytes[..cut]).expect("written");
        let out = succeed(place.command(&format!("{words} --resume"), &PAIR));
        assert_eq!(essence(&place.games()), games, "cut at {cut}");
        let kept = if cut + 2 < bytes.len() {
            last
        } else {
            last + 1
        };
        assert!(out.starts_with(&format!("{kept} game")), "{cut}: {out}");
    }
    // More games than at first.
    succeed(place.command("--nodes 100 --games 8 --resume", &PAIR));
    assert_eq!(essence(&place.games())[..6], games);
    assert_eq!(place.games().len(), 8);
}

#[test]
fn the_parts_of_a_match_are_joined() {
    let words = "--nodes 100 --games 14 --seed 6";
    let whole = Place::new("whole of parts");
    succeed(whole.command(words, &PAIR));
    let joined = Place::new("joined");
    let mut bytes = Vec::new();
    for part in ["3/3", "1/3", "2/3"] {
        let place = Place::new("part");
        succeed(place.command(&format!("{words} --part {part}"), &PAIR));
        // A part is continued like a whole match.
        let again = format!("{words} --part {part} --resume");
        // Seven pairs: two, two and three.
        let games = if part == "3/3" { 6 } else { 4 };
        assert!(succeed(place.command(&again, &PAIR)).starts_with(&format!("{games} games")));
        assert_eq!(place.games().len(), games);
        bytes.extend(place.bytes());
    }
    fs::write(joined.path("games.pgn"), &bytes).expect("written");
    let out = succeed(joined.command(&format!("{words} --resume"), &PAIR));
    assert!(out.starts_with("14 games already played"), "{out}");
    assert_eq!(joined.bytes(), bytes);
    assert_eq!(essence(&joined.games()), essence(&whole.games()));
    // A part that is joined twice, and a part of another match.
    bytes.extend(bytes.clone());
    fs::write(joined.path("games.pgn"), &bytes).expect("written");
    let error = failed(joined.command(&format!("{words} --resume"), &PAIR));
    assert!(error.contains("twice"), "{error}");
    let error = refused(whole.command(&format!("{words} --part 1/3 --resume"), &PAIR));
    assert!(error.contains("is not in this match"), "{error}");
    let error = refused(whole.command("--nodes 9 --games 2 --part 1/2", &PAIR));
    assert!(
        error.contains("--part 1/2: the match has only 1 pair of games"),
        "{error}"
    );
}

#[test]
fn the_record_of_another_match_stays_unchanged() {
    let place = Place::new("another");
    let words = "--nodes 50 --games 4";
    succeed(place.command(words, &PAIR));
    // Truncated, so that even a repair would change it.
    let bytes = place.bytes();
    let bytes = &bytes[..bytes.len() - 40];
    let one = place.text(
        "one.epd",
        "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -",
    );
    let names = ["--engine", "self name=A", "--engine", "self name=C"];
    let hash = format!("{} option.Hash=2", PAIR[1]);
    let options = [PAIR[0], &hash, PAIR[2], PAIR[3]];
    let swapped = [PAIR[2], PAIR[3], PAIR[0], PAIR[1]];
    let opened = [&PAIR[..], &["--openings", &one]].concat();
    let cases: [(&str, &[&str], &str); 8] = [
        (
            "--nodes 50 --games 4 --resume",
            &names,
            "Black is \"B\" in the file and \"C\" now",
        ),
        (
            "--nodes 50 --games 4 --resume",
            &swapped,
            "White is \"A\" in the file",
        ),
        (
            "--nodes 50 --games 4 --resume",
            &options,
            "WhiteOptions is \"\" in the file and \"Hash=2\" now",
        ),
        ("--nodes 50 --games 4 --resume --seed 2", &PAIR, "seed 1"),
        (
            "--nodes 60 --games 4 --resume",
            &PAIR,
            "\"nodes 50\" in the file and \"nodes 60\" now",
        ),
        ("--nodes 50 --games 4 --resume", &opened, "the opening is"),
        (
            "--nodes 50 --games 4 --resume --variant nocheckatomic",
            &PAIR,
            "Variant is \"Atomic\"",
        ),
        (
            "--nodes 50 --games 2 --resume",
            &PAIR,
            "game 2.1 is not in this match",
        ),
    ];
    fs::write(place.path("games.pgn"), bytes).expect("written");
    let error = failed(place.command(words, &PAIR));
    assert!(error.contains("--resume continues it"), "{error}");
    assert_eq!(place.bytes(), bytes);
    for (words, more, part) in cases {
        fs::write(place.path("games.pgn"), bytes).expect("written");
        let error = refused(place.command(words, more));
        assert!(error.contains(part), "{part} in {error}");
        assert_eq!(place.bytes(), bytes, "{words}");
    }
    let twice = [place.bytes(), bytes.to_vec()].concat();
    for (foreign, part) in [
        (
            &b"Dear diary,\n"[..],
            "does not end with a game of this match",
        ),
        (
            b"[Event \"Brisance match, seed 9\"]\n[Si",
            "does not end with a game of this match",
        ),
        (
            b"[Event \"x\"]\n\n1. e4 { a } 1-0\n\n",
            "is not part of a recorded match",
        ),
        (&twice, ""),
    ] {
        fs::write(place.path("games.pgn"), foreign).expect("written");
        let error = failed(place.command("--nodes 50 --games 4 --resume", &PAIR));
        assert!(error.contains(part), "{part} in {error}");
        assert_eq!(place.bytes(), foreign);
    }
}

#[test]
fn a_record_in_use_stays_unchanged() {
    let place = Place::new("in use");
    let mut process = started(&place, "--nodes 200000 --games 400", 0);
    while !place.path("games.pgn").exists() {
        sleep(Duration::from_millis(2));
    }
    sleep(Duration::from_millis(100));
    let error = failed(place.command("--nodes 200000 --games 400 --resume", &PAIR));
    assert!(error.contains("another match is writing"), "{error}");
    process.kill().expect("it can be killed");
    process.wait().expect("it has ended");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_match_and_prints_the_table() {
    use std::io::Read as _;
    use std::process::Command;

    use serde_json::Value;

    use super::record::check_atomic;

    let interrupt = |process: &Child| {
        let kill = Command::new("kill")
            .args(["-INT", &process.id().to_string()])
            .status();
        assert!(kill.expect("kill runs").success());
    };
    let finish = |mut process: Child| {
        let end = Instant::now() + TIMEOUT;
        let status = loop {
            if let Some(status) = process.try_wait().expect("its status can be read") {
                break status;
            }
            assert!(Instant::now() < end, "it does not end");
            sleep(Duration::from_millis(5));
        };
        let (mut out, mut error) = (String::new(), String::new());
        process
            .stdout
            .expect("piped")
            .read_to_string(&mut out)
            .expect("text");
        process
            .stderr
            .expect("piped")
            .read_to_string(&mut error)
            .expect("text");
        assert_eq!(status.code(), Some(1), "{error}");
        assert!(error.contains("interrupted after "), "{error}");
        out
    };
    let place = Place::new("interrupted");
    let process = started(&place, LONG, 2);
    interrupt(&process);
    let out = finish(process);
    assert!(
        out.contains("A - B: ") && out.contains("White won "),
        "{out}"
    );
    let games = place.games();
    assert!((2..24).contains(&games.len()));
    games.iter().for_each(check_atomic);
    succeed(place.command(&format!("{LONG} --resume"), &PAIR));
    assert_eq!(place.games().len(), 24);

    // Unfinished searches, in this process and in another, delay nothing and lose no game.
    let place = Place::new("interrupted while searching");
    let this = format!("cmd={} name=Child", env!("CARGO_BIN_EXE_brisance"));
    let more = ["--engine", "self name=Own", "--engine", &this];
    let command = place
        .command("--movetime 1000 --games 4 --concurrency 2 --json", &more)
        .spawn();
    let process = command.expect("the binary starts");
    // The record is created after the handler of Ctrl-C.
    while !place.path("games.pgn").exists() {
        sleep(Duration::from_millis(2));
    }
    sleep(Duration::from_millis(300));
    interrupt(&process);
    let summary: Value = serde_json::from_str(&finish(process)).expect("JSON");
    assert_eq!(
        (&summary["interrupted"], &summary["games"]),
        (&Value::Bool(true), &0.into())
    );
    assert_eq!(place.games().len(), 0);
}
