//! `brisance book show`: lists the moves of a book for a position.
//! Invariant: only legal moves are listed, as in play.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::cli::CliError;
use crate::cli::args::PositionArgs;
use crate::cli::view::PositionStyle;
use crate::cli::view::json::{self, JsonMove};
use crate::opening::{Book, polyglot_key};

/// List the book moves of a position, with weights and shares.
///
/// Entries with an illegal move are skipped, as in play.
#[derive(Args, Debug)]
pub struct BookShowArgs {
    /// Book file.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    position: PositionArgs,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A position with its book moves, best first.
#[derive(Serialize)]
pub struct BookPosition {
    fen: String,
    key: String,
    positions: usize,
    entries: usize,
    moves: Vec<BookPositionMove>,
}

#[derive(Serialize)]
struct BookPositionMove {
    #[serde(flatten)]
    mv: JsonMove,
    weight: u16,
    /// The probability of the move if chosen by weight, from 0 to 1.
    share: f64,
    learn: u32,
}

impl BookPosition {
    pub fn new(book: &Book, style: PositionStyle) -> BookPosition {
        let found = book.moves(style.pos);
        let sum: f64 = found.iter().map(|found| f64::from(found.weight)).sum();
        let moves = found.iter().map(|found| BookPositionMove {
            mv: JsonMove::new(style, found.mv),
            weight: found.weight,
            share: f64::from(found.weight) / sum.max(1.0),
            learn: found.learn,
        });
        BookPosition {
            fen: style.fen(),
            key: format!("{:016x}", polyglot_key(style.pos)),
            positions: book.positions(),
            entries: book.entries().len(),
            moves: moves.collect(),
        }
    }

    /// The moves with their shares in one line: `Nf3 57.1 %, e4 42.9 %`.
    pub fn summary(&self) -> String {
        let moves = self.moves.iter();
        let texts = moves.map(|line| format!("{} {:.1} %", line.mv.san, 100.0 * line.share));
        texts.collect::<Vec<_>>().join(", ")
    }

    pub fn write_moves(&self, out: &mut dyn Write) -> io::Result<()> {
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
                line.mv.san, line.mv.uci, line.weight
            )?;
        }
        Ok(())
    }
}

pub fn run(args: &BookShowArgs) -> Result<(), CliError> {
    let pos = args.position.atomic_position()?;
    let book = Book::open(&args.file)?;
    let listing = BookPosition::new(&book, args.position.style(&pos));
    if args.json {
        return Ok(json::print(&listing)?);
    }
    let mut out = io::stdout().lock();
    writeln!(out, "book       {}", book)?;
    writeln!(out, "position   {}", listing.fen)?;
    writeln!(out, "key        {}\n", listing.key)?;
    Ok(listing.write_moves(&mut out)?)
}
