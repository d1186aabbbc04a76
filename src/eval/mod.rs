//! Evaluation: how good a position is for the side to move, without search.

pub mod hce;
pub mod score;
