//! The input of `analyse`: distinguishes files from positions.
//! Invariant: the distinction depends on the arguments only, not on which files exist.

use std::path::Path;

use clap::ValueEnum;

use crate::cli::CliError;
use crate::cli::error::usage;
use crate::cli::source::{Source, refuse_repeated_stdin};

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
    let sources = words.iter().map(Path::new).map(Source::new);
    let sources: Vec<Source> = sources
        .map(|source| source.with_stdin_name("stdin"))
        .collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_by_their_extension() {
        let is_file = |words: &str, format| {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            files(&words, format).ok().map(|files| files.is_some())
        };
        let pgn = Some(FileFormat::Pgn);
        for (words, format, expected) in [
            ("game.pgn", None, Some(true)),
            ("dir/GAME.PGN", None, Some(true)),
            ("list.epd x.fen", None, Some(true)),
            ("a.pgn b.epd", pgn, Some(true)),
            ("games", pgn, Some(true)),
            ("-", pgn, Some(true)),
            ("", None, Some(false)),
            ("startpos", None, Some(false)),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", None, Some(false)),
            ("a.pgn b", None, Some(false)),
            ("a.pgn b.epd", None, None),
            ("- -", pgn, None),
            ("", pgn, None),
        ] {
            assert_eq!(is_file(words, format), expected, "{words}");
        }
    }
}
