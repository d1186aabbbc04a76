//! `brisance datagen`: self-play games for training, appended to a file.
//! Invariant: whatever ends the run, the file holds whole chunks only.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::args::EvalChoice;
use super::{Error, args as shared, interrupt};
use crate::arena::datagen::Plan;
use crate::arena::openings;
use crate::data::{DataError, GameRecord, Result as GameResult, Writer};
use crate::engine::Settings;
use crate::rules::{Color, Variant};

/// Table of each game in mebibytes: more than the nodes of a few moves fill.
const HASH: usize = 8;

/// Play games of this engine against itself and append them to a file, for training.
///
/// Each game begins with some random plies that do not lose at once, and is thrown away when
/// a first search finds it one-sided. The file is made of checksummed chunks: a run that is
/// cut off, even by kill -9, loses at most its last chunk, and the same command goes on.
#[derive(Args, Debug)]
pub struct DatagenArgs {
    /// The file to append to.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Positions to have in the file in all.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: u64,
    /// Nodes after which a search begins no further iteration.
    #[arg(long, value_name = "N", default_value_t = 5000,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// The rules of the game.
    #[arg(long, value_name = "NAME", default_value = "atomic", value_parser = super::variant_name)]
    variant: Variant,
    /// Fewest random plies at the beginning.
    #[arg(long, value_name = "N", default_value_t = 2)]
    min_plies: usize,
    /// Most random plies at the beginning.
    #[arg(long, value_name = "N", default_value_t = 10)]
    max_plies: usize,
    /// Share of games from random arrays of Chess960, from 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    chess960: f64,
    /// Begin from positions of this file (EPD, FEN lines or PGN) instead of the start position.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Throw an opening away when a first search sees more internal units than this.
    #[arg(long, value_name = "CP", default_value_t = 600)]
    balance: i32,
    /// Seed; games already in the file change it, so that a continued run repeats nothing.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games at a time; all cores unless given.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Directories of atomic Syzygy tables to end games by, with ':' between them, on
    /// Windows ';'.
    #[arg(long, value_name = "DIR")]
    syzygy: Option<OsString>,
    #[command(flatten)]
    eval: EvalChoice,
}

impl From<DataError> for Error {
    fn from(error: DataError) -> Error {
        Error::Failed(error.to_string())
    }
}

impl From<String> for Error {
    fn from(error: String) -> Error {
        Error::Failed(error)
    }
}

/// Generates.
///
/// # Errors
/// Arguments that make no sense, or a file that cannot be written.
pub fn run(args: &DatagenArgs) -> Result<(), Error> {
    if args.min_plies > args.max_plies || !(0.0..=1.0).contains(&args.chess960) {
        let text = "--min-plies must not exceed --max-plies, and --chess960 lies from 0 to 1";
        return Err(Error::Usage(text.to_owned()));
    }
    let mut writer = Writer::append(&args.file)?;
    let openings = match &args.openings {
        Some(path) => openings::read(path, args.variant).map_err(Error::Usage)?,
        None => Vec::new(),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = Plan {
        variant: args.variant,
        settings: args.eval.apply(Settings {
            hash: HASH,
            ..Settings::default()
        }),
        nodes: args.nodes,
        plies: (args.min_plies, args.max_plies),
        chess960: args.chess960,
        openings,
        balance: args.balance,
        seed: args
            .seed
            .wrapping_mul(1_000_003)
            .wrapping_add(writer.written().games),
        threads: args.threads.unwrap_or(cores),
        tables: shared::tables(args.syzygy.as_deref()).map_err(Error::Usage)?,
    };
    let interrupted = interrupt::flag()?;
    let mut progress = Progress::new(args.positions, writer.written().plies);
    if progress.done < args.positions {
        plan.run(&interrupted, |game| -> Result<bool, Error> {
            writer.add(&game)?;
            progress.add(&game)?;
            Ok(progress.done < args.positions)
        })?;
    }
    writer.flush()?;
    progress.close();
    shared::warn_of_tables(plan.tables.as_ref());
    let counts = writer.written();
    writeln!(
        io::stdout(),
        "{} games, {} positions",
        counts.games,
        counts.plies
    )?;
    if progress.done < args.positions {
        return Err(Error::Failed(format!(
            "interrupted after {} of {} positions; they are kept, and the same command goes on",
            counts.plies, args.positions
        )));
    }
    Ok(())
}

/// The line that is seen while games are made.
struct Progress {
    bar: Option<ProgressBar>,
    start: Instant,
    first: u64,
    done: u64,
    games: u64,
    /// White won, drawn, Black won.
    results: [u64; 3],
    told: Instant,
}

impl Progress {
    fn new(wanted: u64, first: u64) -> Progress {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(wanted);
            let style = "{bar:30} {pos}/{len} positions, {elapsed}, {eta} left, {msg}";
            let style = ProgressStyle::with_template(style);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_position(first);
            bar.reset_eta();
            bar
        });
        let now = Instant::now();
        Progress {
            bar,
            start: now,
            first,
            done: first,
            games: 0,
            results: [0; 3],
            told: now,
        }
    }

    fn add(&mut self, game: &GameRecord) -> io::Result<()> {
        self.done += game.plies.len() as u64;
        self.games += 1;
        self.results[match game.result {
            GameResult::Won(Color::White) => 0,
            GameResult::Drawn => 1,
            GameResult::Won(Color::Black) => 2,
        }] += 1;
        let speed = (self.done - self.first) as f64 / self.start.elapsed().as_secs_f64().max(1e-3);
        let [wins, draws, losses] = self.results;
        let text = format!(
            "{speed:.0} positions/s, {} games: White +{wins} ={draws} -{losses}",
            self.games
        );
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
            bar.set_message(text);
        } else if self.told.elapsed() >= Duration::from_secs(30) {
            self.told = Instant::now();
            writeln!(io::stdout(), "{} positions, {text}", self.done)?;
        }
        Ok(())
    }

    fn close(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
