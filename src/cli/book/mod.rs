//! `brisance book`: builds and merges opening books in the Polyglot format, and shows what they
//! contain.
//! Invariant: a book is written atomically, and replaces an existing one only with `--force` or if
//! it continues an earlier run.

mod args;
mod browse;
mod dump;
mod games;
mod merge;
mod refutations;
mod refute;
mod search;
mod show;

use clap::{Args, Subcommand};

use super::args::only_atomic;
use super::error::CliError;
use args::BookBuildArgs;

/// Build and merge opening books in the Polyglot format, and show what they contain.
///
/// Books are for the variant `atomic`. The engine uses them through the UCI options OwnBook and
/// BookFile.
#[derive(Args, Debug)]
pub struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Debug, Subcommand)]
enum BookCommand {
    Build(Box<BookBuildArgs>),
    Show(show::BookShowArgs),
    Browse(browse::BookBrowseArgs),
    Dump(dump::BookDumpArgs),
    Merge(merge::BookMergeArgs),
    Refutations(refutations::BookRefutationsArgs),
    Refute(refute::BookRefuteArgs),
}

pub fn run(args: &BookArgs) -> Result<(), CliError> {
    match &args.command {
        BookCommand::Build(args) => {
            args.games.variant.variant().map_or(Ok(()), only_atomic)?;
            match &args.search.search {
                Some(words) => search::run(args, words),
                None => games::run(args),
            }
        }
        BookCommand::Show(args) => show::run(args),
        BookCommand::Browse(args) => browse::run(args),
        BookCommand::Dump(args) => dump::run(args),
        BookCommand::Merge(args) => merge::run(args),
        BookCommand::Refutations(args) => refutations::run(args),
        BookCommand::Refute(args) => refute::run(args),
    }
}
