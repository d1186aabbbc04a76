//! A batch of positions: the inputs of both perspectives and the targets.
//! Invariant: perspective 0 is that of the side to move.

use brisance::data::Sample;
use brisance::eval::nnue::{
    BUCKET_INPUTS, CaptureList, Feature, KING_BUCKETS, Perspective, PieceSets, output_bucket,
};
use brisance::rules::{Piece, PieceType, Square};
use rayon::prelude::*;

/// One position of a batch.
#[derive(Clone)]
struct Example {
    inputs: [Vec<u16>; 2],
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
        let pieces: Vec<(Piece, Square)> = sample
            .pieces()
            .map(|(kind, color, square)| {
                Some((Piece::new(color, *PieceType::ALL.get(kind)?), square))
            })
            .collect::<Option<_>>()?;
        let sets: PieceSets = pieces.iter().copied().collect();
        let mover = sample.side_to_move();
        let views = [sets.perspective(mover)?, sets.perspective(!mover)?];
        let mut captures = [CaptureList::new(), CaptureList::new()];
        sets.add_capture_features(views, &mut captures);
        let inputs = |at: usize| {
            let view: Perspective = views[at];
            let of_piece = |&(piece, square): &(Piece, Square)| {
                [Some(view.piece_feature(piece, square)), view.ring_feature(piece, square)]
            };
            let of_pieces = pieces.iter().flat_map(of_piece).flatten();
            let features = of_pieces.chain(captures[at].iter().copied());
            features.map(|feature: Feature| feature.index() as u16).collect()
        };
        Some(Example {
            inputs: [inputs(0), inputs(1)],
            bucket: output_bucket(pieces.len() as u32, sample.is_threatened()) as u8,
            label: sample.label(),
            target: blend.target(sample),
        })
    }

    fn inputs(&self, perspective: usize) -> &[u16] {
        &self.inputs[perspective]
    }

    fn king_bucket(&self, perspective: usize) -> usize {
        usize::from(self.inputs[perspective][0]) / BUCKET_INPUTS
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
        self.places.iter().zip(&self.ends).map(move |(&place, &end)| {
            let inputs = &self.inputs[start..end];
            start = end;
            (place as usize, inputs)
        })
    }
}
