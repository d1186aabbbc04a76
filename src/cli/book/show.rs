//! `brisance book show`: the moves that a book has for a position.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::size;
use crate::cli::Error;
use crate::cli::args::{self, Spelling};
use crate::notation::{fen, san};
use crate::opening::{Book, key};
use crate::rules::{Position, Variant};

/// Show the moves that a book has for a position, with their weights and shares.
///
/// Entries whose move is not legal there are left out, as in play.
#[derive(Args, Debug)]
pub(super) struct ShowArgs {
    /// The book.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The position: `startpos` (default) or a FEN of 4 to 6 fields, quoted or not.
    #[arg(value_name = "FEN")]
    fen: Vec<String>,

    /// Moves to play from the position first, as e2e4 or in SAN; move numbers are skipped.
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    moves: Vec<String>,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Shown {
    fen: String,
    key: String,
    positions: usize,
    entries: usize,
    moves: Vec<ShownMove>,
}

#[derive(Serialize)]
struct ShownMove {
    uci: String,
    san: String,
    weight: u16,
    /// Of the choices by weight, from 0 to 1.
    share: f64,
    learn: u32,
}

/// Shows the moves.
///
/// # Errors
/// A file that is no book, a bad FEN or move, or output that cannot be written.
pub(super) fn run(args: &ShowArgs) -> Result<(), Error> {
    let mut pos = match args.fen.is_empty() {
        true => Position::startpos(Variant::Atomic),
        false => fen::parse(&args.fen.join(" "), Variant::Atomic)
            .map_err(|error| Error::Usage(error.to_string()))?,
    };
    args::play(&mut pos, &args.moves)?;
    let book = Book::open(&args.file).map_err(Error::Failed)?;
    let spelling = Spelling::of(&pos, false);
    let found = book.moves(&pos);
    let sum: f64 = found.iter().map(|found| f64::from(found.weight)).sum();
    let moves = found.iter().map(|found| ShownMove {
        uci: spelling.uci(found.mv),
        san: san::write(&pos, found.mv),
        weight: found.weight,
        share: f64::from(found.weight) / sum.max(1.0),
        learn: found.learn,
    });
    let shown = Shown {
        fen: spelling.fen(&pos),
        key: format!("{:016x}", key(&pos)),
        positions: book.positions(),
        entries: book.entries().len(),
        moves: moves.collect(),
    };
    let mut out = io::stdout().lock();
    if args.json {
        let text = serde_json::to_string(&shown).map_err(io::Error::from)?;
        return Ok(writeln!(out, "{text}")?);
    }
    writeln!(out, "book       {}", size(&book))?;
    writeln!(out, "position   {}", shown.fen)?;
    writeln!(out, "key        {}\n", shown.key)?;
    if shown.moves.is_empty() {
        return Ok(writeln!(out, "not in the book")?);
    }
    writeln!(
        out,
        "{:<9}{:<9}{:>7}{:>9}",
        "move", "UCI", "weight", "share"
    )?;
    for line in &shown.moves {
        let share = 100.0 * line.share;
        writeln!(
            out,
            "{:<9}{:<9}{:>7}{share:>7.1} %",
            line.san, line.uci, line.weight
        )?;
    }
    Ok(())
}
