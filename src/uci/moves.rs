//! Moves as vampirc-uci models them, and the legal moves that they mean.
//! Invariant: a move that is written is read as the same move, whatever `UCI_Chess960` says.

use std::fmt;

use vampirc_uci::{UciMove, UciSquare};

use crate::notation::coord;
use crate::rules::{Castling, CastlingSide, Move, MoveKind, Position};

/// A move of a `position` command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameMove {
    /// A move such as `e2e4` or `e7e8q`.
    Coordinates(UciMove),
    /// `O-O` or `O-O-O`, as the Arena GUI writes castling in Chess960.
    Castling(CastlingSide),
}

impl GameMove {
    /// Parses a move in either notation and either case.
    pub(super) fn parse(word: &str) -> Option<GameMove> {
        match word.to_ascii_uppercase().as_str() {
            "O-O" | "0-0" => Some(GameMove::Castling(CastlingSide::King)),
            "O-O-O" | "0-0-0" => Some(GameMove::Castling(CastlingSide::Queen)),
            _ => parse_coordinates(word).map(GameMove::Coordinates),
        }
    }

    /// The legal move that this means.
    pub(super) fn find(self, pos: &Position) -> Option<Move> {
        match self {
            GameMove::Coordinates(text) => coord::parse(pos, &text.to_string()),
            GameMove::Castling(side) => pos.legal_moves().iter().copied().find(|mv| {
                mv.kind() == MoveKind::Castle && Castling::side_of(mv.from(), mv.to()) == side
            }),
        }
    }
}

impl fmt::Display for GameMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameMove::Coordinates(text) => text.fmt(f),
            GameMove::Castling(CastlingSide::King) => f.write_str("O-O"),
            GameMove::Castling(CastlingSide::Queen) => f.write_str("O-O-O"),
        }
    }
}

/// Parses a coordinate move, such as `e2e4` or `E7E8Q`.
pub fn parse_coordinates(word: &str) -> Option<UciMove> {
    let lower_case = word.to_ascii_lowercase();
    let &[a, b, c, d, ref promotion @ ..] = lower_case.as_bytes() else {
        return None;
    };
    let square = |file, rank| {
        let is_valid = matches!((file, rank), (b'a'..=b'h', b'1'..=b'8'));
        is_valid.then(|| UciSquare::from(char::from(file), rank - b'0'))
    };
    let promotion = match *promotion {
        [] => None,
        [letter @ (b'q' | b'r' | b'b' | b'n')] => char::from(letter).to_string().parse().ok(),
        _ => return None,
    };
    Some(UciMove { from: square(a, b)?, to: square(c, d)?, promotion })
}

/// The move as it is written. If the king does not start on the e-file, castling is always
/// written as king takes rook, because the king's own step could be an ordinary move.
pub fn uci_move(mv: Move, chess960: bool) -> UciMove {
    let is_shuffled = mv.kind() == MoveKind::Castle && mv.from().file() != 4;
    let text = coord::write(mv, chess960 || is_shuffled);
    parse_coordinates(&text).expect("a move that was written is read")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::position;

    #[test]
    fn a_king_that_starts_on_another_file_takes_its_rook() {
        let pos = position("5k2/8/8/8/8/8/8/R4K1R w KQ - 0 1");
        for (text, expected) in [("f1h1", "f1h1"), ("f1g1", "f1g1"), ("o-o", "f1h1")] {
            let mv = GameMove::parse(text).and_then(|text| text.find(&pos));
            let written = uci_move(mv.expect("a legal move"), false);
            assert_eq!(written.to_string(), expected);
        }
    }
}
