//! SPSA: tunes the search's numbers by games between random perturbations of them.
//! Invariant: seed and state decide every game, so a continued run is the run that was
//! never cut off, whatever the number of threads.
//!
//! Source: J. C. Spall, "Implementation of the Simultaneous Perturbation Algorithm".

use std::sync::Arc;
use std::time::Duration;

use rayon::ThreadPool;
use serde::{Deserialize, Serialize};

use super::game::{self, Adjudication, Score, GameSettings};
use super::player::Player;
use super::spec::{EngineSpec, EngineKind, TimeControl, Timeouts};
use super::stats::GameCounts;
use crate::engine::StopSignal;
use crate::engine::batch::map_ordered;
use crate::rules::{Color, Position, Variant};

/// One number to be tuned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TunedParam {
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
    pub knobs: Vec<TunedParam>,
    /// Pentanomial of games to play in all.
    pub pairs: u64,
    /// Pentanomial played with one state of the numbers, each with a perturbation of its own.
    pub batch: u64,
    /// Nodes a move, or a millisecond with `tc`.
    pub nodes: u64,
    /// A time control, played on a clock of nodes.
    #[serde(default)]
    pub tc: Option<String>,
    /// Seed of openings and perturbations.
    pub seed: u64,
    /// How far a won pair moves a number in the last iteration, in steps.
    pub rate: f64,
    /// Pentanomial played.
    pub played: u64,
    /// The numbers after each batch.
    pub path: Vec<Vec<f64>>,
    /// For each number, the points of the side that had the greater value.
    #[serde(default)]
    pub leans: Vec<f64>,
    /// The sum of the squares of all pairs' points.
    #[serde(default)]
    pub squares: f64,
}

/// Spall's exponents for step and gain.
const GAMMA: f64 = 0.101;
const ALPHA: f64 = 0.602;

impl State {
    /// What the games so far say of a number's greater value against its lesser one, in Elo
    /// with the half-width of its 95 % interval. Fair only while the numbers stand still.
    pub fn lean(&self, index: usize) -> (f64, f64) {
        // Near equality a share of the points is worth so many Elo.
        const ELO: f64 = 1600.0 / std::f64::consts::LN_10;
        let pairs = self.played.max(1) as f64;
        let mean = self.leans.get(index).copied().unwrap_or(0.0) / pairs;
        let error = 1.96 * (self.squares / pairs / pairs).sqrt();
        (ELO * mean / 4.0, ELO * error / 4.0)
    }

