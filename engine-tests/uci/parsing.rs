//! The parser understands recorded lines of clients, with any spacing and after unknown words.
//! The fuzz target `uci_line` shows that no input panics.

use brisance::uci::parse::{Go, UciCommand, UciMessage, parse};
use vampirc_uci::UciTimeControl;

use crate::random::Random;
use crate::table::rows;

/// A parsed command in the notation of `data/uci-corpus.txt`: exactly the words understood.
fn rendered(line: &str) -> String {
    let command = match parse(line) {
        Ok(command) => command,
        Err(error) => return format!("error {}", error.text),
    };
    let plain = |text: &str| text.to_string();
    match command {
        UciCommand::Message(message) => rendered_message(message),
        UciCommand::Position { fen, moves } => {
            let start = fen.map_or_else(|| plain("startpos"), |fen| format!("fen {fen}"));
            let plus = if moves.is_empty() { "" } else { " +" };
            let moves = moves.iter().map(|mv| format!(" {mv}"));
            format!("position {start}{plus}{}", moves.collect::<String>())
        }
        UciCommand::Go(go) => rendered_go(&go),
        UciCommand::Display => plain("d"),
        UciCommand::Bench(words) => format!("bench {}", words.join(" ")),
        UciCommand::Unknown(_) => plain("unknown"),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn rendered_message(message: UciMessage) -> String {
    match message {
        UciMessage::SetOption { name, value: None } => format!("option {name}"),
        UciMessage::SetOption { name, value: Some(value) } => format!("option {name} := {value}"),
        UciMessage::Register { .. } => "register".to_owned(),
        message => message.to_string(),
    }
}

fn rendered_go(go: &Go) -> String {
    let mut words = vec!["go".to_owned()];
    words.extend(go.is_ponder().then(|| "ponder".to_owned()));
    words.extend(go.is_infinite().then(|| "infinite".to_owned()));
    let (mut clocks, mut moves_to_go, mut move_time) = ([None; 4], None, None);
    for control in &go.time_controls {
        match *control {
            UciTimeControl::Ponder | UciTimeControl::Infinite => {}
            UciTimeControl::MoveTime(time) => move_time = Some(time),
            UciTimeControl::TimeLeft {
                white_time,
                black_time,
                white_increment,
                black_increment,
                moves_to_go: moves,
            } => {
                clocks = [white_time, black_time, white_increment, black_increment];
                moves_to_go = moves;
            }
        }
    }
    let search = &go.search_control;
    let millis = |time: Option<vampirc_uci::Duration>| time.map(|time| time.num_milliseconds());
    let byte = |number: Option<u8>| number.map(i64::from);
    for (key, value) in [
        ("wtime", millis(clocks[0])),
        ("btime", millis(clocks[1])),
        ("winc", millis(clocks[2])),
        ("binc", millis(clocks[3])),
        ("movestogo", byte(moves_to_go)),
        ("movetime", millis(move_time)),
        ("depth", byte(search.depth)),
        ("nodes", search.nodes.map(|nodes| nodes as i64)),
        ("mate", byte(search.mate)),
        ("perft", go.perft.map(i64::from)),
    ] {
        words.extend(value.map(|value| format!("{key}={value}")));
    }
    let moves = search.search_moves.iter().map(ToString::to_string);
    let complaints = go.complaints.iter().map(|complaint| complaint.text.clone());
    for (key, list) in [
        ("searchmoves", moves.collect()),
        ("ignored", go.ignored.clone()),
        ("rejected", complaints.collect::<Vec<String>>()),
    ] {
        if !list.is_empty() {
            words.push(format!("{key}={}", list.join(",")));
        }
    }
    words.join(" ")
}

/// Client, line and expected parse of the recorded lines.
fn corpus() -> Vec<(&'static str, String, &'static str)> {
    let rows = rows(include_str!("../data/uci-corpus.txt")).into_iter();
    let named = |[client, raw, expected]: [&'static str; 3]| {
        let raw = raw.replace('␠', " ").replace('␉', "\t");
        (client, raw.replace('⌖', "\u{feff}"), expected)
    };
    rows.map(named).collect()
}

#[test]
fn recorded_lines_are_parsed_completely() {
    let corpus = corpus();
    assert!(corpus.len() > 100);
    for (client, line, expected) in corpus {
        assert_eq!(rendered(&line), expected, "{client}: {line:?}");
    }
}

#[test]
fn white_space_case_and_line_ends_do_not_matter() {
    for (client, line, expected) in corpus() {
        let keyword = line.split_whitespace().next().unwrap_or_default();
        let uppercase = line.replacen(keyword, &keyword.to_uppercase(), 1);
        let spread = line.replace(' ', " \t ");
        let padded = [format!("{line} \t \r\n"), format!("  {line}")];
        for variation in padded.into_iter().chain([uppercase, spread]) {
            // A value keeps its inner blanks.
            if expected.contains(" := ") && variation.contains(" \t ") {
                continue;
            }
            assert_eq!(rendered(&variation), expected, "{client}: {variation:?}");
        }
    }
}

#[test]
fn unknown_words_before_a_command_are_skipped() {
    let not_uci = "d eval bench genfens flip compiler export_net help perft";
    for (client, line, expected) in corpus() {
        let first = line.split(' ').next().unwrap_or_default();
        let is_not_uci = not_uci.split(' ').any(|name| name == first);
        if line.starts_with('\u{feff}') || is_not_uci || expected == "unknown" {
            continue;
        }
        for junk in ["joho", "\u{1}\u{2}", "»«", "0", "readyok?", "x/y"] {
            assert_eq!(rendered(&format!("{junk} {line}")), expected, "{client}");
        }
    }
}

#[test]
fn empty_and_long_arguments() {
    for (line, expected) in [
        ("", "unknown"),
        ("debug", "error "),
        ("position", "error "),
        ("setoption", "error "),
        ("setoption name value 3", "error setoption name value 3"),
        ("setoption name Path value", "option Path := "),
    ] {
        assert_eq!(rendered(line), expected, "{line}");
    }
    let long = "x".repeat(5000);
    assert!(rendered(&format!("position {long}")).chars().count() < 100);
    let game = " g1f3 g8f6 f3g1 f6g8".repeat(1000);
    let line = format!("position startpos moves{game}");
    assert_eq!(rendered(&line), format!("position startpos +{game}"));
}

/// A move as UCI writes it.
fn any_move(random: &mut Random) -> String {
    let mut pick = |letters: &str| *random.pick(letters.as_bytes()) as char;
    let squares = ["abcdefgh", "12345678", "abcdefgh", "12345678"].map(&mut pick);
    let promotion = pick("qrbn       ");
    let text = String::from_iter(squares) + &promotion.to_string();
    text.trim_end().to_owned()
}

fn any_moves(count: usize, random: &mut Random) -> Vec<String> {
    (0..count).map(|_| any_move(random)).collect()
}

/// Words of `go` in the order of [`rendered_go`], as in the corpus.
fn any_clauses(random: &mut Random) -> Vec<String> {
    let mut clauses = Vec::new();
    let keys = "ponder infinite wtime btime winc binc movestogo movetime depth nodes mate perft \
                searchmoves";
    for key in keys.split(' ') {
        let value = match key {
            "ponder" | "infinite" => String::new(),
            "searchmoves" => {
                let count = 1 + random.below(5);
                format!("={}", any_moves(count, random).join(","))
            }
            "mate" => format!("={}", 1 + random.below(120)),
            "movestogo" | "depth" | "perft" => format!("={}", random.below(256)),
            "nodes" => format!("={}", random.below(1_000_000_000_000)),
            _ => format!("={}", random.below(1_000_000_000_000) as i64 - 100_000),
        };
        if random.one_in(2) {
            clauses.push(format!("{key}{value}"));
        }
    }
    clauses
}

#[test]
fn go_keeps_every_word_in_any_order() {
    let mut random = Random::new(41);
    for _ in 0..2000 {
        let mut clauses = any_clauses(&mut random);
        let expected = format!("go {}", clauses.join(" "));
        random.shuffle(&mut clauses);
        let line = format!("go {} \t", clauses.join(" ").replace(['=', ','], " "));
        assert_eq!(rendered(&line), expected.trim_end());
    }
}

#[test]
fn moves_come_back_in_full() {
    let mut random = Random::new(42);
    for round in 0..2000 {
        let count = random.below(60);
        let mut moves = any_moves(count, &mut random);
        let expected = match count {
            0 => "position startpos".to_owned(),
            _ => format!("position startpos + {}", moves.join(" ")),
        };
        if let Some(first) = moves.first_mut() {
            *first = first.to_uppercase();
        }
        let line = format!("position startpos moves {}", moves.join(" "));
        assert_eq!(rendered(&line), expected);
        let broken = ["a1b", "abcde", "0000", "e2-e4", "e9e4"][round % 5];
        let line = format!("{line} {broken} e2e4");
        assert_eq!(rendered(&line), format!("error {broken}"));
    }
}
