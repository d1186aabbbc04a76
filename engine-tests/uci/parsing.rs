//! The parser understands recorded lines of clients, with any spacing and after unknown words.
//! Invariant: no input panics.

use brisance::uci::parse::{Go, UciCommand, UciMessage, parse};
use vampirc_uci::UciTimeControl;

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
            let mut text = match fen {
                None => plain("position startpos"),
                Some(fen) => format!("position fen {fen}"),
            };
            if !moves.is_empty() {
                let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
                text = format!("{text} + {}", moves.join(" "));
            }
            text
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
        UciMessage::SetOption {
            name,
            value: Some(value),
        } => format!("option {name} := {value}"),
        UciMessage::Register { .. } => "register".to_owned(),
        message => message.to_string(),
    }
}

fn rendered_go(go: &Go) -> String {
    let mut text = String::from("go");
    for (key, on) in [("ponder", go.is_ponder()), ("infinite", go.is_infinite())] {
        if on {
            text = format!("{text} {key}");
        }
    }
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
        if let Some(value) = value {
            text = format!("{text} {key}={value}");
        }
    }
    let moves = search.search_moves.iter().map(ToString::to_string);
    let complaints = go.complaints.iter().map(|complaint| complaint.text.clone());
    for (key, list) in [
        ("searchmoves", moves.collect()),
        ("ignored", go.ignored.clone()),
        ("rejected", complaints.collect::<Vec<String>>()),
    ] {
        if !list.is_empty() {
            text = format!("{text} {key}={}", list.join(","));
        }
    }
    text
}

fn corpus() -> Vec<(&'static str, String, &'static str)> {
    let text = include_str!("../data/uci-corpus.txt");
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut columns = line.split(" | ");
            let mut column = || columns.next().unwrap_or_else(|| panic!("{line:?}"));
            let (client, raw, expected) = (column(), column(), column());
            let raw = raw.replace('␠', " ").replace('␉', "\t");
            (client, raw.replace('⌖', "\u{feff}"), expected)
        })
        .collect()
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
        let uppercase: String = {
            let keyword = line.split_whitespace().next().unwrap_or_default();
            line.replacen(keyword, &keyword.to_uppercase(), 1)
        };
        let spread = line.replace(' ', " \t ");
        for variation in [
            uppercase,
            spread,
            format!("{line} \t \r\n"),
            format!("  {line}"),
        ] {
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
    const NOT_UCI: [&str; 9] = [
        "d",
        "eval",
        "bench",
        "genfens",
        "flip",
        "compiler",
        "export_net",
        "help",
        "perft",
    ];
    for (client, line, expected) in corpus() {
        let is_not_uci = NOT_UCI.contains(&line.split(' ').next().unwrap_or_default());
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

mod random {
    use proptest::prelude::*;

    use super::*;

    fn config() -> ProptestConfig {
        ProptestConfig {
            cases: 2000,
            failure_persistence: None,
            ..ProptestConfig::default()
        }
    }

    /// A valid or invalid word of a line.
    fn word() -> impl Strategy<Value = String> {
        let words: Vec<String> = corpus()
            .iter()
            .flat_map(|(_, line, _)| line.split(' ').map(str::to_string).collect::<Vec<_>>())
            .collect();
        prop_oneof![
            6 => prop::sample::select(words),
            1 => any::<i64>().prop_map(|number| number.to_string()),
            1 => "[a-h][1-8][a-h][1-8][qrbnk]?",
            1 => "\\PC{0,6}",
            1 => Just("value".to_string()),
            1 => Just(String::new()),
        ]
    }

    fn line() -> impl Strategy<Value = String> {
        let separator = prop::sample::select(vec![" ", "  ", "\t", "\u{a0}", ""]);
        prop::collection::vec((word(), separator), 0..12).prop_map(|parts| {
            let join = |text: String, (word, gap): (String, &str)| text + &word + gap;
            parts.into_iter().fold(String::new(), join)
        })
    }

    /// One clause of a canonical `go` line.
    fn clause(key: &'static str) -> BoxedStrategy<String> {
        let number = match key {
            "ponder" | "infinite" => return Just(key.to_string()).boxed(),
            "searchmoves" => {
                return prop::collection::vec("[a-h][1-8][a-h][1-8][qrbn]?", 1..6)
                    .prop_map(|moves| format!("searchmoves={}", moves.join(",")))
                    .boxed();
            }
            "mate" => 1..=120i64,
            "movestogo" | "depth" | "perft" => 0..=255,
            "nodes" => 0..=999_999_999_999,
            _ => -100_000..=999_999_999_999,
        };
        number.prop_map(move |n| format!("{key}={n}")).boxed()
    }

    /// Clauses in the order of [`rendered_go`], each present or not.
    fn clauses() -> impl Strategy<Value = Vec<String>> {
        const KEYS: [&str; 13] = [
            "ponder",
            "infinite",
            "wtime",
            "btime",
            "winc",
            "binc",
            "movestogo",
            "movetime",
            "depth",
            "nodes",
            "mate",
            "perft",
            "searchmoves",
        ];
        let each: Vec<_> = KEYS
            .iter()
            .map(|key| prop::option::of(clause(key)))
            .collect();
        each.prop_map(|clauses| clauses.into_iter().flatten().collect())
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn no_line_panics(line in line()) {
            let _ = parse(&line);
            let _ = parse(&format!("go {line}"));
            let _ = parse(&format!("position {line}"));
            let _ = parse(&format!("position startpos moves {line}"));
            let _ = parse(&format!("setoption name {line}"));
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = parse(&String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn go_keeps_every_word_in_any_order(
            (ordered, shuffled) in clauses()
                .prop_flat_map(|list| (Just(list.clone()), Just(list).prop_shuffle())),
            trailing in "[ \t]{0,3}",
        ) {
            let words = |list: &[String]| list.join(" ").replace(['=', ','], " ");
            let line = format!("go {}{trailing}", words(&shuffled));
            let expected = format!("go {}", ordered.join(" "));
            prop_assert_eq!(rendered(&line), expected.trim_end());
        }

        #[test]
        fn moves_come_back_in_full(
            moves in prop::collection::vec("[a-hA-H][1-8][a-h][1-8][qrbnQ]?", 0..60),
            broken in "[a-h][1-8][a-h]|[a-z]{5}|0000|[a-h][1-8]-[a-h][1-8]|e9e4",
        ) {
            let line = format!("position startpos moves {}", moves.join(" "));
            let expected = match moves.len() {
                0 => "position startpos".to_string(),
                _ => format!("position startpos + {}", moves.join(" ").to_lowercase()),
            };
            prop_assert_eq!(rendered(&line), expected);
            let line = format!("{line} {broken} e2e4");
            prop_assert_eq!(rendered(&line), format!("error {broken}"));
        }
    }
}
