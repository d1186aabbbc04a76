//! Tests of the network in floating point: its slopes, its average, saved models and the export.
//! Invariant: the samples are random games with a fixed seed.

use super::*;
use crate::batch::Blend;
use brisance::data::{Sample, expected_score};
use brisance::rules::{Color, Position, Variant};

const STEP: Step = Step { rate: 0.001, decay: 0.01, number: 1 };

fn batch(count: usize, seed: u64) -> Batch {
    Batch::new(&samples(count, seed), Blend(0.0))
}

/// Positions of random games with labels that follow the material.
fn samples(count: usize, seed: u64) -> Vec<Sample> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut samples = Vec::new();
    while samples.len() < count {
        let mut pos = Position::startpos(Variant::Atomic);
        for ply in 0..40 {
            let Some(mv) = rng.choice(pos.legal_moves()) else {
                break;
            };
            pos.make(mv);
            if Color::ALL.iter().any(|&color| pos.king(color).is_none()) {
                break;
            }
            let pieces = |color| pos.by_color(color).count() as i16;
            let value = 1.5 * f32::from(pieces(pos.side_to_move()) - pieces(!pos.side_to_move()));
            samples.push(Sample::new(&pos, expected_score(value), None, ply));
        }
    }
    samples.truncate(count);
    samples
}

fn loss(model: &mut Model, batch: &Batch) -> f64 {
    let outputs = model.outputs(batch);
    let error = |(output, target): (f32, &f32)| f64::from(expected_score(output) - target).powi(2);
    let sum: f64 = outputs.into_iter().zip(&batch.targets).map(error).sum();
    sum / batch.len() as f64
}

#[test]
fn slopes_are_those_of_the_loss() {
    let batch = batch(64, 3);
    let mut model = Model::new(&mut fastrand::Rng::with_seed(1));
    let sums = model.second_layer(&batch);
    let (slopes, _) = model.dense.learn(&batch, sums);
    model.slices[0].backward(&batch, &slopes);
    let has_capture =
        |&(_, inputs): &(usize, &[u16])| usize::from(*inputs.last().unwrap()) >= KING_INPUTS;
    let (place, inputs) = batch.perspectives().find(has_capture).unwrap();
    let [input, capture] = [inputs[2], *inputs.last().unwrap()].map(usize::from);
    let row = usize::from(batch.buckets[place / 2]) * 2 * L2 + 3;
    let mut compared = 0;
    let (mut apart, mut all) = ([0.0; 4], [0.0; 4]);
    for lane in 0..LANES {
        let numeric = |model: &mut Model, nudge: &dyn Fn(&mut Slice, f32)| {
            const SMALL: f32 = 2e-3;
            nudge(&mut model.slices[0], SMALL);
            let up = loss(model, &batch);
            nudge(&mut model.slices[0], -2.0 * SMALL);
            let down = loss(model, &batch);
            nudge(&mut model.slices[0], SMALL);
            (up - down) / f64::from(2.0 * SMALL)
        };
        let slice = &model.slices[0];
        let analytic = [
            slice.own.gradient[input][lane],
            slice.own.gradient[capture][lane],
            slice.l2_weights.gradient[row][lane],
            slice.bias.gradient[0][lane],
        ];
        let measured = [
            numeric(&mut model, &|slice, by| slice.inputs[input][lane] += by),
            numeric(&mut model, &|slice, by| slice.inputs[capture][lane] += by),
            numeric(&mut model, &|slice, by| {
                slice.l2_weights.value[row][lane] += by;
                slice.transpose();
            }),
            numeric(&mut model, &|slice, by| slice.bias.value[0][lane] += by),
        ];
        for (kind, (analytic, measured)) in analytic.into_iter().zip(measured).enumerate() {
            let analytic = f64::from(analytic);
            apart[kind] += (analytic - measured).abs();
            all[kind] += measured.abs();
            compared += usize::from(analytic.abs() > 1e-5);
        }
    }
    // Only in sum: the derivative is not continuous where a neuron becomes active.
    for (apart, all) in apart.into_iter().zip(all) {
        assert!(apart < 0.05 * all, "{apart} of {all}");
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn training_does_not_depend_on_the_number_of_threads() {
    let (seen, held) = (samples(20_000, 5), batch(1000, 6));
    let seen: Vec<Batch> =
        seen.chunks(1000).map(|samples| Batch::new(samples, Blend(0.0))).collect();
    let learnt = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| {
            let mut model = Model::new(&mut fastrand::Rng::with_seed(1));
            let before = loss(&mut model, &held);
            for (number, batch) in (1..).zip(seen.iter().cycle().take(240)) {
                let step = Step { rate: 0.005, number, ..STEP };
                model.learn(batch, step);
            }
            (before, loss(&mut model, &held))
        })
    };
    let (before, after) = learnt(1);
    assert!(after < before / 2.0, "{before} {after}");
    assert_eq!(learnt(3), (before, after));
}

