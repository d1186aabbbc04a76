//! The games for `puzzles`: files of training games and PGN files, distinguished by their content.
//! Invariant: every file is opened before the first game is examined; an invalid game is reported
//! and skipped.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::cli::CliError;
use crate::cli::data::for_each_game;
use crate::cli::output::{self, CappedErrors};
use crate::data;
use crate::notation::pgn::{PgnError, PgnReader};
use crate::puzzle::PuzzleGame;
use crate::rules::Variant;

/// A file of games, or standard input.
pub(super) struct PuzzleSource {
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
pub(super) fn open(paths: &[PathBuf]) -> Result<Vec<PuzzleSource>, CliError> {
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
pub(super) struct ReadGames {
    variant: Option<Variant>,
    errors: CappedErrors,
}

impl ReadGames {
    /// With `assume_atomic`, the Variant tags of PGN are ignored.
    pub(super) fn new(assume_atomic: bool) -> ReadGames {
        ReadGames {
            variant: assume_atomic.then_some(Variant::Atomic),
            errors: CappedErrors::default(),
        }
    }

    /// Calls `visit` with each game of a file until it returns false.
    ///
    /// # Errors
    /// A file that cannot be read, is damaged or has no games, and the errors of `visit`.
    pub(super) fn each(
        &mut self,
        input: PuzzleSource,
        mut visit: impl FnMut(PuzzleGame) -> Result<bool, CliError>,
    ) -> Result<(), CliError> {
        let (mut count, before) = (0_u64, self.errors.count());
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
        if count == 0 && self.errors.count() == before {
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
            match item {
                Ok(numbered) => {
                    if !visit(numbered.game.into())? {
                        break;
                    }
                }
                Err(PgnError::Io(error)) => return Err(read_error(path, &error)),
                Err(PgnError::Game(error)) => {
                    let advice = if error.kind.is_variant() {
                        "; use --assume-atomic to read it as atomic"
                    } else {
                        ""
                    };
                    let text = format!("error: {}: {error}{advice}", path.display());
                    self.errors.report(&text);
                }
            }
        }
        Ok(())
    }

    /// The number of invalid games.
    pub(super) fn finish(self) -> usize {
        self.errors.finish()
    }
}
