//! One grammar of numbers, times, variants and positions for the options of all commands, checked
//! on the definition of the command line, so that a new option is checked as well.

use std::any::TypeId;
use std::time::Duration;

use brisance::cli;
use brisance::rules::Variant;
use clap::error::ErrorKind;
use clap::{Arg, Command};

/// A command by its words, such as `book build`, and its definition.
type Named = (Vec<String>, Command);

/// All commands that do something, with the program itself left out.
fn leaves() -> Vec<Named> {
    fn visit(words: &[String], command: &Command, found: &mut Vec<Named>) {
        for inner in command
            .get_subcommands()
            .filter(|inner| inner.get_name() != "help")
        {
            let words = [words, &[inner.get_name().to_owned()]].concat();
            visit(&words, inner, found);
            if !inner.has_subcommands() {
                found.push((words, inner.clone()));
            }
        }
    }
    let mut found = Vec::new();
    visit(&[], &cli::command(), &mut found);
    assert!(found.len() > 20, "only {} commands", found.len());
    found
}

fn has_kind<T: 'static>(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<T>()
}

fn is_whole_number(arg: &Arg) -> bool {
    has_kind::<u8>(arg)
        || has_kind::<u16>(arg)
        || has_kind::<u32>(arg)
        || has_kind::<u64>(arg)
        || has_kind::<usize>(arg)
        || has_kind::<i32>(arg)
}

/// The arguments of all commands that satisfy a condition, with the words before their value.
fn arguments(kind: impl Fn(&Arg) -> bool) -> Vec<(Vec<String>, Arg)> {
    let mut found = Vec::new();
    for (words, command) in leaves() {
        for arg in command.get_arguments().filter(|arg| kind(arg)) {
            let mut words = words.clone();
            match arg.get_long() {
                Some(long) => words.push(format!("--{long}")),
                // Another positional argument may come first.
                None => words.extend(
                    command
                        .get_positionals()
                        .take_while(|other| other.get_id() != arg.get_id())
                        .map(|_| "a.games".to_owned()),
                ),
            }
            found.push((words, arg.clone()));
        }
    }
    found
}

/// Why a value is rejected, or `None` if it is accepted. Other errors, such as missing arguments, do
/// not count.
fn rejection(words: &[String], value: &str) -> Option<String> {
    let words = ["brisance"]
        .into_iter()
        .chain(words.iter().map(String::as_str))
        .chain([value]);
    let error = cli::command().try_get_matches_from(words).err()?;
    let is_accepted = matches!(
        error.kind(),
        ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict
    );
    assert!(is_accepted || error.exit_code() == 2, "{error}");
    (!is_accepted).then(|| error.to_string())
}

/// Checks that a bad value is rejected with its text and an example or the range.
#[track_caller]
fn check_bad(words: &[String], values: &[&str]) {
    for bad in values {
        let error = rejection(words, bad).unwrap_or_else(|| panic!("{words:?} takes {bad:?}"));
        let named = format!("invalid value '{bad}' for '");
        assert!(error.contains(&named), "{words:?}: {error}");
        assert!(error.contains("expected a"), "{words:?}: {error}");
    }
}

#[test]
fn every_number_may_have_a_unit() {
    let numbers = arguments(is_whole_number);
    assert!(numbers.len() > 50, "only {}", numbers.len());
    for (words, _) in numbers {
        for text in ["1k", "1_000", "1000", "0.001M"] {
            if let Some(error) = rejection(&words, text) {
                // The number is read, but too large.
                assert!(
                    error.contains("whole number from"),
                    "{words:?} {text}: {error}"
                );
            }
        }
        check_bad(
            &words,
            &[
                "abc",
                "1q",
                "1.5",
                "99999999999999999999999",
                "-99999999999",
            ],
        );
    }
}

