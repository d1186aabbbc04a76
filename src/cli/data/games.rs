//! Reads the games of a file while another thread decodes the next ones.
//! Invariant: at most a few chunks are in memory.

use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::cli::CliError;
use crate::cli::output::print_warning;
use crate::data::{Corruption, DataError, GameReader, GameRecord, PartInfo};

/// Chunks that are decoded ahead.
const AHEAD: usize = 2;

/// Calls `visit` with every game of a file and the settings of its part, until it returns false.
/// Warns if the file ends with an incomplete chunk.
///
/// # Errors
/// A file that cannot be read or is damaged, and the errors of `visit`.
pub fn for_each_game(
    file: &Path,
    mut visit: impl FnMut(Option<&PartInfo>, GameRecord) -> Result<bool, CliError>,
) -> Result<(), CliError> {
    let mut reader = GameReader::open(file)?;
    let (sender, chunks) = sync_channel(AHEAD);
    thread::scope(|scope| {
        scope.spawn(move || {
            while let Some(chunk) = reader.next_chunk().transpose() {
                let is_last = chunk.is_err();
                let part = reader.part().cloned();
                if sender.send((part, chunk)).is_err() || is_last {
                    break;
                }
            }
        });
        for (part, chunk) in chunks {
            for game in complete(chunk)? {
                if !visit(part.as_ref(), game)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

/// The games of a chunk; none, with a warning, if it is the incomplete end of a file.
fn complete(chunk: Result<Vec<GameRecord>, DataError>) -> Result<Vec<GameRecord>, CliError> {
    match chunk {
        Err(DataError::Corrupt(path, at, Corruption::Truncated)) => {
            let file = path.display();
            print_warning(format!(
                "{file}: the incomplete chunk at byte {at} is skipped"
            ));
            Ok(vec![])
        }
        chunk => Ok(chunk?),
    }
}
