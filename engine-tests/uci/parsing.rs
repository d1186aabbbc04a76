//! What clients send is understood in full, however it is spaced and whatever stands before it.

use brisance::uci::parse::{Command, Go, Start, parse};

/// A command as the corpus writes it: every word that was understood, and none else.
fn rendered(line: &str) -> String {
    let command = match parse(line) {
        Ok(command) => command,
        Err(error) => return format!("error {}", error.text),
    };
    let plain = |text: &str| text.to_string();
    match command {
        Command::Uci => plain("uci"),
        Command::Debug(on) => plain(if on { "debug on" } else { "debug off" }),
        Command::IsReady => plain("isready"),
        Command::SetOption { name, value: None } => format!("option {name}"),
        Command::SetOption {
            name,
            value: Some(value),
        } => format!("option {name} := {value}"),
        Command::Register => plain("register"),
        Command::UciNewGame => plain("ucinewgame"),
        Command::Position { start, moves } => {
            let mut text = match start {
                Start::Startpos => plain("position startpos"),
                Start::Fen(fen) => format!("position fen {fen}"),
            };
            if !moves.is_empty() {
                text = format!("{text} + {}", moves.join(" "));
            }
            text
        }
        Command::Go(go) => rendered_go(&go),
        Command::Stop => plain("stop"),
        Command::PonderHit => plain("ponderhit"),
        Command::Quit => plain("quit"),
        Command::Display => plain("d"),
        Command::Bench(words) => format!("bench {}", words.join(" ")),
        Command::Unknown(_) => plain("unknown"),
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
    for (key, list) in [("searchmoves", &go.search_moves), ("ignored", &go.ignored)] {
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
            let (client, raw, wanted) = (column(), column(), column());
            let raw = raw.replace('␠', " ").replace('␉', "\t");
            (client, raw.replace('⌖', "\u{feff}"), wanted)
        })
        .collect()
}

#[test]
fn what_clients_send_is_understood_in_full() {
    let corpus = corpus();
    assert!(corpus.len() > 100);
    for (client, line, wanted) in corpus {
        assert_eq!(rendered(&line), wanted, "{client}: {line:?}");
    }
}

#[test]
fn white_space_case_and_line_ends_change_nothing() {
    for (client, line, wanted) in corpus() {
        let shouted: String = {
            let keyword = line.split_whitespace().next().unwrap_or_default();
            line.replacen(keyword, &keyword.to_uppercase(), 1)
        };
        let spread = line.replace(' ', " \t ");
        for variation in [
            shouted,
            spread,
            format!("{line} \t \r\n"),
            format!("  {line}"),
        ] {
            // A value keeps the blanks inside it.
            if wanted.contains(" := ") && variation.contains(" \t ") {
                continue;
            }
            assert_eq!(rendered(&variation), wanted, "{client}: {variation:?}");
        }
    }
}

#[test]
fn unknown_words_before_a_command_are_skipped() {
    const OURS: [&str; 3] = ["unknown", "d", "bench"];
    for (client, line, wanted) in corpus() {
        if line.starts_with('\u{feff}') || OURS.iter().any(|ours| wanted.starts_with(ours)) {
            continue;
        }
        for junk in ["joho", "\u{1}\u{2}", "»«", "0", "readyok?", "x/y"] {
            assert_eq!(rendered(&format!("{junk} {line}")), wanted, "{client}");
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

    /// A word a line may contain, sensible or not.
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
            "movestogo" | "depth" | "mate" | "perft" => 0..=255i64,
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
            let wanted = format!("go {}", ordered.join(" "));
            prop_assert_eq!(rendered(&line), wanted.trim_end());
        }

        #[test]
        fn moves_come_back_in_full(
            moves in prop::collection::vec("[a-hA-H][1-8][a-h][1-8][qrbnQ]?", 0..60),
            broken in "[a-h][1-8][a-h]|[a-z]{5}|0000|[a-h][1-8]-[a-h][1-8]|e9e4",
        ) {
            let line = format!("position startpos moves {}", moves.join(" "));
            let wanted = match moves.len() {
                0 => "position startpos".to_string(),
                _ => format!("position startpos + {}", moves.join(" ").to_lowercase()),
            };
            prop_assert_eq!(rendered(&line), wanted);
            let line = format!("{line} {broken} e2e4");
            prop_assert_eq!(rendered(&line), format!("error {broken}"));
        }
    }
}
