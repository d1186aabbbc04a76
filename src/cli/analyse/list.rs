//! Lists: each position searched by itself, one line of the result for each line that is not
//! blank or a comment.
//! Invariant: the lines of the result are whole and in the order of the list, whatever ends
//! the run.

use std::fs;
use std::io::Read;
use std::path::Path;

use super::{AnalyseArgs, Source, games};
use crate::cli::Error;
use crate::cli::args::Spelling;
use crate::cli::output::{self, Complaints, Growing};
use crate::cli::progress::Progress;
use crate::cli::view::json;
use crate::eval::wdl::Shown;
use crate::notation::epd::{self, Epd};
use crate::notation::{pgn, san};
use crate::review::{Found, Searches};

const ADVICE: &str = "--resume goes on with it, --force writes over it";

/// A line of the list.
struct Entry {
    /// Its number, from 1.
    line: usize,
    text: String,
    read: Result<Epd, String>,
}

/// How results are written.
#[derive(Clone, Copy)]
struct Style {
    json: bool,
    chess960: bool,
}

/// Analyses the list.
///
/// # Errors
/// Options that do not fit, lines that cannot be read, output that cannot be written, or an
/// interrupt. What was finished is kept.
pub(super) fn run(args: &AnalyseArgs, source: &Source) -> Result<(), Error> {
    if args.files.html.is_some() || args.files.fresh {
        let text = "--html and --fresh are for games";
        return Err(Error::Usage(text.to_owned()));
    }
    let style = Style {
        json: args.json,
        chess960: args.position.chess960(),
    };
    let entries = read(args, source)?;
    let bad = tell_bad(source, &entries);
    let searches = args.searches()?;
    let (mut out, earlier) = open(args, style, &entries)?;
    let written = style.write_all(&entries[earlier..], &searches, &mut out);
    let closed = out.close();
    games::warn(&searches);
    let written = earlier + written?;
    closed?;
    if written < entries.len() {
        return Err(Error::Failed(format!(
            "interrupted after {written} of {} positions; those are kept",
            entries.len()
        )));
    }
    match bad {
        0 => Ok(()),
        _ => Err(Error::Failed(format!(
            "{bad} of {} lines of {source} could not be read",
            entries.len()
        ))),
    }
}

fn read(args: &AnalyseArgs, source: &Source) -> Result<Vec<Entry>, Error> {
    let mut bytes = Vec::new();
    let mut stream = source.open()?;
    stream
        .read_to_end(&mut bytes)
        .map_err(|error| source.unreadable(&error))?;
    let variant = args.position.variant().unwrap_or_default();
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    let entries = lines.filter_map(|(index, bytes)| {
        let text = pgn::decode(bytes);
        Some(Entry {
            line: index + 1,
            text: text.trim().to_owned(),
            read: epd::parse_line(&text, variant).transpose()?,
        })
    });
    let entries: Vec<Entry> = entries.collect();
    if entries.is_empty() {
        return Err(Error::Failed(format!("{source}: no positions in it")));
    }
    Ok(entries)
}

/// Says which lines cannot be read, and counts them.
fn tell_bad(source: &Source, entries: &[Entry]) -> usize {
    let mut complaints = Complaints::default();
    for entry in entries {
        if let Err(error) = &entry.read {
            complaints.add(&format!("error: {source}: line {}: {error}", entry.line));
        }
    }
    complaints.close()
}

/// The place for the result, and how many lines it already has.
fn open(args: &AnalyseArgs, style: Style, entries: &[Entry]) -> Result<(Growing, usize), Error> {
    let Some(path) = &args.files.out else {
        return Ok((Growing::stdout(), 0));
    };
    if args.files.resume && path.exists() {
        let (length, lines) = earlier(path, style, entries)?;
        return Ok((Growing::extend(path, length)?, lines));
    }
    output::make_way(path, args.existing(), ADVICE)?;
    Ok((Growing::create(path)?, 0))
}

