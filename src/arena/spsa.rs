//! SPSA: tunes the search's numbers by games between random perturbations of them.
//! Invariant: seed and state decide every game, so a continued run is the run that was
//! never cut off, whatever the number of threads.
//!
//! Source: J. C. Spall, "Implementation of the Simultaneous Perturbation Algorithm".

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rayon::ThreadPool;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::game::{self, Adjudication, Score, Terms};
use super::player::Player;
use super::spec::{EngineSpec, Kind, Pace};
use super::stats::Games;
use crate::rules::{Color, Position, Variant};

/// One number to be tuned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Knob {
    /// The parameter's name.
    pub name: String,
    /// Where it stands.
    pub value: f64,
    /// Its least value.
    pub min: f64,
    /// Its greatest value.
    pub max: f64,
    /// How far it is perturbed in the last iteration.
    pub step: f64,
}

/// Everything that a run depends on and has come to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    /// The numbers tuned.
    pub knobs: Vec<Knob>,
    /// Pairs of games to play in all.
    pub pairs: u64,
    /// Pairs played with one state of the numbers, each with a perturbation of its own.
    pub batch: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Seed of openings and perturbations.
    pub seed: u64,
    /// How far a won pair moves a number in the last iteration, in steps.
    pub rate: f64,
    /// Pairs played.
    pub played: u64,
    /// The numbers after each batch.
    pub path: Vec<Vec<f64>>,
}

/// Spall's exponents for step and gain.
const GAMMA: f64 = 0.101;
const ALPHA: f64 = 0.602;

impl State {
    /// How much larger than at the end the perturbation is now, and the gain.
    fn schedule(&self) -> (f64, f64) {
        let (total, now) = (self.pairs as f64, self.played as f64);
        let stability = 0.1 * total;
        let step = (total / (now + 1.0)).powf(GAMMA);
        let gain = ((stability + total) / (stability + now + 1.0)).powf(ALPHA);
        (step, gain)
    }

    /// Plays one batch and moves the numbers; false when interrupted, the batch undone.
    ///
    /// # Errors
    /// When an engine refuses a value.
    pub fn advance(
        &mut self,
        openings: &[Position],
        variant: Variant,
        pool: &ThreadPool,
        interrupted: &Arc<AtomicBool>,
    ) -> Result<bool, String> {
        let pairs: Vec<u64> = (self.played..self.pairs.min(self.played + self.batch)).collect();
        let (step, gain) = self.schedule();
        let play = |&pair: &u64| -> Result<Option<(Vec<f64>, f64)>, String> {
            let seed = self
                .seed
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .wrapping_add(pair);
            let mut rng = fastrand::Rng::with_seed(seed);
            let signs: Vec<f64> = self
                .knobs
                .iter()
                .map(|_| if rng.bool() { 1.0 } else { -1.0 })
                .collect();
            let opening = &openings[rng.usize(0..openings.len())];
            let specs = [1.0, -1.0].map(|side| self.perturbed(&signs, side * step, &mut rng));
            let points = self.pair(&specs, opening, variant, interrupted)?;
            Ok(points.map(|points| (signs, points)))
        };
        let results: Result<Vec<_>, String> = pool.install(|| pairs.par_iter().map(play).collect());
        let Some(results) = results?.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(false);
        };
        for (signs, points) in results {
            for (knob, sign) in self.knobs.iter_mut().zip(signs) {
                let moved = self.rate * gain * knob.step * step * points * sign;
                knob.value = (knob.value + moved).clamp(knob.min, knob.max);
            }
        }
        self.played += pairs.len() as u64;
        self.path
            .push(self.knobs.iter().map(|knob| knob.value).collect());
        Ok(true)
    }

    /// An engine with perturbed numbers. Fractions are rounded at random, so that steps
    /// smaller than one still matter.
    fn perturbed(&self, signs: &[f64], scale: f64, rng: &mut fastrand::Rng) -> EngineSpec {
        let options = self.knobs.iter().zip(signs).map(|(knob, sign)| {
            let value = (knob.value + sign * scale * knob.step).clamp(knob.min, knob.max);
            let rounded = (value + rng.f64()).floor().clamp(knob.min, knob.max);
            (knob.name.clone(), (rounded as i64).to_string())
        });
        let mut options: Vec<(String, String)> = options.collect();
        options.push(("Hash".to_owned(), "4".to_owned()));
        EngineSpec {
            kind: Kind::Own,
            name: String::new(),
            options,
            pace: None,
        }
    }

    /// Points of the first engine beyond the second's over two games, from −2 to 2; `None`
    /// when interrupted.
    fn pair(
        &self,
        specs: &[EngineSpec; 2],
        opening: &Position,
        variant: Variant,
        interrupted: &Arc<AtomicBool>,
    ) -> Result<Option<f64>, String> {
        let mut first = Player::new(&specs[0], variant)?;
        let mut second = Player::new(&specs[1], variant)?;
        let adjudication = Adjudication {
            max_moves: Some(250),
            ..Adjudication::default()
        };
        let terms = Terms {
            adjudication: &adjudication,
            margin: Duration::ZERO,
            chess960: false,
            tables: None,
            stops: [interrupted, interrupted],
        };
        let paces = [Pace::Nodes(self.nodes); 2];
        let mut games = Games::default();
        for plays in Color::ALL {
            let seats = match plays {
                Color::White => [&mut first, &mut second],
                Color::Black => [&mut second, &mut first],
            };
            let Some(game) = game::play(seats, paces, opening, &terms) else {
                return Ok(None);
            };
            match game.score {
                Score::Won(color) if color == plays => games.wins += 1,
                Score::Won(_) => games.losses += 1,
                Score::Drawn => games.draws += 1,
            }
        }
        Ok(Some(games.wins as f64 - games.losses as f64))
    }
}
