//! The training loop, with losses after each epoch and checkpoints in between.
//! Invariant: the same samples, settings and seed give the same network, regardless of the number
//! of threads and of interruptions.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use brisance::data::sample::SampleReader;
use brisance::data::{Sample, expected_score};
use brisance::eval::nnue::NetworkError;
use brisance_train::{grow, why};
use indicatif::{ProgressBar, ProgressStyle};

use crate::batch::{Batch, Blend};
use crate::checkpoint::{self, State};
use crate::model::Model;
use crate::stream::{Batches, Order};
use crate::{Args, Losses, print};
use brisance_train::tensor::Step;

/// Steps between two updates of the average, because each update touches all weights.
const AVERAGE_INTERVAL: u64 = 16;
/// Positions per batch when the loss is measured.
const LOSS_BATCH: usize = 16_384;

/// Trains; the weights of the returned model are the averaged ones.
pub fn train(args: &Args, reader: SampleReader, validate: &[Sample]) -> Result<State, String> {
    let order = Order { samples: reader.train, batch: args.batch, seed: args.seed };
    let mut state = start(args, &reader)?;
    let (epoch, total) = (order.batches(), order.batches() * args.epochs);
    let mut batches = Batches::new(reader, order, args.epochs, state.steps);
    let (begun, done) = (Instant::now(), state.steps);
    let bar = bar(order.samples);
    while state.steps < total {
        if state.steps % epoch == 0 {
            state.sum = 0.0;
            bar.reset();
        }
        let samples = batches.next().map_err(|error| samples_error(args, &error))?;
        if samples.is_empty() {
            return Err(samples_error(args, &"the file ends early"));
        }
        let batch = Batch::new(samples, Blend(args.result));
        state.steps += 1;
        let step = Step {
            rate: rate(args, state.steps as f32 / total as f32),
            decay: args.decay,
            number: state.steps,
        };
        state.sum += state.model.learn(&batch, step) * batch.len() as f64;
        bar.inc(batch.len() as u64);
        if state.steps % AVERAGE_INTERVAL == 0 || state.steps == total {
            state.model.update_average(ema(args.ema, state.steps));
        }
        if state.steps % epoch == 0 {
            let speed = (state.steps - done) as f64 * args.batch as f64;
            measure(args, &mut state, order, validate, speed / begun.elapsed().as_secs_f64());
        }
        if state.steps % args.checkpoint == 0 || state.steps == total {
            checkpoint::save(&checkpoint::path(&args.out), &mut state)
                .map_err(|error| format!("checkpoint: {error}"))?;
        }
    }
    bar.finish_and_clear();
    state.model.swap_average();
    Ok(state)
}

/// Measures the losses of the initial network without training it.
pub fn losses_only(
    args: &Args,
    mut reader: SampleReader,
    validate: &[Sample],
) -> Result<State, String> {
    let mut state = start(args, &reader)?;
    state.model.swap_average();
    let (mut samples, count) = (vec![], reader.train.min(validate.len().max(1) as u64));
    reader.read(0, count, &mut samples).map_err(|error| samples_error(args, &error))?;
    let train = losses(&mut state.model, &samples, args.result).targets;
    let measured = losses(&mut state.model, validate, args.result);
    print(format_args!("train {train:.6} (of {count})  {measured}"));
    let (validation, labels) = (measured.targets, measured.labels);
    state.history.push(Losses { train, validation, labels });
    Ok(state)
}

/// Records and prints the losses of the epoch that has just ended.
fn measure(args: &Args, state: &mut State, order: Order, validate: &[Sample], speed: f64) {
    state.model.swap_average();
    let measured = losses(&mut state.model, validate, args.result);
    state.model.swap_average();
    let train = state.sum / order.samples as f64;
    state.history.push(Losses { train, validation: measured.targets, labels: measured.labels });
    print(format_args!(
        "epoch {:3}  train {train:.6}  {measured}  {speed:.0} positions/s",
        state.history.len()
    ));
}

/// Mean squared errors on a set of samples.
struct Measured {
    /// Against the targets.
    targets: f64,
    /// Against the labels.
    labels: f64,
    /// Against the labels with all outputs times the best factor.
    scaled: f64,
    /// That factor. It hardly changes play, so it would only disturb a comparison of networks.
    factor: f32,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measured { targets, labels, scaled, factor } = self;
        write!(
            f,
            "validation {targets:.6}  without results {labels:.6}  scaled by {factor:.2} {scaled:.6}"
        )
    }
}

/// Measures the errors of the model. `result` is the share of the results in the targets.
fn losses(model: &mut Model, samples: &[Sample], result: f32) -> Measured {
    let (mut outputs, mut targets, mut labels) = (vec![], vec![], vec![]);
    for samples in samples.chunks(LOSS_BATCH) {
        let batch = Batch::new(samples, Blend(result));
        outputs.extend(model.outputs(&batch));
        targets.extend(batch.targets);
        labels.extend(batch.labels);
    }
    let factor = best_factor(&outputs, &labels);
    Measured {
        targets: squared_error(&outputs, &targets, 1.0),
        labels: squared_error(&outputs, &labels, 1.0),
        scaled: squared_error(&outputs, &labels, factor),
        factor,
    }
}

