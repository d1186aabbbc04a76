//! SPSA: tunes search parameters by games between random perturbations of them.
//! Invariant: state and seed determine every game, so a resumed run equals an uninterrupted one,
//! whatever the number of threads.
//!
//! Source: J. C. Spall, "Implementation of the Simultaneous Perturbation Algorithm".

use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::arena::adjudication::Adjudication;
use crate::arena::end::GameEnd;
use crate::arena::game::{self, GameSettings};
use crate::arena::player::Player;
use crate::arena::spec::{EngineSpec, SpecError, TimeControl};
use crate::arena::stats::WinDrawLoss;
use crate::arena::turn::PlayerContext;
use crate::engine::batch::WorkPool;
use crate::engine::options::OptionError;
use crate::rules::{Color, Position};
use crate::util;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TunedParam {
    pub name: String,
    pub value: f64,
    pub min: f64,
    pub max: f64,
    /// The size of the perturbation in the last iteration.
    pub step: f64,
}

/// The settings and the progress of a run, as the state file stores them.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SpsaState {
    pub params: Vec<TunedParam>,
    /// Pairs of games in the whole run.
    pub pairs: u64,
    /// Pairs per iteration; all start from the same values, each with its own perturbation.
    pub batch: u64,
    /// Nodes per move, or nodes per millisecond with `tc`.
    pub nodes: u64,
    /// A time control, on a clock that counts nodes.
    #[serde(default)]
    pub tc: Option<String>,
    /// The seed of openings and perturbations.
    pub seed: u64,
    /// The change of a parameter after a won pair in the last iteration, in steps.
    pub rate: f64,
    pub played: u64,
    /// The values after each iteration.
    pub path: Vec<Vec<f64>>,
    /// The points of the side with the greater value, for each parameter.
    #[serde(default)]
    pub param_points: Vec<f64>,
    /// The sum of the squared points of all pairs.
    #[serde(default)]
    pub squares: f64,
}

