//! `brisance book`: builds and merges opening books in the Polyglot format, and shows what they
//! contain.
//! Invariant: a book is written atomically, and replaces an existing one only with `--force` or if
//! it continues an earlier run.

mod build;
mod refutations;
mod refute;
mod show;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{CliError, OutputPath, WholeFile, interrupt, print_summary};
use crate::opening::Book;

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
    Build(Box<build::BookBuildArgs>),
    Show(show::BookShowArgs),
    Browse(show::BookBrowseArgs),
    Dump(show::BookDumpArgs),
    Merge(BookMergeArgs),
    Refutations(refutations::BookRefutationsArgs),
    Refute(refute::BookRefuteArgs),
}

/// Merge books into one.
///
/// The weights of a move that several books contain are added. If a weight of a position exceeds
/// 65535, all weights of the position are scaled down. Weights are comparable only in books that
/// were built in the same way.
#[derive(Args, Debug)]
struct BookMergeArgs {
    /// Book file to write; `-` is stdout.
    out: OutputPath,
    /// Book files.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Overwrite an existing book.
    #[arg(long)]
    force: bool,
}

pub fn run(args: &BookArgs) -> Result<(), CliError> {
    match &args.command {
        BookCommand::Build(args) => build::run(args),
        BookCommand::Show(args) => show::show(args),
        BookCommand::Browse(args) => show::browse(args),
        BookCommand::Dump(args) => show::dump(args),
        BookCommand::Merge(args) => merge(args),
        BookCommand::Refutations(args) => refutations::run(args),
        BookCommand::Refute(args) => refute::run(args),
    }
}

fn merge(args: &BookMergeArgs) -> Result<(), CliError> {
    interrupt::end_process()?;
    let mut out = WholeFile::open_first(&args.out, args.force)?;
    let books = args.files.iter().map(|path| Book::open(path));
    let merged = Book::merge(&books.collect::<Result<Vec<Book>, _>>()?);
    out.write(merged.to_bytes())?;
    print_summary(&args.out, &merged.to_string())
}
