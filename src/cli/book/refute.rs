//! `brisance book refute`: tells which moves lose by force, and to what.
//! Invariant: each answer has been replayed from the book against every reply.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::cli::view::refutation_text;
use crate::cli::{
    CliError, OutputPath, PositionArgs, PositionStyle, WholeFile, failed, print_json,
    print_summary, usage,
};
use crate::opening::{Refutation, Refutations};
use crate::proof::file;
use crate::review::json::JsonMove;
use crate::rules::Position;
use crate::util::{self, count};

const MAX_BOOK: u64 = 1 << 28;

/// Tell why a move loses: the forced win after it, or all moves that lose by force.
///
/// If the side to move wins by force, prints its moves against the longest resistance. If not,
/// lists the moves that lose by force. A position that is not in the book may still be lost.
#[derive(Args, Debug)]
pub struct BookRefuteArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Book of `book refutations` to use instead of the embedded one.
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Write the proof that the side to move wins, for `solve --check`.
    #[arg(long, value_name = "FILE")]
    tree: Option<OutputPath>,
    /// Overwrite an existing proof.
    #[arg(long, requires = "tree")]
    force: bool,
    /// Print one JSON object for each losing move.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "refutation")]
struct JsonRefutation {
    /// The position after the losing move.
    fen: String,
    /// The losing move; null if it is unknown.
    losing_move: Option<JsonMove>,
    moves: usize,
    line: Vec<String>,
    line_san: Vec<String>,
}

pub fn run(args: &BookRefuteArgs) -> Result<(), CliError> {
    let pos = args.position.atomic_position()?;
    let read;
    let book = match &args.book {
        None => Refutations::embedded(),
        Some(path) => {
            read = read_book(path)?;
            &read
        }
    };
    let found = book.find(&pos);
    if let Some(tree) = &args.tree {
        let Some(found) = &found else {
            return usage("--tree: the book has no forced win of the side to move");
        };
        let mut out = WholeFile::open(tree, args.force)?;
        let (winner, chess960) = (pos.side_to_move(), args.position.style(&pos).chess960);
        let reply = |pos: &Position| found.reply(pos);
        let mut text = Vec::new();
        file::write_replies(&pos, winner, &reply, &found.verified, chess960, &mut text)?;
        out.write(text)?;
        return print_summary(tree, &count(found.verified.positions, "position"));
    }
    if let Some(found) = found {
        return Ok(args.print(&pos, &found)?);
    }
    let mut moves = pos.legal_moves();
    moves.retain(|mv| !mv.is_redundant());
    let mut lost = 0;
    for &mv in &moves {
        let after = pos.after(mv);
        if let Some(found) = book.find(&after) {
            lost += 1;
            args.print(&after, &found)?;
        }
    }
    if !args.json {
        let all = count(moves.len(), "move");
        writeln!(io::stdout(), "{lost} of {all} lose by force")?;
    }
    Ok(())
}

fn read_book(path: &Path) -> Result<Refutations, CliError> {
    let name = path.display();
    let bytes = util::read_file(path, MAX_BOOK).map_err(|error| CliError::read(&name, &error))?;
    Refutations::parse(bytes).or_else(|error| failed(format!("{name}: {error}")))
}

impl BookRefuteArgs {
    /// Prints how the side to move wins.
    fn print(&self, pos: &Position, found: &Refutation) -> io::Result<()> {
        if !self.json {
            return writeln!(io::stdout(), "{}", refutation_text(pos, found));
        }
        let style = self.position.style(pos);
        let losing_move = pos.last_move().map(|mv| {
            let mut before = pos.clone();
            before.unmake();
            let pos = &before;
            JsonMove::new(PositionStyle { pos, ..style }, mv)
        });
        print_json(&JsonRefutation {
            fen: style.fen(),
            losing_move,
            moves: found.moves(),
            line: style.uci(&found.verified.line),
            line_san: style.san(&found.verified.line),
        })
    }
}
