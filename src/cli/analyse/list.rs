//! Analyses a list of positions: each position is searched independently and gives one output
//! line; blank lines and comments give none.
//! Invariant: the output consists of whole lines in list order, even after an interrupt.

use std::path::Path;

use super::args::AnalyseArgs;
use super::games;
use super::source::Source;
use crate::cli::CliError;
use crate::cli::args::NotationStyle;
use crate::cli::output::{AppendFile, CappedErrors};
use crate::cli::progress::ProgressReporter;
use crate::cli::view::json;
use crate::engine::batch::BatchSearch;
use crate::eval::wdl::DisplayScore;
use crate::notation::epd::{self, Epd, EpdError};
use crate::notation::{pgn, san};
use crate::rules::Variant;
use crate::search::SearchResult;
use crate::util::{self, Lines, count};

/// The largest list in bytes.
const MAX_LIST: u64 = 1 << 30;

/// A line of the list, not blank and not a comment.
struct ListEntry {
    /// The name of the file.
    source: String,
    /// The line number, from 1.
    line: usize,
    text: String,
    epd: Result<Epd, EpdError>,
}

/// The output format.
struct ListFormat {
    json: bool,
    chess960: bool,
    /// Scores are from White's point of view.
    from_white: bool,
    /// The options of the search.
    search: String,
}

/// The EPD operation with the options of the search.
const SEARCH: &str = "search";

