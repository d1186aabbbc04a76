//! Texts made from the definition of the commands: help, completions and manual pages.

use crate::program::{Folder, check, stdout};

/// All subcommands in the order of the help. A build for tuning also has `spsa`.
const COMMANDS: &str = "analyse perft bench eval show solve match book openings datagen data \
                        puzzles completions man";

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = stdout("--help");
    let list = help.split("Commands:").nth(1).expect("a list of commands");
    let list = list.split("Options:").next().expect("text");
    let names = list.lines();
    let names = names.filter_map(|line| line.split_whitespace().next());
    let names = names.filter(|&name| name != "help");
    names.map(str::to_owned).collect()
}

#[test]
fn the_help_lists_every_command() {
    let commands = commands();
    let untuned = commands.iter().filter(|name| *name != "spsa");
    assert!(untuned.eq(COMMANDS.split(' ')), "{commands:?}");
    check("0 --help | Usage: brisance [COMMAND] | --version | Exit codes: 0 ");
}

#[test]
fn every_command_has_a_help() {
    let summaries = stdout("--help");
    for command in COMMANDS.split(' ') {
        let help = stdout(&format!("{command} --help"));
        let usage = format!("Usage: brisance {command}");
        assert!(help.contains(&usage), "{help}");
        assert_eq!(help, stdout(&format!("help {command}")), "{command}");
        // The list has the first line of each help, without its full stop.
        let first = help.lines().next().expect("a description");
        let first = first.trim_end_matches('.');
        assert!(first.len() > 20, "{command}: {first}");
        assert!(summaries.contains(first), "{command}: {first}");
    }
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        check(&format!("0 completions {shell} | puzzles | min-games"));
    }
    check("2 completions csh ! csh");
}

#[test]
fn every_command_has_a_manual_page() {
    let pages = stdout("man");
    assert!(pages.starts_with(".ie"), "{}", &pages[..60]);
    let folder = Folder::new();
    assert_eq!(folder.stdout("man ."), "");
    let of_commands = commands().into_iter();
    let of_commands = of_commands.map(|name| format!("brisance-{name}"));
    let others = ["brisance", "brisance-book-build"].map(str::to_owned);
    for name in others.into_iter().chain(of_commands) {
        let page = folder.read(&format!("{name}.1"));
        let title = format!(".TH {name} 1");
        assert!(page.lines().any(|line| line.starts_with(&title)), "{page}");
        assert!(pages.lines().any(|line| line.starts_with(&title)), "{name}");
    }
    let titled = pages.split("\n.TH ").skip(1);
    for (name, page) in titled.filter_map(|page| page.split_once(' ')) {
        let first = page.lines().next().expect("a title");
        let version = format!("\"Brisance {}\"", env!("CARGO_PKG_VERSION"));
        assert!(first.contains(&version), "{name}: {first}");
        let (_, examples) = page.split_once("\n.SH EXAMPLES\n.nf\n").expect("examples");
        let (examples, rest) = examples.split_once("\n.fi\n").expect("their end");
        let plain = examples.replace("\\-", "-");
        assert!(plain.starts_with("brisance"), "{name}: {plain}");
        let (_, related) = rest.split_once(".SH \"SEE ALSO\"\n").expect("related pages");
        let parent = name.rsplit_once('-').map(|(parent, _)| parent);
        let parent = parent.unwrap_or("brisance\\-analyse").replace("\\-", "-");
        let reference = format!("{}(1)", parent.replace('-', "\\-"));
        assert!(related.contains(&reference), "{name}: {related}");
        assert!(!page.contains(".SH EXTRA"), "{name}");
    }
    check("1 man /dev/null/x ! /dev/null/x");
}
