//! Prints a position as a text diagram: letters, or chess symbols on coloured squares if the
//! terminal supports them.
//! Invariant: without a terminal, or with `NO_COLOR` set, no escape codes are printed.

use std::env;
use std::io::{self, IsTerminal, Write};

use crate::picture::BoardMarks;
use crate::rules::{Color, Piece, PieceType, Position, Square};

/// How a board is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardStyle {
    /// Use escape codes for colour.
    pub color: bool,
    /// Use chess symbols instead of letters. Has no effect without colour, which is needed to
    /// distinguish the sides.
    pub symbols: bool,
}

impl BoardStyle {
    /// Letters only.
    pub const PLAIN: BoardStyle = BoardStyle {
        color: false,
        symbols: false,
    };

    /// The style that stdout supports, by `NO_COLOR`, `TERM`, the locale and whether it is a
    /// terminal.
    pub fn for_stdout() -> BoardStyle {
        let no_color = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if no_color || !is_interactive() || !supports_escape_codes() {
            return BoardStyle::PLAIN;
        }
        BoardStyle {
            color: true,
            symbols: is_unicode(),
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
///
/// # Errors
/// Writing to `out` fails.
pub fn write_board(out: &mut dyn Write, pos: &Position, style: BoardStyle) -> io::Result<()> {
    write_marked_board(out, pos, style, &BoardMarks::default(), Color::White)
}

/// Writes the board with marks: colours, or a character before the square, `>` for the last
/// move, `*` for the explosion and `!` for a king in check.
///
/// # Errors
/// Writing to `out` fails.
pub fn write_marked_board(
    out: &mut dyn Write,
    pos: &Position,
    style: BoardStyle,
    marks: &BoardMarks,
    bottom: Color,
) -> io::Result<()> {
    for row in 0..8 {
        let rank = if bottom == Color::White { 7 - row } else { row };
        write!(out, " {} ", rank + 1)?;
        for column in 0..8 {
            let square = Square::new(file(column, bottom), rank);
            let text = cell(
                pos.piece_at(square),
                square,
                style,
                SquareMark::for_square(square, marks),
            );
            write!(out, "{text}")?;
        }
        writeln!(out)?;
    }
    let gap = if style.color { "" } else { " " };
    writeln!(out, "   {gap}{}", files(style, bottom))
}

/// The file shown in a column.
fn file(column: u8, bottom: Color) -> u8 {
    match bottom {
        Color::White => column,
        Color::Black => 7 - column,
    }
}

/// Why a square is marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SquareMark {
    Check,
    Centre,
    Blast,
    Last,
    Nothing,
}

impl SquareMark {
    fn for_square(square: Square, marks: &BoardMarks) -> SquareMark {
        let blast = marks.blast.as_ref();
        let last = marks
            .last_move
            .map_or([None; 2], |(from, to)| [Some(from), Some(to)]);
        if marks.check == Some(square) {
            SquareMark::Check
        } else if blast.is_some_and(|blast| blast.center == square) {
            SquareMark::Centre
        } else if blast.is_some_and(|blast| blast.area.contains(square)) {
            SquareMark::Blast
        } else if last.contains(&Some(square)) {
            SquareMark::Last
        } else {
            SquareMark::Nothing
        }
    }

    const fn letter(self) -> char {
        match self {
            SquareMark::Check => '!',
            SquareMark::Centre | SquareMark::Blast => '*',
            SquareMark::Last => '>',
            SquareMark::Nothing => ' ',
        }
    }

    /// The background of dark and of light squares, in the 256-colour palette.
    const fn backgrounds(self) -> (u8, u8) {
        match self {
            SquareMark::Check => (160, 167),
            SquareMark::Centre | SquareMark::Blast => (166, 173),
            SquareMark::Last => (136, 143),
            SquareMark::Nothing => (66, 109),
        }
    }
}

fn files(style: BoardStyle, bottom: Color) -> String {
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

fn cell(piece: Option<Piece>, square: Square, style: BoardStyle, sign: SquareMark) -> String {
    if !style.color {
        return format!("{}{}", sign.letter(), piece.map_or('.', Piece::letter));
    }
    let (dark, light) = sign.backgrounds();
    let background = if square.is_dark() { dark } else { light };
    let Some(piece) = piece else {
        let symbol = match sign {
            SquareMark::Centre if style.symbols => '✸',
            SquareMark::Centre => '*',
            _ => ' ',
        };
        return format!("\x1b[48;5;{background};38;5;226;1m {symbol} \x1b[0m");
    };
    let foreground = match piece.color() {
        Color::White => 231,
        Color::Black => 16,
    };
    let symbol = if style.symbols {
        symbol_of(piece.piece_type())
    } else {
        piece.letter()
    };
    format!("\x1b[48;5;{background};38;5;{foreground};1m {symbol} \x1b[0m")
}

/// The filled chess symbol, used for both sides.
fn symbol_of(piece_type: PieceType) -> char {
    match piece_type {
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
    fn start_position_in_letters() {
        let mut out = Vec::new();
        write_board(
            &mut out,
            &Position::startpos(Variant::Atomic),
            BoardStyle::PLAIN,
        )
        .unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 9);
        assert_eq!(lines[0], " 8  r n b q k b n r");
        assert_eq!(lines[4], " 4  . . . . . . . .");
        assert_eq!(lines[8], "    a b c d e f g h");
    }
}
