//! How a position, its moves and its scores are written.
//! Invariant: scores are shown from one point of view.

use crate::eval::wdl::DisplayScore;
use crate::notation::fen::{self, CastlingStyle};
use crate::notation::{coord, san};
use crate::rules::{Color, Move, Position};
use crate::search::Bound;

/// How a position, its moves and its scores are written.
#[derive(Clone, Copy)]
pub struct PositionStyle<'a> {
    pub pos: &'a Position,
    /// Castling is king takes rook, and castling rights are file letters.
    pub chess960: bool,
    /// Scores are from White's point of view instead of that of the side to move.
    pub from_white: bool,
}

impl<'a> PositionStyle<'a> {
    /// With scores from the point of view of the side to move, and the notation that `pos` needs;
    /// that of Chess960 if `chess960` is set.
    pub fn new(pos: &'a Position, chess960: bool) -> PositionStyle<'a> {
        PositionStyle { pos, chess960: chess960 || pos.needs_chess960(), from_white: false }
    }

    pub fn with_white(self, from_white: bool) -> PositionStyle<'a> {
        PositionStyle { from_white, ..self }
    }

    fn is_negated(&self) -> bool {
        self.from_white && self.pos.side_to_move() == Color::Black
    }

    /// A score of the side to move, from the point of view in which it is shown.
    pub fn score(&self, score: DisplayScore) -> DisplayScore {
        if self.is_negated() { -score } else { score }
    }

    /// What the score of a report bounds, from the point of view in which it is shown.
    pub fn bound(&self, bound: Bound) -> Bound {
        match bound {
            Bound::Lower if self.is_negated() => Bound::Upper,
            Bound::Upper if self.is_negated() => Bound::Lower,
            bound => bound,
        }
    }

    pub fn fen(&self) -> String {
        let style = if self.chess960 { CastlingStyle::Shredder } else { CastlingStyle::XFen };
        fen::write(self.pos, style)
    }

    /// The moves of a line in coordinate notation.
    pub fn uci(&self, line: &[Move]) -> Vec<String> {
        let moves = line.iter();
        moves.map(|&mv| coord::write(mv, self.chess960)).collect()
    }

    pub fn san(&self, line: &[Move]) -> Vec<String> {
        san::write_line(self.pos, line)
    }

    /// The moves of a line in SAN with move numbers, one word each.
    pub fn numbered(&self, line: &[Move]) -> Vec<String> {
        san::write_numbered_line(self.pos, line)
    }
}