/// Why an iteration cannot be played or its results cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SpsaError {
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(transparent)]
    TimeControl(#[from] SpecError),
    /// A player failed to play; the game has no result.
    #[error("a game was abandoned: {0}")]
    Abandoned(GameEnd),
    /// Results that are not exactly those of the next iteration.
    #[error("the results are not those of pairs {} to {}, each once", .0.start + 1, .0.end)]
    Results(Range<u64>),
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PairResult {
    /// The number of the pair in the whole run, from 0.
    pub pair: u64,
    /// Wins minus losses of the side whose parameters move in the direction of the signs.
    pub points: f64,
}

/// Spall's exponents for step and gain.
const GAMMA: f64 = 0.101;
const ALPHA: f64 = 0.602;

impl SpsaState {
    /// The Elo difference between the greater and the lesser value of a parameter in the games
    /// so far, and half the width of its 95 % confidence interval. It is unbiased only if `rate`
    /// is 0.
    pub fn elo_difference(&self, index: usize) -> (f64, f64) {
        // The slope of Elo over the share of points at equality.
        const ELO: f64 = 1600.0 / std::f64::consts::LN_10;
        let pairs = self.played.max(1) as f64;
        let mean = self.param_points.get(index).copied().unwrap_or(0.0) / pairs;
        let error = 1.96 * (self.squares / pairs / pairs).sqrt();
        (ELO * mean / 4.0, ELO * error / 4.0)
    }

    /// The perturbation and the gain relative to the last iteration. With a rate of 0, both the
    /// values and the steps are constant.
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

    pub fn batch_pairs(&self) -> Range<u64> {
        // A state without a batch would never end.
        self.played..self.pairs.min(self.played + self.batch.max(1))
    }

    /// Plays one iteration and updates the parameters. Returns false, without an update, if it was
    /// stopped.
    pub fn advance(
        &mut self,
        openings: &[Position],
        pool: &WorkPool,
        context: &PlayerContext,
    ) -> Result<bool, SpsaError> {
        let pairs = self.batch_pairs();
        let Some(results) = self.play(pairs, openings, pool, context)? else {
            return Ok(false);
        };
        self.update(results)?;
        Ok(true)
    }

    /// Plays some pairs of the next iteration. Returns `None` if it was stopped.
    pub fn play(
        &self,
        pairs: Range<u64>,
        openings: &[Position],
        pool: &WorkPool,
        context: &PlayerContext,
    ) -> Result<Option<Vec<PairResult>>, SpsaError> {
        let (step, _) = self.schedule();
        let play = |_: &mut (), pair: u64| -> Result<Option<PairResult>, SpsaError> {
            let (signs, mut rng) = self.signs(pair);
            let opening = &openings[rng.usize(0..openings.len())];
            let specs = [1.0, -1.0].map(|side| self.perturbed(&signs, side * step, &mut rng));
            let points = self.pair(&specs, opening, context)?;
            Ok(points.map(|points| PairResult { pair, points }))
        };
        let results = pool.map(pairs, || Ok::<(), SpsaError>(()), play)?;
        results.into_iter().collect()
    }

    /// Updates the parameters with the results of the next iteration, in any order.
    pub fn update(&mut self, mut results: Vec<PairResult>) -> Result<(), SpsaError> {
        results.sort_by_key(|result| result.pair);
        let pairs = self.batch_pairs();
        if !results.iter().map(|result| result.pair).eq(pairs.clone()) {
            return Err(SpsaError::Results(pairs));
        }
        let (step, gain) = self.schedule();
        self.param_points.resize(self.params.len(), 0.0);
        for PairResult { pair, points } in results {
            let (signs, _) = self.signs(pair);
            self.squares += points * points;
            let params = self.params.iter_mut().zip(&mut self.param_points);
            for ((param, param_points), sign) in params.zip(signs) {
                *param_points += points * sign;
                let moved = self.rate * gain * param.step * step * points * sign;
                param.value = (param.value + moved).clamp(param.min, param.max);
            }
        }
        self.played = pairs.end;
        let values = self.params.iter().map(|param| param.value);
        self.path.push(values.collect());
        Ok(())
    }

    /// The directions of a pair's perturbation, and the generator of its other random numbers.
    fn signs(&self, pair: u64) -> (Vec<f64>, fastrand::Rng) {
        let mut rng = fastrand::Rng::with_seed(util::mix(self.seed, pair));
        let sign = |_: &TunedParam| if rng.bool() { 1.0 } else { -1.0 };
        (self.params.iter().map(sign).collect(), rng)
    }

    /// The specification of an engine with perturbed parameters. Fractions are rounded at random,
    /// so that steps smaller than 1 have an effect.
    fn perturbed(&self, signs: &[f64], scale: f64, rng: &mut fastrand::Rng) -> EngineSpec {
        let options = self.params.iter().zip(signs).map(|(param, sign)| {
            let value = (param.value + sign * scale * param.step).clamp(param.min, param.max);
            let rounded = (value + rng.f64()).floor().clamp(param.min, param.max);
            (param.name.clone(), (rounded as i64).to_string())
        });
        let mut options: Vec<(String, String)> = options.collect();
        options.push(("Hash".to_owned(), "4".to_owned()));
        if self.tc.is_some() {
            options.push(("nodestime".to_owned(), self.nodes.to_string()));
            options.push(("Move Overhead".to_owned(), "0".to_owned()));
        }
        EngineSpec { options, ..EngineSpec::default() }
    }

    /// Plays a pair of games. Returns the points of the first engine minus those of the second,
    /// from −2 to 2; `None` if it was stopped.
    fn pair(
        &self,
        specs: &[EngineSpec; 2],
        opening: &Position,
        context: &PlayerContext,
    ) -> Result<Option<f64>, SpsaError> {
        let mut first = Player::new(&specs[0], context)?;
        let mut second = Player::new(&specs[1], context)?;
        let adjudication = Adjudication { max_moves: Some(250), ..Adjudication::default() };
        let time_control = match &self.tc {
            None => TimeControl::Nodes(self.nodes),
            Some(text) => TimeControl::parse_clock(text)?,
        };
        let settings = GameSettings {
            adjudication: &adjudication,
            time_controls: [time_control; 2],
            time_margin: Duration::ZERO,
            lag: Duration::ZERO,
            chess960: false,
            tablebase: None,
            stop: &context.stop,
        };
        let mut games = WinDrawLoss::default();
        for plays in Color::ALL {
            let players = match plays {
                Color::White => [&mut first, &mut second],
                Color::Black => [&mut second, &mut first],
            };
            let Some(game) = game::play(players, opening, &settings) else {
                return Ok(None);
            };
            if game.end.ending.is_abandoned() {
                return Err(SpsaError::Abandoned(game.end));
            }
            games.add(game.end.result, plays);
        }
        Ok(Some(games.wins as f64 - games.losses as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::openings::random;
    use crate::rules::Variant;

    fn state() -> SpsaState {
        let param = |name: &str, value: f64, min: f64, max: f64| TunedParam {
            name: name.to_owned(),
            value,
            min,
            max,
            step: (max - min) / 8.0,
        };
        SpsaState {
            params: vec![
                param("rfp_margin", 120.0, 50.0, 300.0),
                param("lmr_base", 70.0, 0.0, 150.0),
            ],
            pairs: 24,
            batch: 8,
            nodes: 400,
            tc: None,
            seed: 11,
            rate: 0.5,
            played: 0,
            path: Vec::new(),
            param_points: Vec::new(),
            squares: 0.0,
        }
    }

    fn openings() -> Vec<Position> {
        let mut rng = fastrand::Rng::with_seed(4);
        let openings = (0..20).map(|_| random(8, Variant::Atomic, &mut rng));
        openings.collect()
    }

    fn advance(state: &mut SpsaState, threads: usize, context: &PlayerContext) -> bool {
        let pool = WorkPool::new(threads).unwrap();
        state.advance(&openings(), &pool, context).unwrap()
    }

    #[test]
    fn results_do_not_depend_on_threads_or_interruptions() {
        let (never, now) = (PlayerContext::default(), PlayerContext::default());
        now.stop.stop();
        let go = |threads: usize, cut: bool| {
            let mut state = state();
            while state.played < state.pairs {
                if cut {
                    let before = state.clone();
                    assert!(!advance(&mut state, threads, &now));
                    assert_eq!(state, before);
                    state = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
                }
                assert!(advance(&mut state, threads, &never));
            }
            state
        };
        let plain = go(1, false);
        assert_eq!(plain.path.len(), 3);
        let is_in_range = |param: &TunedParam| (param.min..=param.max).contains(&param.value);
        assert!(plain.params.iter().all(is_in_range));
        assert_ne!(plain.params, state().params);
        assert_eq!(plain, go(2, true));
    }

    #[test]
    fn a_batch_played_in_parts_gives_the_same_state() {
        let (pool, never) = (WorkPool::new(1).unwrap(), PlayerContext::default());
        let (mut whole, mut parts) = (state(), state());
        for _ in 0..2 {
            assert!(advance(&mut whole, 1, &never));
            let play = |pairs| {
                let played = parts.play(pairs, &openings(), &pool, &never);
                played.unwrap().unwrap()
            };
            let Range { start, end } = parts.batch_pairs();
            let (first, second) = (play(start..start + 3), play(start + 3..end));
            let before = parts.clone();
            let twice = [&first[..], &first, &second].concat();
            for wrong in [first.clone(), twice] {
                assert!(parts.update(wrong).is_err());
                assert_eq!(parts, before);
            }
            parts.update([second, first].concat()).unwrap();
        }
        assert_eq!(parts, whole);
    }

    #[test]
    fn with_rate_zero_values_stay_and_points_are_counted() {
        let mut screening = SpsaState { rate: 0.0, ..state() };
        while screening.played < screening.pairs {
            assert!(advance(&mut screening, 1, &PlayerContext::default()));
        }
        assert_eq!(screening.params, state().params);
        assert!(screening.squares > 0.0);
        let mut points = screening.param_points.iter();
        assert!(points.all(|points| points.abs() <= 2.0 * 24.0));
        // 100 pairs of which the greater value won 30 points more: 7.5 % of a game above
        // one half, 52 Elo.
        let counted =
            SpsaState { played: 100, param_points: vec![0.0, 30.0], squares: 144.0, ..state() };
        let (elo, error) = counted.elo_difference(1);
        assert!((elo - 52.1).abs() < 0.1, "{elo}");
        assert!((error - 1.96 * 0.12 * 694.87 / 4.0).abs() < 0.1, "{error}");
        assert_eq!(counted.elo_difference(0).0, 0.0);
    }

    #[test]
    fn steps_and_gains_decrease() {
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
