//! Match statistics: Elo with confidence intervals, likelihood of superiority (LOS), and the
//! generalised sequential probability ratio test (GSPRT) over game pairs.
//! Invariant: pure functions of counts.
//!
//! Sources: M. Van den Bergh, "A Practical Introduction to the GSPRT" and "Normalized Elo".

use std::f64::consts::{LN_10, SQRT_2};

use crate::rules::{Color, GameResult};

/// The number of game pairs in which the first player scored 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pentanomial(pub [u64; 5]);

/// The number of games that the first player won, drew and lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WinDrawLoss {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl WinDrawLoss {
    /// Counts a game of a player of this colour; returns its half points.
    pub fn add(&mut self, result: GameResult, color: Color) -> usize {
        let (count, half_points) = match result {
            GameResult::Win(winner) if winner == color => (&mut self.wins, 2),
            GameResult::Draw => (&mut self.draws, 1),
            GameResult::Win(_) => (&mut self.losses, 0),
        };
        *count += 1;
        half_points
    }

    pub fn count(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    pub value: f64,
    /// Half the width of the 95 % confidence interval; infinite without enough results.
    pub error: f64,
}

impl Estimate {
    const NONE: Estimate = Estimate { value: 0.0, error: f64::INFINITY };
}

/// Elo points per unit of normalised score.
const NORMALIZED: f64 = 800.0 / LN_10;
/// Quantile of the normal distribution for a two-sided 95 % interval.
const Z95: f64 = 1.959_963_984_540_054;

/// The Elo difference that corresponds to an expected score from 0 to 1.
pub fn score_to_elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected score that corresponds to an Elo difference.
pub fn elo_to_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

impl Pentanomial {
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean and variance of a pair's score, each pair scored from 0 to 1.
    fn moments(&self) -> Option<(f64, f64)> {
        let count = self.count() as f64;
        (count > 0.0).then(|| moments(&self.0.map(|pairs| pairs as f64 / count)))
    }

    pub fn elo(&self) -> Estimate {
        let Some((mean, variance)) = self.moments() else {
            return Estimate::NONE;
        };
        let half = Z95 * (variance / self.count() as f64).sqrt();
        let bound = |score: f64| score_to_elo(score.clamp(0.0, 1.0));
        Estimate {
            value: bound(mean),
            // Pairs that are all alike say nothing of how far they would spread.
            error: match variance {
                v if v > 0.0 => (bound(mean + half) - bound(mean - half)) / 2.0,
                _ => f64::INFINITY,
            },
        }
    }

    /// Normalised Elo: the difference in units of a game's standard deviation.
    pub fn normalized_elo(&self) -> Estimate {
        match self.moments() {
            Some((mean, variance)) if variance > 0.0 => Estimate {
                value: NORMALIZED * (mean - 0.5) / (2.0 * variance).sqrt(),
                error: Z95 * NORMALIZED / (2.0 * self.count() as f64).sqrt(),
            },
            _ => Estimate::NONE,
        }
    }

    /// Likelihood of superiority (LOS): the probability that the first player is stronger.
    pub fn los(&self) -> f64 {
        match self.moments() {
            Some((mean, variance)) if variance > 0.0 => {
                // The distribution function of the standard normal distribution.
                let deviations = (mean - 0.5) / (variance / self.count() as f64).sqrt();
                libm::erfc(-deviations / SQRT_2) / 2.0
            }
            Some((mean, _)) if mean != 0.5 => f64::from(u8::from(mean > 0.5)),
            _ => 0.5,
        }
    }
}

const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

fn moments(frequencies: &[f64; 5]) -> (f64, f64) {
    let expected =
        |values: [f64; 5]| -> f64 { values.iter().zip(frequencies).map(|(v, p)| v * p).sum() };
    let mean = expected(SCORES);
    (mean, expected(SCORES.map(|score| (score - mean).powi(2))))
}

/// The unit of the bounds of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum EloModel {
    // The number of games of a test does not depend on the draw rate.
    #[default]
    Normalized,
    Logistic,
}

