//! `brisance data`: inspects, verifies, merges and exports files of training games.
//! Invariant: input files are never modified.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::CliError;
use crate::data::{
    DataCounts, FilterCounts, FilterSettings, GameReader, GameRecord, GameWriter, Sample,
    SampleFilter, sample,
};
use crate::eval::score;
use crate::eval::wdl::{DisplayScore, WdlModel};
use crate::notation::{fen, san};
use crate::rules::{Color, GameResult, Position};

/// Inspect, verify, merge and export files of training games.
#[derive(Args, Debug)]
pub struct DataArgs {
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
    /// Maximum absolute value in internal units; positions beyond it, including mates, are dropped.
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
pub fn run(args: &DataArgs) -> Result<(), CliError> {
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
        return Err(CliError::Usage(format!("{} exists", output.display())));
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
    if !(0.0..1.0).contains(&args.validation) {
        let text = format!(
            "--validation {} must be at least 0 and less than 1",
            args.validation
        );
        return Err(CliError::Usage(text));
    }
    let mut filter = SampleFilter::new(FilterSettings {
        captures: args.keep_captures,
        promotions: args.keep_promotions,
        checks: !args.drop_checks,
        win_in_one: args.keep_wins,
        duplicates: args.keep_duplicates,
        cap: args.cap,
        early: args.early,
    });
    let mut rng = fastrand::Rng::with_seed(args.seed);
    let [mut train, mut validate]: [Vec<Sample>; 2] = Default::default();
    for file in &args.files {
        for_each_game(file, |game| {
            let part = if rng.f64() < args.validation {
                &mut validate
            } else {
                &mut train
            };
            filter.add_game(&game, |sample| part.push(sample));
            Ok(true)
        })?;
    }
    if train.is_empty() {
        let text = "no position passed the filters";
        return Err(CliError::Failed(text.to_owned()));
    }
    rng.shuffle(&mut train);
    rng.shuffle(&mut validate);
    sample::write(&args.output, &train, &validate)
        .map_err(|error| CliError::Failed(format!("{}: {error}", args.output.display())))?;
    report_export(&args.output, filter.counts(), train.len(), validate.len())?;
    Ok(())
}

fn report_export(
    output: &Path,
    counts: FilterCounts,
    train: usize,
    validate: usize,
) -> io::Result<()> {
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
        ("duplicates", counts.duplicates),
    ] {
        writeln!(out, "{name:14} {count} dropped ({:.1} %)", share(count))?;
    }
    writeln!(
        out,
        "{}: {train} training and {validate} validation positions",
        output.display()
    )
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
        return Err(CliError::Usage(text));
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