#[test]
fn nodes_and_counts_take_thousands() {
    let is_count = |arg: &Arg| {
        let names = [
            "nodes",
            "solver_nodes",
            "count",
            "positions",
            "games",
            "pairs",
            "per_grade",
        ];
        is_whole_number(arg) && names.contains(&arg.get_id().as_str())
    };
    let counts = arguments(is_count);
    assert!(counts.len() >= 11, "only {}", counts.len());
    for (words, _) in counts {
        for text in ["1k", "2.5M", "1_000"] {
            assert_eq!(rejection(&words, text), None, "{words:?} {text}");
        }
    }
}

#[test]
fn a_limit_of_nodes_or_time_has_a_known_type() {
    for (words, arg) in arguments(|arg| arg.get_action().takes_values()) {
        let name = arg.get_id().as_str();
        if name == "nodes" || name.ends_with("_nodes") && name != "cut_nodes" {
            assert!(is_whole_number(&arg), "{words:?}");
        }
        if name.ends_with("time") || name.ends_with("timeout") {
            assert!(has_kind::<Duration>(&arg), "{words:?}");
        }
    }
}

#[test]
fn every_time_may_have_a_unit() {
    let times = arguments(has_kind::<Duration>);
    assert!(times.len() >= 10, "only {}", times.len());
    for (words, _) in times {
        for text in ["500ms", "5s", "1.5s", "2m", "1h", "3", "0.5"] {
            assert_eq!(rejection(&words, text), None, "{words:?} {text}");
        }
        check_bad(&words, &["abc", "5x", "-1", "-5s", "5 s", "nan"]);
    }
}

#[test]
fn a_negative_number_is_a_value() {
    for (words, arg) in arguments(is_whole_number) {
        match rejection(&words, "-1") {
            Some(error) => {
                assert!(
                    error.contains("expected a whole number"),
                    "{words:?}: {error}"
                );
                assert!(!error.contains("tip:"), "{words:?}: {error}");
            }
            None => assert_eq!(arg.get_value_names().expect("a name")[0], "CP", "{words:?}"),
        }
    }
}

#[test]
fn shares_are_from_0_to_1() {
    let shares = arguments(|arg| has_kind::<f64>(arg) || has_kind::<f32>(arg));
    let shares = shares
        .iter()
        .filter(|(words, _)| !words.contains(&"--sprt".to_owned()));
    let shares: Vec<_> = shares
        .filter(|(words, _)| !words.contains(&"spsa".to_owned()))
        .collect();
    assert!(shares.len() >= 5);
    for (words, _) in shares {
        assert_eq!(rejection(words, "0.5"), None, "{words:?}");
        check_bad(words, &["abc", "1.5", "-0.1", "nan", "inf"]);
    }
}

#[test]
fn time_controls_take_units() {
    for (words, _) in arguments(|arg| arg.get_id() == "tc") {
        for text in ["8+0.08", "40/60+0.5", "2m+1s", "500ms+20ms", "40/2m", "5"] {
            assert_eq!(rejection(&words, text), None, "{words:?} {text}");
        }
        for bad in ["abc", "0+1", "5+x", "0/5", "-1+1"] {
            let error = rejection(&words, bad).expect("no time control");
            assert!(
                error.contains(&format!("\"{bad}\" is not a time control")),
                "{error}"
            );
        }
    }
}

#[test]
fn positions_take_moves_and_a_variant() {
    let mut count = 0;
    for (words, command) in leaves() {
        let has = |name: &str| {
            command
                .get_arguments()
                .any(|arg| arg.get_long() == Some(name))
        };
        let takes_position = command.get_arguments().any(|arg| arg.get_id() == "fen");
        if takes_position {
            count += 1;
            assert!(has("moves") && has("variant"), "{words:?}");
        }
        let reads_games = [
            "analyse", "match", "openings", "datagen", "puzzles", "build",
        ];
        if reads_games
            .iter()
            .any(|name| words.contains(&(*name).to_owned()))
        {
            assert!(has("variant"), "{words:?}");
        }
    }
    assert_eq!(count, 8);
}