/// Mean squared error of the outputs times a factor, as expected scores.
fn squared_error(outputs: &[f32], expected: &[f32], factor: f32) -> f64 {
    let error = |(&output, &expected): (&f32, &f32)| {
        f64::from(expected_score(factor * output) - expected).powi(2)
    };
    outputs.iter().zip(expected).map(error).sum::<f64>() / outputs.len().max(1) as f64
}

/// The factor of the outputs with the smallest error, from 0.5 to 2 in steps of 1/64; 1 without
/// outputs.
fn best_factor(outputs: &[f32], expected: &[f32]) -> f32 {
    if outputs.is_empty() {
        return 1.0;
    }
    let factors = (32..=128).map(|step: u8| f32::from(step) / 64.0);
    let with_errors = factors.map(|factor| (factor, squared_error(outputs, expected, factor)));
    with_errors.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(1.0, |(factor, _)| factor)
}

/// The state of a new run, or of the one to resume.
fn start(args: &Args, reader: &SampleReader) -> Result<State, String> {
    let settings = settings(args, reader);
    let path = checkpoint::path(&args.out);
    if args.resume && path.exists() {
        let state = checkpoint::load(&path).map_err(|error| why(&path, &error))?;
        if state.settings != settings {
            let text = format!(
                "the checkpoint belongs to a run with other settings:\n{}\n{settings}",
                state.settings
            );
            return Err(why(&path, &text));
        }
        return Ok(state);
    }
    let model = match &args.from[..] {
        [] => Model::new(&mut fastrand::Rng::with_seed(args.seed)),
        paths => initial_model(paths, reader.labels.scale)?,
    };
    Ok(State { settings, steps: 0, sum: 0.0, history: vec![], model })
}

/// The mean of networks, grown where they are smaller, or the averaged model of a checkpoint.
fn initial_model(paths: &[PathBuf], scale: f32) -> Result<Model, String> {
    let mut nets = vec![];
    for path in paths {
        let bytes = fs::read(path).map_err(|error| why(path, &error))?;
        match grow::parse(&bytes) {
            Ok(net) if net.scale() as f32 != scale => {
                let text = format!("its scale is {}, that of the labels {scale}", net.scale());
                return Err(why(path, &text));
            }
            Ok(net) => nets.push(net),
            Err(NetworkError::NotANetwork) if paths.len() == 1 => {
                let state = checkpoint::load(path).map_err(|error| why(path, &error))?;
                let mut model = state.model;
                model.restart();
                return Ok(model);
            }
            Err(error) => return Err(why(path, &error)),
        }
    }
    Ok(Model::from_networks(&nets))
}

/// Everything that determines the network, as text that is compared with that of the checkpoint.
fn settings(args: &Args, reader: &SampleReader) -> String {
    let from = args.from.iter().map(|path| path.display().to_string());
    format!(
        "samples {} λ {} scale {}, epochs {}, batch {}, rate {} to {}, decay {}, result {}, ema {}, seed {}, from {}",
        reader.train,
        reader.labels.lambda,
        reader.labels.scale,
        args.epochs,
        args.batch,
        args.rate,
        args.last_rate,
        args.decay,
        args.result,
        args.ema,
        args.seed,
        from.collect::<Vec<_>>().join(" ")
    )
}

fn samples_error(args: &Args, error: &dyn std::fmt::Display) -> String {
    why(&args.samples, error)
}

/// Learning rate: a cosine from the first to the last rate after a short linear warm-up.
/// `done` is the finished share of the run.
fn rate(args: &Args, done: f32) -> f32 {
    let cosine = (1.0 + (std::f32::consts::PI * done).cos()) / 2.0;
    let warm_up = (done / 0.01).min(1.0);
    (args.last_rate + (args.rate - args.last_rate) * cosine) * warm_up
}

/// Decay of the average over one interval. It is smaller at first, so that the initial random
/// weights do not stay in the average.
fn ema(ema: f32, step: u64) -> f32 {
    let early = step as f32 / (step as f32 + 10.0 * AVERAGE_INTERVAL as f32);
    ema.powi(AVERAGE_INTERVAL as i32).min(early)
}

fn bar(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {per_sec} {eta}");
    let bar = ProgressBar::new(length);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_that_are_too_small_have_a_factor_above_one() {
        let outputs = [-2.0, -0.5, 0.0, 1.0, 3.0];
        let expected = outputs.map(|output| expected_score(1.25 * output));
        let factor = best_factor(&outputs, &expected);
        assert_eq!(factor, 1.25);
        assert!(squared_error(&outputs, &expected, factor) < 1e-12);
        assert!(squared_error(&outputs, &expected, 1.0) > 1e-4);
        assert_eq!(best_factor(&[], &[]), 1.0);
    }
}
