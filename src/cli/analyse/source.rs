//! The input of `analyse`: distinguishes files from positions, and opens files.
//! Invariant: the distinction depends on the arguments only, not on which files exist.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::cli::CliError;
use crate::data;

/// The format of an input file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FileFormat {
    /// Games in PGN.
    Pgn,
    /// Positions, one EPD or FEN per line.
    Epd,
}

/// The input of an analysis.
#[derive(Debug)]
pub enum AnalysisInput {
    /// A position, given by the words.
    Position,
    /// Files of one format, at most one of them stdin.
    Files(Vec<Source>, FileFormat),
}

impl AnalysisInput {
    /// Words with known extensions, or any words with `format`, are files.
    ///
    /// # Errors
    /// Files of different formats, `format` without a word, or stdin twice.
    pub fn from_words(
        words: &[String],
        format: Option<FileFormat>,
    ) -> Result<AnalysisInput, CliError> {
        let found: Vec<Option<FileFormat>> = words.iter().map(|word| format_of(word)).collect();
        let format = match (format, &found[..]) {
            (Some(_), []) => {
                let text = "--format needs a file, or - for standard input";
                return Err(CliError::Usage(text.to_owned()));
            }
            (Some(format), _) => format,
            (None, [Some(first), rest @ ..]) if rest.iter().all(Option::is_some) => {
                if rest.iter().any(|other| *other != Some(*first)) {
                    let text = format!(
                        "one run analyses files of one format, got {}",
                        words.join(" ")
                    );
                    return Err(CliError::Usage(text));
                }
                *first
            }
            _ => return Ok(AnalysisInput::Position),
        };
        if words.iter().filter(|word| *word == "-").count() > 1 {
            let text = "standard input can be read only once";
            return Err(CliError::Usage(text.to_owned()));
        }
        let sources = words.iter().map(|word| Source::new(word));
        Ok(AnalysisInput::Files(sources.collect(), format))
    }
}

fn format_of(word: &str) -> Option<FileFormat> {
    let extension = Path::new(word).extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "pgn" => Some(FileFormat::Pgn),
        "epd" | "fen" => Some(FileFormat::Epd),
        _ => None,
    }
}

/// A file or standard input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
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

    /// Opens the source for reading.
    ///
    /// # Errors
    /// The file cannot be opened, or it is not text.
    pub fn open(&self) -> Result<Box<dyn Read>, CliError> {
        let source: io::Result<Box<dyn Read>> = match self {
            Source::Stdin => Ok(Box::new(io::stdin())),
            Source::File(path) => File::open(path).map(|file| Box::new(file) as _),
        };
        let text = source.and_then(|source| Ok(Box::new(data::expect_text(source)?) as _));
        text.map_err(|error| self.read_error(&error))
    }

    /// The file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::Stdin => None,
            Source::File(path) => Some(path),
        }
    }

    /// The error of a failed read.
    pub fn read_error(&self, error: &io::Error) -> CliError {
        CliError::Failed(format!("cannot read {self}: {error}"))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Stdin => f.write_str("stdin"),
            Source::File(path) => write!(f, "{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_file(words: &[&str], format: Option<FileFormat>) -> bool {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let subject = AnalysisInput::from_words(&words, format).expect("fitting arguments");
        matches!(subject, AnalysisInput::Files(..))
    }

    #[test]
    fn files_are_recognised_by_their_extension() {
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
        assert!(is_file(&["a.pgn", "b.PGN"], None));
        let mixed = ["a.pgn", "b.epd"].map(str::to_owned);
        assert!(AnalysisInput::from_words(&mixed, None).is_err());
        assert!(is_file(
            &mixed.each_ref().map(|name| &**name),
            Some(FileFormat::Pgn)
        ));
        let twice = ["-", "-"].map(str::to_owned);
        assert!(AnalysisInput::from_words(&twice, Some(FileFormat::Pgn)).is_err());
        assert!(is_file(&["games"], Some(FileFormat::Pgn)));
        assert!(is_file(&["-"], Some(FileFormat::Epd)));
        assert!(AnalysisInput::from_words(&[], Some(FileFormat::Pgn)).is_err());
    }
}
