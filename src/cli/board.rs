//! A position as a diagram: letters anywhere, figures on coloured squares where the
//! terminal shows them; and in words what no diagram shows.

use std::env;
use std::io::{self, IsTerminal, Write};

use crate::picture::Marks;
use crate::rules::{Color, Piece, PieceType, Position, Square};

/// What the output can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Escape codes for colour.
    pub color: bool,
    /// Chess figures instead of letters; without colour one cannot tell the sides apart,
    /// so then it has no effect.
    pub figures: bool,
}

impl Style {
    /// Letters only.
    pub const PLAIN: Style = Style {
        color: false,
        figures: false,
    };

    /// What stdout can show, by the usual signs: a terminal, `NO_COLOR`, `TERM`, the locale.
    pub fn of_stdout() -> Style {
        let no_color = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if no_color || !is_live() || !knows_escape_codes() {
            return Style::PLAIN;
        }
        Style {
            color: true,
            figures: is_unicode(),
        }
    }
}

/// What a diagram does not show: `atomic, white to move, in check`.
pub fn situation(pos: &Position) -> String {
    let check = if pos.in_check() { ", in check" } else { "" };
    format!("{}, {} to move{check}", pos.variant(), pos.side())
}

/// True when stdout is a terminal on which lines can be rewritten.
pub fn is_live() -> bool {
    io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The old Windows console prints escape codes as text unless asked not to; the newer
/// terminals there make themselves known.
fn knows_escape_codes() -> bool {
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

/// Writes the diagram, White at the bottom and nothing marked.
///
/// # Errors
/// When `out` does not take it.
pub fn write(out: &mut dyn Write, pos: &Position, style: Style) -> io::Result<()> {
    write_marked(out, pos, style, &Marks::default(), Color::White)
}

/// Writes the diagram with its marks: as colours, or as a sign before the square, `>` for the
/// last move, `*` for the explosion and `!` for a king in check.
///
/// # Errors
/// When `out` does not take it.
pub fn write_marked(
    out: &mut dyn Write,
    pos: &Position,
    style: Style,
    marks: &Marks,
    bottom: Color,
) -> io::Result<()> {
    for row in 0..8 {
        let rank = if bottom == Color::White { 7 - row } else { row };
        write!(out, " {} ", rank + 1)?;
        for column in 0..8 {
            let square = Square::new(file(column, bottom), rank);
            let text = cell(pos.piece_at(square), square, style, Sign::of(square, marks));
            write!(out, "{text}")?;
        }
        writeln!(out)?;
    }
    let gap = if style.color { "" } else { " " };
    writeln!(out, "   {gap}{}", files(style, bottom))
}

/// The file in a column of the diagram.
fn file(column: u8, bottom: Color) -> u8 {
    match bottom {
        Color::White => column,
        Color::Black => 7 - column,
    }
}

/// Why a square stands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sign {
    Check,
    Centre,
    Blast,
    Last,
    Nothing,
}

impl Sign {
    fn of(square: Square, marks: &Marks) -> Sign {
        let blast = marks.blast.as_ref();
        let last = marks
            .last
            .map_or([None; 2], |(from, to)| [Some(from), Some(to)]);
        if marks.check == Some(square) {
            Sign::Check
        } else if blast.is_some_and(|blast| blast.centre == square) {
            Sign::Centre
        } else if blast.is_some_and(|blast| blast.area.contains(square)) {
            Sign::Blast
        } else if last.contains(&Some(square)) {
            Sign::Last
        } else {
            Sign::Nothing
        }
    }

    const fn letter(self) -> char {
        match self {
            Sign::Check => '!',
            Sign::Centre | Sign::Blast => '*',
            Sign::Last => '>',
            Sign::Nothing => ' ',
        }
    }

    /// The background on dark and on light squares, in the usual 256 colours.
    const fn backgrounds(self) -> (u8, u8) {
        match self {
            Sign::Check => (160, 167),
            Sign::Centre | Sign::Blast => (166, 173),
            Sign::Last => (136, 143),
            Sign::Nothing => (66, 109),
        }
    }
}

fn files(style: Style, bottom: Color) -> String {
    let name = |column: u8| (b'a' + file(column, bottom)) as char;
    let cells = (0..8).map(|column| {
        if style.color {
            format!(" {} ", name(column))
        } else {
            format!("{} ", name(column))
        }
    });
    cells.collect::<String>().trim_end().to_owned()
}

fn cell(piece: Option<Piece>, square: Square, style: Style, sign: Sign) -> String {
    if !style.color {
        return format!("{}{}", sign.letter(), piece.map_or('.', Piece::letter));
    }
    let (dark, light) = sign.backgrounds();
    let background = if square.is_dark() { dark } else { light };
    let Some(piece) = piece else {
        let burst = match sign {
            Sign::Centre if style.figures => '✸',
            Sign::Centre => '*',
            _ => ' ',
        };
        return format!("\x1b[48;5;{background};38;5;226;1m {burst} \x1b[0m");
    };
    let ink = match piece.color() {
        Color::White => 231,
        Color::Black => 16,
    };
    let man = if style.figures {
        figure(piece.kind())
    } else {
        piece.letter()
    };
    format!("\x1b[48;5;{background};38;5;{ink};1m {man} \x1b[0m")
}

/// The solid figure: on a coloured square it serves both sides.
fn figure(kind: PieceType) -> char {
    match kind {
        PieceType::Pawn => '♟',
        PieceType::Knight => '♞',
        PieceType::Bishop => '♝',
        PieceType::Rook => '♜',
        PieceType::Queen => '♛',
        PieceType::King => '♚',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn plain_diagram() {
        let mut out = Vec::new();
        write(&mut out, &Position::startpos(Variant::Atomic), Style::PLAIN).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 9);
        assert_eq!(lines[0], " 8  r n b q k b n r");
        assert_eq!(lines[4], " 4  . . . . . . . .");
        assert_eq!(lines[8], "    a b c d e f g h");
    }
}
