//! The openings of a match: a list, or random play.
//! Invariant: the opening of a number never changes, and none is a finished game.

use crate::rules::{Position, Variant};

/// A source of numbered openings, from 0.
#[derive(Clone, Debug)]
pub enum Openings {
    /// A list of at least one, repeated from the start when it is exhausted.
    Listed(Vec<Position>),
    /// Random play, where each opening depends only on the seed and its number.
    Random { plies: usize, variant: Variant, seed: u64 },
}

impl Openings {
    /// True if one of them can be played only with Chess960 castling.
    pub fn need_chess960(&self) -> bool {
        matches!(self, Openings::Listed(list) if list.iter().any(Position::needs_chess960))
    }

    pub fn get(&self, number: usize) -> Position {
        match *self {
            Openings::Listed(ref list) => list[number % list.len()].clone(),
            Openings::Random { plies, variant, seed } => {
                // Not `util::mix`: the formula determines the openings of a seed.
                let mixed = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                random(plies, variant, &mut fastrand::Rng::with_seed(seed ^ mixed))
            }
        }
    }
}

/// An opening of `plies` random legal moves from the start position. The game is not over and
/// the side to move has no win in one.
pub fn random(plies: usize, variant: Variant, rng: &mut fastrand::Rng) -> Position {
    loop {
        let mut pos = Position::startpos(variant);
        for _ in 0..plies {
            match rng.choice(pos.legal_moves()) {
                Some(mv) => pos.make(mv),
                None => break,
            }
        }
        if pos.ply() == plies && pos.outcome_by_rule().is_none() && pos.win_in_one().is_none() {
            return pos.without_history();
        }
    }
}
