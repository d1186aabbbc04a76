//! `brisance completions` and `brisance man`: shell completions and manual pages, generated from
//! the command-line definitions.
//! Invariant: every subcommand has a page and completions.

use std::fs;
use std::io::{self, Write};

use clap::builder::Resettable;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::{CliError, OutputPath, WholeFile, failed};

/// The examples of all commands, for the help and the manual pages: groups between blank lines,
/// each with the name of its command first. Every command has some, of at most 78 columns.
const EXAMPLES: &str = include_str!("examples.txt");

/// The examples of a command, one or more lines each; empty for an unknown name.
pub fn examples(name: &str) -> &'static str {
    let mut groups = EXAMPLES.trim_end().split("\n\n# ").filter_map(|group| {
        let (command, lines) = group.split_once('\n')?;
        (command.trim_start_matches("# ") == name).then_some(lines)
    });
    groups.next().unwrap_or_default()
}

/// Print a shell completion script.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// Shell to generate the script for.
    shell: Shell,
}

/// Print the manual pages, or write one file per command.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Directory for the files brisance.1, brisance-analyse.1 and so on; created if missing.
    dir: Option<OutputPath>,
    /// Overwrite existing files.
    #[arg(long, requires = "dir")]
    force: bool,
}

pub fn completions(args: &CompletionsArgs, mut program: Command) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "brisance", &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}

pub fn man(args: &ManArgs, program: Command) -> Result<(), CliError> {
    let mut pages = Vec::new();
    // The names of the subcommand pages are set by `build`.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    render(&program, "brisance(1)", &mut pages)?;
    let Some(dir) = &args.dir else {
        let pages: Vec<Vec<u8>> = pages.into_iter().map(|(_, page)| page).collect();
        return Ok(io::stdout().lock().write_all(&pages.concat())?);
    };
    fs::create_dir_all(&**dir)
        .or_else(|error| failed(format!("cannot write to {}: {error}", dir.display())))?;
    let open =
        |(name, _): &(String, _)| WholeFile::open(&dir.join(format!("{name}.1")), args.force);
    // Nothing is written if one of the files must be kept.
    let files = pages.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let mut written = files.into_iter().zip(pages);
    Ok(written.try_for_each(|(mut file, (_, page))| file.write(page))?)
}

/// Renders the page of a command, followed by those of its subcommands, with their names. `parent`
/// is the page above.
fn render(command: &Command, parent: &str, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let inner = || command.get_subcommands().filter(|inner| !inner.is_hide_set());
    let mut page = Vec::new();
    // The rest of the help gets its own sections.
    let plain = command.clone().after_help(Resettable::Reset);
    Man::new(plain)
        .title(name)
        .source(format!("Brisance {}", env!("CARGO_PKG_VERSION")))
        .manual("Brisance manual")
        .render(&mut page)?;
    let mut end = Roff::new();
    end.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in examples(&name.replace('-', " ")).lines() {
        end.text([roman(line)]);
    }
    end.control("fi", []);
    if let Some(codes) = command.get_after_help() {
        let codes = codes.to_string().replace('\n', " ");
        let codes = codes.trim_start_matches("Exit codes: ");
        end.control("SH", ["EXIT STATUS"]).text([roman(codes)]);
    }
    let mut related: Vec<String> =
        inner().map(|inner| format!("{name}-{}(1)", inner.get_name())).collect();
    if parent != format!("{name}(1)") {
        related.insert(0, parent.to_owned());
    }
    end.control("SH", ["SEE ALSO"]).text([roman(related.join(", "))]);
    end.to_writer(&mut page)?;
    pages.push((name.to_owned(), page));
    inner().try_for_each(|inner| render(inner, &format!("{name}(1)"), pages))
}
