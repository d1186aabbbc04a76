//! Errors of opening tablebases.
//! Invariant: each message names the directory or file.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why tablebases cannot be opened.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum TablebaseError {
    #[error("cannot read {}: {}", path.display(), reworded(source))]
    Directory { path: PathBuf, source: io::Error },
    #[error("no atomic Syzygy tables (*.atbw, *.atbz) in {}", .0.display())]
    NoTables(PathBuf),
    #[error("no usable tables in {}: {first}", path.display())]
    NoUsableTables {
        path: PathBuf,
        #[source]
        first: TableFileError,
    },
}

/// Why a table file cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum TableFileError {
    /// The file is shorter than its header says, or not a table.
    #[error("Syzygy table {} is cut off or damaged", .0.display())]
    Damaged(PathBuf),
    #[error("Syzygy table {} cannot be read: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
}

/// The usual messages of the system in other words: XBoard takes every line of an engine with "No
/// such file" or "Permission denied" for the message that the engine could not be started.
fn reworded(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "the directory does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "access is denied".to_owned(),
        _ => error.to_string(),
    }
}