#[test]
fn every_variant_is_checked_by_its_name() {
    let variants = arguments(|arg| arg.get_long() == Some("variant"));
    assert!(variants.len() >= 13, "only {}", variants.len());
    for (words, arg) in variants {
        let kind = arg.get_value_parser().type_id();
        assert!(kind == TypeId::of::<Variant>(), "{words:?}");
        for name in ["atomic", "nocheckatomic", "Atomic"] {
            assert_eq!(rejection(&words, name), None, "{words:?}");
        }
        let error = rejection(&words, "chess").expect("not a variant");
        assert!(
            error.contains("possible values: atomic, nocheckatomic"),
            "{words:?}: {error}"
        );
    }
}

/// The words of an example up to a redirection.
fn words_of(example: &str) -> Vec<String> {
    let words = shell_words::split(example).expect("quotes match");
    let end = words
        .iter()
        .position(|word| [">", "|"].contains(&word.as_str()));
    words[..end.unwrap_or(words.len())].to_vec()
}

/// The examples of the help of a command, with continued lines joined.
fn examples(command: &Command) -> Vec<String> {
    let help = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let (_, rest) = help.split_once("Examples:\n").unwrap_or_default();
    let block = rest.split("\n\n").next().unwrap_or_default();
    let joined = block.replace("\\\n", "");
    let lines = joined.lines().map(|line| line.trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn every_command_has_valid_examples() {
    let root = cli::command();
    let groups = root
        .get_subcommands()
        .filter(|inner| inner.has_subcommands());
    let groups = groups.map(|group| (vec![group.get_name().to_owned()], group.clone()));
    let all = leaves().into_iter().chain(groups);
    for (words, command) in all.chain([(vec![], root.clone())]) {
        let start = [&["brisance".to_owned()], &words[..]].concat();
        let examples = examples(&command);
        assert!(!examples.is_empty(), "{words:?} has no example");
        for example in examples {
            // The first examples of the program have a comment in a second column.
            let comment = if words.is_empty() { "     " } else { "\0" };
            let example = example.split(comment).next().unwrap_or_default().to_owned();
            let given = words_of(&example);
            assert!(given.starts_with(&start), "{words:?}: {example}");
            let is_uci = given
                .get(1)
                .is_some_and(|word| word.starts_with("genfens "));
            if let Err(error) = cli::command().try_get_matches_from(&given)
                && !is_uci
            {
                panic!("{example}: {error}");
            }
        }
    }
}

#[test]
fn help_fits_80_columns_without_breaking_words() {
    fn visit(command: &Command) {
        let words =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let [narrow, wide] = [80, 10_000].map(|width| {
            let mut command = command.clone().max_term_width(width).term_width(width);
            command.render_long_help().to_string()
        });
        assert_eq!(words(&narrow), words(&wide), "{}", command.get_name());
        let longest = narrow.lines().max_by_key(|line| line.chars().count());
        let longest = longest.expect("a help");
        assert!(
            longest.chars().count() <= 80,
            "{}: {longest}",
            command.get_name()
        );
        command.get_subcommands().for_each(visit);
    }
    let mut root = cli::command();
    root.build();
    visit(&root);
}

#[test]
fn old_spellings_are_accepted_and_hidden() {
    for words in [
        &["book", "build", "x.bin", "--pgn", "x.pgn"][..],
        &["puzzles", "x.pgn", "--out", "x.epd"],
    ] {
        let line = |more: &[&'static str]| [&["brisance"], words, more].concat();
        for accepted in [&["--assume-atomic"][..], &["--variant", "atomic"]] {
            cli::command()
                .try_get_matches_from(line(accepted))
                .expect("accepted");
        }
        let both = line(&["--assume-atomic", "--variant", "atomic"]);
        let error = cli::command()
            .try_get_matches_from(both)
            .expect_err("a conflict");
        assert_eq!(error.kind(), ErrorKind::ArgumentConflict);
        let mut command = cli::command();
        command.build();
        let found = words[..2]
            .iter()
            .try_fold(&command, |at, word| at.find_subcommand(word));
        let command = found
            .or_else(|| command.find_subcommand(words[0]))
            .expect("the command");
        let help = command.clone().render_long_help().to_string();
        assert!(!help.contains("assume-atomic"), "{help}");
    }
}
