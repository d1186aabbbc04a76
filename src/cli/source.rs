//! Text that commands read: files or standard input.
//! Invariant: a file that is not text, such as an archive, is refused when it is opened. Whether a
//! word is a file depends on its spelling only, not on which files exist.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{CliError, usage};
use crate::data;
use crate::files::is_standard;

/// A file, or standard input for the path `-`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    pub path: PathBuf,
    /// The name in messages.
    name: String,
}

impl Source {
    pub fn new(path: &Path) -> Source {
        Source { path: path.to_owned(), name: path.display().to_string() }
    }

    pub fn is_stdin(&self) -> bool {
        is_standard(&self.path)
    }

    /// The length in bytes; `None` for standard input.
    pub fn bytes(&self) -> Option<u64> {
        let data = fs::metadata(&self.path).ok().filter(|_| !self.is_stdin());
        data.map(|data| data.len())
    }

    pub fn open(&self) -> Result<Box<dyn Read>, CliError> {
        let open = || -> io::Result<Box<dyn Read>> {
            if self.is_stdin() {
                return Ok(Box::new(data::expect_text(io::stdin())?));
            }
            Ok(Box::new(data::expect_text(File::open(&self.path)?)?))
        };
        open().map_err(|error| self.read_error(&error))
    }

    pub fn read_error(&self, error: &io::Error) -> CliError {
        CliError::read(self, error)
    }
}

impl AsRef<Path> for Source {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Fails if standard input is named more than once.
pub fn refuse_repeated_stdin(sources: &[Source]) -> Result<(), CliError> {
    match sources.iter().filter(|source| source.is_stdin()).count() {
        0 | 1 => Ok(()),
        _ => usage("standard input can be read only once"),
    }
}

pub fn names(sources: &[Source]) -> String {
    let names: Vec<&str> = sources.iter().map(|source| &*source.name).collect();
    names.join(", ")
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FileFormat {
    /// Games in PGN.
    Pgn,
    /// Positions, one EPD or FEN per line.
    Epd,
}

/// The files that the words name, at most one of them stdin, and their format; `None` for the words
/// of a position. Words with known extensions, or any words with `format`, are files. Fails for
/// files of different formats, `format` without a word, and stdin twice.
pub fn files(
    words: &[String],
    format: Option<FileFormat>,
) -> Result<Option<(Vec<Source>, FileFormat)>, CliError> {
    if format.is_some() && words.is_empty() {
        return usage("--format needs a file, or - for standard input");
    }
    let found: Option<Vec<FileFormat>> = words.iter().map(|word| format_of(word)).collect();
    let format = match (format, found.as_deref()) {
        (Some(format), _) => format,
        (None, Some([first, rest @ ..])) if rest.iter().all(|other| other == first) => *first,
        (None, Some([_, ..])) => {
            let words = words.join(" ");
            return usage(format!("one run analyses files of one format, got {words}"));
        }
        (None, _) => return Ok(None),
    };
    let mut sources: Vec<Source> = words.iter().map(Path::new).map(Source::new).collect();
    for source in sources.iter_mut().filter(|source| source.is_stdin()) {
        source.name = "stdin".to_owned();
    }
    refuse_repeated_stdin(&sources)?;
    Ok(Some((sources, format)))
}

fn format_of(word: &str) -> Option<FileFormat> {
    let extension = Path::new(word).extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "pgn" => Some(FileFormat::Pgn),
        "epd" | "fen" => Some(FileFormat::Epd),
        _ => None,
    }
}
