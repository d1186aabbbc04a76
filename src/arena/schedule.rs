//! The games of a match in the order in which they are played.
//! Invariant: the two games of a pair have the same opening with colours reversed.

use std::ops::Range;

use crate::rules::Color;

#[derive(Clone, Copy, Debug)]
pub struct ScheduledGame {
    /// The index of the pairing in [`pairings`].
    pub pairing: usize,
    /// The number of the pair in the whole match, from 0.
    pub pair: usize,
    pub opening: usize,
    /// The colour of the pairing's first engine.
    pub first_plays: Color,
    /// The indices of the engines that play White and Black.
    pub colors: [usize; 2],
}

impl ScheduledGame {
    /// The numbers of the pair and of the game in it, both from 1.
    pub fn round(&self) -> (usize, usize) {
        (1 + self.pair, 1 + self.first_plays.index())
    }
}

/// The indices of the engines of each pairing. In a gauntlet the first engine plays each of the
/// others; in a round robin all play each other.
pub fn pairings(engines: usize, gauntlet: bool) -> Vec<(usize, usize)> {
    let hosts = if gauntlet { 1 } else { engines };
    (0..hosts).flat_map(|a| (a + 1..engines).map(move |b| (a, b))).collect()
}

/// The games of some rounds of a match. In each round, each pairing plays a pair of games.
pub fn schedule(pairings: &[(usize, usize)], rounds: Range<usize>) -> Vec<ScheduledGame> {
    let mut schedule = Vec::new();
    for round in rounds {
        for (pairing, &(first, second)) in pairings.iter().enumerate() {
            let pair = round * pairings.len() + pairing;
            let game = |first_plays, colors| ScheduledGame {
                pairing,
                pair,
                opening: round,
                first_plays,
                colors,
            };
            schedule.push(game(Color::White, [first, second]));
            schedule.push(game(Color::Black, [second, first]));
        }
    }
    schedule
}