/// A sequential test of the null hypothesis "at most `elo0`" against "at least `elo1`".
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    pub model: EloModel,
    pub elo0: f64,
    pub elo1: f64,
    /// Probability of accepting the alternative if the null hypothesis is true.
    pub alpha: f64,
    /// Probability of accepting the null hypothesis if the alternative is true.
    pub beta: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SprtVerdict {
    /// The alternative is accepted: the change passes.
    Accepted,
    /// The null hypothesis is accepted: the change fails.
    Rejected,
    Open,
}

impl Sprt {
    /// The log-likelihood ratios at which the test ends: lower, upper.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of the alternative to the null hypothesis.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        // Empty outcomes count a thousandth of a pair, so that none is impossible.
        let padded = pairs.0.map(|n| (n as f64).max(1e-3));
        let count: f64 = padded.iter().sum();
        if pairs.count() == 0 {
            return 0.0;
        }
        let observed = padded.map(|n| n / count);
        let [null, alternative] = [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => {
                let mean = elo_to_score(elo);
                constrain_zero_mean(&observed, &SCORES.map(|score| score - mean))
            }
            EloModel::Normalized => constrain_normalized(&observed, elo / NORMALIZED),
        });
        let gain = |i: usize| observed[i] * (alternative[i].ln() - null[i].ln());
        count * (0..5).map(gain).sum::<f64>()
    }

    pub fn verdict(&self, pairs: &Pentanomial) -> SprtVerdict {
        let (lower, upper) = self.bounds();
        match self.llr(pairs) {
            llr if llr >= upper => SprtVerdict::Accepted,
            llr if llr <= lower => SprtVerdict::Rejected,
            _ => SprtVerdict::Open,
        }
    }
}

/// The distribution of maximum likelihood for `observed` in which the `values` have mean 0.
fn constrain_zero_mean(observed: &[f64; 5], values: &[f64; 5]) -> [f64; 5] {
    // p_i = q_i / (1 + x v_i), with x the root of a decreasing function between the poles.
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least >= 0.0 || greatest <= 0.0 {
        return *observed;
    }
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    let mut x = 0.0;
    for _ in 0..200 {
        let (mut value, mut slope) = (0.0, 0.0);
        for (q, v) in observed.iter().zip(values) {
            let term = v / (1.0 + x * v);
            value += q * term;
            slope -= q * term * term;
        }
        if value > 0.0 {
            low = x;
        } else {
            high = x;
        }
        // Newton's method within the bounds, otherwise bisection.
        let newton = x - value / slope;
        let next = if newton > low && newton < high { newton } else { (low + high) / 2.0 };
        let moved = (next - x).abs();
        x = next;
        if moved <= 1e-14 * (1.0 + x.abs()) {
            break;
        }
    }
    std::array::from_fn(|i| observed[i] / (1.0 + x * values[i]))
}

