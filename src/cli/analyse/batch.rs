//! What the analysis of games and of lists has in common: the searches of all positions.
//! Invariant: results are written in the order of the entries, each as soon as it is complete.

use parking_lot::Mutex;

use super::args::{AnalyseArgs, DEFAULT_TIME_IN_FILES, HASH_IN_FILES};
use crate::cli::{CliError, ProgressReporter, interrupt, print_warning};
use crate::engine::batch::BatchSearch;
use crate::notation::pgn::PgnMove;
use crate::rules::Position;
use crate::search::{self, SearchResult};
use crate::tablebase::Tablebase;

/// What one result is written for: the start and the moves of a game, or a position without moves;
/// `None` if nothing is searched.
pub type Entry<'a> = Option<(&'a Position, &'a [PgnMove])>;

/// Searches the positions of the entries from `first` on, before and after every move, and calls
/// `write` with the index of each entry and its analyses. After an interrupt the analyses of the
/// next entry are incomplete; returns its index and those analyses.
pub fn search(
    entries: &[Entry],
    first: usize,
    searches: &BatchSearch,
    mut write: impl FnMut(usize, Vec<SearchResult>) -> Result<(), CliError>,
    message: impl Fn(usize) -> Option<String>,
) -> Result<(usize, Vec<SearchResult>), CliError> {
    let mut items = Vec::new();
    for (entry, line) in entries.iter().enumerate().skip(first) {
        if let Some((start, moves)) = *line {
            items.extend((0..=moves.len()).map(|count| (entry, start, &moves[..count])));
        }
    }
    let progress = ProgressReporter::new(items.len() as u64, "positions");
    let (mut next, mut found) = (first, Vec::new());
    let result: Result<(), CliError> = searches.run(
        items.len(),
        |item| {
            let (_, start, moves) = items[item];
            let mut pos = start.clone();
            moves.iter().for_each(|played| pos.make(played.mv));
            pos
        },
        |item, analysis| {
            let entry = items[item].0;
            for unsearched in next..entry {
                progress.suspend(|| write(unsearched, Vec::new()))?;
            }
            next = entry;
            found.push(analysis);
            if items.get(item + 1).is_none_or(|next| next.0 != entry) {
                let analyses = std::mem::take(&mut found);
                progress.suspend(|| write(entry, analyses))?;
                next += 1;
                if let Some(text) = message(next) {
                    progress.set_message(text);
                }
            }
            progress.advance(1);
            Ok(())
        },
    );
    progress.finish();
    for warning in searches.take_tablebase_errors() {
        print_warning(warning);
    }
    result?;
    while next < entries.len() && !searches.stop.is_stopped() {
        write(next, Vec::new())?;
        next += 1;
    }
    Ok((next, found))
}

impl AnalyseArgs {
    /// The searches of a file; Ctrl-C stops them.
    pub fn searches(&self) -> Result<BatchSearch, CliError> {
        if let Some(path) = &self.syzygy {
            Tablebase::open(path)?;
        }
        let stop = interrupt::stop_handle()?;
        Ok(BatchSearch {
            limits: self.limits(DEFAULT_TIME_IN_FILES),
            settings: self.settings(HASH_IN_FILES),
            concurrency: self.threads.map_or_else(search::cores, |threads| threads as usize),
            stop,
            tablebase_errors: Mutex::default(),
        })
    }
}
