//! Text to rules and back: FEN and lists of it, moves in coordinates, moves in algebraic
//! notation, games in PGN.

pub mod coord;
pub mod epd;
pub mod fen;
pub mod pgn;
pub mod san;
