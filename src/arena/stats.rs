//! The arithmetic of matches: Elo with its error, likelihood of superiority, and the
//! generalised sequential probability ratio test over game pairs.
//! Invariant: pure functions of counts; nothing here knows what a game is.
//!
//! Sources: M. Van den Bergh, "A Practical Introduction to the GSPRT" and "Normalized Elo".

use std::f64::consts::LN_10;

/// Game pairs by the points of the first player: 0, ½, 1, 1½, 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pairs(pub [u64; 5]);

/// Single games of the first player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Games {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

impl Games {
    /// Number of games.
    pub fn count(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points scored.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }
}

/// An estimate with its 95 % error; infinite where the results say nothing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Half the width of the 95 % interval.
    pub error: f64,
}

/// Elo points per unit of normalised score.
const NORMALIZED: f64 = 800.0 / LN_10;
/// Quantile of the normal distribution for a two-sided 95 % interval.
const Z95: f64 = 1.959_963_984_540_054;

/// Elo difference of an expected score between 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// Expected score of an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

impl Pairs {
    /// Number of pairs.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean and variance of a pair's score, each pair scored from 0 to 1.
    fn moments(&self) -> Option<(f64, f64)> {
        self.frequencies().map(|frequencies| moments(&frequencies))
    }

    fn frequencies(&self) -> Option<[f64; 5]> {
        let count = self.count() as f64;
        (count > 0.0).then(|| self.0.map(|n| n as f64 / count))
    }

    /// Logistic Elo.
    pub fn elo(&self) -> Estimate {
        let Some((mean, variance)) = self.moments() else {
            return Estimate {
                value: 0.0,
                error: f64::INFINITY,
            };
        };
        let half = Z95 * (variance / self.count() as f64).sqrt();
        let bound = |score: f64| elo_of_score(score.clamp(0.0, 1.0));
        Estimate {
            value: bound(mean),
            error: (bound(mean + half) - bound(mean - half)) / 2.0,
        }
    }

    /// Normalised Elo: the difference in units of a game's standard deviation.
    pub fn normalized_elo(&self) -> Estimate {
        match self.moments() {
            Some((mean, variance)) if variance > 0.0 => {
                let deviation = (2.0 * variance).sqrt();
                let error = Z95 * NORMALIZED / (2.0 * self.count() as f64).sqrt();
                Estimate {
                    value: NORMALIZED * (mean - 0.5) / deviation,
                    error,
                }
            }
            _ => Estimate {
                value: 0.0,
                error: f64::INFINITY,
            },
        }
    }

    /// Likelihood that the first player is the stronger one, from 0 to 1.
    pub fn superiority(&self) -> f64 {
        match self.moments() {
            Some((mean, variance)) if variance > 0.0 => {
                normal_cdf((mean - 0.5) / (variance / self.count() as f64).sqrt())
            }
            Some((mean, _)) if mean != 0.5 => f64::from(u8::from(mean > 0.5)),
            _ => 0.5,
        }
    }
}

const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

fn moments(frequencies: &[f64; 5]) -> (f64, f64) {
    let mean: f64 = SCORES.iter().zip(frequencies).map(|(s, p)| s * p).sum();
    let variance = SCORES
        .iter()
        .zip(frequencies)
        .map(|(s, p)| p * (s - mean).powi(2))
        .sum();
    (mean, variance)
}

/// Distribution function of the standard normal distribution (Abramowitz and Stegun
/// 7.1.26, absolute error below 1.5e-7).
pub fn normal_cdf(x: f64) -> f64 {
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let poly = t
        * (0.254_829_592
            + t * (-0.284_496_736
                + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let erf = 1.0 - poly * (-z * z).exp();
    if x >= 0.0 {
        (1.0 + erf) / 2.0
    } else {
        (1.0 - erf) / 2.0
    }
}

/// In which unit the bounds of a test are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Model {
    /// Logistic Elo.
    Logistic,
    /// Normalised Elo, whose cost in games does not depend on the draw rate.
    #[default]
    Normalized,
}

/// A sequential test of "not better than `elo0`" against "at least `elo1`".
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The unit of both bounds.
    pub model: Model,
    /// The difference of the null hypothesis.
    pub elo0: f64,
    /// The difference of the alternative.
    pub elo1: f64,
    /// Chance to accept the alternative when the null hypothesis holds.
    pub alpha: f64,
    /// Chance to accept the null hypothesis when the alternative holds.
    pub beta: f64,
}

