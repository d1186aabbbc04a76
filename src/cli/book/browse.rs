//! `brisance book browse`: goes through a book move by move.
//! Invariant: a line that cannot be read changes nothing; the end of the input ends the command.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;

use super::show::BookPosition;
use crate::cli::CliError;
use crate::cli::args::{self, read_fen};
use crate::cli::board::{self, BoardStyle};
use crate::opening::Book;
use crate::rules::{Position, Variant};

/// Go through a book move by move.
///
/// Shows the board and the book moves, and reads lines from stdin: a move as e2e4, in SAN or as its
/// number in the list; `back` or an empty line for the position before; `start`; `quit`.
#[derive(Args, Debug)]
pub(super) struct BookBrowseArgs {
    /// Book file.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Position: `startpos` (default) or a FEN with 4 to 6 fields, quoted or unquoted.
    #[arg(value_name = "FEN")]
    fen: Vec<String>,
}

/// Shows positions until the input ends.
///
/// # Errors
/// An invalid book or FEN, or input or output that fails.
pub(super) fn run(args: &BookBrowseArgs) -> Result<(), CliError> {
    let start = read_fen(&args.fen, Variant::Atomic)?;
    let book = Book::open(&args.file).map_err(CliError::failed)?;
    let mut pos = start.clone();
    let mut lines = io::stdin().lock().lines();
    let mut message = String::new();
    loop {
        write_page(&book, &pos, &message)?;
        let Some(line) = lines.next() else {
            return Ok(());
        };
        let line = line.map_err(|error| CliError::Failed(format!("cannot read stdin: {error}")))?;
        message.clear();
        match line.trim() {
            "quit" | "q" => return Ok(()),
            "start" => pos = start.clone(),
            "" | "back" | "b" if pos.ply() > start.ply() => pos.unmake(),
            "" | "back" | "b" => "this is the first position".clone_into(&mut message),
            text => {
                let number = text
                    .parse()
                    .ok()
                    .and_then(|number: usize| number.checked_sub(1));
                match number.and_then(|index| book.moves(&pos).get(index).copied()) {
                    Some(found) => pos.make(found.mv),
                    None => {
                        if let Err(error) = args::play_moves(&mut pos, &[text.to_owned()]) {
                            message = error.to_string();
                        }
                    }
                }
            }
        }
    }
}

fn write_page(book: &Book, pos: &Position, message: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    board::write_board(&mut out, pos, BoardStyle::for_stdout())?;
    writeln!(out)?;
    match pos.outcome() {
        Some(outcome) => writeln!(out, "game over: {outcome}")?,
        None => BookPosition::new(book, pos).write_moves(&mut out)?,
    }
    if !message.is_empty() {
        writeln!(out, "{message}")?;
    }
    if io::stdin().is_terminal() {
        write!(out, "move, back, start or quit: ")?;
    }
    out.flush()
}
