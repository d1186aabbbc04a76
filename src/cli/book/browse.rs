//! `brisance book browse`: goes through a book move by move.
//! Invariant: a line that cannot be read changes nothing; the end of the input ends the command.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;

use super::show::BookPosition;
use crate::cli::CliError;
use crate::cli::args::{self, PositionArgs};
use crate::cli::board::{self, BoardStyle};
use crate::cli::view::PositionStyle;
use crate::opening::Book;
use crate::rules::Position;

/// What can be typed.
const HELP: &str = "type a move as e4, e2e4 or its number in the list; `back` or an empty line goes \
                    back; also `start`, `help` and `quit`";

/// Go through a book move by move.
///
/// Shows the board and the book moves, and reads lines from stdin: a move as e2e4, in SAN or as its
/// number in the list; `back` or an empty line for the position before; `start`; `help`; `quit`.
#[derive(Args, Debug)]
pub struct BookBrowseArgs {
    /// Book file.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    position: PositionArgs,
}

/// Shows positions until the input ends.
pub fn run(args: &BookBrowseArgs) -> Result<(), CliError> {
    let start = args.position.atomic_position()?;
    let book = Book::open(&args.file)?;
    let mut pos = start.clone();
    let mut lines = io::stdin().lock().lines();
    let mut message = String::new();
    loop {
        write_page(&book, args.position.style(&pos), &message)?;
        let Some(line) = lines.next() else {
            // The next prompt of the shell gets a line of its own.
            if io::stdin().is_terminal() {
                writeln!(io::stdout())?;
            }
            return Ok(());
        };
        let line = line.map_err(|error| CliError::read("stdin", &error))?;
        message.clear();
        match line.trim() {
            "quit" | "q" | "exit" => return Ok(()),
            "start" => pos = start.clone(),
            "help" | "h" | "?" => HELP.clone_into(&mut message),
            "" | "back" | "b" if pos.ply() > start.ply() => pos.unmake(),
            "" | "back" | "b" => "this is the first position".clone_into(&mut message),
            text => {
                if let Err(problem) = play(&book, &mut pos, text) {
                    message = problem;
                }
            }
        }
    }
}

/// Plays a move, or the move with a number in the list of the book.
fn play(book: &Book, pos: &mut Position, text: &str) -> Result<(), String> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        let played = args::play_moves(pos, &[text.to_owned()]);
        return played.map_err(|error| format!("{error}; `help` lists what can be typed"));
    }
    let moves = book.moves(pos);
    let index = text.parse().ok().and_then(|n: usize| n.checked_sub(1));
    match (index.and_then(|index| moves.get(index)), moves.len()) {
        (Some(found), _) => pos.make(found.mv),
        (None, 0) => return Err("the book has no move here".to_owned()),
        (None, last) => return Err(format!("there is no move {text}: the last one is {last}")),
    }
    Ok(())
}

fn write_page(book: &Book, style: PositionStyle, message: &str) -> io::Result<()> {
    let pos = style.pos;
    let mut out = io::stdout().lock();
    board::write_board(&mut out, pos, BoardStyle::for_stdout())?;
    writeln!(out)?;
    match pos.outcome() {
        Some(outcome) => writeln!(out, "game over: {outcome}")?,
        None => BookPosition::new(book, style).write_moves(&mut out)?,
    }
    if !message.is_empty() {
        writeln!(out, "{message}")?;
    }
    if io::stdin().is_terminal() {
        write!(out, "move, back, start, help or quit: ")?;
    }
    out.flush()
}
