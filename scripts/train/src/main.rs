//! Trains the network on samples that `brisance data export` wrote, and writes its file, a
//! provenance card, a plot of the losses and a table of exact values for the engine's tests.
//! Invariant: the same samples, settings and seed give the same network, whatever the number
//! of threads.

mod batch;
mod export;
mod model;
mod plot;

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use brisance::data::sample;
use brisance::eval::nnue::Network;
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use batch::{Blend, Example, sigmoid};
use model::{Model, Step};

/// Train Brisance's network.
#[derive(Parser, Debug)]
#[command(version)]
pub struct Args {
    /// Samples, as `brisance data export` writes them.
    samples: PathBuf,
    /// The network to write; beside it come NAME.md, NAME.svg and NAME.csv.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Go on from this network instead of from random numbers; given several times, from the
    /// mean of the networks by their weights (1 unless given).
    #[arg(long, value_name = "FILE[:WEIGHT]", value_parser = Origin::parse)]
    from: Vec<Origin>,
    /// What the network is, for people.
    #[arg(long, value_name = "TEXT", default_value = "")]
    description: String,
    /// The card says that the games were made like this.
    #[arg(long, value_name = "TEXT", default_value = "")]
    games: String,
    /// Passes over the samples; 0, with --from, only takes the mean and measures it.
    #[arg(long, value_name = "N", default_value_t = 12)]
    epochs: usize,
    /// Positions of a step.
    #[arg(long, value_name = "N", default_value_t = 16384)]
    batch: usize,
    /// Learning rate at the beginning; it falls along a quarter of a cosine.
    #[arg(long, value_name = "RATE", default_value_t = 0.001)]
    rate: f32,
    /// Learning rate at the end.
    #[arg(long, value_name = "RATE", default_value_t = 0.000_01)]
    last_rate: f32,
    /// Weight decay.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01)]
    decay: f32,
    /// Share of the game's result in what is learnt; the rest is the search's value.
    #[arg(long, value_name = "SHARE", default_value_t = 0.3)]
    result: f32,
    /// Centipawns of an output of 1, for learning and in the engine; fitted to the samples'
    /// values and results unless given.
    #[arg(long, value_name = "CP")]
    scale: Option<i32>,
    /// Seed of the first weights and of the order of batches.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; all cores unless given.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// A network to begin from, and its weight among several.
#[derive(Clone, Debug)]
pub struct Origin {
    path: PathBuf,
    weight: f32,
}

impl Origin {
    fn parse(text: &str) -> Result<Origin, String> {
        let (path, weight) = match text.rsplit_once(':') {
            Some((path, weight)) if weight.parse::<f32>().is_ok() => (path, weight),
            _ => (text, "1"),
        };
        let weight: f32 = weight.parse().unwrap_or_default();
        if path.is_empty() || !(weight > 0.0 && weight.is_finite()) {
            return Err("write FILE or FILE:WEIGHT with a weight above 0".to_owned());
        }
        Ok(Origin {
            path: path.into(),
            weight,
        })
    }

    fn load(&self) -> Result<(Network, f32), String> {
        let why = |error: &dyn std::fmt::Display| format!("{}: {error}", self.path.display());
        let bytes = std::fs::read(&self.path).map_err(|error| why(&error))?;
        let net = Network::parse(&bytes).map_err(|error| why(&error))?;
        Ok((net, self.weight))
    }

    /// What the card calls it.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        if self.weight == 1.0 {
            return name.into_owned();
        }
        format!("{name} (weight {})", self.weight)
    }
}

/// Losses of one pass.
#[derive(Clone, Copy, Debug)]
pub struct Losses {
    /// Mean squared error over the samples learnt from, while learning.
    pub train: f64,
    /// The same over the samples kept apart, after the pass.
    pub validation: f64,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a line. A reader that has gone away, as after `| head -1`, does not end the training.
pub fn tell(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stdout(), "{line}");
}

