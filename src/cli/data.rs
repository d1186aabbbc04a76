//! `brisance data`: looks into, checks, joins, shows and exports files of training games.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::Error;
use crate::data::{
    Counts, Filter, GameRecord, Reader, Result as GameResult, Sample, Sieve, Sieved, Writer, sample,
};
use crate::eval::score;
use crate::eval::wdl::{Scale, Shown};
use crate::notation::{fen, san};
use crate::rules::Color;

/// Look into, check, join, show and export files of training games.
#[derive(Args, Debug)]
pub struct DataArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Count games, positions, results and captures.
    Info {
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Check every checksum and replay every game.
    Verify {
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Append the games of files to a new one.
    Merge {
        /// The file to make; it must not exist.
        output: PathBuf,
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Write the labelled positions of games, filtered and shuffled, for the trainer.
    ///
    /// Whole games go either to the training or to the validation part, so that no
    /// position of a validated game was learnt from.
    Export(ExportArgs),
    /// Print one game with the value of each move, as it was recorded: in internal units.
    Show {
        /// A file of games.
        file: PathBuf,
        /// Number of the game, from 1.
        number: u64,
    },
}

#[derive(Args, Debug)]
struct ExportArgs {
    /// The file of samples to make; one that exists is replaced.
    output: PathBuf,
    /// Files of games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Share of the games to validate on.
    #[arg(long, value_name = "SHARE", default_value_t = 0.02)]
    validation: f64,
    /// Seed of the shuffle and of the choice of games to validate on.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Drop values beyond this many internal units, mates among them.
    #[arg(long, value_name = "CP", default_value_t = Filter::default().cap)]
    cap: i32,
    /// Drop this many plies at the beginning of each game.
    #[arg(long, value_name = "PLIES", default_value_t = Filter::default().early)]
    early: usize,
    /// Keep positions whose best move is a capture.
    #[arg(long)]
    keep_captures: bool,
    /// Keep positions whose best move promotes.
    #[arg(long)]
    keep_promotions: bool,
    /// Keep positions in which the side to move can explode the king.
    #[arg(long)]
    keep_wins: bool,
    /// Keep positions that were there before.
    #[arg(long)]
    keep_duplicates: bool,
    /// Drop positions in check.
    #[arg(long)]
    drop_checks: bool,
}

/// Does what the subcommand says.
///
/// # Errors
/// A damaged or missing file, or one that is in the way.
pub fn run(args: &DataArgs) -> Result<(), Error> {
    match &args.command {
        Command::Info { files } => info(files),
        Command::Verify { files } => verify(files),
        Command::Merge { output, files } => merge(output, files),
        Command::Export(args) => export(args),
        Command::Show { file, number } => show(file, *number),
    }
}

/// Calls `each` with every game of a file.
fn games(
    file: &Path,
    mut each: impl FnMut(GameRecord) -> Result<bool, Error>,
) -> Result<(), Error> {
    let mut reader = Reader::open(file)?;
    while let Some(games) = reader.chunk()? {
        for game in games {
            if !each(game)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn info(files: &[PathBuf]) -> Result<(), Error> {
    let mut counts = Counts::default();
    let (mut results, mut captures, mut mates, mut others) = ([0u64; 3], 0u64, 0u64, 0u64);
    for file in files {
        games(file, |game| {
            counts.games += 1;
            counts.plies += game.plies.len() as u64;
            captures += game.plies.iter().filter(|ply| ply.mv.is_capture()).count() as u64;
            let is_mate = |value: i16| score::is_mate(value.into());
            mates += game.plies.iter().filter(|ply| is_mate(ply.value)).count() as u64;
            others += u64::from(
                !game
                    .start
                    .same_as(&crate::rules::Position::startpos(game.start.variant())),
            );
            results[match game.result {
                GameResult::Won(Color::White) => 0,
                GameResult::Drawn => 1,
                GameResult::Won(Color::Black) => 2,
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
        "openings   {others} games begin elsewhere than at the start position"
    )?;
    Ok(())
}

fn verify(files: &[PathBuf]) -> Result<(), Error> {
    for file in files {
        let (mut count, mut plies) = (0u64, 0usize);
        games(file, |game| {
            count += 1;
            plies += game.plies.len();
            Ok(true)
        })?;
        writeln!(
            io::stdout(),
            "{}: {count} games, {plies} positions, no damage",
            file.display()
        )?;
    }
    Ok(())
}

fn merge(output: &Path, files: &[PathBuf]) -> Result<(), Error> {
    if output.exists() {
        return Err(Error::Usage(format!("{} exists", output.display())));
    }
    // Inputs are checked for what they are before anything is made.
    for file in files {
        Reader::open(file)?;
    }
    let mut writer = Writer::append(output)?;
    for file in files {
        games(file, |game| {
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

fn export(args: &ExportArgs) -> Result<(), Error> {
    if !(0.0..1.0).contains(&args.validation) {
        let text = format!("--validation {} is not from 0 to below 1", args.validation);
        return Err(Error::Usage(text));
    }
    let mut sieve = Sieve::new(Filter {
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
        games(file, |game| {
            let part = if rng.f64() < args.validation {
                &mut validate
            } else {
                &mut train
            };
            sieve.game(&game, |sample| part.push(sample));
            Ok(true)
        })?;
    }
    if train.is_empty() {
        let text = "no position passed the filters: there is nothing to train on";
        return Err(Error::Failed(text.to_owned()));
    }
    rng.shuffle(&mut train);
    rng.shuffle(&mut validate);
    sample::write(&args.output, &train, &validate)
        .map_err(|error| Error::Failed(format!("{}: {error}", args.output.display())))?;
    report_export(&args.output, sieve.counts(), train.len(), validate.len())?;
    Ok(())
}

fn report_export(output: &Path, counts: Sieved, train: usize, validate: usize) -> io::Result<()> {
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
        "{}: {train} to train on, {validate} to validate on",
        output.display()
    )
}

fn show(file: &Path, number: u64) -> Result<(), Error> {
    let (mut at, mut found) = (0, None);
    games(file, |game| {
        at += 1;
        if at == number {
            found = Some(game);
        }
        Ok(at < number)
    })?;
    let Some(game) = found else {
        let text = format!("{} has {at} games, none is number {number}", file.display());
        return Err(Error::Usage(text));
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{}", fen::write(&game.start, fen::CastlingStyle::XFen))?;
    for (pos, ply) in game.positions() {
        let dots = if pos.side() == Color::White {
            "."
        } else {
            "..."
        };
        let value = match Scale::of(&pos).shown(ply.value.into()) {
            Shown::Mate(moves) => format!("mate {moves}"),
            Shown::Centipawns(_) => format!("{:+}", ply.value),
        };
        writeln!(
            out,
            "{}{dots} {:8} {value}",
            pos.fullmove(),
            san::write(&pos, ply.mv)
        )?;
    }
    writeln!(
        out,
        "{}",
        match game.result {
            GameResult::Won(Color::White) => "1-0",
            GameResult::Won(Color::Black) => "0-1",
            GameResult::Drawn => "1/2-1/2",
        }
    )?;
    Ok(())
}
