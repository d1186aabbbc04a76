//! `brisance book build --pgn`: a book from games, read one by one.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use super::{BuildArgs, size};
use crate::cli::output::Complaints;
use crate::cli::{Error, interrupt};
use crate::notation::pgn::{Game, Games, ReadError};
use crate::opening::Tally;
use crate::rules::Variant;

/// Plies of a game that count unless others are asked for.
const PLIES: u16 = 30;

/// Makes the book.
///
/// # Errors
/// Files that cannot be read or are in the way, games that cannot be read, an interrupt. But
/// for the first, the book of the other games is written all the same.
pub(super) fn run(args: &BuildArgs) -> Result<(), Error> {
    args.make_way()?;
    // Whoever mistyped the last of many names should not wait for the others.
    let paths = args.games.pgn.iter();
    let files = paths
        .map(|path| open(path))
        .collect::<Result<Vec<_>, Error>>()?;
    let interrupted = interrupt::flag()?;
    let mut reading = Reading {
        plies: usize::from(args.max_plies.unwrap_or(PLIES)),
        variant: args.games.assume_atomic.then_some(Variant::Atomic),
        tally: Tally::default(),
        counted: 0,
        open: 0,
        complaints: Complaints::default(),
    };
    for (path, file) in files {
        reading.read(path, file, &interrupted)?;
    }
    let bad = reading.complaints.close();
    let book = reading.tally.book(args.games.min_games);
    if book.entries().is_empty() {
        return Err(Error::Failed(format!(
            "no move was played in at least {} games with a result (--min-games), of {} such \
             games; no book is written",
            args.games.min_games, reading.counted
        )));
    }
    args.write(&book)?;
    writeln!(
        io::stdout(),
        "{} from {} games; {} without a result left out",
        size(&book),
        reading.counted,
        reading.open
    )?;
    if interrupted.load(Ordering::Relaxed) {
        let text = "interrupted; the book holds the games read so far";
        return Err(Error::Failed(text.to_owned()));
    }
    match bad {
        0 => Ok(()),
        _ => Err(Error::Failed(format!(
            "{bad} games could not be read and were left out"
        ))),
    }
}

fn open(path: &Path) -> Result<(&Path, File), Error> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok((path, file))
}

fn unreadable(path: &Path, error: &impl std::fmt::Display) -> Error {
    Error::Failed(format!("cannot read {}: {error}", path.display()))
}

/// What has been read so far.
struct Reading {
    plies: usize,
    variant: Option<Variant>,
    tally: Tally,
    counted: u64,
    open: u64,
    complaints: Complaints,
}

impl Reading {
    fn read(&mut self, path: &Path, file: File, interrupted: &AtomicBool) -> Result<(), Error> {
        let bytes = file.metadata().map_or(0, |found| found.len());
        let bar = ProgressBar::new(bytes);
        let style = "{bar:30} {bytes}/{total_bytes}, {elapsed}, {eta} left, {msg}";
        let style = ProgressStyle::with_template(style);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        for item in Games::new(bar.wrap_read(file), self.variant) {
            if interrupted.load(Ordering::Relaxed) {
                break;
            }
            match item {
                Ok(numbered) => {
                    if let Err(what) = self.add(&numbered.game) {
                        let (path, number) = (path.display(), numbered.number);
                        let text = format!("error: {path}: game {number}: {what}");
                        bar.suspend(|| self.complaints.add(&text));
                    }
                }
                Err(ReadError::Stream(error)) => return Err(unreadable(path, &error)),
                Err(ReadError::Game(error)) => {
                    let advice = if error.what.contains("tag Variant") {
                        "; --assume-atomic reads it as atomic"
                    } else {
                        ""
                    };
                    let text = format!("error: {}: {error}{advice}", path.display());
                    bar.suspend(|| self.complaints.add(&text));
                }
            }
            bar.set_message(format!("{} games", self.counted));
        }
        bar.finish_and_clear();
        Ok(())
    }

    fn add(&mut self, game: &Game) -> Result<(), String> {
        let variant = game.start.variant();
        if variant != Variant::Atomic {
            return Err(format!("books are for atomic, not {variant}"));
        }
        if self.tally.add(game, self.plies) {
            self.counted += 1;
        } else {
            self.open += 1;
        }
        Ok(())
    }
}
