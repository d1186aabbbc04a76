//! Prints a position as a text diagram: letters, or chess symbols on coloured squares if the
//! terminal supports them.
//! Invariant: without a terminal, or with `NO_COLOR` set, no escape codes are printed.

use std::env;
use std::io::{self, IsTerminal, Write};

use crate::picture::BoardMarks;
use crate::rules::{Bitboard, Color, Piece, Position, Square};

/// How a board is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardStyle {
    /// Letters without colour.
    Plain,
    /// Letters on coloured squares, by escape codes.
    Letters,
    /// Chess symbols on coloured squares; only the colour distinguishes the sides.
    Symbols,
}

impl BoardStyle {
    /// The style that stdout supports, by `NO_COLOR`, `TERM`, the locale and whether it is a
    /// terminal.
    pub fn for_stdout() -> BoardStyle {
        let no_color = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if no_color || !is_interactive() || !supports_escape_codes() {
            BoardStyle::Plain
        } else if is_unicode() {
            BoardStyle::Symbols
        } else {
            BoardStyle::Letters
        }
    }
}

/// The variant, the side to move and the check: `atomic, white to move, in check`; without the
/// side after the end of a game.
pub fn describe_position(pos: &Position) -> String {
    if pos.outcome().is_some() {
        return pos.variant().to_string();
    }
    let check = if pos.in_check() { ", in check" } else { "" };
    format!("{}, {} to move{check}", pos.variant(), pos.side_to_move())
}

/// True if stdout is a terminal on which lines can be rewritten.
pub fn is_interactive() -> bool {
    io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The legacy Windows console prints escape codes as text; newer Windows terminals set
/// `WT_SESSION` or `TERM`.
fn supports_escape_codes() -> bool {
    let is_set = |name| env::var_os(name).is_some();
    !cfg!(windows) || is_set("WT_SESSION") || is_set("TERM")
}

fn is_unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()))
        .unwrap_or_default()
        .to_ascii_lowercase();
    cfg!(any(windows, target_os = "macos")) || locale.contains("utf-8") || locale.contains("utf8")
}

/// Writes the board with White at the bottom and without marks.
pub fn write_board(out: &mut dyn Write, pos: &Position, style: BoardStyle) -> io::Result<()> {
    write_marked_board(out, pos, style, &BoardMarks::default(), Color::White)
}

/// Writes the board with marks: colours, or a character before the square, `>` for the last
/// move, `*` for the explosion and `!` for a king in check.
pub fn write_marked_board(
    out: &mut dyn Write,
    pos: &Position,
    style: BoardStyle,
    marks: &BoardMarks,
    bottom: Color,
) -> io::Result<()> {
    let from_left = |column: u8| match bottom {
        Color::White => column,
        Color::Black => 7 - column,
    };
    for row in 0..8 {
        let rank = 7 - from_left(row);
        write!(out, " {} ", rank + 1)?;
        for column in 0..8 {
            let square = Square::new(from_left(column), rank);
            write!(out, "{}", cell(pos.piece_at(square), square, style, marks))?;
        }
        writeln!(out)?;
    }
    let gap = if style == BoardStyle::Plain { " " } else { "  " };
    let files: Vec<String> =
        (0..8).map(|column| char::from(b'a' + from_left(column)).to_string()).collect();
    writeln!(out, "    {}", files.join(gap))
}

/// The letter of the mark of a square, and the backgrounds of dark and of light squares in the
/// 256-colour palette.
fn mark(square: Square, marks: &BoardMarks) -> (char, u8, u8) {
    let blast = marks.blast.as_ref();
    if marks.check == Some(square) {
        ('!', 160, 167)
    } else if blast.is_some_and(|blast| blast.area.contains(square)) {
        ('*', 166, 173)
    } else if marks.last_move.is_some_and(|(from, to)| [from, to].contains(&square)) {
        ('>', 136, 143)
    } else {
        (' ', 66, 109)
    }
}

/// The filled chess symbols from pawn to king, used for both sides.
const SYMBOLS: [char; 6] = ['♟', '♞', '♝', '♜', '♛', '♚'];

fn cell(piece: Option<Piece>, square: Square, style: BoardStyle, marks: &BoardMarks) -> String {
    let (letter, dark, light) = mark(square, marks);
    if style == BoardStyle::Plain {
        return format!("{letter}{}", piece.map_or('.', Piece::letter));
    }
    let background = if Bitboard::DARK.contains(square) { dark } else { light };
    let blast = marks.blast.as_ref();
    let symbol = match piece {
        Some(piece) if style == BoardStyle::Symbols => SYMBOLS[piece.piece_type().index()],
        Some(piece) => piece.letter(),
        None if blast.is_none_or(|blast| blast.center != square) => ' ',
        None if style == BoardStyle::Symbols => '✸',
        None => '*',
    };
    let foreground = match piece.map(Piece::color) {
        Some(Color::White) => 231,
        Some(Color::Black) => 16,
        None => 226,
    };
    format!("\x1b[48;5;{background};38;5;{foreground};1m {symbol} \x1b[0m")
}
