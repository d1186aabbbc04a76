//! Where games and lists come from, and how a file is told from a position.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Format;
use crate::cli::{Error, output};

/// What is to be analysed.
#[derive(Debug)]
pub(super) enum Subject {
    /// The words are a position.
    Position,
    /// The word is a file.
    File(Source, Format),
}

impl Subject {
    /// A single word with a known ending, or any single word with a format, is a file.
    ///
    /// # Errors
    /// A format with anything but one word.
    pub(super) fn of(words: &[String], format: Option<Format>) -> Result<Subject, Error> {
        match (words, format) {
            ([word], Some(format)) => Ok(Subject::File(Source::new(word), format)),
            ([word], None) => Ok(format_of(word).map_or(Subject::Position, |format| {
                Subject::File(Source::new(word), format)
            })),
            (words, None)
                if words.iter().all(|word| format_of(word).is_some()) && words.len() > 1 =>
            {
                let text = format!(
                    "one file at a time, not {}: {}",
                    words.len(),
                    words.join(" ")
                );
                Err(Error::Usage(text))
            }
            (_, None) => Ok(Subject::Position),
            (words, Some(_)) => {
                let text = format!("--format needs one file, not {}", words.len());
                Err(Error::Usage(text))
            }
        }
    }
}

fn format_of(word: &str) -> Option<Format> {
    let ending = Path::new(word).extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "pgn" => Some(Format::Pgn),
        "epd" | "fen" => Some(Format::Epd),
        _ => None,
    }
}

/// A file or standard input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Stdin,
    File(PathBuf),
}

impl Source {
    fn new(word: &str) -> Source {
        match word {
            "-" => Source::Stdin,
            path => Source::File(path.into()),
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// A message that names the file.
    pub(super) fn open(&self) -> Result<Box<dyn Read>, Error> {
        match self {
            Source::Stdin => Ok(Box::new(io::stdin())),
            Source::File(path) => File::open(path)
                .map(|file| Box::new(file) as Box<dyn Read>)
                .map_err(|error| self.unreadable(&error)),
        }
    }

    /// Fails when a result would be written over this source.
    ///
    /// # Errors
    /// A message that names the file.
    pub(super) fn refuse_as_target(&self, target: Option<&PathBuf>) -> Result<(), Error> {
        let (Source::File(path), Some(target)) = (self, target) else {
            return Ok(());
        };
        if !output::is_same_file(path, target) {
            return Ok(());
        }
        let text = format!("{} is the input; name another file", target.display());
        Err(Error::Usage(text))
    }

    /// The error for a source that cannot be read.
    pub(super) fn unreadable(&self, error: &io::Error) -> Error {
        Error::Failed(format!("cannot read {self}: {error}"))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Stdin => f.write_str("standard input"),
            Source::File(path) => write!(f, "{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_file(words: &[&str], format: Option<Format>) -> bool {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let subject = Subject::of(&words, format).expect("fitting arguments");
        matches!(subject, Subject::File(..))
    }

    #[test]
    fn files_are_told_by_their_names() {
        for word in ["game.pgn", "dir/GAME.PGN", "list.epd", "x.fen"] {
            assert!(is_file(&[word], None), "{word}");
        }
        let fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
        for words in [
            &[][..],
            &["startpos"],
            &[fen],
            &["4k3/8/8/8/8/8/8/4K3", "w", "-", "-"],
        ] {
            assert!(!is_file(words, None), "{words:?}");
        }
        assert!(is_file(&["games"], Some(Format::Pgn)));
        assert!(is_file(&["-"], Some(Format::Epd)));
        assert!(Subject::of(&[], Some(Format::Pgn)).is_err());
    }
}
