//! The games for `puzzles`: files of training games and PGN files, distinguished by their content.
//! Invariant: every file is opened before the first game is examined; an invalid game is reported
//! and examined up to its fault.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::cli::CliError;
use crate::cli::data::for_each_game;
use crate::cli::output;
use crate::cli::pgn_faults::PgnFaults;
use crate::data;
use crate::notation::pgn::PgnReader;
use crate::puzzle::PuzzleGame;
use crate::rules::Variant;

/// A file of games, or standard input.
pub struct PuzzleSource {
    path: PathBuf,
    /// Length in bytes; standard input has none.
    bytes: Option<u64>,
    format: InputFormat,
}

enum InputFormat {
    Training,
    Pgn(Box<dyn Read>),
}

/// The name without its folder, and the length.
impl fmt::Display for PuzzleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match self.bytes {
            Some(bytes) => write!(f, "{} ({bytes} bytes)", name.replace('\n', " ")),
            None => f.write_str("standard input"),
        }
    }
}

/// Opens all files.
///
/// # Errors
/// A file that cannot be read.
pub fn open(paths: &[PathBuf]) -> Result<Vec<PuzzleSource>, CliError> {
    paths.iter().map(|path| open_one(path)).collect()
}

fn open_one(path: &Path) -> Result<PuzzleSource, CliError> {
    let read = || -> io::Result<_> {
        if output::is_standard(path) {
            let text = data::expect_text(io::stdin())?;
            return Ok((None, InputFormat::Pgn(Box::new(text))));
        }
        let bytes = Some(File::open(path)?.metadata()?.len());
        if data::is_game_file(path)? {
            return Ok((bytes, InputFormat::Training));
        }
        let text = data::expect_text(File::open(path)?)?;
        Ok((bytes, InputFormat::Pgn(Box::new(text))))
    };
    let (bytes, format) = read().map_err(|error| read_error(path, &error))?;
    Ok(PuzzleSource {
        path: path.to_owned(),
        bytes,
        format,
    })
}

fn read_error(path: &Path, error: &io::Error) -> CliError {
    CliError::Failed(format!("cannot read {}: {error}", path.display()))
}

/// Reads games and counts the invalid ones.
pub struct ReadGames {
    variant: Option<Variant>,
    /// The number of games, with those that were read only in part.
    count: usize,
    faults: PgnFaults,
}

impl ReadGames {
    /// With a variant, the Variant tags of PGN are ignored.
    pub fn new(variant: Option<Variant>) -> ReadGames {
        ReadGames {
            variant,
            count: 0,
            faults: PgnFaults::default(),
        }
    }

    /// Calls `visit` with each game of a file until it returns false.
    ///
    /// # Errors
    /// A file that cannot be read, is damaged or has no games, and the errors of `visit`.
    pub fn each(
        &mut self,
        input: PuzzleSource,
        mut visit: impl FnMut(PuzzleGame) -> Result<bool, CliError>,
    ) -> Result<(), CliError> {
        let mut count = 0;
        let mut visit = |game: PuzzleGame| {
            count += 1;
            visit(game)
        };
        match input.format {
            InputFormat::Training => {
                for_each_game(&input.path, |_, game| visit(game.into()))?;
            }
            InputFormat::Pgn(stream) => self.each_in_pgn(&input.path, stream, visit)?,
        }
        self.count += count;
        if count == 0 && !self.faults.any() {
            let text = format!("{} has no games", input.path.display());
            return Err(CliError::Failed(text));
        }
        Ok(())
    }

    fn each_in_pgn(
        &mut self,
        path: &Path,
        stream: Box<dyn Read>,
        mut visit: impl FnMut(PuzzleGame) -> Result<bool, CliError>,
    ) -> Result<(), CliError> {
        for item in PgnReader::new(stream, self.variant) {
            let numbered = match item {
                Ok(numbered) => Some(numbered),
                Err(error) => {
                    let kept = self.faults.report(path.display(), error);
                    kept.map_err(|error| read_error(path, &error))?
                }
            };
            if let Some(numbered) = numbered
                && !visit(numbered.game.into())?
            {
                break;
            }
        }
        Ok(())
    }

    /// The number of games that were not read, or only in part.
    ///
    /// # Errors
    /// All games are of other variants.
    pub fn finish(self) -> Result<usize, CliError> {
        self.faults.finish(self.count)
    }
}
