//! `brisance data export`: labelled samples for the trainer.
//! Invariant: games are read as a stream, and the output depends only on the games and the arguments.

use std::fs::File;
use std::io::{self, Write};

use clap::Args;

use super::games::{GameFiles, for_each_game};
use crate::cli::{CliError, OutputPath, WholeFile, args, failed, interrupt, usage};
use crate::data::{
    CUT_NODES, FilterCounts, FilterSettings, Labels, SampleFilter, Shuffler, Split, sample,
};
use crate::files::temporary::TemporaryFile;
use crate::notation::units;
use crate::util::count;

#[derive(Args, Debug)]
pub struct ExportArgs {
    /// File of samples to write.
    output: OutputPath,
    #[command(flatten)]
    input: GameFiles,
    /// Share of the games used for validation.
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, value_parser = units::share)]
    validation: f64,
    /// Random seed of the shuffle and of the validation split.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = args::number::<u64>(0..))]
    seed: u64,
    /// Share of the next ply's label in the label of a position; the rest is the position's own
    /// search value. The last position of a game takes this share from the result. 0 keeps plain
    /// search values.
    #[arg(long, value_name = "SHARE", default_value_t = Labels::default().lambda,
          value_parser = |text: &str| units::share(text).map(|share| share as f32))]
    lambda: f32,
    /// Internal units at which the expected score is 1 / (1 + 1/e), also in the trained network.
    #[arg(long, value_name = "CP", default_value_t = Labels::default().scale as u16,
          value_parser = args::number::<u16>(1..))]
    label_scale: u16,
    /// Maximum absolute search value in internal units; positions beyond it, including mates, are dropped.
    #[arg(long, value_name = "CP", default_value_t = FilterSettings::default().cap,
          value_parser = args::number::<i32>(..))]
    cap: i32,
    /// Number of plies to drop at the start of each game.
    #[arg(long, value_name = "PLIES", default_value_t = FilterSettings::default().early,
          value_parser = args::number::<usize>(0..))]
    early: usize,
    /// Keep positions whose best move is a capture.
    #[arg(long)]
    keep_captures: bool,
    /// Keep positions whose best move promotes.
    #[arg(long)]
    keep_promotions: bool,
    /// Keep positions in which the side to move can explode the enemy king.
    #[arg(long)]
    keep_wins: bool,
    /// Keep duplicate positions.
    #[arg(long)]
    keep_duplicates: bool,
    /// Drop positions in check.
    #[arg(long)]
    drop_checks: bool,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
}

pub fn run(args: &ExportArgs) -> Result<(), CliError> {
    if args.validation == 1.0 {
        return usage("--validation must be less than 1");
    }
    let labels = Labels { lambda: args.lambda, scale: args.label_scale.into() };
    let filter = FilterSettings {
        captures: args.keep_captures,
        promotions: args.keep_promotions,
        checks: !args.drop_checks,
        win_in_one: args.keep_wins,
        cap: args.cap,
        early: args.early,
    };
    let mut filter = SampleFilter::new(filter, labels);
    interrupt::end_process()?;
    let mut output = WholeFile::open_first(&args.output, args.force)?;
    let scratch = TemporaryFile::next_to(&args.output).map_err(|error| write_error(args, error))?;
    let (train, validation, duplicates) = output.fill(|path| {
        let file = scratch.file.try_clone();
        let file = file.map_err(|error| write_error(args, error))?;
        let shuffler = scatter(args, &mut filter, file)?;
        let write = || {
            let mut writer = sample::SampleWriter::create(path, labels)?;
            let (validate, duplicates) = shuffler.finish(|samples| writer.train(samples))?;
            Ok((writer.finish(&validate)?, validate.len(), duplicates))
        };
        write().map_err(|error| write_error(args, error))
    })?;
    report_export(filter.counts(), duplicates)?;
    let train = count(train, "training position");
    let validation = count(validation, "validation position");
    let name = args.output.display();
    Ok(writeln!(io::stdout(), "{name}: {train} and {validation}")?)
}

fn write_error(args: &ExportArgs, error: io::Error) -> CliError {
    CliError::Failed(format!("cannot write {}: {error}", args.output.display()))
}

/// Adds the samples of all games to a shuffler.
fn scatter(
    args: &ExportArgs,
    filter: &mut SampleFilter,
    scratch: File,
) -> Result<Shuffler, CliError> {
    let mut rng = fastrand::Rng::with_seed(args.seed);
    let mut shuffler = Shuffler::new(scratch, args.keep_duplicates, rng.u64(..));
    let mut train = 0;
    for file in &args.input.files {
        for_each_game(file, |segment, game| {
            // They are no games, and their values are bounds.
            if segment.and_then(|header| header.get("contents")) == Some(CUT_NODES) {
                let why = "cut nodes are only for the training of the policy head";
                return failed(format!("{}: {why}", file.display()));
            }
            let split = if rng.f64() < args.validation { Split::Validation } else { Split::Train };
            let mut result = Ok(());
            filter.add_game(&game, |pos, sample| {
                train += u64::from(split == Split::Train);
                if result.is_ok() {
                    result = shuffler.add(split, pos.key(), sample);
                }
            });
            result.map_err(|error| write_error(args, error))?;
            Ok(true)
        })?;
    }
    if train == 0 {
        return failed("no position passed the filters");
    }
    Ok(shuffler)
}

fn report_export(counts: FilterCounts, duplicates: u64) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let share = |part: u64| 100.0 * part as f64 / counts.seen.max(1) as f64;
    writeln!(out, "positions      {}", counts.seen)?;
    for (name, count) in [
        ("early", counts.early),
        ("beyond the cap", counts.cap),
        ("captures", counts.captures),
        ("promotions", counts.promotions),
        ("in check", counts.checks),
        ("wins in one", counts.win_in_one),
        ("duplicates", duplicates),
    ] {
        writeln!(out, "{name:14} {count} dropped ({:.1} %)", share(count))?;
    }
    Ok(())
}
