//! Boards as SVG pictures, with marks for the last move, an explosion and a check.
//! Invariant: a picture is self-contained.
//!
//! # Examples
//! ```
//! use brisance::picture::{BoardMarks, Diagram};
//! use brisance::rules::{Color, Position, Variant};
//!
//! let pos = Position::startpos(Variant::Atomic);
//! let marks = BoardMarks::from_position(&pos);
//! let diagram = Diagram { pos: &pos, marks: &marks, bottom: Color::White };
//! let svg = diagram.document("The start position");
//! assert!(svg.starts_with("<svg") && svg.contains("The start position"));
//! ```

mod pieces;
mod svg;

use crate::notation::coord;
use crate::rules::{Bitboard, Color, Piece, Position, Square, attacks};

pub use svg::{Diagram, escape};
#[cfg(feature = "cli")]
pub(crate) use svg::{STYLE, definitions};

/// The highlights on a board.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct BoardMarks {
    /// Origin and destination of the last move; for castling those of the king.
    pub last_move: Option<(Square, Square)>,
    /// The explosion of the last move.
    pub blast: Option<Blast>,
    /// The king of the side to move, if it is in check.
    pub check: Option<Square>,
}

/// An explosion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blast {
    /// The square of the capture.
    pub center: Square,
    /// The centre and the squares around it.
    pub area: Bitboard,
    /// The removed pieces with their squares, the capturing one first with the square it came
    /// from.
    pub removed: Vec<(Piece, Square)>,
}

impl BoardMarks {
    /// The marks for the last move of a position, if it has one, and for a check.
    pub fn from_position(pos: &Position) -> BoardMarks {
        let mut marks = BoardMarks {
            check: pos.king(pos.side_to_move()).filter(|_| pos.in_check()),
            ..BoardMarks::default()
        };
        let Some(mv) = pos.last_move() else {
            return marks;
        };
        let to = coord::destination(mv);
        marks.last_move = Some((mv.from(), to));
        marks.blast = mv.is_capture().then(|| Blast {
            center: to,
            area: attacks::blast(to),
            removed: pos.last_change().map_or(Vec::new(), |change| change.removed.to_vec()),
        });
        marks
    }
}

impl Blast {
    /// The removed pieces in words, the capturing one first, with the colour whenever it changes:
    /// `white knight g5, black pawn f7, king e8`.
    pub fn describe_removed(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut last_color: Option<Color> = None;
        for (piece, square) in &self.removed {
            let name = format!("{} {square}", pieces::name(piece.piece_type()));
            let color = piece.color();
            words.push(if last_color.replace(color) == Some(color) {
                name
            } else {
                format!("{} {name}", color.to_string().to_lowercase())
            });
        }
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::{play, position};

    fn marks_after(moves: &str) -> BoardMarks {
        let mut pos = position("startpos");
        play(&mut pos, moves);
        BoardMarks::from_position(&pos)
    }

    #[test]
    fn a_capture_marks_its_blast_and_castling_the_move_of_the_king() {
        let captured = marks_after("g1f3 a7a6 f3g5 a6a5 g5f7");
        assert_eq!(captured.blast.map(|blast| blast.area.count()), Some(9));
        let castled = marks_after("g1f3 a7a6 g2g3 a6a5 f1g2 a5a4 e1g1");
        let squares = ["e1", "g1"].map(|name| Square::parse(name).expect("a square"));
        assert_eq!(castled.last_move, Some(squares.into()));
        assert_eq!(castled.blast, None);
    }
}
