//! `brisance show`: a position as a board in the terminal and as an SVG picture.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::board::{self, Style};
use super::{Error, PositionArgs, args, output};
use crate::notation::san;
use crate::picture::{Diagram, Marks};
use crate::rules::{Color, Position};

/// Show a position as a board, and draw it as an SVG picture.
///
/// Marked are the last of the --moves, what it blew up, and a king in check. On a terminal
/// with colours and Unicode the men are figures on coloured squares; otherwise, and with
/// NO_COLOR set, they are letters (upper case is White) and the marks are signs before the
/// squares: > for the last move, * for the explosion, ! for check.
#[derive(Args, Debug)]
pub struct ShowArgs {
    #[command(flatten)]
    position: PositionArgs,

    /// Moves to play from the position first, as e2e4 or in SAN; the last one is marked.
    #[arg(long, visible_alias = "move", value_name = "MOVE", num_args = 1..)]
    moves: Vec<String>,

    /// Also draw the board into this file, over an older one; `-` prints the SVG instead of
    /// the board.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Black at the bottom.
    #[arg(long)]
    flip: bool,

    /// Letters and signs without colour even where the terminal could show more.
    #[arg(long)]
    ascii: bool,
}

/// Shows the board.
///
/// # Errors
/// A bad FEN or move, or output that cannot be written.
pub fn run(args: &ShowArgs) -> Result<(), Error> {
    let mut pos = args.position.position()?;
    let spelling = args.position.spelling(&pos);
    args::play(&mut pos, &args.moves)?;
    let marks = Marks::of(&pos);
    let fen = spelling.fen(&pos);
    let bottom = if args.flip {
        Color::Black
    } else {
        Color::White
    };
    if let Some(path) = &args.svg {
        let diagram = Diagram {
            pos: &pos,
            marks: &marks,
            bottom,
        };
        let mut title = format!("Atomic chess: {fen}");
        if let Some(text) = last_move(&pos, &marks) {
            title.push_str(&format!(". Last move {text}"));
        }
        let svg = diagram.document(&title);
        if path == Path::new("-") {
            return Ok(io::stdout().lock().write_all(svg.as_bytes())?);
        }
        output::write_whole(path, &svg)?;
    }
    let style = if args.ascii {
        Style::PLAIN
    } else {
        Style::of_stdout()
    };
    let mut out = io::stdout().lock();
    board::write_marked(&mut out, &pos, style, &marks, bottom)?;
    writeln!(out, "\nposition   {fen}")?;
    writeln!(out, "rules      {}", board::situation(&pos))?;
    if let Some(text) = last_move(&pos, &marks) {
        writeln!(out, "last move  {text}")?;
    }
    if let Some(outcome) = pos.outcome() {
        writeln!(out, "game over  {outcome}")?;
    }
    Ok(())
}

/// The last move in words: `4. Qxd7#; exploded: white queen d3, black pawn d7, king e8`.
fn last_move(pos: &Position, marks: &Marks) -> Option<String> {
    let mv = pos.last_move()?;
    let mut before = pos.clone();
    before.unmake();
    let dots = if before.side() == Color::White {
        "."
    } else {
        "..."
    };
    let mut text = format!("{}{dots} {}", before.fullmove(), san::write(&before, mv));
    if let Some(blast) = &marks.blast {
        text.push_str(&format!("; exploded: {}", blast.victims()));
    }
    Some(text)
}
