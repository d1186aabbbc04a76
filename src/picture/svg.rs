//! Draws a board as SVG with squares of 100 units: as a stand-alone document, or inside a page that
//! contains [`definitions`] and [`STYLE`] once.
//! Invariant: the output is well-formed XML for every title.

use std::f64::consts::PI;
use std::fmt::Write as _;

use super::{BoardMarks, pieces};
use crate::rules::{Color, Piece, Position, Square};

/// The style sheet of a board. The frame has its own background, so that a picture looks the
/// same on light and dark pages.
pub(crate) const STYLE: &str = include_str!("board.css");

/// A board to draw.
#[derive(Clone, Copy, Debug)]
pub struct Diagram<'a> {
    /// The position.
    pub pos: &'a Position,
    /// The highlights.
    pub marks: &'a BoardMarks,
    /// The side at the bottom.
    pub bottom: Color,
}

impl Diagram<'_> {
    /// A stand-alone SVG document with a title for screen readers.
    pub fn document(&self, title: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"board\" viewBox=\"{VIEW}\" \
             width=\"480\" height=\"480\" role=\"img\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
             <defs>\n{}</defs>\n{}</svg>\n",
            escape(title),
            definitions(),
            self.content()
        )
    }

    /// An SVG element for a page that contains [`definitions`] and [`STYLE`].
    #[cfg(feature = "cli")]
    pub(crate) fn inline(&self, title: &str) -> String {
        format!(
            "<svg class=\"board\" viewBox=\"{VIEW}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
            escape(title),
            self.content()
        )
    }

    /// The content of the SVG element: board, marks and pieces.
    fn content(&self) -> String {
        let mut text = empty_board(self.bottom);
        text.push_str("<g class=\"scene\">\n");
        self.write_marks(&mut text);
        for square in Square::all() {
            if let Some(piece) = self.pos.piece_at(square) {
                self.write_piece(&mut text, piece, square, "");
            }
        }
        text.push_str("</g>\n");
        text
    }

    fn write_marks(&self, text: &mut String) {
        let last_move = self.marks.last_move.into_iter();
        for square in last_move.flat_map(<[Square; 2]>::from) {
            let (x, y) = self.corner(square);
            let _ = writeln!(
                text,
                "<rect class=\"last\" x=\"{x}\" y=\"{y}\" width=\"100\" height=\"100\"/>"
            );
        }
        if let Some(king) = self.marks.check {
            self.write_use(text, "check", king);
        }
        let Some(blast) = &self.marks.blast else {
            return;
        };
        let (center_x, center_y) = self.corner(blast.center);
        // The squares around the centre that are on the board.
        let [(x, width), (y, height)] = [center_x, center_y].map(|center| {
            let (start, end) = (center.saturating_sub(100), (center + 200).min(800));
            (start + 3, end - start - 6)
        });
        let _ = writeln!(
            text,
            "<rect class=\"blast\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             rx=\"14\"/>"
        );
        self.write_use(text, "burst", blast.center);
        for &(piece, square) in &blast.removed {
            self.write_piece(text, piece, square, " gone");
        }
    }

    fn write_use(&self, text: &mut String, id: &str, square: Square) {
        let (x, y) = self.corner(square);
        let _ = writeln!(text, "<use href=\"#{id}\" x=\"{x}\" y=\"{y}\"/>");
    }

    fn write_piece(&self, text: &mut String, piece: Piece, square: Square, class: &str) {
        let (x, y) = self.corner(square);
        let letter = piece.piece_type().letter();
        let color = piece.color().to_string().to_lowercase();
        let _ = writeln!(
            text,
            "<use href=\"#piece-{letter}\" class=\"{color}{class}\" x=\"{x}\" y=\"{y}\"/>"
        );
    }

    /// The coordinates of the upper left corner of a square.
    fn corner(&self, square: Square) -> (u32, u32) {
        let (file, rank) = (u32::from(square.file()), u32::from(square.rank()));
        match self.bottom {
            Color::White => (file * 100, (7 - rank) * 100),
            Color::Black => ((7 - file) * 100, rank * 100),
        }
    }
}

/// Left, top, width and height of the board with its frame.
const VIEW: &str = "-44 -14 858 858";

/// The frame with the coordinates, and the 64 squares.
fn empty_board(bottom: Color) -> String {
    let mut text = String::from(
        "<rect class=\"frame\" x=\"-44\" y=\"-14\" width=\"858\" height=\"858\" rx=\"16\"/>\n",
    );
    for index in 0..8u8 {
        let coordinate = match bottom {
            Color::White => index,
            Color::Black => 7 - index,
        };
        let (file, rank) = ((b'a' + coordinate) as char, 8 - coordinate);
        let middle = 50 + 100 * u32::from(index);
        let _ = writeln!(
            text,
            "<text x=\"{middle}\" y=\"831\">{file}</text><text x=\"-22\" y=\"{}\">{rank}</text>",
            middle + 9
        );
    }
    text.push_str("<rect class=\"light\" width=\"800\" height=\"800\"/>\n");
    let mut path = String::new();
    for row in 0..8 {
        for column in (0..8).filter(|column| (row + column) % 2 == 1) {
            let _ = write!(path, "M{} {}h100v100h-100z", column * 100, row * 100);
        }
    }
    let _ = writeln!(text, "<path class=\"dark\" d=\"{path}\"/>");
    text
}

/// The shapes that all pictures of a page share: the pieces, the explosion and the check mark.
pub(crate) fn definitions() -> String {
    format!(
        "{}<radialGradient id=\"glow\"><stop offset=\".2\" stop-color=\"#e0202c\"/>\
         <stop offset=\"1\" stop-color=\"#e0202c\" stop-opacity=\"0\"/></radialGradient>\n\
         <rect id=\"check\" width=\"100\" height=\"100\" fill=\"url(#glow)\"/>\n\
         <g id=\"burst\"><path fill=\"#d9480f\" d=\"{}\"/><path fill=\"#ffd45e\" d=\"{}\"/></g>\n",
        pieces::DRAWINGS,
        star(13, 58.0, 36.0),
        star(11, 38.0, 23.0)
    )
}

/// The path of a star in the middle of a square.
fn star(points: u32, outer: f64, inner: f64) -> String {
    let mut path = String::new();
    for corner in 0..2 * points {
        let radius = if corner % 2 == 0 { outer } else { inner };
        let angle = PI * f64::from(corner) / f64::from(points);
        let (x, y) = (50.0 + radius * angle.sin(), 50.0 - radius * angle.cos());
        let letter = if corner == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{x:.1} {y:.1}");
    }
    path.push('z');
    path
}

/// Escapes a text for XML and HTML, both for elements and for quoted attributes.
///
/// # Examples
/// ```
/// assert_eq!(brisance::picture::escape("Q&A \"<1>\""), "Q&amp;A &quot;&lt;1&gt;&quot;");
/// ```
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // XML cannot represent other control characters.
            c if c.is_control() && !matches!(c, '\n' | '\t') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
