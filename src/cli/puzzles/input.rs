//! The games for `puzzles`: files of training games and PGN files, distinguished by their content.
//! Invariant: every file is opened before the first game is examined; an invalid game is reported
//! and examined up to its fault.

use std::fmt;
use std::io::Read;
use std::path::PathBuf;

use crate::cli::CliError;
use crate::cli::data::for_each_game;
use crate::cli::error::failed;
use crate::cli::pgn_faults::PgnFaults;
use crate::cli::source::{Source, refuse_repeated_stdin};
use crate::data;
use crate::notation::pgn::PgnReader;
use crate::puzzle::PuzzleGame;
use crate::rules::Variant;

/// A file of games, or standard input.
pub struct PuzzleSource {
    source: Source,
    /// The text of a PGN file; `None` for training games.
    pgn: Option<Box<dyn Read>>,
}

/// The name without its folder, and the length.
impl fmt::Display for PuzzleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.source.path.file_name().unwrap_or_default();
        match self.source.bytes() {
            Some(bytes) => {
                let name = name.to_string_lossy().replace('\n', " ");
                write!(f, "{name} ({bytes} bytes)")
            }
            None => f.write_str("standard input"),
        }
    }
}

/// Opens all files.
pub fn open(paths: &[PathBuf]) -> Result<Vec<PuzzleSource>, CliError> {
    let sources: Vec<Source> = paths.iter().map(|path| Source::new(path)).collect();
    refuse_repeated_stdin(&sources)?;
    let opened = sources.into_iter().map(|source| {
        let is_training = !source.is_stdin()
            && data::is_game_file(&source.path).map_err(|error| source.read_error(&error))?;
        let pgn = (!is_training).then(|| source.open()).transpose()?;
        Ok(PuzzleSource { source, pgn })
    });
    opened.collect()
}

/// Reads games and counts the invalid ones.
pub struct ReadGames {
    /// With a variant, the Variant tags of PGN are ignored.
    pub variant: Option<Variant>,
    /// The number of games, with those that were read only in part.
    pub count: usize,
    pub faults: PgnFaults,
}

impl ReadGames {
    /// Calls `visit` with each game of a file until it returns false. Fails for a file that cannot
    /// be read, is damaged or has no games.
    pub fn each(
        &mut self,
        input: PuzzleSource,
        mut visit: impl FnMut(PuzzleGame) -> Result<bool, CliError>,
    ) -> Result<(), CliError> {
        let first = self.count;
        let source = &input.source;
        match input.pgn {
            None => for_each_game(&source.path, |_, game| {
                self.count += 1;
                visit(game.into())
            })?,
            Some(text) => {
                for item in PgnReader::new(text, self.variant) {
                    if let Some(numbered) = self.faults.game(source, item)? {
                        self.count += 1;
                        if !visit(numbered.game.into())? {
                            break;
                        }
                    }
                }
            }
        }
        if self.count == first && !self.faults.any() {
            return failed(format!("{source} has no games"));
        }
        Ok(())
    }
}