fn export(model: &Model) -> Network {
    let rows = (0..INPUTS).map(|input| model.input(input)).collect();
    let stacks = (0..OUTPUT_BUCKETS).map(|bucket| model.stack(bucket)).collect();
    Network::new("", 400, rows, model.bias(), stacks).unwrap()
}

#[test]
fn a_model_has_the_mean_of_the_weights_of_networks() {
    let net = Network::clone(&Network::embedded().unwrap());
    let mut model = Model::from_networks(std::slice::from_ref(&net));
    let same = |model: &Model| {
        (0..INPUTS).all(|input| model.input(input) == net.input(input))
            && model.bias() == *net.bias()
            && (0..OUTPUT_BUCKETS).all(|bucket| model.stack(bucket) == *net.stack(bucket))
    };
    assert!(same(&model));
    model.swap_average();
    assert!(same(&model));
    let sum = |rows: &[Lane]| -> f32 {
        let numbers = rows.as_flattened().iter();
        numbers.map(|number| number * number).sum()
    };
    let slice = &model.slices[0];
    let apart = sum(&slice.shared.value) + sum(&slice.own.value);
    assert!(apart < 0.9 * sum(&slice.inputs), "nothing is shared");
    model.learn(&batch(1000, 12), STEP);
    assert!(!same(&model));

    let first = export(&Model::new(&mut fastrand::Rng::with_seed(1)));
    let mean = Model::from_networks(&[first.clone(), net.clone(), net.clone()]);
    for input in 0..INPUTS {
        let sums = first.input(input).0.into_iter().zip(net.input(input).0);
        for (mean, (one, other)) in mean.input(input).0.into_iter().zip(sums) {
            assert!((3 * mean - (one + 2 * other)).abs() <= 1);
        }
    }
}

/// Rounding all halves away from zero would make the mean of two networks stronger than both.
#[test]
fn halves_are_rounded_without_bias() {
    let net = Network::clone(&Network::embedded().unwrap());
    let other = export(&Model::new(&mut fastrand::Rng::with_seed(1)));
    let mean = Model::from_networks(&[other.clone(), net.clone()]);
    let (mut halves, mut away) = (0, 0);
    for input in 0..INPUTS {
        let sums = other.input(input).0.into_iter().zip(net.input(input).0);
        for (mean, (one, other)) in mean.input(input).0.into_iter().zip(sums) {
            let sum = one + other;
            halves += i32::from(sum % 2 != 0);
            away += i32::from(2 * mean.abs() > sum.abs());
        }
    }
    let share = f64::from(away) / f64::from(halves);
    assert!((0.4..0.6).contains(&share), "{away} of {halves}");
}

#[test]
fn a_saved_model_trains_like_the_original() {
    let (first, second) = (batch(500, 9), batch(500, 10));
    let mut model = Model::new(&mut fastrand::Rng::with_seed(1));
    model.learn(&first, STEP);
    model.update_average(0.5);
    let mut saved = vec![];
    model.save(&mut saved).unwrap();
    let mut loaded = Model::load(&mut saved.as_slice()).unwrap();
    for model in [&mut model, &mut loaded] {
        model.learn(&second, Step { number: 2, ..STEP });
        model.update_average(0.5);
    }
    let [mut one, mut other] = [vec![], vec![]];
    model.save(&mut one).unwrap();
    loaded.save(&mut other).unwrap();
    assert!(one == other && one != saved);
    // The average differs from the weights, and a restart uses it.
    let raw = loss(&mut model, &first);
    model.swap_average();
    let averaged = loss(&mut model, &first);
    assert!(raw != averaged);
    loaded.restart();
    assert_eq!(loss(&mut loaded, &first), averaged);
    let [shared, own] = [&loaded.slices[0].shared, &loaded.slices[0].own];
    assert!(shared.value != vec![ZERO; SHARED] && own.value != vec![ZERO; INPUTS]);
}
