//! Handcrafted evaluation.

use crate::rules::Position;

/// One line of the evaluation's account: a term's name and its value for each side.
#[derive(Clone, Debug)]
pub struct TraceTerm {
    /// The term's name.
    pub name: &'static str,
    /// Midgame and endgame centipawns for White, then for Black.
    pub sides: [[i32; 2]; 2],
}

/// The evaluation of a position term by term.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The terms in the order in which they are added.
    pub terms: Vec<TraceTerm>,
    /// Game phase from 0 (endgame) to 256 (all pieces).
    pub phase: i32,
    /// Draw scaling in 256ths.
    pub scale: i32,
    /// The sum from White's view in centipawns, after tapering and scaling.
    pub total: i32,
}

/// The account of a position's evaluation.
pub fn trace(_pos: &Position) -> Trace {
    Trace {
        terms: Vec::new(),
        phase: 0,
        scale: 256,
        total: 0,
    }
}
