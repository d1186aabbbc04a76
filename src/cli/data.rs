//! `brisance data`: looks into, checks, joins and shows files of training games.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Error;
use crate::data::{Counts, GameRecord, Reader, Result as GameResult, Writer};
use crate::eval::score::{Shown, shown};
use crate::notation::{fen, san};
use crate::rules::Color;

/// Look into, check, join and show files of training games.
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
    /// Print one game with the value of each move.
    Show {
        /// A file of games.
        file: PathBuf,
        /// Number of the game, from 1.
        number: u64,
    },
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
        Command::Show { file, number } => show(file, *number),
    }
}

/// Calls `each` with every game of a file.
fn games(
    file: &PathBuf,
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
            let is_mate = |value: i16| matches!(shown(value.into()), Shown::Mate(_));
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

fn merge(output: &PathBuf, files: &[PathBuf]) -> Result<(), Error> {
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

fn show(file: &PathBuf, number: u64) -> Result<(), Error> {
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
        let value = match shown(ply.value.into()) {
            Shown::Centipawns(cp) => format!("{cp:+}"),
            Shown::Mate(moves) => format!("mate {moves}"),
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
