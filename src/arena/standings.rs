//! The results of a match so far.
//! Invariant: every finished game is counted once, either in each of the totals or as abandoned.

use std::collections::HashMap;

use super::end::EndCategory;
use super::schedule::ScheduledGame;
use super::stats::{Pentanomial, WinDrawLoss};
use crate::rules::{Color, GameResult};

/// The results of two engines against each other, from the perspective of the first.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    /// Indices of the engines.
    pub engines: (usize, usize),
    /// The games that count.
    pub games: WinDrawLoss,
    /// Complete pairs.
    pub pairs: Pentanomial,
}

/// The results of a match so far.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    /// Each pairing.
    pub pairings: Vec<Pairing>,
    /// Wins of White, draws, wins of Black.
    pub by_color: [u64; 3],
    /// Games by the category of their end.
    pub reasons: HashMap<EndCategory, u64>,
    /// Games that each engine ended by a failure.
    pub failures: Vec<u64>,
    /// Those of them that the engine abandoned, which count for nothing else.
    pub abandoned: Vec<u64>,
    /// The games that each engine abandoned since it last finished one.
    pub abandoned_in_a_row: Vec<u32>,
    /// Games of the whole match.
    pub planned: usize,
    /// Games that were already in the record.
    pub resumed: u64,
    /// The first engine's points in pairs with one finished game.
    half_pairs: HashMap<usize, f64>,
}

impl Standings {
    /// Finished games.
    pub fn finished(&self) -> u64 {
        self.by_color.iter().chain(&self.abandoned).sum()
    }

    /// True if no engine abandoned a game.
    pub fn is_valid(&self) -> bool {
        self.abandoned.iter().all(|&games| games == 0)
    }

    /// White's share of the points in percent.
    pub fn white_percent(&self) -> f64 {
        let [wins, draws, losses] = self.by_color;
        100.0 * (wins as f64 + draws as f64 / 2.0) / (wins + draws + losses).max(1) as f64
    }

    /// No games yet, of a match between this number of engines.
    pub fn empty(engines: usize, pairings: Vec<(usize, usize)>, planned: usize) -> Standings {
        let pairing = |engines| Pairing {
            engines,
            ..Pairing::default()
        };
        Standings {
            pairings: pairings.into_iter().map(pairing).collect(),
            failures: vec![0; engines],
            abandoned: vec![0; engines],
            abandoned_in_a_row: vec![0; engines],
            planned,
            ..Standings::default()
        }
    }

    /// Counts a game. `seats` are the indices of the engines that played White and Black.
    pub fn add(
        &mut self,
        scheduled: &ScheduledGame,
        seats: [usize; 2],
        result: GameResult,
        category: EndCategory,
    ) {
        *self.reasons.entry(category).or_default() += 1;
        if let Some(side) = category.failed_side(result) {
            let engine = seats[side.index()];
            self.failures[engine] += 1;
            if category.is_abandoned() {
                self.abandoned[engine] += 1;
                self.abandoned_in_a_row[engine] += 1;
                return;
            }
        }
        for engine in seats {
            self.abandoned_in_a_row[engine] = 0;
        }
        let standing = &mut self.pairings[scheduled.pairing];
        let index = match result {
            GameResult::Win(Color::White) => 0,
            GameResult::Draw => 1,
            GameResult::Win(Color::Black) => 2,
        };
        self.by_color[index] += 1;
        let points = match result {
            GameResult::Draw => 0.5,
            GameResult::Win(color) => f64::from(u8::from(color == scheduled.first_plays)),
        };
        match result {
            GameResult::Draw => standing.games.draws += 1,
            GameResult::Win(_) if points > 0.5 => standing.games.wins += 1,
            GameResult::Win(_) => standing.games.losses += 1,
        }
        match self.half_pairs.remove(&scheduled.pair) {
            Some(other) => standing.pairs.0[((points + other) * 2.0) as usize] += 1,
            None => {
                self.half_pairs.insert(scheduled.pair, points);
            }
        }
    }
}
