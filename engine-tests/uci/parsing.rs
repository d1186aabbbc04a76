//! The parser understands recorded lines of clients, with any spacing and after unknown words.
//! Invariant: no input panics.

use brisance::uci::parse::{Go, StartPosition, UciCommand, parse};

/// A parsed command in the notation of `data/uci-corpus.txt`: exactly the words understood.
fn rendered(line: &str) -> String {
    let command = match parse(line) {
        Ok(command) => command,
        Err(error) => return format!("error {}", error.text),
    };
    let plain = |text: &str| text.to_string();
    match command {
        UciCommand::Uci => plain("uci"),
        UciCommand::Debug(on) => plain(if on { "debug on" } else { "debug off" }),
        UciCommand::IsReady => plain("isready"),
        UciCommand::SetOption { name, value: None } => format!("option {name}"),
        UciCommand::SetOption {
            name,
            value: Some(value),
        } => format!("option {name} := {value}"),
        UciCommand::Register => plain("register"),
        UciCommand::UciNewGame => plain("ucinewgame"),
        UciCommand::Position { start, moves } => {
            let mut text = match start {
                StartPosition::Startpos => plain("position startpos"),
                StartPosition::Fen(fen) => format!("position fen {fen}"),
            };
            if !moves.is_empty() {
                text = format!("{text} + {}", moves.join(" "));
            }
            text
        }
        UciCommand::Go(go) => rendered_go(&go),
        UciCommand::Stop => plain("stop"),
        UciCommand::PonderHit => plain("ponderhit"),
        UciCommand::Quit => plain("quit"),
        UciCommand::Display => plain("d"),
        UciCommand::Bench(words) => format!("bench {}", words.join(" ")),
        UciCommand::Unknown(_) => plain("unknown"),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn rendered_go(go: &Go) -> String {
    let mut text = String::from("go");
    for (key, on) in [("ponder", go.ponder), ("infinite", go.infinite)] {
        if on {
            text = format!("{text} {key}");
        }
    }
    let byte = |number: Option<u8>| number.map(i64::from);
    for (key, value) in [
        ("wtime", go.time[0]),
        ("btime", go.time[1]),
        ("winc", go.increment[0]),
        ("binc", go.increment[1]),
        ("movestogo", byte(go.moves_to_go)),
        ("movetime", go.move_time),
        ("depth", byte(go.depth)),
        ("nodes", go.nodes.map(|nodes| nodes as i64)),
        ("mate", byte(go.mate)),
        ("perft", go.perft.map(i64::from)),
    ] {
        if let Some(value) = value {
            text = format!("{text} {key}={value}");
        }
    }
    let complaints = go.complaints.iter().map(|complaint| complaint.text.clone());
    for (key, list) in [
        ("searchmoves", &go.search_moves),
        ("ignored", &go.ignored),
        ("rejected", &complaints.collect()),
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
    const NOT_UCI: [&str; 3] = ["unknown", "d", "bench"];
    for (client, line, expected) in corpus() {
        if line.starts_with('\u{feff}') || NOT_UCI.iter().any(|name| expected.starts_with(name)) {
            continue;
        }
        for junk in ["joho", "\u{1}\u{2}", "»«", "0", "readyok?", "x/y"] {
            assert_eq!(rendered(&format!("{junk} {line}")), expected, "{client}");
        }
    }
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