/// How many bytes of an earlier result are whole lines, and how many lines.
fn earlier(path: &Path, style: Style, entries: &[Entry]) -> Result<(u64, usize), Error> {
    let mut text = String::new();
    fs::File::open(path)
        .and_then(|mut file| file.read_to_string(&mut text))
        .map_err(|error| Error::Failed(format!("cannot read {}: {error}", path.display())))?;
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    let mut count = 0;
    for line in text[..whole].lines() {
        let entry = entries.get(count).filter(|entry| style.is_of(line, entry));
        if entry.is_none() {
            return Err(Error::Failed(format!(
                "line {} of {} is not from this list in this format; the file is left as it is",
                count + 1,
                path.display()
            )));
        }
        count += 1;
    }
    Ok((whole as u64, count))
}

impl Style {
    /// Searches what can be and writes a line for each entry; returns how many were written.
    fn write_all(
        self,
        entries: &[Entry],
        searches: &Searches,
        out: &mut Growing,
    ) -> Result<usize, Error> {
        let is_open = |epd: &Epd| epd.pos.outcome().is_none();
        let to_search: Vec<(usize, &Epd)> = entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| Some((index, entry.read.as_ref().ok()?)))
            .filter(|(_, epd)| is_open(epd))
            .collect();
        let mut progress = Progress::new(to_search.len() as u64, "positions");
        let mut written = 0;
        let mut add = |until: usize, found: Option<&Found>| -> Result<(), Error> {
            while written < until {
                let line = self.line(&entries[written], None)?;
                out.add(&line)?;
                written += 1;
            }
            if found.is_some() {
                let line = self.line(&entries[written], found)?;
                out.add(&line)?;
                written += 1;
            }
            Ok(())
        };
        let result = searches.run(
            to_search.len(),
            |index| to_search[index].1.pos.clone(),
            |index, found| {
                progress.aside(|| add(to_search[index].0, Some(&found)))?;
                progress.step();
                Ok(())
            },
        );
        if result.is_ok() && !searches.stop.is_asked() {
            add(entries.len(), None)?;
        }
        progress.close();
        result.map(|()| written)
    }

    /// The line of the result for an entry; `found` is there unless it is bad or over.
    fn line(self, entry: &Entry, found: Option<&Found>) -> Result<String, Error> {
        let text = match (&entry.read, self.json) {
            (Ok(epd), true) => json::list_line(
                entry.line,
                epd.operand("id"),
                &epd.pos,
                self.spelling(epd),
                found,
            )?,
            (Err(error), true) => json::error_line(entry.line, &entry.text, error)?,
            (Ok(epd), false) => annotated(epd, found).to_string(),
            (Err(error), false) => format!("# line {}: {error}", entry.line),
        };
        Ok(text + "\n")
    }

    fn spelling(self, epd: &Epd) -> Spelling {
        Spelling::of(&epd.pos, self.chess960)
    }

    /// True when a line of an earlier result belongs to this entry.
    fn is_of(self, line: &str, entry: &Entry) -> bool {
        match (&entry.read, self.json) {
            (Ok(epd), true) => {
                json::fen_of(line).is_some_and(|fen| fen == self.spelling(epd).fen(&epd.pos))
            }
            (Ok(epd), false) => {
                let read = epd::parse_line(line, epd.pos.variant());
                read.is_ok_and(|read| read.is_some_and(|old| old.pos.same_as(&epd.pos)))
            }
            (Err(error), true) => json::error_line(entry.line, &entry.text, error)
                .is_ok_and(|expected| expected == line),
            (Err(_), false) => line.starts_with(&format!("# line {}:", entry.line)),
        }
    }
}

/// The EPD with what was found, or how the game ended.
fn annotated(epd: &Epd, found: Option<&Found>) -> Epd {
    let mut epd = epd.clone();
    let Some(found) = found else {
        if let Some(outcome) = epd.pos.outcome() {
            epd.set("c9", format!("\"{outcome}\""));
        }
        return epd;
    };
    epd.set("acd", found.depth);
    epd.set("acn", found.nodes);
    match found.shown() {
        Shown::Centipawns(cp) => epd.set("ce", cp),
        Shown::Mate(moves) => epd.set("dm", moves),
    }
    let line = san::write_line(&epd.pos, &found.line);
    if let Some(first) = line.first() {
        epd.set("pm", first);
        epd.set("pv", line.join(" "));
    }
    epd
}
