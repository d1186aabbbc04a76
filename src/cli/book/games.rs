//! `brisance book build --pgn`: builds a book from games, which are read one by one.
//! Invariant: an invalid game is reported and counts up to its fault; the book contains all others.

use std::io::Read;

use super::args::BookBuildArgs;
use crate::cli::error::{CliError, failed};
use crate::cli::interrupt;
use crate::cli::output::print_summary;
use crate::cli::pgn_faults::{PgnFaults, refuse_invalid};
use crate::cli::progress::ProgressReporter;
use crate::cli::source::Source;
use crate::notation::pgn::{PgnReader, variant_tag};
use crate::opening::GameStats;
use crate::rules::Variant;
use crate::search::Control;
use crate::util::count;

/// The default number of plies of a game that count.
const DEFAULT_PLIES: u16 = 30;

/// Builds the book. After an interrupt or invalid games, the book of the other games is written.
pub fn run(args: &BookBuildArgs) -> Result<(), CliError> {
    let mut out = args.open(false)?;
    // Fail at once if one of many files is missing.
    let open = |path| {
        let source = Source::new(path);
        source.open().map(|text| (source, text))
    };
    let paths = args.games.pgn.iter().map(|path| open(path));
    let files = paths.collect::<Result<Vec<_>, CliError>>()?;
    let stop = interrupt::stop_handle()?;
    let mut games = BookGames::default();
    for (source, text) in files {
        games.read(args, &source, text, &stop)?;
    }
    let (used, unfinished) = (games.used, games.unfinished);
    let invalid = games.faults.finish(used + unfinished)?;
    let least = args.games.min_games;
    let book = games.stats.book(least);
    if book.entries().is_empty() {
        let text = if used > 0 {
            let (least, all) = (count(least, "game"), count(used, "game"));
            format!("no move was played in {least} of {all} with a result, see --min-games")
        } else if unfinished > 0 {
            format!("{} without a result", count(unfinished, "game"))
        } else {
            "there are no games to build it from".to_owned()
        };
        return failed(format!("no book is written: {text}"));
    }
    out.write(book.to_bytes())?;
    let games = count(used, "game");
    let text = format!("{book} from {games}; {unfinished} without a result skipped");
    print_summary(&args.out, &text)?;
    if stop.is_stopped() {
        return failed("interrupted; the book contains the games read so far");
    }
    refuse_invalid(invalid)
}

/// The games read so far.
#[derive(Default)]
struct BookGames {
    stats: GameStats,
    /// Games with a result.
    used: usize,
    /// Games without a result.
    unfinished: usize,
    faults: PgnFaults,
}

impl BookGames {
    fn read(
        &mut self,
        args: &BookBuildArgs,
        source: &Source,
        text: Box<dyn Read>,
        stop: &Control,
    ) -> Result<(), CliError> {
        let plies = usize::from(args.max_plies.unwrap_or(DEFAULT_PLIES));
        let mut progress = ProgressReporter::for_bytes(source.bytes().unwrap_or_default());
        let text = progress.wrap_read(text);
        for item in PgnReader::new(text, args.games.variant.variant()) {
            if stop.is_stopped() {
                break;
            }
            if let Some(numbered) = progress.suspend(|| self.faults.game(source, item))? {
                match numbered.game.start.variant() {
                    Variant::Atomic if self.stats.add(&numbered.game, plies) => self.used += 1,
                    Variant::Atomic => self.unfinished += 1,
                    other => self.faults.skip_variant(variant_tag(other)),
                }
            }
            progress.set_message(count(self.used, "game"));
        }
        Ok(())
    }
}
