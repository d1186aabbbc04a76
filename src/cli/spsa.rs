//! `brisance spsa`: tunes search parameters by self-play, keeping its state in a file and
//! drawing the path of each parameter. Only in builds with the feature `tune`.
//! Invariant: the state file is replaced as a whole, so that a kill loses one batch at most.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use plotters::prelude::*;
use rayon::ThreadPoolBuilder;

use super::{Error, interrupt};
use crate::arena::openings;
use crate::arena::spsa::{Knob, State};
use crate::rules::{Position, Variant};
use crate::search::{PARAMS, STACK_SIZE};

/// Tune search parameters by games between random perturbations of them (SPSA).
///
/// The state is kept in FILE after each batch; the same command continues a run that was cut
/// off. Beside it, with the ending .svg, lies a plot of each parameter's path.
#[derive(Args, Debug)]
pub struct SpsaArgs {
    /// The state file, JSON; made if it does not exist.
    #[arg(value_name = "FILE", required_unless_present = "list")]
    file: Option<PathBuf>,
    /// A parameter to tune, as NAME, NAME:STEP or NAME=VALUE:STEP with the perturbation of the
    /// last iteration; without a step a sixteenth of the parameter's range, without a value
    /// the release's. Not needed to continue.
    #[arg(long = "param", value_name = "NAME[=VALUE][:STEP]")]
    params: Vec<String>,
    /// Pairs of games in all.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pairs: u64,
    /// Pairs between two updates.
    #[arg(long, value_name = "N", default_value_t = 8)]
    batch: u64,
    /// Nodes a move; with --tc nodes that count as a millisecond.
    #[arg(long, value_name = "N", default_value_t = 5000)]
    nodes: u64,
    /// Play on a clock of nodes, as `brisance match --tc` writes it.
    #[arg(long, value_name = "TC")]
    tc: Option<String>,
    /// Steps that a pair won by two points moves a parameter in the last iteration, halved.
    /// With 0 nothing moves: all are screened at once, each by its greater against its lesser
    /// value.
    #[arg(long, value_name = "R", default_value_t = 0.02)]
    rate: f64,
    /// Openings: EPD, FEN lines or PGN.
    #[arg(long, value_name = "FILE", required_unless_present = "list")]
    openings: Option<PathBuf>,
    /// Seed of openings and perturbations.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games at a time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    concurrency: usize,
    /// List the parameters with their values and ranges, and do nothing.
    #[arg(long)]
    list: bool,
}

/// Tunes.
///
/// # Errors
/// Arguments that make no sense, or files that cannot be read or written.
pub fn run(args: &SpsaArgs) -> Result<(), Error> {
    if args.list {
        for param in PARAMS {
            writeln!(
                io::stdout(),
                "{} {} ({} to {})",
                param.name,
                param.default,
                param.min,
                param.max
            )?;
        }
        return Ok(());
    }
    let (Some(file), Some(book)) = (&args.file, &args.openings) else {
        return Err(Error::Usage(
            "name the state file and --openings".to_owned(),
        ));
    };
    let mut state = load(file, args)?;
    let positions: Vec<Position> = openings::read(book, Variant::Atomic).map_err(Error::Usage)?;
    let pool = ThreadPoolBuilder::new()
        .num_threads(args.concurrency.max(1))
        .stack_size(STACK_SIZE)
        .build()
        .map_err(|error| Error::Failed(error.to_string()))?;
    let interrupted = interrupt::flag()?;
    let bar = ProgressBar::new(state.pairs);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} pairs, {elapsed}, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_position(state.played);
    while state.played < state.pairs {
        let done = state
            .advance(&positions, Variant::Atomic, &pool, &interrupted)
            .map_err(Error::Failed)?;
        if !done {
            break;
        }
        save(file, &state)?;
        bar.set_position(state.played);
    }
    bar.finish_and_clear();
    if !state.path.is_empty() {
        plot(&file.with_extension("svg"), &state)?;
    }
    for (index, knob) in state.knobs.iter().enumerate() {
        let (elo, error) = state.lean(index);
        writeln!(
            io::stdout(),
            "{} {:.2}, greater against lesser {elo:+.1} ± {error:.1}",
            knob.name,
            knob.value
        )?;
    }
    if state.played < state.pairs {
        return Err(Error::Failed(format!(
            "interrupted after {} of {} pairs; they are kept, and the same command goes on",
            state.played, state.pairs
        )));
    }
    Ok(())
}

