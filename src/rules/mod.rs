//! The game of atomic chess: pieces, attacks, positions, moves and outcomes.
//! Knows nothing of text, evaluation or search; nothing here imports another room.

pub mod attacks;
mod bitboard;
mod castling;
mod moves;
mod perft;
mod piece;
mod position;
mod square;
mod variant;
mod zobrist;

pub use bitboard::Bitboard;
pub use castling::{Castling, CastlingRights, CastlingSide};
pub use moves::{MAX_MOVES, Move, MoveKind, MoveList};
pub use perft::{divide, perft};
pub use piece::{Color, Piece, PieceType};
pub use position::{
    Change, Fault, Noisy, Outcome, Placement, Position, Quiet, Reason, Setup, Stage,
};
pub use square::Square;
pub use variant::Variant;
