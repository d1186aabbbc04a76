//! Positions, moves and games as text: FEN, EPD, coordinate notation, SAN and PGN; also numbers
//! and times with units.
//! Invariant: invalid text gives an error and never panics.

pub mod coord;
pub mod epd;
pub mod fen;
pub mod pgn;
pub mod san;
pub mod units;
