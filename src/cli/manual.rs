//! `brisance completions` and `brisance man`: shell completions and manual pages, generated from
//! the command-line definitions.
//! Invariant: every subcommand has a page and completions.

use std::fs;
use std::io::{self, Write};

use clap::{Args, Command};
use clap_complete::Shell;

use super::error::CliError;
use super::output::{OutputPath, WholeFile};

/// Print a shell completion script.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// Shell to generate the script for.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Print the manual pages, or write one file per command.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Directory for the files brisance.1, brisance-analyse.1 and so on; created if missing.
    #[arg(value_name = "DIR")]
    dir: Option<OutputPath>,
    /// Overwrite existing files.
    #[arg(long, requires = "dir")]
    force: bool,
}

/// Prints the completion script of `program`.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn completions(args: &CompletionsArgs, mut program: Command) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "brisance", &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}

/// Prints or writes the manual pages of `program`.
///
/// # Errors
/// The directory or a file cannot be written, or a file exists.
pub(crate) fn man(args: &ManArgs, program: Command) -> Result<(), CliError> {
    // The names of the subcommand pages are set by `build`.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let Some(dir) = &args.dir else {
        let mut all = Vec::new();
        for page in pages(&program)? {
            all.extend(page.1);
        }
        return Ok(io::stdout().lock().write_all(&all)?);
    };
    fs::create_dir_all(&**dir)
        .map_err(|error| CliError::Failed(format!("cannot write to {}: {error}", dir.display())))?;
    let pages = pages(&program)?;
    let open = |page: &(String, _)| WholeFile::open(&dir.join(&page.0), args.force);
    // Nothing is written if one of the files must be kept.
    let files = pages.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let mut written = files.into_iter().zip(pages);
    written.try_for_each(|(mut file, page)| file.write(page.1))
}

/// The names and contents of the pages of a command and its subcommands.
fn pages(command: &Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone()).title(name.to_owned());
    man.render(&mut page)?;
    let mut all = vec![(format!("{name}.1"), page)];
    let visible = |command: &&Command| !command.is_hide_set();
    for command in command.get_subcommands().filter(visible) {
        all.extend(pages(command)?);
    }
    Ok(all)
}