/// Analyses the list.
///
/// # Errors
/// Unsuitable options, invalid lines, output that cannot be written, or an interrupt. Finished
/// lines are kept.
pub fn run(args: &AnalyseArgs, sources: &[Source]) -> Result<(), CliError> {
    args.refuse_game_options()?;
    if !args.json && (args.white || args.multipv > 1) {
        let text = "--white and --multipv need --json for a list: EPD has one line and the score of \
                    the side to move";
        return Err(CliError::Usage(text.to_owned()));
    }
    let format = ListFormat {
        json: args.json,
        chess960: args.position.chess960(),
        from_white: args.white,
        search: args.search_options(),
    };
    let mut entries = Vec::new();
    for source in sources {
        entries.extend(read(args, source)?);
    }
    let invalid = report_unreadable(&entries);
    let searches = args.searches()?;
    let (mut out, finished) = open(args, &format, &entries)?;
    let written = format.write_all(&entries[finished..], &searches, &mut out);
    let closed = out.sync();
    games::warn_about_tablebases(&searches);
    let written = finished + written?;
    closed?;
    if written < entries.len() {
        return Err(CliError::Failed(format!(
            "interrupted after {written} of {}; finished lines are kept",
            count(entries.len(), "position")
        )));
    }
    match invalid {
        0 => Ok(()),
        _ => Err(CliError::Failed(format!(
            "cannot read {invalid} of {} of {}",
            count(entries.len(), "line"),
            sources
                .iter()
                .map(Source::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        ))),
    }
}

fn read(args: &AnalyseArgs, source: &Source) -> Result<Vec<ListEntry>, CliError> {
    let bytes =
        util::read_bounded(source.open()?, MAX_LIST).map_err(|error| source.read_error(&error))?;
    let variant = args.position.variant().unwrap_or_default();
    let lines = Lines::new(&bytes[..]).map_while(Result::ok).enumerate();
    let entries = lines.filter_map(|(index, bytes)| {
        let text = pgn::decode(&bytes);
        Some(ListEntry {
            source: source.to_string(),
            line: index + 1,
            text: text.trim().to_owned(),
            epd: epd::parse_line(&text, variant).transpose()?,
        })
    });
    let entries: Vec<ListEntry> = entries.collect();
    if entries.is_empty() {
        return Err(CliError::Failed(format!("{source} has no positions")));
    }
    Ok(entries)
}

/// Prints the warnings of all lines and the errors of invalid ones, and counts the errors.
fn report_unreadable(entries: &[ListEntry]) -> usize {
    let (mut errors, mut warnings) = (CappedErrors::default(), CappedErrors::default());
    for entry in entries {
        let place = format!("{}: line {}", entry.source, entry.line);
        match &entry.epd {
            Ok(epd) => {
                for warning in &epd.warnings {
                    warnings.report(&format!("warning: {place}: {warning}"));
                }
            }
            Err(error) => errors.report(&format!("error: {place}: {error}")),
        }
    }
    warnings.finish();
    errors.finish()
}

/// Opens the output, and returns how many lines it has already.
fn open(
    args: &AnalyseArgs,
    format: &ListFormat,
    entries: &[ListEntry],
) -> Result<(AppendFile, usize), CliError> {
    let path = args.files.out.as_deref();
    let Some(path) = path.filter(|_| args.files.resume) else {
        return Ok((AppendFile::create(path, args.files.force)?, 0));
    };
    AppendFile::resume(path, |text| resume_point(args, path, text, format, entries))
}

/// The number of lines and bytes of an earlier result, without a partial last line.
fn resume_point(
    args: &AnalyseArgs,
    path: &Path,
    text: &str,
    format: &ListFormat,
    entries: &[ListEntry],
) -> Result<(usize, usize), CliError> {
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    let mut lines = 0;
    for line in text[..whole].lines() {
        let entry = entries
            .get(lines)
            .filter(|entry| format.matches(line, entry));
        if entry.is_none() {
            return Err(CliError::Failed(format!(
                "line {} of {} does not match this list and format; the file is unchanged",
                lines + 1,
                path.display()
            )));
        }
        lines += 1;
        if entry.is_some_and(ListEntry::is_searched) {
            let search = format.search_of(line).unwrap_or_default();
            args.check_search(path, &format!("line {lines}"), &search)?;
        }
    }
    Ok((lines, whole))
}

impl ListEntry {
    /// True for a position whose game is not over.
    fn is_searched(&self) -> bool {
        self.epd
            .as_ref()
            .is_ok_and(|epd| epd.pos.outcome().is_none())
    }
}

impl ListFormat {
    /// Searches the valid positions and writes a line for each entry; returns the number of
    /// lines written.
    fn write_all(
        &self,
        entries: &[ListEntry],
        searches: &BatchSearch,
        out: &mut AppendFile,
    ) -> Result<usize, CliError> {
        let to_search: Vec<(usize, &Epd)> = entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.is_searched())
            .filter_map(|(index, entry)| Some((index, entry.epd.as_ref().ok()?)))
            .collect();
        let mut progress = ProgressReporter::new(to_search.len() as u64, "positions");
        let mut written = 0;
        let mut add = |until: usize, found: Option<&SearchResult>| -> Result<(), CliError> {
            while written < until {
                let line = self.line(&entries[written], None)?;
                out.append(&line)?;
                written += 1;
            }
            if found.is_some() {
                let line = self.line(&entries[written], found)?;
                out.append(&line)?;
                written += 1;
            }
            Ok(())
        };
        let result = searches.run(
            to_search.len(),
            |index| to_search[index].1.pos.clone(),
            |index, found| {
                progress.suspend(|| add(to_search[index].0, Some(&found)))?;
                progress.advance(1);
                Ok(())
            },
        );
        if result.is_ok() && !searches.stop.is_stopped() {
            add(entries.len(), None)?;
        }
        progress.finish();
        result.map(|()| written)
    }

    /// The output line of an entry; `found` is `None` for an invalid line or a finished game.
    fn line(&self, entry: &ListEntry, found: Option<&SearchResult>) -> Result<String, CliError> {
        let text = match (&entry.epd, self.json) {
            (Ok(epd), true) => json::list_line(
                entry.line,
                epd.operand("id"),
                &epd.pos,
                json::ListStyle {
                    notation: self.notation(epd),
                    from_white: self.from_white,
                    search: &self.search,
                },
                found,
            )?,
            (Err(error), true) => json::error_line(entry.line, &entry.text, &error.to_string())?,
            (Ok(epd), false) => annotated(epd, found, &self.search).to_string(),
            (Err(error), false) => format!("# line {}: {error}", entry.line),
        };
        Ok(text + "\n")
    }

    fn notation(&self, epd: &Epd) -> NotationStyle {
        NotationStyle::for_position(&epd.pos, self.chess960)
    }

    /// The options of the search of an earlier result.
    fn search_of(&self, line: &str) -> Option<String> {
        if self.json {
            return json::field_of(line, SEARCH);
        }
        let epd = epd::parse_line(line, Variant::default()).ok()??;
        epd.operand(SEARCH).map(str::to_owned)
    }

    /// True if a line of an earlier result belongs to this entry.
    fn matches(&self, line: &str, entry: &ListEntry) -> bool {
        match (&entry.epd, self.json) {
            (Ok(epd), true) => json::field_of(line, "fen")
                .is_some_and(|fen| fen == self.notation(epd).fen(&epd.pos)),
            (Ok(epd), false) => {
                let parsed = epd::parse_line(line, epd.pos.variant());
                parsed.is_ok_and(|line| line.is_some_and(|old| old.pos.same_as(&epd.pos)))
            }
            (Err(error), true) => json::error_line(entry.line, &entry.text, &error.to_string())
                .is_ok_and(|expected| expected == line),
            (Err(_), false) => line.starts_with(&format!("# line {}:", entry.line)),
        }
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
