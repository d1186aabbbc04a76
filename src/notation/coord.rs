//! Moves in the coordinate notation of UCI: `e2e4`, `e7e8q`, castling as `e1g1` or `e1h1`.
//! Invariant: `parse` returns legal moves only.
//!
//! # Examples
//! ```
//! use brisance::notation::{coord, fen};
//! use brisance::rules::Variant;
//!
//! let pos = fen::parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1", Variant::Atomic).expect("a position");
//! let castling = coord::parse(&pos, "e1g1").expect("a legal move");
//! assert_eq!(coord::parse(&pos, "e1h1"), Some(castling));
//! assert_eq!(coord::write(castling, false), "e1g1");
//! assert_eq!(coord::write(castling, true), "e1h1");
//! assert_eq!(coord::parse(&pos, "e1e3"), None);
//! ```

use crate::rules::{Castling, Color, Move, MoveKind, Position, Square};

/// The text of a move. With `chess960` castling is written as king takes rook (`e1h1`), otherwise
/// as the move of the king (`e1g1`).
pub fn write(mv: Move, chess960: bool) -> String {
    let to = if chess960 { mv.to() } else { destination(mv) };
    let mut text = format!("{}{to}", mv.from());
    if let Some(piece_type) = mv.promotion() {
        text.push(piece_type.letter());
    }
    text
}

/// The destination; in castling that of the king.
pub(crate) fn destination(mv: Move) -> Square {
    let to = mv.to();
    if mv.kind() != MoveKind::Castle {
        return to;
    }
    let king_to = Castling::king_to(Color::White, Castling::side_of(mv.from(), to));
    Square::new(king_to.file(), to.rank())
}

/// The legal move of `pos` with the given text, in either notation of castling and either case. A
/// text that means a king move in Chess960 notation and castling in the other is the king move.
pub fn parse(pos: &Position, text: &str) -> Option<Move> {
    let from = Square::parse(&text.get(..2)?.to_ascii_lowercase())?;
    let mut moves = pos.legal_moves();
    moves.retain(|mv| mv.from() == from);
    let find = |chess960| {
        let is_meant = |&mv: &Move| write(mv, chess960).eq_ignore_ascii_case(text);
        moves.iter().copied().find(is_meant)
    };
    find(true).or_else(|| find(false))
}
