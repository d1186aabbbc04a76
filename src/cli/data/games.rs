//! Reads the games of a file while another thread decodes the next ones.
//! Invariant: at most a few chunks are in memory.

use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;

use clap::Args;

use crate::cli::{CliError, print_warning};
use crate::data::{Corruption, DataError, GameReader, GameRecord, SegmentHeader};

/// Chunks that are decoded ahead.
const AHEAD: usize = 2;

#[derive(Args, Debug)]
pub struct GameFiles {
    /// Files of training games.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
}

/// Calls `visit` with every game of a file and the settings of its segment, until it returns false.
/// Warns if the file ends with an incomplete chunk.
pub fn for_each_game(
    file: &Path,
    mut visit: impl FnMut(Option<&SegmentHeader>, GameRecord) -> Result<bool, CliError>,
) -> Result<(), CliError> {
    let mut reader = GameReader::open(file)?;
    let (sender, chunks) = sync_channel(AHEAD);
    thread::scope(|scope| {
        scope.spawn(move || {
            while let Some(chunk) = reader.next_chunk().transpose() {
                let is_last = chunk.is_err();
                let segment = reader.segment().cloned();
                if sender.send((segment, chunk)).is_err() || is_last {
                    break;
                }
            }
        });
        for (segment, chunk) in chunks {
            for game in skip_incomplete(chunk)?.unwrap_or_default() {
                if !visit(segment.as_ref(), game)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

/// What was read; `None`, with a warning, at the incomplete end of a file.
pub fn skip_incomplete<T>(read: Result<T, DataError>) -> Result<Option<T>, CliError> {
    match read {
        Err(DataError::Corrupt(path, at, Corruption::Truncated)) => {
            let file = path.display();
            print_warning(format!("{file}: the incomplete chunk at byte {at} is skipped"));
            Ok(None)
        }
        read => Ok(Some(read?)),
    }
}
