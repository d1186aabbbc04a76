//! `brisance book merge`: joins books into one.
//! Invariant: every move of every book is in the result.

use std::path::PathBuf;

use clap::Args;

use crate::cli::output::{OutputPath, WholeFile, print_summary};
use crate::cli::{CliError, interrupt};
use crate::opening::Book;

/// Merge books into one.
///
/// The weights of a move that several books contain are added. If a weight of a position exceeds
/// 65535, all weights of the position are scaled down. Weights are comparable only in books that
/// were built in the same way.
#[derive(Args, Debug)]
pub struct BookMergeArgs {
    /// Book file to write; `-` is stdout.
    #[arg(value_name = "OUT")]
    out: OutputPath,

    /// Book files.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Overwrite an existing book.
    #[arg(long)]
    force: bool,
}

pub fn run(args: &BookMergeArgs) -> Result<(), CliError> {
    interrupt::end_process()?;
    let mut out = WholeFile::open_first(&args.out, args.force)?;
    let books = args.files.iter().map(|path| Book::open(path));
    let merged = Book::merge(&books.collect::<Result<Vec<Book>, _>>()?);
    out.write(merged.to_bytes())?;
    print_summary(&args.out, &merged.to_string())
}