/// What a test has decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The alternative: the change passes.
    Accepted,
    /// The null hypothesis: it fails.
    Rejected,
    /// Not yet decided.
    Open,
}

impl Sprt {
    /// The log-likelihood ratios at which the test ends: lower, upper.
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    /// The log-likelihood ratio of the alternative to the null hypothesis.
    pub fn llr(&self, pairs: &Pairs) -> f64 {
        // Every outcome is given a thousandth of a pair, so that none is impossible.
        let padded = pairs.0.map(|n| (n as f64).max(1e-3));
        let count: f64 = padded.iter().sum();
        if pairs.count() == 0 {
            return 0.0;
        }
        let observed = padded.map(|n| n / count);
        let (null, alternative) = match self.model {
            Model::Logistic => (
                with_mean(&observed, score_of_elo(self.elo0)),
                with_mean(&observed, score_of_elo(self.elo1)),
            ),
            Model::Normalized => (
                with_normalized(&observed, self.elo0 / NORMALIZED),
                with_normalized(&observed, self.elo1 / NORMALIZED),
            ),
        };
        let gain = |i: usize| observed[i] * (alternative[i].ln() - null[i].ln());
        count * (0..5).map(gain).sum::<f64>()
    }

    /// What the test says of the results so far.
    pub fn verdict(&self, pairs: &Pairs) -> Verdict {
        let (lower, upper) = self.bounds();
        match self.llr(pairs) {
            llr if llr >= upper => Verdict::Accepted,
            llr if llr <= lower => Verdict::Rejected,
            _ => Verdict::Open,
        }
    }
}

/// The distribution nearest in likelihood to `observed` in which the `values` have mean 0.
fn with_zero_mean(observed: &[f64; 5], values: &[f64; 5]) -> [f64; 5] {
    // p_i = q_i / (1 + x v_i), with x the root of a decreasing function between the poles.
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least >= 0.0 || greatest <= 0.0 {
        return *observed;
    }
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    let slope = |x: f64| -> f64 {
        observed
            .iter()
            .zip(values)
            .map(|(q, v)| q * v / (1.0 + x * v))
            .sum()
    };
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = (low + high) / 2.0;
    std::array::from_fn(|i| observed[i] / (1.0 + x * values[i]))
}

fn with_mean(observed: &[f64; 5], mean: f64) -> [f64; 5] {
    with_zero_mean(observed, &SCORES.map(|score| score - mean))
}

/// The distribution nearest to `observed` whose mean lies `t` game deviations above one
/// half. The deviation is that of the distribution sought, so it is found by iteration.
fn with_normalized(observed: &[f64; 5], t: f64) -> [f64; 5] {
    // In a pair's own scale the deviation of a game is √2 times that of the pair's score.
    let t = t * std::f64::consts::SQRT_2;
    let mut found = [0.2; 5];
    for _ in 0..50 {
        let (mean, variance) = moments(&found);
        let deviation = variance.sqrt();
        // Linearised constraint: score − ½ − t σ (1 + ((score − mean) / σ)²) / 2 has mean 0.
        let values = SCORES.map(|score| {
            let z = (score - mean) / deviation;
            score - 0.5 - t * deviation * (1.0 + z * z) / 2.0
        });
        let next = with_zero_mean(observed, &values);
        let moved = found
            .iter()
            .zip(&next)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
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

    #[test]
    fn elo_and_score_are_inverse() {
        for elo in [-400.0, -35.0, 0.0, 7.5, 190.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
        assert!((elo_of_score(0.75) - 190.848_501).abs() < 1e-5);
    }

    #[test]
    fn normal_distribution() {
        for (x, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746),
            (-1.959_963_985, 0.025),
            (3.0, 0.998_650_102),
        ] {
            assert!((normal_cdf(x) - p).abs() < 2e-7, "{x}");
        }
    }

    #[test]
    fn a_known_mean_is_met() {
        let observed = [0.1, 0.2, 0.4, 0.2, 0.1];
        for mean in [0.4, 0.5, 0.62] {
            let found = with_mean(&observed, mean);
            assert!((moments(&found).0 - mean).abs() < 1e-9);
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        for t in [-0.2, 0.0, 0.1] {
            let (mean, variance) = moments(&with_normalized(&observed, t));
            assert!(
                ((mean - 0.5) / (2.0 * variance).sqrt() - t).abs() < 1e-8,
                "{t}"
            );
        }
    }
}
