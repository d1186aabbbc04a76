//! Trains a network on samples written by `brisance data export`, and writes its file, a provenance
//! card, a plot of the losses and a table of exact values for the engine's tests.
//! Invariant: the same samples, settings and seed give the same network, regardless of the number
//! of threads.

mod batch;
mod checkpoint;
mod dense;
mod export;
mod model;
mod plot;
mod run;
mod stream;

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use brisance::data::sample::SampleReader;
use brisance::data::{Labels, Sample};
use brisance_train::{check_outputs, exit_code};
use clap::Parser;

/// Train Brisance's network.
#[derive(Parser, Debug)]
#[command(version)]
pub struct Args {
    /// Samples written by `brisance data export`.
    samples: PathBuf,
    /// Network to write, together with NAME.md, NAME.svg, NAME.csv and NAME.checkpoint.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Start from a network instead of random weights; one of fewer hidden neurons or other king
    /// buckets is grown. Several times: from the mean of the networks. Once, it may also be a
    /// checkpoint, of which the averaged weights are used.
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// Continue from NAME.checkpoint if it exists. The result equals that of an uninterrupted run.
    #[arg(long)]
    resume: bool,
    /// Replace existing files.
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Steps between checkpoints.
    #[arg(long, value_name = "STEPS", default_value_t = 1024)]
    checkpoint: u64,
    /// Validation set made by `scripts/train/validation`, used instead of the validation part of
    /// the samples.
    #[arg(long, value_name = "FILE")]
    validation: Option<PathBuf>,
    /// Description stored in the network.
    #[arg(long, value_name = "TEXT", default_value = "")]
    description: String,
    /// Description of the games for the card.
    #[arg(long, value_name = "TEXT", default_value = "")]
    games: String,
    /// Passes over the samples. 0 with --from only measures the losses.
    #[arg(long, value_name = "N", default_value_t = 8)]
    epochs: u64,
    /// Positions per step.
    #[arg(long, value_name = "N", default_value_t = 16384)]
    batch: usize,
    /// Initial learning rate; it decreases along half a cosine.
    #[arg(long, value_name = "RATE", default_value_t = 0.001)]
    rate: f32,
    /// Final learning rate.
    #[arg(long, value_name = "RATE", default_value_t = 0.000_01)]
    last_rate: f32,
    /// Weight decay.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    decay: f32,
    /// Share of the game's result in the target; the rest is the label.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    result: f32,
    /// Decay per step of the exponential moving average of the weights, which becomes the network.
    /// 0 takes the last weights.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    ema: f32,
    /// Seed of the initial weights and of the order of the samples.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of threads; 0 uses all cores.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// Losses of one epoch.
#[derive(Clone, Copy, Debug)]
pub struct Losses {
    /// Mean squared error over the training samples during the epoch.
    pub train: f64,
    /// Mean squared error of the averaged weights over the validation samples after the epoch.
    pub validation: f64,
    /// The validation loss against the labels alone, without the results of the games.
    pub labels: f64,
}

impl Args {
    /// Fails if a file would be lost.
    fn check_outputs(&self) -> Result<(), String> {
        let checkpoint = checkpoint::path(&self.out);
        let force = self.force || self.resume && checkpoint.exists();
        let others = ["md", "svg", "csv"].map(|name| self.out.with_extension(name));
        let outputs = [&[self.out.clone(), checkpoint], &others[..]].concat();
        let inputs = self.from.iter().chain(&self.validation);
        let inputs: Vec<&Path> = inputs.chain([&self.samples]).map(PathBuf::as_path).collect();
        check_outputs(&outputs, &inputs, force)
    }
}

fn main() -> ExitCode {
    exit_code(run(&Args::parse()))
}

/// Prints a line and ignores errors, so that a closed pipe does not end the training.
pub fn print(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stdout(), "{line}");
}

fn run(args: &Args) -> Result<(), String> {
    if args.batch == 0 || args.checkpoint == 0 || (args.epochs == 0 && args.from.is_empty()) {
        let text = "--batch, --checkpoint, and --epochs without --from, must be at least 1";
        return Err(text.to_owned());
    }
    if !(0.0..1.0).contains(&args.ema) {
        return Err(format!("--ema {} must be at least 0 and less than 1", args.ema));
    }
    args.check_outputs()?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads)
        .build_global()
        .map_err(|error| error.to_string())?;
    let why = |error: io::Error| format!("{}: {error}", args.samples.display());
    let mut reader = SampleReader::open(&args.samples).map_err(why)?;
    let (labels, samples) = (reader.labels, reader.train);
    let scale = labels.scale.round() as i32;
    print(format_args!(
        "{samples} training samples; labels with λ {} and scale {scale}",
        labels.lambda
    ));
    if samples == 0 {
        return Err(format!("{}: no training samples", args.samples.display()));
    }
    let validate = match &args.validation {
        None => reader.validation().map_err(why)?,
        Some(path) => validation(path, labels)?,
    };
    let mut state = if args.epochs == 0 {
        run::losses_only(args, reader, &validate)?
    } else {
        run::train(args, reader, &validate)?
    };
    let net = export::network(&state.model, scale, &args.description)?;
    export::files(args, &net, &mut state, &validate, samples)
}

/// Reads a validation set, whose labels must have the same scale.
fn validation(path: &Path, labels: Labels) -> Result<Vec<Sample>, String> {
    let why = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
    let mut reader = SampleReader::open(path).map_err(|error| why(&error))?;
    if reader.labels.scale != labels.scale {
        let text = format!("its labels have scale {}", reader.labels.scale);
        return Err(why(&text));
    }
    reader.validation().map_err(|error| why(&error))
}
