//! `brisance book build --pgn`: builds a book from games, which are read one by one.
//! Invariant: an invalid game is reported and counts up to its fault; the book contains all others.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::args::{BookBuildArgs, print_summary};
use crate::cli::output;
use crate::cli::pgn_faults::PgnFaults;
use crate::cli::progress::ProgressReporter;
use crate::cli::{CliError, interrupt};
use crate::data;
use crate::notation::pgn::{PgnGame, PgnReader, variant_tag};
use crate::opening::GameStats;
use crate::rules::Variant;
use crate::search::Control;
use crate::util::count;

/// The default number of plies of a game that count.
const DEFAULT_PLIES: u16 = 30;

/// Builds the book.
///
/// # Errors
/// Files that cannot be read or that exist already, invalid games, or an interrupt. In the last
/// two cases the book of the other games is written.
pub fn run(args: &BookBuildArgs) -> Result<(), CliError> {
    let mut out = args.open(false)?;
    // Fail at once if one of many files is missing.
    let paths = args.games.pgn.iter();
    let files = paths
        .map(|path| open(path))
        .collect::<Result<Vec<_>, CliError>>()?;
    let stop = interrupt::stop_handle()?;
    let mut games = BookGameReader {
        plies: usize::from(args.max_plies.unwrap_or(DEFAULT_PLIES)),
        variant: args.games.variant.variant(),
        stats: GameStats::default(),
        used: 0,
        unfinished: 0,
        faults: PgnFaults::default(),
    };
    for file in files {
        games.read(file, &stop)?;
    }
    let invalid = games.faults.finish(games.used + games.unfinished)?;
    let book = games.stats.book(args.games.min_games);
    if book.entries().is_empty() {
        let (all, least) = (games.used, args.games.min_games);
        let text = match games.unfinished {
            _ if all > 0 => {
                let (least, all) = (count(least, "game"), count(all, "game"));
                format!("no move was played in {least} of {all} with a result, see --min-games")
            }
            0 => "there are no games to build it from".to_owned(),
            unfinished => format!("{} without a result", count(unfinished, "game")),
        };
        return Err(CliError::Failed(format!("no book is written: {text}")));
    }
    out.write(book.to_bytes())?;
    let text = format!(
        "{} from {}; {} without a result skipped",
        book,
        count(games.used, "game"),
        games.unfinished
    );
    print_summary(&args.out, &text)?;
    if stop.is_stopped() {
        let text = "interrupted; the book contains the games read so far";
        return Err(CliError::Failed(text.to_owned()));
    }
    match invalid {
        0 => Ok(()),
        _ => Err(CliError::Failed(format!(
            "{} skipped as invalid, or read only in part",
            count(invalid, "game")
        ))),
    }
}

/// A PGN file and its length in bytes; standard input has none.
struct PgnInput<'a> {
    path: &'a Path,
    stream: Box<dyn Read>,
    bytes: u64,
}

fn open(path: &Path) -> Result<PgnInput<'_>, CliError> {
    let open = || -> io::Result<(Box<dyn Read>, u64)> {
        if output::is_standard(path) {
            return Ok((Box::new(data::expect_text(io::stdin())?), 0));
        }
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        Ok((Box::new(data::expect_text(file)?), bytes))
    };
    let (stream, bytes) = open().map_err(|error| read_error(path, &error))?;
    Ok(PgnInput {
        path,
        stream,
        bytes,
    })
}

fn read_error(path: &Path, error: &impl std::fmt::Display) -> CliError {
    CliError::Failed(format!("cannot read {}: {error}", path.display()))
}

/// The games read so far.
struct BookGameReader {
    plies: usize,
    variant: Option<Variant>,
    stats: GameStats,
    /// Games with a result.
    used: usize,
    /// Games without a result.
    unfinished: usize,
    faults: PgnFaults,
}

impl BookGameReader {
    fn read(&mut self, input: PgnInput<'_>, stop: &Control) -> Result<(), CliError> {
        let path = input.path;
        let mut progress = ProgressReporter::for_bytes(input.bytes);
        for item in PgnReader::new(progress.wrap_read(input.stream), self.variant) {
            if stop.is_stopped() {
                break;
            }
            let numbered = match item {
                Ok(numbered) => Some(numbered),
                Err(error) => {
                    let kept = progress.suspend(|| self.faults.report(path.display(), error));
                    kept.map_err(|error| read_error(path, &error))?
                }
            };
            if let Some(numbered) = numbered {
                match numbered.game.start.variant() {
                    Variant::Atomic => self.add(&numbered.game),
                    other => self.faults.skip_variant(variant_tag(other)),
                }
            }
            progress.set_message(count(self.used, "game"));
        }
        progress.finish();
        Ok(())
    }

    fn add(&mut self, game: &PgnGame) {
        if self.stats.add(game, self.plies) {
            self.used += 1;
        } else {
            self.unfinished += 1;
        }
    }
}
