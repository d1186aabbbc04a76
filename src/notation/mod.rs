//! Text to rules and back: FEN, moves in coordinates, moves in algebraic notation.

pub mod coord;
pub mod fen;
pub mod san;
