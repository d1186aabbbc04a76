//! `brisance show`: prints a position as a board in the terminal, and draws it as SVG.
//! Invariant: the board shows the position after all `--moves`.

use std::io::{self, Write};

use clap::Args;

use super::{BoardStyle, CliError, OutputPath, PositionArgs, WholeFile, board};
use crate::files::is_standard;
use crate::notation::san;
use crate::picture::{BoardMarks, Diagram};
use crate::rules::{Color, Position};

/// Print a position as a board, or draw it as an SVG image.
///
/// The last of the --moves, its explosion and a king in check are marked. On a colour terminal
/// with Unicode the board has chess symbols on coloured squares. Otherwise, or with NO_COLOR set,
/// it has letters (upper case is White), with a mark before the square: > for the last move, * for
/// the explosion, ! for check.
#[derive(Args, Debug)]
pub struct ShowArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// SVG file to write; `-` prints the SVG instead of the board.
    #[arg(long, value_name = "FILE")]
    svg: Option<OutputPath>,
    /// Overwrite an existing --svg file.
    #[arg(long, requires = "svg")]
    force: bool,
    /// Show the board with Black at the bottom.
    #[arg(long)]
    flip: bool,
    /// Use letters and no colours.
    #[arg(long)]
    ascii: bool,
}

pub fn run(args: &ShowArgs) -> Result<(), CliError> {
    let pos = args.position.position()?;
    let marks = BoardMarks::from_position(&pos);
    let fen = args.position.style(&pos).fen();
    let last_move = last_move(&pos, &marks);
    let bottom = if args.flip { Color::Black } else { Color::White };
    if let Some(path) = &args.svg {
        let diagram = Diagram { pos: &pos, marks: &marks, bottom };
        let end = last_move.as_ref().map(|text| format!(". Last move {text}"));
        let title = format!("Atomic chess: {fen}{}", end.unwrap_or_default());
        WholeFile::open(path, args.force)?.write(diagram.document(&title))?;
        if is_standard(path) {
            return Ok(());
        }
    }
    let style = if args.ascii { BoardStyle::Plain } else { BoardStyle::for_stdout() };
    let mut out = io::stdout().lock();
    board::write_marked_board(&mut out, &pos, style, &marks, bottom)?;
    writeln!(out, "\nposition   {fen}")?;
    writeln!(out, "rules      {}", board::describe_position(&pos))?;
    if let Some(text) = last_move {
        writeln!(out, "last move  {text}")?;
    }
    if let Some(outcome) = pos.outcome() {
        writeln!(out, "game over  {outcome}")?;
    }
    Ok(())
}

/// The last move in words: `4. Qxd7#; exploded: white queen d3, black pawn d7, king e8`.
fn last_move(pos: &Position, marks: &BoardMarks) -> Option<String> {
    let mv = pos.last_move()?;
    let mut before = pos.clone();
    before.unmake();
    let mut text = san::write_numbered(&before, mv);
    if let Some(blast) = &marks.blast {
        text.push_str(&format!("; exploded: {}", blast.describe_removed()));
    }
    Some(text)
}