fn run(args: &Args) -> Result<(), String> {
    if args.batch == 0 || (args.epochs == 0 && args.from.is_empty()) {
        return Err("--batch, and --epochs without --from, must be at least 1".to_owned());
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads)
        .build_global()
        .map_err(|error| error.to_string())?;
    let (train, validate) = sample::read(&args.samples)
        .map_err(|error| format!("{}: {error}", args.samples.display()))?;
    let fitted = batch::fitted_scale(&train);
    let scale = args.scale.unwrap_or(fitted.round() as i32);
    tell(format_args!(
        "{} samples to learn from, {} to validate on; fitted scale {fitted:.0}, used {scale}",
        train.len(),
        validate.len()
    ));
    let blend = Blend {
        scale: scale as f32,
        result: args.result,
    };
    let held = batch::examples(&validate, blend);
    let mut rng = fastrand::Rng::with_seed(args.seed);
    let mut model = first(args, &mut rng)?;
    let start = Instant::now();
    let mut history: Vec<Losses> = Vec::new();
    let batches = train.len().div_ceil(args.batch);
    let steps = batches * args.epochs;
    let mut number = 0;
    for epoch in 1..=args.epochs {
        let mut order: Vec<usize> = (0..batches).collect();
        rng.shuffle(&mut order);
        let bar = bar(epoch, args.epochs, train.len());
        let mut sum = 0.0;
        for at in order {
            let first = at * args.batch;
            let last = train.len().min(first + args.batch);
            let examples: Vec<Example> = batch::examples(&train[first..last], blend);
            number += 1;
            let step = Step {
                rate: rate(args, number as f32 / steps as f32),
                decay: args.decay,
                number,
            };
            sum += model.learn(&examples, step) * (last - first) as f64;
            bar.inc((last - first) as u64);
        }
        bar.finish_and_clear();
        let losses = Losses {
            train: sum / train.len() as f64,
            validation: loss(&mut model, &held),
        };
        let seconds = start.elapsed().as_secs_f64();
        tell(format_args!(
            "epoch {epoch:3}  train {:.6}  validation {:.6}  {:.0} positions/s",
            losses.train,
            losses.validation,
            (epoch * train.len()) as f64 / seconds
        ));
        history.push(losses);
    }
    if history.is_empty() {
        let part = train.len().min(validate.len());
        let losses = Losses {
            train: loss(&mut model, &batch::examples(&train[..part], blend)),
            validation: loss(&mut model, &held),
        };
        tell(format_args!(
            "train {:.6} (of {part})  validation {:.6}",
            losses.train, losses.validation
        ));
        history.push(losses);
    }
    let net = export::network(&model, scale, &args.description)?;
    export::files(
        args,
        &net,
        &mut model,
        &validate,
        blend,
        &history,
        train.len(),
    )
}

/// The network to begin with.
fn first(args: &Args, rng: &mut fastrand::Rng) -> Result<Model, String> {
    if args.from.is_empty() {
        return Ok(Model::new(rng));
    }
    let nets: Result<Vec<(Network, f32)>, String> = args.from.iter().map(Origin::load).collect();
    Ok(Model::from_networks(&nets?))
}

/// A cosine from the first to the last rate, with a short rise at the beginning.
fn rate(args: &Args, done: f32) -> f32 {
    let cosine = (1.0 + (std::f32::consts::PI * done).cos()) / 2.0;
    let rise = (done / 0.01).min(1.0);
    (args.last_rate + (args.rate - args.last_rate) * cosine) * rise
}

fn loss(model: &mut Model, examples: &[Example]) -> f64 {
    let outputs = model.outputs(examples);
    let error =
        |(output, example): (f32, &Example)| f64::from((sigmoid(output) - example.target).powi(2));
    let sum: f64 = outputs.into_iter().zip(examples).map(error).sum();
    sum / examples.len().max(1) as f64
}

fn bar(epoch: usize, epochs: usize, length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {per_sec} {eta}");
    let bar = ProgressBar::new(length as u64).with_message(format!("epoch {epoch}/{epochs}"));
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
