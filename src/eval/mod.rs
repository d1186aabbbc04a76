//! Evaluation: how good a position is for the side to move, without search.

pub mod hce;
pub mod score;

use crate::rules::Position;
use score::Value;

/// The static value of a position with both kings, in centipawns from the side to move's
/// view.
pub fn evaluate(pos: &Position) -> Value {
    hce::evaluate(pos)
}
