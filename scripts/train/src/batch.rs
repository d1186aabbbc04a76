//! A batch of positions: the inputs of both perspectives and the targets.
//! Invariant: perspective 0 is that of the side to move.

use brisance::data::Sample;
use brisance::eval::nnue::{Feature, INPUTS, KING_BUCKETS, Perspective, output_bucket};
use brisance::rules::{Color, Piece, PieceType};
use rayon::prelude::*;

/// Maximum inputs of a perspective: 32 pieces, of which 8 are next to the enemy king.
const MAX_INPUTS: usize = 40;

/// One position of a batch.
#[derive(Clone)]
struct Example {
    inputs: [[u16; MAX_INPUTS]; 2],
    counts: [u8; 2],
    bucket: u8,
    label: f32,
    target: f32,
}

/// Share of the game's result in the target of a sample; the rest is the label.
#[derive(Clone, Copy, Debug)]
pub struct Blend(pub f32);

impl Blend {
    fn target(self, sample: &Sample) -> f32 {
        let label = sample.label();
        label + self.0 * (sample.game_score() - label)
    }
}

impl Example {
    fn new(sample: &Sample, blend: Blend) -> Option<Example> {
        let king = |side: Color| {
            let mut pieces = sample.pieces();
            pieces.find(|&(kind, color, _)| kind == PieceType::King.index() && color == side)
        };
        let mover = sample.side_to_move();
        let (_, _, own) = king(mover)?;
        let (_, _, other) = king(!mover)?;
        let views = [
            Perspective::new(mover, own, other),
            Perspective::new(!mover, other, own),
        ];
        let mut example = Example {
            inputs: [[0; MAX_INPUTS]; 2],
            counts: [0; 2],
            bucket: 0,
            label: sample.label(),
            target: blend.target(sample),
        };
        let mut pieces = 0;
        for (kind, color, square) in sample.pieces() {
            let piece = Piece::new(color, *PieceType::ALL.get(kind)?);
            for (at, view) in views.into_iter().enumerate() {
                let plain: Feature = view.piece_feature(piece, square);
                let near = view.ring_feature(piece, square);
                for feature in [Some(plain), near].into_iter().flatten() {
                    let count = &mut example.counts[at];
                    example.inputs[at][usize::from(*count)] = feature.index() as u16;
                    *count += 1;
                }
            }
            pieces += 1;
        }
        example.bucket = output_bucket(pieces, sample.is_threatened()) as u8;
        Some(example)
    }

    fn inputs(&self, perspective: usize) -> &[u16] {
        &self.inputs[perspective][..usize::from(self.counts[perspective])]
    }

    fn king_bucket(&self, perspective: usize) -> usize {
        usize::from(self.inputs[perspective][0]) / (INPUTS / KING_BUCKETS)
    }
}

/// Positions with their perspectives sorted by king bucket, so that the rows of weights in use fit
/// the processor's cache.
#[derive(Default)]
pub struct Batch {
    inputs: Vec<u16>,
    /// For each perspective, in sorted order, where its inputs end.
    ends: Vec<usize>,
    /// For each perspective, in sorted order: twice the position, plus 1 for the side that is
    /// not to move.
    places: Vec<u32>,
    /// Output bucket of each position.
    pub buckets: Vec<u8>,
    /// Target of each position, an expected score.
    pub targets: Vec<f32>,
    /// Label of each position.
    pub labels: Vec<f32>,
}

impl Batch {
    /// Creates a batch; samples without both kings are left out.
    pub fn new(samples: &[Sample], blend: Blend) -> Batch {
        let make = |sample| Example::new(sample, blend);
        let examples: Vec<Example> = samples.par_iter().filter_map(make).collect();
        let mut batch = Batch {
            buckets: examples.iter().map(|example| example.bucket).collect(),
            targets: examples.iter().map(|example| example.target).collect(),
            labels: examples.iter().map(|example| example.label).collect(),
            ..Batch::default()
        };
        let mut places: [Vec<u32>; KING_BUCKETS] = Default::default();
        for (at, example) in examples.iter().enumerate() {
            for perspective in 0..2 {
                places[example.king_bucket(perspective)].push((2 * at + perspective) as u32);
            }
        }
        for place in places.into_iter().flatten() {
            let example = &examples[place as usize / 2];
            batch.inputs.extend(example.inputs(place as usize % 2));
            batch.ends.push(batch.inputs.len());
            batch.places.push(place);
        }
        batch
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// The perspectives in sorted order: twice the position, plus 1 for the side that is not to
    /// move, and the inputs.
    pub fn perspectives(&self) -> impl Iterator<Item = (usize, &[u16])> {
        let mut start = 0;
        self.places
            .iter()
            .zip(&self.ends)
            .map(move |(&place, &end)| {
                let inputs = &self.inputs[start..end];
                start = end;
                (place as usize, inputs)
            })
    }
}
