//! `brisance book`: builds opening books in the Polyglot format and lists their moves.
//! Invariant: a book is written atomically, and replaces an existing one only with `--force` or if
//! it continues an earlier run.

mod args;
mod games;
mod search;
mod show;

use clap::{Args, Subcommand};

use super::error::CliError;
use args::BookBuildArgs;

/// Build opening books in the Polyglot format, and list their moves.
///
/// Books are for the variant `atomic`. The engine uses them through the UCI options OwnBook and
/// BookFile.
#[derive(Args, Debug)]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Debug, Subcommand)]
enum BookCommand {
    Build(Box<BookBuildArgs>),
    Show(show::BookShowArgs),
}

/// Runs the subcommand.
///
/// # Errors
/// Files that cannot be read or written or that exist already, invalid games, or an interrupt.
/// Finished work is kept.
pub(crate) fn run(args: &BookArgs) -> Result<(), CliError> {
    match &args.command {
        BookCommand::Build(args) => match &args.search.search {
            Some(words) => search::run(args, words),
            None => games::run(args),
        },
        BookCommand::Show(args) => show::run(args),
    }
}
