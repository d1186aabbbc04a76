//! A batch as the network sees it: the inputs of both views and the labels.
//! Invariant: view 0 is that of the side to move.

use brisance::data::Sample;
use brisance::eval::nnue::{Feature, Perspective, output_bucket};
use brisance::rules::{Color, PieceType};
use rayon::prelude::*;

/// One position of a batch.
#[derive(Clone)]
pub struct Example {
    inputs: [[u16; 48]; 2],
    counts: [u8; 2],
    /// The output that its number of men and a threat to the king choose.
    pub bucket: u8,
    /// The chance to win that the net should give, from 0 to 1.
    pub target: f32,
}

/// How a target is made of the two labels.
#[derive(Clone, Copy, Debug)]
pub struct Blend {
    /// Centipawns at which the chance is 1 / (1 + 1/e).
    pub scale: f32,
    /// Share of the game's result; the rest is the search's value.
    pub result: f32,
}

impl Blend {
    /// The target of a sample.
    pub fn target(self, sample: &Sample) -> f32 {
        let chance = sigmoid(f32::from(sample.value()) / self.scale);
        chance + self.result * (sample.game_score() - chance)
    }
}

/// The logistic curve.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Example {
    /// The numbers of the inputs of a view.
    pub fn inputs(&self, view: usize) -> &[u16] {
        &self.inputs[view][..usize::from(self.counts[view])]
    }

    fn new(sample: &Sample, blend: Blend) -> Option<Example> {
        let king = |side: Color| {
            let mut men = sample.pieces();
            men.find(|&(kind, color, _)| kind == PieceType::King.index() && color == side)
        };
        let mover = sample.side_to_move();
        let (_, _, own) = king(mover)?;
        let (_, _, other) = king(!mover)?;
        let views = [
            Perspective::new(mover, own, other),
            Perspective::new(!mover, other, own),
        ];
        let mut example = Example {
            inputs: [[0; 48]; 2],
            counts: [0; 2],
            bucket: 0,
            target: blend.target(sample),
        };
        let mut men = 0;
        for (kind, color, square) in sample.pieces() {
            let kind = *PieceType::ALL.get(kind)?;
            for (at, view) in views.into_iter().enumerate() {
                let plain: Feature = view.piece_feature(kind, color, square);
                let near = view.ring_feature(kind, color, square);
                for feature in [Some(plain), near].into_iter().flatten() {
                    let count = &mut example.counts[at];
                    example.inputs[at][usize::from(*count)] = feature.index() as u16;
                    *count += 1;
                }
            }
            men += 1;
        }
        example.bucket = output_bucket(men, sample.is_threatened()) as u8;
        Some(example)
    }
}

/// The examples of samples; those without both kings are left out.
pub fn examples(samples: &[Sample], blend: Blend) -> Vec<Example> {
    let make = |sample| Example::new(sample, blend);
    samples.par_iter().filter_map(make).collect()
}

/// The scale that makes the values predict the results best: the root of the derivative of
/// the likelihood, by bisection.
pub fn fitted_scale(samples: &[Sample]) -> f32 {
    let step = (samples.len() / 400_000).max(1);
    let slope = |scale: f32| -> f64 {
        let part = |sample: &Sample| {
            let value = f32::from(sample.value());
            f64::from((sample.game_score() - sigmoid(value / scale)) * value)
        };
        samples.par_iter().step_by(step).map(part).sum()
    };
    let (mut low, mut high) = (10.0f32, 5000.0f32);
    for _ in 0..30 {
        let middle = (low * high).sqrt();
        // Results more one-sided than predicted: the curve must be steeper.
        if slope(middle) > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    (low * high).sqrt()
}
