//! A midgame and an endgame value with the arithmetic of both.
//! Invariant: every operation treats the two values alike.

use std::ops::{Add, AddAssign, Mul, Sub};

/// A midgame and an endgame value in internal units.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TaperedScore {
    /// The value with all pieces on the board.
    pub mg: i32,
    /// The value with only kings and pawns on the board.
    pub eg: i32,
}

impl Add for TaperedScore {
    type Output = TaperedScore;
    fn add(self, other: TaperedScore) -> TaperedScore {
        TaperedScore { mg: self.mg + other.mg, eg: self.eg + other.eg }
    }
}

impl AddAssign for TaperedScore {
    fn add_assign(&mut self, other: TaperedScore) {
        *self = *self + other;
    }
}

impl Sub for TaperedScore {
    type Output = TaperedScore;
    fn sub(self, other: TaperedScore) -> TaperedScore {
        TaperedScore { mg: self.mg - other.mg, eg: self.eg - other.eg }
    }
}

impl Mul<i32> for TaperedScore {
    type Output = TaperedScore;
    fn mul(self, factor: i32) -> TaperedScore {
        TaperedScore { mg: self.mg * factor, eg: self.eg * factor }
    }
}

impl TaperedScore {
    /// The value at a game phase from 0 (endgame) to 256 (all pieces).
    pub fn taper(self, phase: i32) -> i32 {
        (self.mg * phase + self.eg * (256 - phase)) / 256
    }
}

/// Midgame and endgame value, in this order.
impl From<TaperedScore> for [i32; 2] {
    fn from(score: TaperedScore) -> [i32; 2] {
        [score.mg, score.eg]
    }
}
