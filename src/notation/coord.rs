//! Moves as UCI writes them: `e2e4`, `e7e8q`, castling as `e1g1` or as king takes rook.

use crate::rules::{Castling, Move, MoveKind, Position, Square};

/// The text of a move. With `chess960` castling is written king-takes-rook (`e1h1`), else
/// by the king's own step (`e1g1`).
pub fn write(mv: Move, chess960: bool) -> String {
    let mut to = mv.to();
    if mv.kind() == MoveKind::Castle && !chess960 {
        let file = Castling::king_to(crate::rules::Color::White, Castling::side_of(mv.from(), to));
        to = Square::new(file.file(), to.rank());
    }
    let mut text = format!("{}{to}", mv.from());
    if let Some(kind) = mv.promotion() {
        text.push(kind.letter());
    }
    text
}

/// The legal move of `pos` that `text` names, in either spelling of castling and either
/// case. Where both spellings fit, the plain king step wins, as UCI_Chess960 wants it.
pub fn parse(pos: &Position, text: &str) -> Option<Move> {
    let moves = pos.legal_moves();
    let named = |chess960| {
        moves
            .iter()
            .copied()
            .find(|&mv| write(mv, chess960).eq_ignore_ascii_case(text))
    };
    named(true).or_else(|| named(false))
}
