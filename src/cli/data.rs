//! `brisance data`: inspects, verifies, merges and exports files of training games.
//! Invariant: input files are never modified.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::CliError;
use crate::data::{
    DataCounts, FilterCounts, FilterSettings, GameReader, GameRecord, GameWriter, Labels,
    SampleFilter, Shuffler, Split, sample,
};
use crate::eval::score;
use crate::eval::wdl::{DisplayScore, WdlModel};
use crate::notation::{fen, san};
use crate::rules::{Color, GameResult, Position};

/// Inspect, verify, merge and export files of training games.
#[derive(Args, Debug)]
pub(crate) struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Count games, positions, results and captures.
    Info {
        /// Files of training games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Verify all checksums and replay all games.
    Verify {
        /// Files of training games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Merge the games of several files into a new one.
    Merge {
        /// File to write; it must not exist.
        output: PathBuf,
        /// Files of training games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Export labelled positions, filtered and shuffled, for the trainer.
    ///
    /// Games are split between training and validation as a whole, so the two sets share no game.
    /// A scratch file of 41 bytes per position is written next to the output and removed. Memory
    /// stays below 1 GB with 300 million positions.
    Export(ExportArgs),
    /// Print a game with the recorded value of each move, in internal units.
    Show {
        /// File of training games.
        file: PathBuf,
        /// Number of the game, from 1.
        number: u64,
    },
}

#[derive(Args, Debug)]
struct ExportArgs {
    /// File of samples to write, replaced if it exists.
    output: PathBuf,
    /// Files of training games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Share of the games used for validation.
    #[arg(long, value_name = "SHARE", default_value_t = 0.02)]
    validation: f64,
    /// Random seed of the shuffle and of the validation split.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Share of the next ply's label in the label of a position; the rest is the position's own
    /// search value. The last position of a game takes this share from the result. 0 keeps plain
    /// search values.
    #[arg(long, value_name = "SHARE", default_value_t = Labels::default().lambda)]
    lambda: f32,
    /// Internal units at which the expected score is 1 / (1 + 1/e), also in the trained network.
    #[arg(long, value_name = "CP", default_value_t = Labels::default().scale as u16)]
    label_scale: u16,
    /// Maximum absolute search value in internal units; positions beyond it, including mates, are dropped.
    #[arg(long, value_name = "CP", default_value_t = FilterSettings::default().cap)]
    cap: i32,
    /// Number of plies to drop at the start of each game.
    #[arg(long, value_name = "PLIES", default_value_t = FilterSettings::default().early)]
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
}

/// Runs the subcommand.
///
/// # Errors
/// A missing or damaged input file, an output file that exists, or an empty export.
pub(crate) fn run(args: &DataArgs) -> Result<(), CliError> {
    match &args.command {
        DataCommand::Info { files } => info(files),
        DataCommand::Verify { files } => verify(files),
        DataCommand::Merge { output, files } => merge(output, files),
        DataCommand::Export(args) => export(args),
        DataCommand::Show { file, number } => show(file, *number),
    }
}

/// Calls `visit` with every game of a file, until it returns false.
fn for_each_game(
    file: &Path,
    mut visit: impl FnMut(GameRecord) -> Result<bool, CliError>,
) -> Result<(), CliError> {
    let mut reader = GameReader::open(file)?;
    while let Some(games) = reader.next_chunk()? {
        for game in games {
            if !visit(game)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn info(files: &[PathBuf]) -> Result<(), CliError> {
    let mut counts = DataCounts::default();
    let (mut results, mut captures, mut mates, mut other_starts) = ([0u64; 3], 0u64, 0u64, 0u64);
    for file in files {
        for_each_game(file, |game| {
            counts.games += 1;
            counts.plies += game.plies.len() as u64;
            captures += game.plies.iter().filter(|ply| ply.mv.is_capture()).count() as u64;
            let is_mate = |value: i16| score::is_mate(value.into());
            mates += game.plies.iter().filter(|ply| is_mate(ply.value)).count() as u64;
            other_starts += u64::from(
                !game
                    .start
                    .same_as(&Position::startpos(game.start.variant())),
            );
            results[match game.result {
                GameResult::Win(Color::White) => 0,
                GameResult::Draw => 1,
                GameResult::Win(Color::Black) => 2,
            }] += 1;
            Ok(true)
        })?;
    }
    let mut out = io::stdout().lock();
    let share = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
    writeln!(out, "games      {}", counts.games)?;
    writeln!(out, "positions  {}", counts.plies)?;
    writeln!(
        out,
        "per game   {:.1}",
        counts.plies as f64 / counts.games.max(1) as f64
    )?;
    for (name, count) in ["White won ", "drawn     ", "Black won "]
        .iter()
        .zip(results)
    {
        writeln!(out, "{name} {count} ({:.1} %)", share(count, counts.games))?;
    }
    writeln!(
        out,
        "captures   {captures} ({:.1} % of moves)",
        share(captures, counts.plies)
    )?;
    writeln!(
        out,
        "mates      {mates} ({:.1} % of values)",
        share(mates, counts.plies)
    )?;
    writeln!(
        out,
        "openings   {other_starts} games from other start positions"
    )?;
    Ok(())
}

fn verify(files: &[PathBuf]) -> Result<(), CliError> {
    for file in files {
        let (mut count, mut plies) = (0u64, 0usize);
        for_each_game(file, |game| {
            count += 1;
            plies += game.plies.len();
            Ok(true)
        })?;
        writeln!(
            io::stdout(),
            "{}: {count} games, {plies} positions, no errors",
            file.display()
        )?;
    }
    Ok(())
}

fn merge(output: &Path, files: &[PathBuf]) -> Result<(), CliError> {
    if output.exists() {
        return Err(CliError::Failed(format!("{} exists", output.display())));
    }
    // Fail before the output is created if an input is not a file of games.
    for file in files {
        GameReader::open(file)?;
    }
    let mut writer = GameWriter::append(output)?;
    for file in files {
        for_each_game(file, |game| {
            writer.add(&game)?;
            Ok(true)
        })?;
    }
    writer.flush()?;
    let counts = writer.written();
    writeln!(
        io::stdout(),
        "{}: {} games, {} positions",
        output.display(),
        counts.games,
        counts.plies
    )?;
    Ok(())
}

fn export(args: &ExportArgs) -> Result<(), CliError> {
    let labels = args.labels()?;
    let mut filter = SampleFilter::new(args.filter(), labels);
    let failed = |error: io::Error| CliError::Failed(format!("{}: {error}", args.output.display()));
    let shuffler = scatter(args, &mut filter)?;
    let mut writer = sample::SampleWriter::create(&args.output, labels).map_err(failed)?;
    let (validate, duplicates) = shuffler
        .finish(|samples| writer.train(samples))
        .map_err(failed)?;
    let train = writer.finish(&validate).map_err(failed)?;
    report_export(filter.counts(), duplicates)?;
    writeln!(
        io::stdout(),
        "{}: {train} training and {} validation positions",
        args.output.display(),
        validate.len()
    )?;
    Ok(())
}

/// Adds the samples of all games to a shuffler.
fn scatter(args: &ExportArgs, filter: &mut SampleFilter) -> Result<Shuffler, CliError> {
    let scratch = args.scratch();
    let failed = |error: io::Error| CliError::Failed(format!("{}: {error}", scratch.display()));
    let mut rng = fastrand::Rng::with_seed(args.seed);
    let mut shuffler =
        Shuffler::new(&scratch, args.keep_duplicates, rng.u64(..)).map_err(failed)?;
    let mut train = 0;
    for file in &args.files {
        for_each_game(file, |game| {
            let split = if rng.f64() < args.validation {
                Split::Validation
            } else {
                Split::Train
            };
            let mut result = Ok(());
            filter.add_game(&game, |pos, sample| {
                train += u64::from(split == Split::Train);
                if result.is_ok() {
                    result = shuffler.add(split, pos.key(), sample);
                }
            });
            result.map_err(failed)?;
            Ok(true)
        })?;
    }
    if train == 0 {
        let text = "no position passed the filters";
        return Err(CliError::Failed(text.to_owned()));
    }
    Ok(shuffler)
}

impl ExportArgs {
    fn filter(&self) -> FilterSettings {
        FilterSettings {
            captures: self.keep_captures,
            promotions: self.keep_promotions,
            checks: !self.drop_checks,
            win_in_one: self.keep_wins,
            cap: self.cap,
            early: self.early,
        }
    }

    /// The file that holds the samples while they are shuffled.
    fn scratch(&self) -> PathBuf {
        let mut path = self.output.clone().into_os_string();
        path.push(".scratch");
        path.into()
    }

    fn labels(&self) -> Result<Labels, CliError> {
        if !(0.0..1.0).contains(&self.validation) {
            let text = format!(
                "--validation {} must be at least 0 and less than 1",
                self.validation
            );
            return Err(CliError::Usage(text));
        }
        if !(0.0..=1.0).contains(&self.lambda) {
            let text = format!("--lambda {} must be from 0 to 1", self.lambda);
            return Err(CliError::Usage(text));
        }
        if self.label_scale == 0 {
            let text = "--label-scale must be at least 1";
            return Err(CliError::Usage(text.to_owned()));
        }
        Ok(Labels {
            lambda: self.lambda,
            scale: self.label_scale.into(),
        })
    }
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

fn show(file: &Path, number: u64) -> Result<(), CliError> {
    let (mut index, mut found) = (0, None);
    for_each_game(file, |game| {
        index += 1;
        if index == number {
            found = Some(game);
        }
        Ok(index < number)
    })?;
    let Some(game) = found else {
        let text = format!("{} has only {index} games", file.display());
        return Err(CliError::Failed(text));
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{}", fen::write(&game.start, fen::CastlingStyle::XFen))?;
    for (pos, ply) in game.positions() {
        let dots = if pos.side_to_move() == Color::White {
            "."
        } else {
            "..."
        };
        let value = match WdlModel::for_position(&pos).display_score(ply.value.into()) {
            DisplayScore::Mate(moves) => format!("mate {moves}"),
            DisplayScore::Centipawns(_) => format!("{:+}", ply.value),
        };
        writeln!(
            out,
            "{}{dots} {:8} {value}",
            pos.fullmove_number(),
            san::write(&pos, ply.mv)
        )?;
    }
    writeln!(out, "{}", game.result)?;
    Ok(())
}
