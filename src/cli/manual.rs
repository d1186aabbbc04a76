//! `brisance completions` and `brisance man`: what shells and `man` want to know, made from the
//! same arguments that the program reads.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Error};

/// Print a completion script for a shell.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Print the manual pages, or write one file for each command.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// The folder to write them into, as brisance.1, brisance-analyse.1 and so on; made if it is
    /// missing. Files of these names are replaced.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Prints the script.
///
/// # Errors
/// Output that cannot be written.
pub fn completions(args: &CompletionsArgs) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "brisance", &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}

/// Prints or writes the pages.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn man(args: &ManArgs) -> Result<(), Error> {
    // The pages' names of subcommands are known once everything is built.
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    match &args.folder {
        Some(folder) => {
            let failed = |error: io::Error| {
                Error::Failed(format!("cannot write into {}: {error}", folder.display()))
            };
            fs::create_dir_all(folder).map_err(failed)?;
            clap_mangen::generate_to(program, folder).map_err(failed)
        }
        None => {
            let mut pages = Vec::new();
            render(&program, &mut pages)?;
            Ok(io::stdout().lock().write_all(&pages)?)
        }
    }
}

/// The page of a command and those of its subcommands, one behind the other.
fn render(command: &Command, pages: &mut Vec<u8>) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    clap_mangen::Man::new(command.clone())
        .title(name.to_owned())
        .render(pages)?;
    let mut shown = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    shown.try_for_each(|command| render(command, pages))
}
