//! The results of a match so far.
//! Invariant: every finished game is counted once, either in each of the totals or as abandoned.

use std::collections::HashMap;

use super::end::Ending;
use super::schedule::ScheduledGame;
use super::stats::{Pentanomial, WinDrawLoss};
use crate::rules::{Color, GameResult};

/// The results of two engines against each other, from the perspective of the first.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    pub engines: (usize, usize),
    pub games: WinDrawLoss,
    pub pairs: Pentanomial,
}

#[derive(Clone, Debug, Default)]
pub struct Standings {
    pub pairings: Vec<Pairing>,
    /// The games that count, as results of White.
    pub white: WinDrawLoss,
    pub endings: HashMap<Ending, u64>,
    /// Games that each engine ended by a failure.
    pub failures: Vec<u64>,
    /// Those of them that the engine abandoned, which count for nothing else.
    pub abandoned: Vec<u64>,
    /// The games that each engine abandoned since it last finished one.
    pub abandoned_in_a_row: Vec<u32>,
    pub planned: usize,
    /// Games that were already in the record.
    pub resumed: u64,
    /// The first engine's half points in pairs with one finished game.
    half_pairs: HashMap<usize, usize>,
}

impl Standings {
    pub fn finished(&self) -> u64 {
        self.white.count() + self.abandoned.iter().sum::<u64>()
    }

    /// True if no engine abandoned a game.
    pub fn is_valid(&self) -> bool {
        self.abandoned.iter().all(|&games| games == 0)
    }

    /// White's share of the points in percent.
    pub fn white_percent(&self) -> f64 {
        100.0 * self.white.points() / self.white.count().max(1) as f64
    }

    /// No games yet, of a match between this number of engines.
    pub fn empty(engines: usize, pairings: Vec<(usize, usize)>, planned: usize) -> Standings {
        let pairing = |engines| Pairing { engines, ..Pairing::default() };
        Standings {
            pairings: pairings.into_iter().map(pairing).collect(),
            failures: vec![0; engines],
            abandoned: vec![0; engines],
            abandoned_in_a_row: vec![0; engines],
            planned,
            ..Standings::default()
        }
    }

    pub fn add(&mut self, scheduled: &ScheduledGame, result: GameResult, ending: Ending) {
        *self.endings.entry(ending).or_default() += 1;
        if let Some(side) = ending.failed_side(result) {
            let engine = scheduled.colors[side.index()];
            self.failures[engine] += 1;
            if ending.is_abandoned() {
                self.abandoned[engine] += 1;
                self.abandoned_in_a_row[engine] += 1;
                return;
            }
        }
        for engine in scheduled.colors {
            self.abandoned_in_a_row[engine] = 0;
        }
        let standing = &mut self.pairings[scheduled.pairing];
        self.white.add(result, Color::White);
        let half_points = standing.games.add(result, scheduled.first_plays);
        match self.half_pairs.remove(&scheduled.pair) {
            Some(other) => standing.pairs.0[half_points + other] += 1,
            None => {
                self.half_pairs.insert(scheduled.pair, half_points);
            }
        }
    }
}