    /// How much larger than at the end the perturbation is now, and the gain. Without a rate
    /// the numbers stand still, and so do their steps.
    fn schedule(&self) -> (f64, f64) {
        if self.rate == 0.0 {
            return (1.0, 0.0);
        }
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
        stop: &Arc<StopSignal>,
    ) -> Result<bool, String> {
        let pairs = self.played..self.pairs.min(self.played + self.batch);
        let (step, gain) = self.schedule();
        let play = |_: &mut (), pair: u64| -> Result<Option<(Vec<f64>, f64)>, String> {
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
            let points = self.pair(&specs, opening, variant, stop)?;
            Ok(points.map(|points| (signs, points)))
        };
        let results: Result<Vec<_>, String> = map_ordered(pool, pairs.clone(), || (), play)
            .into_iter()
            .collect();
        let Some(results) = results?.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(false);
        };
        self.leans.resize(self.knobs.len(), 0.0);
        for (signs, points) in results {
            self.squares += points * points;
            for ((knob, lean), sign) in self.knobs.iter_mut().zip(&mut self.leans).zip(signs) {
                *lean += points * sign;
                let moved = self.rate * gain * knob.step * step * points * sign;
                knob.value = (knob.value + moved).clamp(knob.min, knob.max);
            }
        }
        self.played = pairs.end;
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
        if self.tc.is_some() {
            options.push(("nodestime".to_owned(), self.nodes.to_string()));
            options.push(("Move Overhead".to_owned(), "0".to_owned()));
        }
        EngineSpec {
            kind: EngineKind::Own,
            name: String::new(),
            options,
            time_control: None,
        }
    }

    /// Points of the first engine beyond the second's over two games, from −2 to 2; `None`
    /// when interrupted.
    fn pair(
        &self,
        specs: &[EngineSpec; 2],
        opening: &Position,
        variant: Variant,
        stop: &Arc<StopSignal>,
    ) -> Result<Option<f64>, String> {
        let player = |spec| Player::new(spec, variant, Timeouts::default(), stop);
        let (mut first, mut second) = (player(&specs[0])?, player(&specs[1])?);
        let adjudication = Adjudication {
            max_moves: Some(250),
            ..Adjudication::default()
        };
        let game_settings = GameSettings {
            adjudication: &adjudication,
            margin: Duration::ZERO,
            chess960: false,
            tables: None,
            stop,
        };
        let time_control = match &self.tc {
            None => TimeControl::Nodes(self.nodes),
            Some(text) => TimeControl::parse_clock(text)?,
        };
        let time_controls = [time_control; 2];
        let mut games = GameCounts::default();
        for plays in Color::ALL {
            let seats = match plays {
                Color::White => [&mut first, &mut second],
                Color::Black => [&mut second, &mut first],
            };
            let Some(game) = game::play(seats, time_controls, opening, &game_settings) else {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::openings::random;
    use rayon::ThreadPoolBuilder;

    fn state() -> State {
        let knob = |name: &str, value: f64, min: f64, max: f64| TunedParam {
            name: name.to_owned(),
            value,
            min,
            max,
            step: (max - min) / 8.0,
        };
        State {
            knobs: vec![
                knob("rfp_margin", 120.0, 50.0, 300.0),
                knob("lmr_base", 70.0, 0.0, 150.0),
            ],
            pairs: 24,
            batch: 8,
            nodes: 400,
            tc: None,
            seed: 11,
            rate: 0.5,
            played: 0,
            path: Vec::new(),
            leans: Vec::new(),
            squares: 0.0,
        }
    }

    #[test]
    fn threads_and_interruptions_change_nothing() {
        let mut rng = fastrand::Rng::with_seed(4);
        let openings: Vec<Position> = (0..20)
            .map(|_| random(8, Variant::Atomic, &mut rng))
            .collect();
        let go = |threads: usize, cut: bool| {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let never = Arc::new(StopSignal::default());
            let mut state = state();
            while state.played < state.pairs {
                if cut {
                    let stop = Arc::new(StopSignal::default());
                    stop.request();
                    let before = state.clone();
                    assert!(
                        !state
                            .advance(&openings, Variant::Atomic, &pool, &stop)
                            .unwrap()
                    );
                    assert_eq!(state, before);
                    state = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
                }
                assert!(
                    state
                        .advance(&openings, Variant::Atomic, &pool, &never)
                        .unwrap()
                );
            }
            state
        };
        let plain = go(1, false);
        assert_eq!(plain.path.len(), 3);
        assert!(
            plain
                .knobs
                .iter()
                .all(|k| (k.min..=k.max).contains(&k.value))
        );
        assert_ne!(plain.knobs, state().knobs);
        assert_eq!(plain, go(2, true));
    }

    #[test]
    fn a_screening_moves_nothing_and_counts() {
        let mut rng = fastrand::Rng::with_seed(4);
        let openings: Vec<Position> = (0..20)
            .map(|_| random(8, Variant::Atomic, &mut rng))
            .collect();
        let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let never = Arc::new(StopSignal::default());
        let mut screening = State {
            rate: 0.0,
            ..state()
        };
        while screening.played < screening.pairs {
            let variant = Variant::Atomic;
            assert!(
                screening
                    .advance(&openings, variant, &pool, &never)
                    .unwrap()
            );
        }
        assert_eq!(screening.knobs, state().knobs);
        assert!(screening.squares > 0.0);
        assert!(screening.leans.iter().all(|lean| lean.abs() <= 2.0 * 24.0));
        // 100 pairs of which the greater value won 30 points more: 7.5 % of a game above
        // one half, 52 Elo.
        let counted = State {
            played: 100,
            leans: vec![0.0, 30.0],
            squares: 144.0,
            ..state()
        };
        let (elo, error) = counted.lean(1);
        assert!((elo - 52.1).abs() < 0.1, "{elo}");
        assert!((error - 1.96 * 0.12 * 694.87 / 4.0).abs() < 0.1, "{error}");
        assert_eq!(counted.lean(0).0, 0.0);
    }

    #[test]
    fn steps_and_gains_shrink() {
        let mut state = state();
        let mut last = (f64::INFINITY, f64::INFINITY);
        for played in 0..state.pairs {
            state.played = played;
            let now = state.schedule();
            assert!(now.0 < last.0 && now.1 < last.1);
            last = now;
        }
        assert!((last.0 - 1.0).abs() < 1e-9 && (last.1 - 1.0).abs() < 1e-9);
    }
}
