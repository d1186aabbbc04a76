//! Matches that are killed, truncated or interrupted, and resumed. Files of other matches stay
//! unchanged.

use std::process::Child;

use super::helpers::{PAIR, child};
use super::record::essence;
use crate::folder::Folder;
use crate::program::{kill, wait_until};
use crate::table::rows;

/// A match long enough to be interrupted.
const LONG: &str = "--nodes 2000 --games 24 --seed 3";

fn recorded(place: &Folder) -> usize {
    let record = place.bytes("games.pgn");
    String::from_utf8_lossy(&record).matches("[Result ").count()
}

/// Starts a match and waits until its record has `games` games.
fn started(place: &Folder, words: &str, games: usize) -> Child {
    let command = place.play_command(&format!("{PAIR} {words}")).spawn();
    let mut process = command.expect("the program starts");
    wait_until("game", || {
        let ended = process.try_wait().expect("its status can be read");
        assert!(ended.is_none(), "it ended too early");
        place.has("games.pgn") && recorded(place) >= games
    });
    process
}

#[test]
fn a_killed_match_is_resumed() {
    let whole = Folder::new();
    let expected = whole.play(&format!("{PAIR} {LONG}")).code(0).out;
    let place = Folder::new();
    let process = started(&place, LONG, 3);
    kill(process);
    assert!(recorded(&place) < 16);
    let resumed = place.play(&format!("{PAIR} {LONG} --resume --concurrency 2"));
    let out = resumed.code(0).out;
    assert!(out.contains(" games already played"), "{out}");
    assert_eq!(essence(&place.games()), essence(&whole.games()));
    // The totals include the games played before.
    let table = |out: &str| {
        let lines: Vec<&str> = out.lines().collect();
        lines[lines.len() - 4..].join("\n")
    };
    assert_eq!(table(&out), table(&expected));
}

#[test]
fn a_truncated_record_is_repaired() {
    let words = format!("{PAIR} --nodes 100 --games 6");
    let place = Folder::new();
    place.play(&words).code(0);
    let (text, games) = (place.read("games.pgn"), essence(&place.games()));
    let last = place.games().len() - 1;
    let start = text.rfind("[Event ").expect("a game");
    // In the tags, between tags and moves, in the moves, in and after the result.
    let moves = start + text[start..].find("\n\n").expect("an end of tags");
    let cuts = [start, start + 3, start + 40, moves + 1, moves + 9];
    let ends = [1, 2, 3, 4].map(|back| text.len() - back);
    for cut in cuts.into_iter().chain(ends) {
        place.write("games.pgn", &text[..cut]);
        let out = place.play(&format!("{words} --resume")).code(0).out;
        assert_eq!(essence(&place.games()), games, "cut at {cut}");
        let kept = last + usize::from(cut + 2 >= text.len());
        assert!(out.starts_with(&format!("{kept} game")), "{cut}: {out}");
    }
    // More games than at first.
    let more = format!("{PAIR} --nodes 100 --games 8 --resume");
    place.play(&more).code(0);
    assert_eq!(essence(&place.games())[..6], games);
    assert_eq!(place.games().len(), 8);
}

#[test]
fn the_parts_of_a_match_are_joined() {
    let words = format!("{PAIR} --nodes 100 --games 14 --seed 6");
    let whole = Folder::new();
    whole.play(&words).code(0);
    let mut text = String::new();
    // Seven pairs: two, two and three.
    for (part, games) in [("3/3", 6), ("1/3", 4), ("2/3", 4)] {
        let place = Folder::new();
        place.play(&format!("{words} --part {part}")).code(0);
        // A part is continued like a whole match.
        let again = format!("{words} --part {part} --resume");
        let again = place.play(&again).code(0);
        assert!(again.out.starts_with(&format!("{games} games")));
        assert_eq!(place.games().len(), games);
        text += &place.read("games.pgn");
    }
    let (joined, _) = Folder::with("games.pgn", &text);
    let out = joined.play(&format!("{words} --resume")).code(0).out;
    assert!(out.starts_with("14 games already played"), "{out}");
    assert_eq!(joined.read("games.pgn"), text);
    assert_eq!(essence(&joined.games()), essence(&whole.games()));
    // A part that is joined twice, and a part of another match.
    joined.write("games.pgn", text.repeat(2));
    joined.refuses(1, &format!("{words} --resume"), "twice");
    let other = format!("{words} --part 1/3 --resume");
    whole.refuses(2, &other, "is not in this match");
    let few = format!("{PAIR} --nodes 9 --games 2 --part 1/2");
    whole.refuses(2, &few, "--part 1/2: the match has only 1 pair of games");
}