fn load(file: &Path, args: &SpsaArgs) -> Result<State, Error> {
    match fs::read_to_string(file) {
        Ok(text) => {
            let state = serde_json::from_str(&text);
            state.map_err(|error| Error::Usage(format!("{}: {error}", file.display())))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => fresh(args).map_err(Error::Usage),
        Err(error) => Err(Error::Failed(format!("{}: {error}", file.display()))),
    }
}

fn fresh(args: &SpsaArgs) -> Result<State, String> {
    if args.params.is_empty() {
        return Err("name what to tune with --param; --list shows all".to_owned());
    }
    let knob = |text: &String| {
        let (start, step) = text
            .split_once(':')
            .map_or((text.as_str(), None), |(n, s)| (n, Some(s)));
        let (name, value) = start
            .split_once('=')
            .map_or((start, None), |(n, v)| (n, Some(v)));
        let param = PARAMS
            .iter()
            .find(|param| param.name == name)
            .ok_or_else(|| format!("no parameter is named {name:?}; --list shows all"))?;
        let (min, max) = (f64::from(param.min), f64::from(param.max));
        let step = match step {
            None => (max - min) / 16.0,
            Some(text) => text
                .parse()
                .ok()
                .filter(|&step: &f64| step > 0.0 && step.is_finite())
                .ok_or_else(|| format!("--param {name}:{text}: the step is no positive number"))?,
        };
        let value = match value {
            None => f64::from(param.default),
            Some(text) => text
                .parse()
                .ok()
                .filter(|value| (min..=max).contains(value))
                .ok_or_else(|| format!("{name} = {text} is not within {min} to {max}"))?,
        };
        Ok(Knob {
            name: name.to_owned(),
            value,
            min,
            max,
            step,
        })
    };
    Ok(State {
        knobs: args
            .params
            .iter()
            .map(knob)
            .collect::<Result<_, String>>()?,
        pairs: args.pairs,
        batch: args.batch.max(1),
        nodes: args.nodes,
        tc: args.tc.clone(),
        seed: args.seed,
        rate: args.rate,
        played: 0,
        path: Vec::new(),
        leans: Vec::new(),
        squares: 0.0,
    })
}

fn save(path: &Path, state: &State) -> Result<(), Error> {
    let named = |error: io::Error| Error::Failed(format!("{}: {error}", path.display()));
    let text = serde_json::to_string(state).map_err(|error| named(error.into()))?;
    let next = path.with_extension("part");
    let mut file = File::create(&next).map_err(named)?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_data())
        .map_err(named)?;
    fs::rename(&next, path).map_err(named)
}

/// Draws the path of each parameter in a frame of its own.
fn plot(path: &Path, state: &State) -> Result<(), Error> {
    let failed = |error: String| Error::Failed(format!("{}: {error}", path.display()));
    let columns = 3;
    let rows = state.knobs.len().div_ceil(columns).max(1);
    let size = (columns as u32 * 360, rows as u32 * 240);
    let root = SVGBackend::new(path, size).into_drawing_area();
    root.fill(&WHITE)
        .map_err(|error| failed(error.to_string()))?;
    for (index, (area, knob)) in root
        .split_evenly((rows, columns))
        .iter()
        .zip(&state.knobs)
        .enumerate()
    {
        let points = state
            .path
            .iter()
            .enumerate()
            .map(|(batch, values)| (((batch as u64 + 1) * state.batch) as f64, values[index]));
        let mut chart = ChartBuilder::on(area)
            .caption(
                format!("{} = {:.1}", knob.name, knob.value),
                ("sans-serif", 15),
            )
            .margin(8)
            .x_label_area_size(24)
            .y_label_area_size(44)
            .build_cartesian_2d(0.0..state.pairs as f64, knob.min..knob.max)
            .map_err(|error| failed(error.to_string()))?;
        chart
            .configure_mesh()
            .x_labels(4)
            .y_labels(5)
            .draw()
            .map_err(|error| failed(error.to_string()))?;
        chart
            .draw_series(LineSeries::new(points, &BLUE))
            .map_err(|error| failed(error.to_string()))?;
    }
    root.present().map_err(|error| failed(error.to_string()))
}
