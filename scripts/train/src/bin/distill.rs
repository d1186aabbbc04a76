//! Knowledge distillation: mixes the outputs of trained networks, the teachers, into the labels of a
//! file of samples. A network that is trained on these labels learns what the teachers know, also
//! from games that are no longer there, and the labels have less noise.
//! Invariant: positions, results and the validation part stay as they are.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;

use brisance::data::sample::{SampleReader, SampleWriter};
use brisance::data::{Sample, expected_score};
use brisance::eval::nnue::{AccumulatorStack, Network};
use brisance_train::{check_outputs, exit_code, why};
use clap::Parser;
use indicatif::ProgressBar;
use rayon::prelude::*;

/// Mix the outputs of networks into the labels of samples.
///
/// The new label is (1 - SHARE) times the old one plus SHARE times the mean expected score of the
/// teachers. The validation part is copied without change.
#[derive(Parser, Debug)]
#[command(version)]
struct Args {
    /// Samples written by `brisance data export`.
    samples: PathBuf,
    /// File of samples to write.
    out: PathBuf,
    /// A network whose outputs are mixed in. Several times: the mean of their expected scores.
    #[arg(long = "teacher", value_name = "FILE", required = true)]
    teachers: Vec<PathBuf>,
    /// Share of the teachers in the new label, from 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.9)]
    share: f32,
    /// Samples to append with the labels that they have, for example after mixing with another
    /// share. Several times.
    #[arg(long = "append", value_name = "FILE")]
    appended: Vec<PathBuf>,
    /// Replace an existing file.
    #[arg(long)]
    force: bool,
}

/// Samples that are read and written at once.
const WINDOW: u64 = 1 << 20;
/// Samples that a thread labels with one set of accumulators.
const CHUNK: usize = 1 << 12;

fn main() -> ExitCode {
    exit_code(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), String> {
    if !(0.0..=1.0).contains(&args.share) {
        return Err(format!("--share {} is not from 0 to 1", args.share));
    }
    let inputs = args.appended.iter().chain(&args.teachers);
    let inputs: Vec<&Path> = inputs.chain([&args.samples]).map(PathBuf::as_path).collect();
    check_outputs(slice::from_ref(&args.out), &inputs, args.force)?;
    let mut reader =
        SampleReader::open(&args.samples).map_err(|error| why(&args.samples, &error))?;
    let scale = reader.labels.scale;
    let teachers: Result<Vec<Network>, String> =
        args.teachers.iter().map(|path| teacher(path, scale)).collect();
    let teachers = teachers?;
    let mut appended = vec![];
    for path in &args.appended {
        appended.push((path, open_appended(path, &reader)?));
    }
    let mut writer =
        SampleWriter::create(&args.out, reader.labels).map_err(|error| why(&args.out, &error))?;
    let mut written = reader.train;
    let change = mix(args, &teachers, &mut reader, &mut writer)?;
    let validate = reader.validation();
    let mut validate = validate.map_err(|error| why(&args.samples, &error))?;
    for (path, mut reader) in appended {
        copy(path, &mut reader, &args.out, &mut writer)?;
        validate.extend(reader.validation().map_err(|error| why(path, &error))?);
        written += reader.train;
    }
    writer.finish(&validate).map_err(|error| why(&args.out, &error))?;
    let line = format!(
        "{}: {written} training samples, mean squared change of the mixed labels {change:.6}",
        args.out.display(),
    );
    // The file is complete, also when stdout is closed.
    let _ = writeln!(io::stdout(), "{line}");
    Ok(())
}

/// Writes the training samples with their new labels and returns the mean squared change of a label.
fn mix(
    args: &Args,
    teachers: &[Network],
    reader: &mut SampleReader,
    writer: &mut SampleWriter,
) -> Result<f64, String> {
    let (total, scale) = (reader.train, reader.labels.scale);
    let mut change = 0.0;
    let progress = ProgressBar::new(total);
    for first in (0..total).step_by(WINDOW as usize) {
        let mut samples = vec![];
        reader
            .read(first, WINDOW.min(total - first), &mut samples)
            .map_err(|error| why(&args.samples, &error))?;
        let labelled: Result<Vec<Vec<Sample>>, String> = samples
            .par_chunks(CHUNK)
            .map(|chunk| label(chunk, teachers, scale, args.share))
            .collect();
        let labelled = labelled.map_err(|error| why(&args.samples, &error))?;
        let labelled = labelled.concat();
        for (old, new) in samples.iter().zip(&labelled) {
            change += f64::from(new.label() - old.label()).powi(2);
        }
        writer.train(&labelled).map_err(|error| why(&args.out, &error))?;
        progress.inc(samples.len() as u64);
    }
    progress.finish_and_clear();
    Ok(change / total.max(1) as f64)
}

/// Copies the training samples of `path` to `out`.
fn copy(
    path: &Path,
    reader: &mut SampleReader,
    out: &Path,
    writer: &mut SampleWriter,
) -> Result<(), String> {
    for first in (0..reader.train).step_by(WINDOW as usize) {
        let (count, mut samples) = (WINDOW.min(reader.train - first), vec![]);
        let read = reader.read(first, count, &mut samples);
        read.map_err(|error| why(path, &error))?;
        writer.train(&samples).map_err(|error| why(out, &error))?;
    }
    Ok(())
}

/// Opens samples whose labels must be like those of the others.
fn open_appended(path: &Path, others: &SampleReader) -> Result<SampleReader, String> {
    let reader = SampleReader::open(path).map_err(|error| why(path, &error))?;
    if reader.labels != others.labels {
        let text = format!(
            "its labels have λ {} and scale {}, those of the other samples λ {} and scale {}",
            reader.labels.lambda, reader.labels.scale, others.labels.lambda, others.labels.scale
        );
        return Err(why(path, &text));
    }
    Ok(reader)
}

fn teacher(path: &Path, scale: f32) -> Result<Network, String> {
    let bytes = fs::read(path).map_err(|error| why(path, &error))?;
    let net = Network::parse(&bytes).map_err(|error| why(path, &error))?;
    if net.scale() as f32 != scale {
        let text = format!("its scale is {}, that of the labels {scale}", net.scale());
        return Err(why(path, &text));
    }
    Ok(net)
}

/// The samples with their new labels.
fn label(
    samples: &[Sample],
    teachers: &[Network],
    scale: f32,
    share: f32,
) -> Result<Vec<Sample>, String> {
    let mut accumulators: Vec<_> = teachers.iter().map(|_| AccumulatorStack::default()).collect();
    let relabel = |sample: &Sample| {
        let pos = sample.position().ok_or("a sample is not a position")?;
        let outputs = teachers.iter().zip(&mut accumulators);
        let scores = outputs.map(|(net, accumulators)| {
            accumulators.reset(&pos);
            expected_score(accumulators.evaluate(net, &pos) as f32 / scale)
        });
        let mean = scores.sum::<f32>() / teachers.len() as f32;
        Ok(sample.with_label(sample.label() + share * (mean - sample.label())))
    };
    samples.iter().map(relabel).collect()
}
