//! `brisance book show`: lists the moves of a book for a position.
//! Invariant: only legal moves are listed, as in play.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::args::describe;
use crate::cli::CliError;
use crate::cli::args::{self, NotationStyle, read_fen};
use crate::notation::san;
use crate::opening::{Book, polyglot_key};
use crate::rules::{Position, Variant};

/// List the book moves of a position, with weights and shares.
///
/// Entries with an illegal move are skipped, as in play.
#[derive(Args, Debug)]
pub(super) struct BookShowArgs {
    /// Book file.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Position: `startpos` (default) or a FEN with 4 to 6 fields, quoted or unquoted.
    #[arg(value_name = "FEN")]
    fen: Vec<String>,

    /// Moves to play first, as e2e4 or in SAN; move numbers are skipped.
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    moves: Vec<String>,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A position with its book moves, best first.
#[derive(Serialize)]
pub(super) struct BookPosition {
    fen: String,
    key: String,
    positions: usize,
    entries: usize,
    moves: Vec<BookPositionMove>,
}

#[derive(Serialize)]
struct BookPositionMove {
    uci: String,
    san: String,
    weight: u16,
    /// The probability of the move if chosen by weight, from 0 to 1.
    share: f64,
    learn: u32,
}

impl BookPosition {
    pub(super) fn new(book: &Book, pos: &Position) -> BookPosition {
        let notation = NotationStyle::for_position(pos, false);
        let found = book.moves(pos);
        let sum: f64 = found.iter().map(|found| f64::from(found.weight)).sum();
        let moves = found.iter().map(|found| BookPositionMove {
            uci: notation.uci(found.mv),
            san: san::write(pos, found.mv),
            weight: found.weight,
            share: f64::from(found.weight) / sum.max(1.0),
            learn: found.learn,
        });
        BookPosition {
            fen: notation.fen(pos),
            key: format!("{:016x}", polyglot_key(pos)),
            positions: book.positions(),
            entries: book.entries().len(),
            moves: moves.collect(),
        }
    }

    /// The moves with their shares in one line: `Nf3 57.1 %, e4 42.9 %`.
    pub(super) fn summary(&self) -> String {
        let moves = self.moves.iter();
        let texts = moves.map(|line| format!("{} {:.1} %", line.san, 100.0 * line.share));
        texts.collect::<Vec<_>>().join(", ")
    }

    /// Writes the table of moves.
    pub(super) fn write_moves(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.moves.is_empty() {
            return writeln!(out, "not in the book");
        }
        writeln!(
            out,
            "{:<9}{:<9}{:>7}{:>9}",
            "move", "UCI", "weight", "share"
        )?;
        for line in &self.moves {
            let share = 100.0 * line.share;
            writeln!(
                out,
                "{:<9}{:<9}{:>7}{share:>7.1} %",
                line.san, line.uci, line.weight
            )?;
        }
        Ok(())
    }
}

/// Lists the moves.
///
/// # Errors
/// An invalid book, FEN or move, or output that cannot be written.
pub(super) fn run(args: &BookShowArgs) -> Result<(), CliError> {
    let mut pos = read_fen(&args.fen, Variant::Atomic)?;
    args::play_moves(&mut pos, &args.moves)?;
    let book = Book::open(&args.file).map_err(CliError::failed)?;
    let listing = BookPosition::new(&book, &pos);
    let mut out = io::stdout().lock();
    if args.json {
        let text = serde_json::to_string(&listing).map_err(io::Error::from)?;
        return Ok(writeln!(out, "{text}")?);
    }
    writeln!(out, "book       {}", describe(&book))?;
    writeln!(out, "position   {}", listing.fen)?;
    writeln!(out, "key        {}\n", listing.key)?;
    Ok(listing.write_moves(&mut out)?)
}
