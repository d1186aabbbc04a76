//! `brisance spsa`: tunes search parameters by self-play (SPSA), with its state in a file and a
//! plot of each parameter. Only in builds with the feature `tune`.
//! Invariant: the state file is replaced atomically, so a kill loses at most one batch.

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use plotters::prelude::*;
use serde::de::DeserializeOwned;

use super::{
    CliError, OutputPath, ProgressReporter, WholeFile, args, failed, interrupt, output, print_json,
    usage,
};
use crate::arena::shard::Shard;
use crate::arena::spec::TimeControl;
use crate::arena::turn::PlayerContext;
use crate::engine::batch::WorkPool;
use crate::rules::Variant;
use crate::search::PARAMS;
use crate::selfplay::openings;
use crate::selfplay::spsa::{PairResult, SpsaState, TunedParam};
use crate::util;

const MAX_STATE: u64 = 256 << 20;

/// Tune search parameters by self-play with simultaneous perturbation (SPSA).
///
/// The state is saved in FILE after each batch; the same command continues an interrupted run. A
/// plot of each parameter is written next to it, with the extension .svg.
#[derive(Args, Debug)]
pub struct SpsaArgs {
    /// State file (JSON); created if missing.
    #[arg(required_unless_present = "list")]
    file: Option<OutputPath>,
    /// Parameter to tune: NAME, NAME:STEP or NAME=VALUE:STEP. STEP is the perturbation of the last
    /// iteration, by default 1/16 of the range; VALUE is the start value, by default that of the
    /// release. Not needed to continue a run.
    #[arg(long = "param", value_name = "NAME[=VALUE][:STEP]")]
    params: Vec<String>,
    /// Total pairs of games.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = args::number::<u64>(0..))]
    pairs: u64,
    /// Pairs of games per update.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = args::number::<u64>(1..))]
    batch: u64,
    /// Nodes per move; with --tc, nodes per millisecond.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = args::number::<u64>(1..))]
    nodes: u64,
    /// Time control on a node clock, in the format of `brisance match --tc`.
    #[arg(long, value_name = "TC",
          value_parser = |text: &str| TimeControl::parse_clock(text).map(|_| text.to_owned()))]
    tc: Option<String>,
    /// Update rate: half the steps by which a pair won 2-0 moves a parameter in the last
    /// iteration. With 0 no parameter moves; the run compares the upper and lower value of each.
    #[arg(long, value_name = "R", default_value_t = 0.02, value_parser = parse_rate)]
    rate: f64,
    /// Opening file: EPD, FEN lines or PGN.
    #[arg(long, value_name = "FILE", required_unless_present = "list")]
    openings: Option<PathBuf>,
    /// Variant of the games, whatever the Variant tags of openings in PGN: atomic (default) or
    /// nocheckatomic.
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = args::variant())]
    variant: Option<Variant>,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = args::number::<u64>(0..))]
    seed: u64,
    /// Games played in parallel.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = args::threads::<usize>())]
    concurrency: usize,
    /// Play only part K of N of the next batch, print the results as JSON and leave the state as it
    /// is.
    #[arg(long, value_name = "K/N")]
    play_part: Option<Shard>,
    /// Update the state with the results of all parts of the next batch, then exit.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "play_part")]
    results: Vec<PathBuf>,
    /// Create the state file and exit.
    #[arg(long, conflicts_with_all = ["play_part", "results"])]
    prepare: bool,
    /// List the parameters with their values and ranges, then exit.
    #[arg(long)]
    list: bool,
}

fn parse_rate(text: &str) -> Result<f64, &'static str> {
    let rate = text.parse::<f64>().ok();
    rate.filter(|rate| (0.0..=1000.0).contains(rate)).ok_or("expected a number from 0 to 1000")
}

pub fn run(args: &SpsaArgs) -> Result<(), CliError> {
    if args.list {
        for param in PARAMS {
            let (name, default, min, max) = (param.name, param.default, param.min, param.max);
            writeln!(io::stdout(), "{name} {default} ({min} to {max})")?;
        }
        return Ok(());
    }
    let (Some(file), Some(book)) = (&args.file, &args.openings) else {
        return usage("FILE and --openings are required");
    };
    output::refuse_standard(file, "FILE")?;
    let picture = file.with_extension("svg");
    if picture == **file {
        return usage("FILE must not end in .svg, which is the name of the plot");
    }
    let mut out = WholeFile::open(file, true)?;
    let mut state = load(file, args)?;
    let mut save = |state: &SpsaState| {
        let text = serde_json::to_string(state)?;
        Ok::<_, CliError>(out.write(text)?)
    };
    if args.prepare {
        return save(&state);
    }
    if !args.results.is_empty() {
        state.update(read_results(&args.results)?)?;
        return save(&state);
    }
    let positions = openings::read(book, args.variant.into(), None, &mut output::print_warning)?;
    let pool = WorkPool::new(args.concurrency)?;
    let context = PlayerContext {
        variant: args.variant.unwrap_or_default(),
        stop: interrupt::stop_handle()?,
        ..PlayerContext::default()
    };
    if let Some(part) = args.play_part {
        let pairs = part.of(state.batch_pairs());
        let Some(results) = state.play(pairs, &positions, &pool, &context)? else {
            return failed("interrupted");
        };
        return Ok(print_json(&results)?);
    }
    // The plot of this tuning may be replaced.
    let mut plot_file = WholeFile::open(&picture, state.played > 0)?;
    save(&state)?;
    let progress = ProgressReporter::resumed(state.played, state.pairs, "pairs");
    while state.played < state.pairs {
        let before = state.played;
        if !state.advance(&positions, &pool, &context)? {
            break;
        }
        save(&state)?;
        progress.advance(state.played - before);
    }
    progress.finish();
    if !state.path.is_empty() {
        plot_file.write(plot(&state).or_else(failed)?)?;
    }
    for (index, tuned) in state.params.iter().enumerate() {
        let ((elo, error), name) = (state.elo_difference(index), &tuned.name);
        let against = format!("upper against lower value {elo:+.1} ± {error:.1} Elo");
        writeln!(io::stdout(), "{name} {:.2}, {against}", tuned.value)?;
    }
    if state.played < state.pairs {
        let all = util::count(state.pairs, "pair");
        return Err(CliError::interrupted(format!("{} of {all}", state.played)));
    }
    Ok(())
}

