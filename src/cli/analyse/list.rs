//! Analyses a list of positions: each position is searched independently and gives one output
//! line; blank lines and comments give none.
//! Invariant: the output consists of whole lines in list order, even after an interrupt.

use std::path::Path;

use serde_json::Value as Json;

use super::args::AnalyseArgs;
use super::batch;
use crate::cli::list::{self, ListEntry, error_line};
use crate::cli::{CliError, Source, usage};
use crate::eval::wdl::DisplayScore;
use crate::notation::epd::{self, Epd};
use crate::notation::san;
use crate::review::json;
use crate::rules::Position;
use crate::search::SearchResult;

/// The position of an entry; `None` for an invalid line or a finished game, which are not searched.
fn searched(entry: &ListEntry) -> Option<&Position> {
    let pos = entry.epd.as_ref().ok().map(|epd| &epd.pos);
    pos.filter(|pos| pos.outcome().is_none())
}

/// The EPD operation, and the JSON key, with the options of the search.
const SEARCH: &str = "search";

pub fn run(args: &AnalyseArgs, sources: &[Source]) -> Result<(), CliError> {
    args.refuse_file_options(true)?;
    if !args.json && (args.white || args.multipv > 1) {
        return usage(
            "--white and --multipv need --json for a list: EPD has one line and the score of the \
             side to move",
        );
    }
    let entries = list::read(sources, args.position.variant)?;
    let searches = args.searches()?;
    let files = &args.files;
    let path = files.out.as_deref();
    let check =
        |path: &Path, number, line: &str, entry: &_| args.is_result_of(path, number, line, entry);
    let (mut out, finished) = list::open_output(path, files.resume, files.force, &entries, check)?;
    let write = |index: usize, found: Vec<SearchResult>| {
        Ok(out.append(&args.list_line(&entries[index], found.first())?)?)
    };
    let positions = entries.iter().map(|entry| Some((searched(entry)?, &[][..])));
    let positions: Vec<_> = positions.collect();
    let written = batch::search(&positions, finished, &searches, write, |_| None);
    list::finish(out, written.map(|(count, _)| count), &entries, sources)
}

impl AnalyseArgs {
    /// The output line of an entry; `found` is `None` for an invalid line or a finished game.
    fn list_line(
        &self,
        entry: &ListEntry,
        found: Option<&SearchResult>,
    ) -> Result<String, CliError> {
        Ok(match (&entry.epd, self.json) {
            (Ok(epd), true) => {
                let style = self.position.style(&epd.pos).with_white(self.white);
                json::list_line(
                    entry.line,
                    epd.operand("id"),
                    style,
                    &self.search_options(),
                    found,
                )?
            }
            (Err(error), true) => error_line(entry, error)?,
            (Ok(epd), false) => annotated(epd, found, &self.search_options()).to_string() + "\n",
            (Err(error), false) => format!("# line {}: {error}\n", entry.line),
        })
    }

    /// True if a line of an earlier result belongs to this entry. Fails if the search had other
    /// options.
    fn is_result_of(
        &self,
        path: &Path,
        number: usize,
        line: &str,
        entry: &ListEntry,
    ) -> Result<bool, CliError> {
        let (matches, search) = match (&entry.epd, self.json) {
            (Ok(epd), true) => {
                let old: Json = serde_json::from_str(line).unwrap_or_default();
                let search = old[SEARCH].as_str().map(str::to_owned);
                (old["fen"] == self.position.style(&epd.pos).fen(), search)
            }
            (Ok(epd), false) => match epd::parse_line(line, epd.pos.variant()) {
                Ok(Some(old)) => {
                    let search = old.operand(SEARCH).map(str::to_owned);
                    (old.pos.same_as(&epd.pos), search)
                }
                _ => (false, None),
            },
            (Err(error), true) => (error_line(entry, error)?.trim_end() == line, None),
            (Err(_), false) => (line.starts_with(&format!("# line {}:", entry.line)), None),
        };
        if matches && searched(entry).is_some() {
            let search = search.unwrap_or_default();
            self.check_search(path, &format!("line {number}"), &search)?;
        }
        Ok(matches)
    }
}

/// The EPD with the search result, or with the outcome of a finished game.
fn annotated(epd: &Epd, found: Option<&SearchResult>, search: &str) -> Epd {
    let mut epd = epd.clone();
    let Some(found) = found else {
        if let Some(outcome) = epd.pos.outcome() {
            epd.set("c9", format!("\"{outcome}\""));
        }
        return epd;
    };
    epd.set("acd", found.depth());
    epd.set("acn", found.nodes);
    match found.display_score() {
        DisplayScore::Centipawns(cp) => epd.set("ce", cp),
        DisplayScore::Mate(moves) => epd.set("dm", moves),
    }
    let line = san::write_line(&epd.pos, found.pv());
    if let Some(first) = line.first() {
        epd.set("pm", first);
        epd.set("pv", line.join(" "));
    }
    epd.set(SEARCH, format!("\"{search}\""));
    epd
}