#[test]
fn the_record_of_another_match_stays_unchanged() {
    let place = Folder::new();
    let words = format!("{PAIR} --nodes 50 --games 4");
    place.play(&words).code(0);
    // Truncated, so that even a repair would change it.
    let record = place.bytes("games.pgn");
    let record = &record[..record.len() - 40];
    let opening = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -";
    place.write("one.epd", opening);
    place.write("games.pgn", record);
    place.refuses(1, &words, "--resume continues it");
    assert_eq!(place.bytes("games.pgn"), record);
    let table = r#"
        PAIR --nodes 50 --games 4 --seed 2                  | seed 1
        PAIR --nodes 60 --games 4                           | "nodes 50" in the file and "nodes 60" now
        PAIR --nodes 50 --games 4 --openings one.epd        | the opening is
        PAIR --nodes 50 --games 4 --variant nocheckatomic   | Variant is "Atomic"
        PAIR --nodes 50 --games 2                           | game 2.1 is not in this match
        --engine 'self name=A' --engine 'self name=C' --nodes 50 --games 4
        | Black is "B" in the file and "C" now
        --engine 'self name=A option.Hash=2' --engine 'self name=B option.Hash=1' --nodes 50 --games 4
        | WhiteOptions is "" in the file and "Hash=2" now
        --engine 'self name=B option.Hash=1' --engine 'self name=A' --nodes 50 --games 4
        | White is "A" in the file"#;
    for [words, part] in rows(table) {
        let words = words.replace("PAIR", PAIR);
        place.refuses(2, &format!("{words} --resume"), part);
        assert_eq!(place.bytes("games.pgn"), record, "{words}");
    }
    let end = "does not end with a game of this match";
    let twice = record.repeat(2);
    for (foreign, part) in [
        (&b"Dear diary,\n"[..], end),
        (b"[Event \"Brisance match, seed 9\"]\n[Si", end),
        (b"[Event \"x\"]\n\n1. e4 { a } 1-0\n\n", "is not part of a recorded match"),
        (&twice, ""),
    ] {
        place.write("games.pgn", foreign);
        place.refuses(1, &format!("{words} --resume"), part);
        assert_eq!(place.bytes("games.pgn"), foreign);
    }
}

#[test]
fn a_record_in_use_stays_unchanged() {
    let place = Folder::new();
    let words = format!("--engine self {} --nodes 200000", child("name=Child"));
    let process = searching(&place, &format!("{words} --debug log"));
    place.refuses(1, &format!("{words} --resume"), "another process is writing");
    kill(process);
}

/// Starts a match that logs the lines of an engine, and waits until that engine searches.
fn searching(place: &Folder, words: &str) -> Child {
    let process = place.play_command(words).spawn();
    wait_until("search", || {
        let log = std::fs::read_to_string(place.path("log")).unwrap_or_default();
        log.contains("> go ")
    });
    process.expect("the program starts")
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_match_and_prints_the_table() {
    use super::record::check_atomic;
    use crate::program::interrupt;

    let place = Folder::new();
    let ended = interrupt(started(&place, LONG, 2)).code(1);
    assert!(ended.err.contains("interrupted after "), "{}", ended.err);
    let has_table = ended.out.contains("A - B: ") && ended.out.contains("White won ");
    assert!(has_table, "{}", ended.out);
    let games = place.games();
    assert!((2..24).contains(&games.len()));
    games.iter().for_each(check_atomic);
    place.play(&format!("{PAIR} {LONG} --resume")).code(0);
    assert_eq!(place.games().len(), 24);

    // Unfinished searches, in this process and in another, delay nothing and lose no game.
    let place = Folder::new();
    let words = format!("--engine self {} --debug log", child("name=Child"));
    let words = format!("{words} --movetime 1000 --games 4 --concurrency 2 --json");
    let process = searching(&place, &words);
    let ended = interrupt(process).code(1);
    assert!(ended.err.contains("interrupted after "), "{}", ended.err);
    let summary = ended.result();
    assert_eq!(summary["interrupted"], true, "{summary}");
    assert_eq!(summary["games"], 0, "{summary}");
    assert!(!place.has("games.pgn"), "a record without games");
}
