//! One grammar of numbers, times, variants and positions for the options of all commands, checked
//! on the definition of the command line, so that a new option is checked as well.

use std::any::TypeId;
use std::time::Duration;

use brisance::cli;
use brisance::rules::Variant;
use clap::error::ErrorKind;
use clap::{Arg, Command};

/// A command by its words, such as `book build`, and its definition.
type Named = (String, Command);

/// All commands that do something, with the program itself left out.
fn leaves() -> Vec<Named> {
    fn visit(words: &str, command: &Command, found: &mut Vec<Named>) {
        let inner = command.get_subcommands();
        for inner in inner.filter(|inner| inner.get_name() != "help") {
            let words = format!("{words} {}", inner.get_name());
            visit(&words, inner, found);
            if !inner.has_subcommands() {
                found.push((words, inner.clone()));
            }
        }
    }
    let mut found = Vec::new();
    visit("brisance", &cli::command(), &mut found);
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

/// The arguments of all commands that satisfy a condition, with the words before their value. Fails
/// if there are fewer than `least`.
fn arguments(least: usize, kind: impl Fn(&Arg) -> bool) -> Vec<(String, Arg)> {
    let mut found = Vec::new();
    for (words, command) in leaves() {
        for arg in command.get_arguments().filter(|arg| kind(arg)) {
            let before = match arg.get_long() {
                Some(long) => format!(" --{long}"),
                // Another positional argument may come first.
                None => {
                    let others = command.get_positionals();
                    let others = others.take_while(|other| other.get_id() != arg.get_id());
                    " a.games".repeat(others.count())
                }
            };
            found.push((format!("{words}{before}"), arg.clone()));
        }
    }
    assert!(found.len() >= least, "only {}", found.len());
    found
}

/// Why a value is rejected, or `None` if it is accepted. Other errors, such as missing arguments, do
/// not count.
fn rejection(words: &str, value: &str) -> Option<String> {
    let words = words.split(' ').chain([value]);
    let error = cli::command().try_get_matches_from(words).err()?;
    let is_accepted =
        matches!(error.kind(), ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict);
    assert!(is_accepted || error.exit_code() == 2, "{error}");
    (!is_accepted).then(|| error.to_string())
}

#[track_caller]
fn check_good(words: &str, values: &[&str]) {
    for good in values {
        assert_eq!(rejection(words, good), None, "{words} {good}");
    }
}

/// Checks that a bad value is rejected with its text and an example or the range.
#[track_caller]
fn check_bad(words: &str, values: &[&str]) {
    for bad in values {
        let error = rejection(words, bad).unwrap_or_else(|| panic!("{words:?} takes {bad:?}"));
        let named = format!("invalid value '{bad}' for '");
        assert!(error.contains(&named), "{words:?}: {error}");
        assert!(error.contains("expected a"), "{words:?}: {error}");
    }
}

#[test]
fn every_number_may_have_a_unit() {
    for (words, _) in arguments(51, is_whole_number) {
        for text in ["1k", "1_000", "1000", "0.001M"] {
            if let Some(error) = rejection(&words, text) {
                // The number is read, but too large.
                let is_range = error.contains("whole number from");
                assert!(is_range, "{words} {text}: {error}");
            }
        }
        let far = ["99999999999999999999999", "-99999999999"];
        check_bad(&words, &[&["abc", "1q", "1.5"], &far[..]].concat());
    }
}

#[test]
fn nodes_and_counts_take_thousands() {
    let names = "nodes solver_nodes count positions games pairs per_grade";
    let is_name = |id: &str| names.split(' ').any(|name| name == id);
    let is_count = |arg: &Arg| is_whole_number(arg) && is_name(arg.get_id().as_str());
    for (words, _) in arguments(11, is_count) {
        check_good(&words, &["1k", "2.5M", "1_000"]);
    }
}

#[test]
fn a_limit_of_nodes_or_time_has_a_known_type() {
    for (words, arg) in arguments(1, |arg| arg.get_action().takes_values()) {
        let name = arg.get_id().as_str();
        if name == "nodes" || name.ends_with("_nodes") && name != "cut_nodes" {
            assert!(is_whole_number(&arg), "{words}");
        }
        if name.ends_with("time") || name.ends_with("timeout") {
            assert!(has_kind::<Duration>(&arg), "{words}");
        }
    }
}

#[test]
fn every_time_may_have_a_unit() {
    for (words, _) in arguments(10, has_kind::<Duration>) {
        check_good(&words, &["500ms", "5s", "1.5s", "2m", "1h", "3", "0.5"]);
        check_bad(&words, &["abc", "5x", "-1", "-5s", "5 s", "nan"]);
    }
}

#[test]
fn a_negative_number_is_a_value() {
    for (words, arg) in arguments(1, is_whole_number) {
        match rejection(&words, "-1") {
            Some(error) => {
                let names_number = error.contains("expected a whole number");
                assert!(names_number && !error.contains("tip:"), "{words}: {error}");
            }
            None => assert_eq!(arg.get_value_names().expect("a name")[0], "CP", "{words}"),
        }
    }
}

#[test]
fn shares_are_from_0_to_1() {
    let mut shares = arguments(1, |arg| has_kind::<f64>(arg) || has_kind::<f32>(arg));
    shares.retain(|(words, _)| !words.contains("--sprt") && !words.contains("spsa"));
    assert!(shares.len() >= 5);
    for (words, _) in &shares {
        check_good(words, &["0.5"]);
        check_bad(words, &["abc", "1.5", "-0.1", "nan", "inf"]);
    }
}

#[test]
fn time_controls_take_units() {
    for (words, _) in arguments(1, |arg| arg.get_id() == "tc") {
        let good = ["8+0.08", "40/60+0.5", "2m+1s", "500ms+20ms", "40/2m", "5"];
        check_good(&words, &good);
        for bad in ["abc", "0+1", "5+x", "0/5", "-1+1"] {
            let error = rejection(&words, bad).expect("no time control");
            let part = format!("\"{bad}\" is not a time control");
            assert!(error.contains(&part), "{error}");
        }
    }
}

#[test]
fn positions_take_moves_and_a_variant() {
    let mut count = 0;
    for (words, command) in leaves() {
        let names: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
        if command.get_arguments().any(|arg| arg.get_id() == "fen") {
            count += 1;
            assert!(names.contains(&"moves"), "{words}");
            assert!(names.contains(&"variant"), "{words}");
        }
        let readers = "analyse match openings datagen puzzles build";
        if readers.split(' ').any(|name| words.contains(name)) {
            assert!(names.contains(&"variant"), "{words}");
        }
    }
    assert_eq!(count, 9);
}

#[test]
fn every_variant_is_checked_by_its_name() {
    for (words, arg) in arguments(13, |arg| arg.get_long() == Some("variant")) {
        assert!(has_kind::<Variant>(&arg), "{words}");
        check_good(&words, &["atomic", "nocheckatomic", "Atomic"]);
        let error = rejection(&words, "chess").expect("not a variant");
        let names_all = error.contains("possible values: atomic, nocheckatomic");
        assert!(names_all, "{words}: {error}");
    }
}

/// The words of an example up to a redirection.
fn words_of(example: &str) -> Vec<String> {
    let words = shell_words::split(example).expect("quotes match");
    let is_word = |word: &String| ![">", "|"].contains(&word.as_str());
    words.into_iter().take_while(is_word).collect()
}

/// The examples of the help of a command, with continued lines joined.
fn examples(command: &Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string);
    let help = help.unwrap_or_default();
    let (_, rest) = help.split_once("Examples:\n").unwrap_or_default();
    let block = rest.split("\n\n").next().unwrap_or_default();
    let joined = block.replace("\\\n", "");
    let lines = joined.lines().map(|line| line.trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn every_command_has_valid_examples() {
    let root = cli::command();
    let groups = root.get_subcommands();
    let groups = groups.filter(|inner| inner.has_subcommands());
    let groups = groups.map(|group| (format!("brisance {}", group.get_name()), group.clone()));
    let program = ("brisance".to_owned(), root.clone());
    for (words, command) in leaves().into_iter().chain(groups).chain([program]) {
        let start: Vec<&str> = words.split(' ').collect();
        let examples = examples(&command);
        assert!(!examples.is_empty(), "{words} has no example");
        for example in examples {
            // The first examples of the program have a comment in a second column.
            let comment = if words == "brisance" { "     " } else { "\0" };
            let example = example.split(comment).next().unwrap_or_default();
            let given = words_of(example);
            assert!(given.iter().take(start.len()).eq(&start), "{example}");
            let second = given.get(1);
            let is_uci = second.is_some_and(|word| word.starts_with("genfens "));
            let parsed = cli::command().try_get_matches_from(&given);
            assert!(is_uci || parsed.is_ok(), "{example}: {:?}", parsed.err());
        }
    }
}

#[test]
fn help_fits_80_columns_without_breaking_words() {
    fn visit(command: &Command) {
        let [narrow, wide] = [80, 10_000].map(|width| {
            let mut command = command.clone().max_term_width(width).term_width(width);
            command.render_long_help().to_string()
        });
        let same = narrow.split_whitespace().eq(wide.split_whitespace());
        assert!(same, "{}: {narrow}", command.get_name());
        for line in narrow.lines() {
            assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
        }
        command.get_subcommands().for_each(visit);
    }
    let mut root = cli::command();
    root.build();
    visit(&root);
}

#[test]
fn old_spellings_are_accepted_and_hidden() {
    for line in ["brisance book build x.bin --pgn x.pgn", "brisance puzzles x.pgn --out x.epd"] {
        let parse = |more: &str| {
            let words = line.split(' ').chain(more.split(' '));
            cli::command().try_get_matches_from(words)
        };
        for accepted in ["--assume-atomic", "--variant atomic"] {
            parse(accepted).expect("accepted");
        }
        let error = parse("--assume-atomic --variant atomic").expect_err("a conflict");
        assert_eq!(error.kind(), ErrorKind::ArgumentConflict);
        let commands = leaves().into_iter();
        let mut commands = commands.filter(|(words, _)| line.starts_with(words.as_str()));
        let (_, command) = commands.next().expect("the command");
        let help = command.clone().render_long_help().to_string();
        assert!(!help.contains("assume-atomic"), "{help}");
    }
}
