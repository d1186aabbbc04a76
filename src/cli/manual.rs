//! `brisance completions` and `brisance man`: shell completions and manual pages, generated from
//! the command-line definitions.
//! Invariant: every subcommand has a page and completions.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use super::error::CliError;

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
    /// Existing files are replaced.
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
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
/// The directory or a file cannot be written.
pub(crate) fn man(args: &ManArgs, program: Command) -> Result<(), CliError> {
    // The names of the subcommand pages are set by `build`.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    match &args.dir {
        Some(dir) => {
            let failed = |error: io::Error| {
                CliError::Failed(format!("cannot write to {}: {error}", dir.display()))
            };
            fs::create_dir_all(dir).map_err(failed)?;
            clap_mangen::generate_to(program, dir).map_err(failed)
        }
        None => {
            let mut pages = Vec::new();
            render(&program, &mut pages)?;
            Ok(io::stdout().lock().write_all(&pages)?)
        }
    }
}

/// Renders the page of a command, followed by those of its subcommands.
fn render(command: &Command, pages: &mut Vec<u8>) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    clap_mangen::Man::new(command.clone())
        .title(name.to_owned())
        .render(pages)?;
    let mut visible = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    visible.try_for_each(|command| render(command, pages))
}
