//! The rules of atomic chess: board, moves, legality and outcomes.
//! Invariant: this module imports no other module of the crate.
//!
//! A capture is an explosion: it removes the captured piece, the capturing piece and every piece on
//! the adjacent squares that is not a pawn. A side wins by checkmate or by exploding the enemy
//! king. A king may not capture, no move may explode the mover's king, and adjacent kings cannot
//! check each other.
//!
//! Start with [`Position`]; [`Variant`] selects the rules.

pub mod attacks;
mod bitboard;
mod castling;
mod check_info;
pub mod chess960;
mod moves;
mod perft;
mod piece;
mod position;
mod result;
mod square;
mod variant;
mod zobrist;

pub use bitboard::Bitboard;
pub use castling::{Castling, CastlingRights, CastlingSide};
pub(crate) use check_info::AttackSquares;
pub use check_info::CheckInfo;
pub use moves::{MAX_MOVES, Move, MoveKind, MoveList};
pub use perft::{divide, divide_until, perft};
pub use piece::{Color, Piece, PieceType};
pub(crate) use position::QuietFilter;
pub use position::{
    Change, GenType, Noisy, Outcome, OutcomeReason, Placement, Position, PositionError, Quiet,
    Setup,
};
pub use result::{GameResult, ParseGameResultError};
pub use square::Square;
pub use variant::Variant;
