//! Lists of positions, one EPD or FEN a line, as `analyse` and `solve` read them.
//! Invariant: each line that is not blank and not a comment is an entry, readable or not.

use std::io;
use std::path::Path;

use super::{AppendFile, CappedErrors, CliError, Source, failed, source};
use crate::files::read_lines;
use crate::notation::epd::{self, Epd, EpdError};
use crate::notation::pgn;
use crate::review::json::JsonLine;
use crate::rules::Variant;
use crate::util::{self, Lines, count, json_line};

/// The largest list in bytes.
const MAX_LIST: u64 = 1 << 30;

/// A line of a list, not blank and not a comment.
pub struct ListEntry {
    /// The name of the file.
    source: String,
    /// The line number, from 1.
    pub line: usize,
    pub text: String,
    pub epd: Result<Epd, EpdError>,
}

/// The entries of all sources. Prints the warnings of all lines and the errors of invalid ones.
pub fn read(sources: &[Source], variant: Option<Variant>) -> Result<Vec<ListEntry>, CliError> {
    let mut entries = Vec::new();
    for source in sources {
        entries.extend(read_source(source, variant.unwrap_or_default())?);
    }
    report(&entries);
    Ok(entries)
}

/// Ends a run after `written` entries: fails after an interrupt, or if some are invalid.
pub fn finish(
    mut out: AppendFile,
    written: Result<usize, CliError>,
    entries: &[ListEntry],
    sources: &[Source],
) -> Result<(), CliError> {
    let closed = out.sync();
    let written = written?;
    closed?;
    if written < entries.len() {
        let done = format!("{written} of {}", count(entries.len(), "position"));
        return Err(CliError::stopped(done, "finished lines are kept"));
    }
    match entries.iter().filter(|entry| entry.epd.is_err()).count() {
        0 => Ok(()),
        invalid => failed(format!(
            "cannot read {invalid} of {} of {}",
            count(entries.len(), "line"),
            source::names(sources)
        )),
    }
}

/// The entries of a source, whose lines are of `variant` unless they name one.
fn read_source(source: &Source, variant: Variant) -> Result<Vec<ListEntry>, CliError> {
    let bytes =
        util::read_bounded(source.open()?, MAX_LIST).map_err(|error| source.read_error(&error))?;
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
        return failed(format!("{source} has no positions"));
    }
    Ok(entries)
}

/// Opens the output of a list. Returns also the number of lines of an earlier result, one for each
/// entry. `check` tells whether a line, which has this number, belongs to the entry.
pub fn open_output(
    path: Option<&Path>,
    resume: bool,
    force: bool,
    entries: &[ListEntry],
    check: impl Fn(&Path, usize, &str, &ListEntry) -> Result<bool, CliError>,
) -> Result<(AppendFile, usize), CliError> {
    let earlier = AppendFile::open(path, resume, force)?;
    let (path, mut lines) = (path.unwrap_or(Path::new("-")), 0);
    let length = read_lines(&earlier.text, |number, line| {
        lines = number;
        let line = line.trim_end_matches(['\r', '\n']);
        let matches = match entries.get(number - 1) {
            Some(entry) => check(path, number, line, entry)?,
            None => false,
        };
        if !matches {
            let path = path.display();
            return failed(format!(
                "line {number} of {path} does not match this list and the options; the file is \
                 unchanged",
            ));
        }
        Ok(true)
    })?;
    Ok((earlier.keep(length)?, lines))
}

/// The line of JSON for an entry that is no position.
pub fn error_line(entry: &ListEntry, error: &EpdError) -> io::Result<String> {
    json_line(&JsonLine::Error {
        line: entry.line,
        text: entry.text.clone(),
        error: error.to_string(),
    })
}

fn report(entries: &[ListEntry]) {
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
    errors.finish();
}
