//! Texts made from the definition of the commands: help, completions and manual pages.

use predicates::str::contains;

use super::{brisance, stdout};

/// All subcommands in the order of the help. A build for tuning also has `spsa`.
const COMMANDS: [&str; 14] = [
    "analyse",
    "perft",
    "bench",
    "eval",
    "show",
    "solve",
    "match",
    "book",
    "openings",
    "datagen",
    "data",
    "puzzles",
    "completions",
    "man",
];

#[test]
fn the_help_lists_every_command() {
    let commands = commands();
    let untuned = commands.iter().filter(|name| *name != "spsa");
    assert!(untuned.eq(COMMANDS), "{commands:?}");
    let help = stdout(&["--help"]);
    for part in ["Usage: brisance [COMMAND]", "--version", "Exit codes: 0 "] {
        assert!(help.contains(part), "{part}: {help}");
    }
}

#[test]
fn every_command_has_a_help() {
    let summaries = stdout(&["--help"]);
    for command in COMMANDS {
        let help = stdout(&[command, "--help"]);
        assert!(
            help.contains(&format!("Usage: brisance {command}")),
            "{help}"
        );
        assert_eq!(help, stdout(&["help", command]), "{command}");
        // The list has the first line of each help, without its full stop.
        let first = help.lines().next().expect("a description");
        let first = first.trim_end_matches('.');
        assert!(first.len() > 20, "{command}: {first}");
        assert!(summaries.contains(first), "{command}: {first}");
    }
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = stdout(&["--help"]);
    let list = help.split("Commands:").nth(1).expect("a list of commands");
    let list = list.split("Options:").next().expect("text");
    let names = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names
        .filter(|&name| name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn completions_contain_every_command() {
    let commands = commands();
    assert!(commands.len() > 10, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&["completions", shell]);
        for command in &commands {
            assert!(script.contains(command.as_str()), "{shell}: {command}");
        }
        assert!(
            script.contains("min-games"),
            "{shell}: options of subcommands"
        );
    }
    brisance(&["completions", "csh"])
        .assert()
        .code(2)
        .stderr(contains("csh"));
}

#[test]
fn every_command_has_a_manual_page() {
    let pages = stdout(&["man"]);
    assert!(pages.starts_with(".ie"), "{}", &pages[..60]);
    let folder = std::env::temp_dir().join(format!("brisance-man-{}", std::process::id()));
    let name = folder.to_str().expect("the name is plain");
    assert_eq!(stdout(&["man", name]), "");
    let mut names = vec!["brisance".to_owned(), "brisance-book-build".to_owned()];
    names.extend(
        commands()
            .iter()
            .map(|command| format!("brisance-{command}")),
    );
    for name in names {
        let page = std::fs::read_to_string(folder.join(format!("{name}.1")));
        let page = page.unwrap_or_else(|error| panic!("{name}: {error}"));
        let title = format!(".TH {name} 1");
        assert!(page.lines().any(|line| line.starts_with(&title)), "{page}");
        assert!(pages.lines().any(|line| line.starts_with(&title)), "{name}");
    }
    std::fs::remove_dir_all(&folder).expect("removable");
    for (name, page) in pages
        .split("\n.TH ")
        .skip(1)
        .filter_map(|page| page.split_once(' '))
    {
        let first = page.lines().next().expect("a title");
        let version = format!("\"Brisance {}\"", env!("CARGO_PKG_VERSION"));
        assert!(first.contains(&version), "{name}: {first}");
        let (_, examples) = page.split_once("\n.SH EXAMPLES\n.nf\n").expect("examples");
        let (examples, rest) = examples.split_once("\n.fi\n").expect("their end");
        let plain = examples.replace("\\-", "-");
        assert!(plain.starts_with("brisance"), "{name}: {plain}");
        let (_, related) = rest
            .split_once(".SH \"SEE ALSO\"\n")
            .expect("related pages");
        let parent = name
            .rsplit_once('-')
            .map_or("brisance\\-analyse", |(parent, _)| parent);
        let parent = parent.replace("\\-", "-").replace('-', "\\-");
        assert!(
            related.contains(&format!("{parent}(1)")),
            "{name}: {related}"
        );
        assert!(!page.contains(".SH EXTRA"), "{name}");
    }
    brisance(&["man", "/dev/null/x"])
        .assert()
        .code(1)
        .stderr(contains("/dev/null/x"));
}