fn load(file: &Path, args: &SpsaArgs) -> Result<SpsaState, CliError> {
    match util::read_file(file, MAX_STATE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => new_state(args),
        text => parse_json(file, text),
    }
}

fn read_results(files: &[PathBuf]) -> Result<Vec<PairResult>, CliError> {
    let read = |file: &PathBuf| parse_json(file, util::read_file(file, MAX_STATE));
    let shards = files.iter().map(read);
    Ok(shards.collect::<Result<Vec<Vec<_>>, _>>()?.concat())
}

fn parse_json<T: DeserializeOwned>(file: &Path, text: io::Result<Vec<u8>>) -> Result<T, CliError> {
    let value = text.and_then(|text| Ok(serde_json::from_slice(&text)?));
    value.or_else(|error| failed(format!("{}: {error}", file.display())))
}

fn parse_param(text: &str) -> Result<TunedParam, String> {
    let (start, step) =
        text.split_once(':').map_or((text, None), |(start, step)| (start, Some(step)));
    let (name, value) =
        start.split_once('=').map_or((start, None), |(name, value)| (name, Some(value)));
    let param = PARAMS.iter().find(|param| param.name == name);
    let param = param.ok_or_else(|| format!("unknown parameter {name:?}, see --list"))?;
    let (min, max) = (f64::from(param.min), f64::from(param.max));
    let value = value.map_or(Ok(param.default.into()), |text| {
        let value = text.parse().ok();
        let value = value.filter(|value| (min..=max).contains(value));
        value.ok_or_else(|| format!("--param {name}={text}: the value must be from {min} to {max}"))
    })?;
    let step = step.map_or(Ok((max - min) / 16.0), |text| {
        let step = text.parse().ok();
        let step = step.filter(|&step: &f64| step > 0.0 && step.is_finite());
        step.ok_or_else(|| format!("--param {name}:{text}: the step must be a positive number"))
    })?;
    Ok(TunedParam { name: name.to_owned(), value, min, max, step })
}

fn new_state(args: &SpsaArgs) -> Result<SpsaState, CliError> {
    if args.params.is_empty() {
        return usage("no parameter given: use --param, see --list");
    }
    let params = args.params.iter().map(|text| parse_param(text));
    Ok(SpsaState {
        params: params.collect::<Result<_, _>>().or_else(usage)?,
        pairs: args.pairs,
        batch: args.batch,
        nodes: args.nodes,
        tc: args.tc.clone(),
        seed: args.seed,
        rate: args.rate,
        ..SpsaState::default()
    })
}

fn plot(state: &SpsaState) -> Result<String, Box<dyn Error>> {
    let mut picture = String::new();
    let columns = 3;
    let rows = state.params.len().div_ceil(columns).max(1);
    let size = (columns as u32 * 360, rows as u32 * 240);
    let root = SVGBackend::with_string(&mut picture, size).into_drawing_area();
    root.fill(&WHITE)?;
    let areas = root.split_evenly((rows, columns));
    for (index, (area, tuned)) in areas.iter().zip(&state.params).enumerate() {
        let batches = (1..).zip(&state.path);
        let points =
            batches.map(|(batch, values): (u64, _)| ((batch * state.batch) as f64, values[index]));
        let title = format!("{} = {:.1}", tuned.name, tuned.value);
        let mut chart = ChartBuilder::on(area)
            .caption(title, ("sans-serif", 15))
            .margin(8)
            .x_label_area_size(24)
            .y_label_area_size(44)
            .build_cartesian_2d(0.0..state.pairs as f64, tuned.min..tuned.max)?;
        chart.configure_mesh().x_labels(4).y_labels(5).draw()?;
        chart.draw_series(LineSeries::new(points, &BLUE))?;
    }
    root.present()?;
    drop((areas, root));
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;

    use super::*;

    #[derive(Parser, Debug)]
    struct TestCommand {
        #[command(flatten)]
        args: SpsaArgs,
    }

    #[test]
    fn the_rate_is_a_finite_number() {
        let parse = |rate: &str| TestCommand::try_parse_from(["spsa", "--list", "--rate", rate]);
        for rate in ["nan", "inf", "1e300", "x"] {
            let error = parse(rate).unwrap_err().to_string();
            assert!(error.contains(&format!("'{rate}'")), "{error}");
        }
        assert!(parse("0").is_ok());
    }

    #[test]
    fn a_state_has_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let [file, openings] = ["state.json", "list.epd"].map(|name| folder.path().join(name));
        fs::write(&openings, "startpos\n").unwrap();
        let words = [Path::new("spsa"), &file, Path::new("--openings"), &openings];
        let rest = ["--prepare", "--param", PARAMS[0].name].map(Path::new);
        let args = TestCommand::parse_from(words.into_iter().chain(rest)).args;
        let lock = WholeFile::open(&file, true).unwrap();
        let error = run(&args).unwrap_err().to_string();
        assert!(error.contains("another process is writing to it"), "{error}");
        assert!(error.contains("state.json") && !file.exists(), "{error}");
        drop(lock);
        run(&args).unwrap();
        assert!(file.exists());
    }
}
