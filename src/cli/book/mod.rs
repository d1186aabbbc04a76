//! `brisance book`: builds and merges opening books in the Polyglot format, and shows what they
//! contain.
//! Invariant: a book is written atomically, and replaces an existing one only with `--force` or if
//! it continues an earlier run.

mod build;
mod refutations;
mod refute;
mod show;

use std::path::PathBuf;

use clap::Subcommand;

use super::{CliError, OutputPath, WholeFile, interrupt, print_summary};
use crate::opening::Book;

/// Build and merge opening books in the Polyglot format, and show what they contain.
///
/// Books are for the variant `atomic`. The engine uses them through the UCI options OwnBook and
/// BookFile.
#[derive(Debug, Subcommand)]
pub enum BookCommand {
    Build(Box<build::BookBuildArgs>),
    Show(show::BookShowArgs),
    Browse(show::BookBrowseArgs),
    Dump(show::BookDumpArgs),
    /// Merge books into one.
    ///
    /// The weights of a move that several books contain are added. If a weight of a position
    /// exceeds 65535, all weights of the position are scaled down. Weights are comparable only in
    /// books that were built in the same way.
    Merge {
        /// Book file to write; `-` is stdout.
        out: OutputPath,
        /// Book files.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Overwrite an existing book.
        #[arg(long)]
        force: bool,
    },
    Refutations(refutations::BookRefutationsArgs),
    Refute(refute::BookRefuteArgs),
}

pub fn run(command: &BookCommand) -> Result<(), CliError> {
    match command {
        BookCommand::Build(args) => build::run(args),
        BookCommand::Show(args) => show::show(args),
        BookCommand::Browse(args) => show::browse(args),
        BookCommand::Dump(args) => show::dump(args),
        BookCommand::Merge { out, files, force } => merge(out, files, *force),
        BookCommand::Refutations(args) => refutations::run(args),
        BookCommand::Refute(args) => refute::run(args),
    }
}

fn merge(path: &OutputPath, files: &[PathBuf], force: bool) -> Result<(), CliError> {
    interrupt::end_process()?;
    let mut out = WholeFile::open_first(path, force)?;
    let books = files.iter().map(|path| Book::open(path));
    let merged = Book::merge(&books.collect::<Result<Vec<Book>, _>>()?);
    out.write(merged.to_bytes())?;
    print_summary(path, &merged.to_string())
}
