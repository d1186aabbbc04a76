//! `brisance book dump`: prints all positions of a book that its moves lead to.
//! Invariant: each position is printed once, those nearest to the start first.

use std::collections::{HashSet, VecDeque};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;

use super::show::BookPosition;
use crate::cli::CliError;
use crate::cli::args::{self, PositionArgs};
use crate::cli::output::print_warning;
use crate::notation::epd::Epd;
use crate::notation::{coord, san};
use crate::opening::{Book, polyglot_key};
use crate::util::count;

/// Print all positions of a book that its moves lead to.
///
/// A book contains keys, not positions, so only those that book moves reach from the given position
/// can be printed. Each is an EPD line with the best move (`pm`) and all moves with their shares
/// (`c0`), or a JSON object as that of `book show`.
#[derive(Args, Debug)]
pub struct BookDumpArgs {
    /// Book file.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    position: PositionArgs,

    /// Maximum distance from the position in plies.
    #[arg(long, value_name = "N", value_parser = args::number::<usize>(0..))]
    plies: Option<usize>,

    /// Print JSON objects.
    #[arg(long)]
    json: bool,
}

/// Prints the positions.
pub fn run(args: &BookDumpArgs) -> Result<(), CliError> {
    let start = args.position.atomic_position()?;
    let book = Book::open(&args.file)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut seen = HashSet::from([polyglot_key(&start)]);
    let mut queue = VecDeque::from([(start, 0)]);
    let mut entries = 0;
    while let Some((pos, ply)) = queue.pop_front() {
        let moves = book.moves(&pos);
        if moves.is_empty() {
            continue;
        }
        entries += moves.len();
        let listing = BookPosition::new(&book, args.position.style(&pos));
        if args.json {
            let text = serde_json::to_string(&listing).map_err(io::Error::from)?;
            writeln!(out, "{text}")?;
        } else {
            let mut epd = Epd::new(pos.clone());
            epd.set("pm", san::write(&pos, moves[0].mv));
            epd.set("c0", format!("\"{}\"", listing.summary()));
            writeln!(out, "{epd}")?;
        }
        if args.plies.is_some_and(|plies| ply >= plies) {
            continue;
        }
        // Sorted by name, so that the order does not depend on weights.
        let mut moves: Vec<_> = moves.iter().map(|found| found.mv).collect();
        moves.sort_by_key(|&mv| coord::write(mv, true));
        for mv in moves {
            let mut after = pos.without_history();
            after.make(mv);
            if seen.insert(polyglot_key(&after)) {
                queue.push_back((after, ply + 1));
            }
        }
    }
    out.flush()?;
    let missing = book.entries().len().saturating_sub(entries);
    if args.plies.is_none() && missing > 0 {
        let all = count(book.entries().len(), "entry");
        print_warning(format!("{missing} of {all} not reached from this position"));
    }
    Ok(())
}