/// The distribution of maximum likelihood for `observed` whose mean is `t` standard deviations
/// of a game above one half. The deviation is that of the result, so it is found by iteration.
fn constrain_normalized(observed: &[f64; 5], t: f64) -> [f64; 5] {
    // In a pair's own scale the deviation of a game is √2 times that of the pair's score.
    let t = t * SQRT_2;
    let mut found = [0.2; 5];
    for _ in 0..50 {
        let (mean, variance) = moments(&found);
        let deviation = variance.sqrt();
        // Linearised constraint: score − ½ − t σ (1 + ((score − mean) / σ)²) / 2 has mean 0.
        let values = SCORES.map(|score| {
            let z = (score - mean) / deviation;
            score - 0.5 - t * deviation * (1.0 + z * z) / 2.0
        });
        let next = constrain_zero_mean(observed, &values);
        let moves = found.iter().zip(&next).map(|(a, b)| (a - b).abs());
        let moved = moves.fold(0.0, f64::max);
        found = next;
        if moved < 1e-12 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, error: f64) -> bool {
        (a - b).abs() <= error
    }

    fn sprt(model: EloModel, elo0: f64, elo1: f64) -> Sprt {
        Sprt { model, elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    /// Elo, its error, normalised Elo, its error and LOS of the tests of fastchess
    /// (`elo_test.cpp`), to one percent.
    #[test]
    fn estimates_match_published_values() {
        let cases = [
            ([34, 54, 63, 64, 75], [55.58, 27.65, 57.94, 28.28, 1.0]),
            ([332, 433, 498, 333, 334], [-8.64, 10.33, -9.17, 10.96, 0.0505]),
            ([7895, 8757, 5685, 568, 9999], [-21.04, 2.95, -19.01, 2.65, 0.0]),
        ];
        for (pairs, [elo, error, normalized, normalized_error, los]) in cases {
            let pairs = Pentanomial(pairs);
            let near = |a: f64, b: f64| close(a, b, 0.01 * b.abs());
            assert!(near(pairs.elo().value, elo), "{:?}", pairs.elo());
            assert!(near(pairs.elo().error, error), "{:?}", pairs.elo());
            let estimate = pairs.normalized_elo();
            assert!(near(estimate.value, normalized), "{estimate:?}");
            assert!(near(estimate.error, normalized_error), "{estimate:?}");
            assert!(close(pairs.los(), los, 1e-4));
        }
    }

    /// Likelihood ratios of the tests of fastchess (`sprt_test.cpp`), which has its method
    /// from fishtest and gives two decimals.
    #[test]
    fn likelihood_ratios_match_published_values() {
        use EloModel::{Logistic, Normalized};
        let cases = [
            (Normalized, 0.0, 2.0, [365, 16618, 36229, 16974, 390], 2.25),
            (Normalized, -1.75, 0.25, [127, 4883, 10712, 5150, 104], 3.01),
            (Logistic, 0.5, 2.5, [223, 9863, 21279, 10037, 246], -3.07),
            (Logistic, 0.0, 2.0, [871, 26175, 55983, 26678, 821], -4.98),
        ];
        for (model, elo0, elo1, pairs, llr) in cases {
            let found = sprt(model, elo0, elo1).llr(&Pentanomial(pairs));
            assert!(close(found, llr, 0.01 * llr.abs()), "{found} for {llr}");
        }
    }

    /// When every pair is won or every pair lost, both hypotheses are coins: (p − ½)² =
    /// t² p (1 − p), where t is per pair, √2 times that of a game.
    #[test]
    fn one_sided_results_are_coins() {
        let chance = |elo: f64| {
            let t = SQRT_2 * elo / NORMALIZED;
            (1.0 + t / (1.0 + t * t).sqrt()) / 2.0
        };
        let test = sprt(EloModel::Normalized, -3.0, 20.0);
        let wins = 104.0 * (chance(20.0) / chance(-3.0)).ln();
        let found = test.llr(&Pentanomial([0, 0, 0, 0, 104]));
        assert!(close(found, wins, 1e-3), "{found} {wins}");
        let losses = 104.0 * (chance(-20.0) / chance(3.0)).ln();
        let found = test.llr(&Pentanomial([104, 0, 0, 0, 0]));
        assert!(close(found, losses, 1e-3), "{found} {losses}");
    }

    #[test]
    fn uninformative_results_have_infinite_errors() {
        for pairs in [[0; 5], [0, 0, 7, 0, 0], [0, 0, 0, 0, 3]] {
            let pairs = Pentanomial(pairs);
            assert_eq!(pairs.elo().error, f64::INFINITY);
            assert_eq!(pairs.normalized_elo().error, f64::INFINITY);
            for model in [EloModel::Logistic, EloModel::Normalized] {
                for (elo0, elo1) in [(-1000.0, 1000.0), (999.0, 1000.0), (-300.0, 300.0)] {
                    let llr = sprt(model, elo0, elo1).llr(&pairs);
                    assert!(llr.is_finite(), "{model:?} {elo0} {elo1}: {llr}");
                }
            }
        }
        assert_eq!(Pentanomial([0; 5]).los(), 0.5);
        assert_eq!(Pentanomial([0, 0, 7, 0, 0]).los(), 0.5);
        assert_eq!(Pentanomial([0, 0, 0, 0, 3]).los(), 1.0);
        let test = sprt(EloModel::Logistic, 0.0, 5.0);
        assert_eq!(test.llr(&Pentanomial([0; 5])), 0.0);
    }
}
