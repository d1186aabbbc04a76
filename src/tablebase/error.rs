//! Errors of opening tablebases.
//! Invariant: each message names the directory or file.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why tablebases cannot be opened.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TablebaseError {
    /// A directory cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The reason in words.
        reason: String,
    },
    /// The directories contain no atomic tables.
    #[error("no atomic Syzygy tables (*.atbw, *.atbz) in {}", .0.display())]
    NoTables(PathBuf),
    /// The directories contain atomic tables, but none of them can be used.
    #[error("no usable tables in {}: {first}", path.display())]
    NoUsableTables {
        /// The list of directories.
        path: PathBuf,
        /// The error of the first table.
        first: String,
    },
}

impl TablebaseError {
    /// The error of reading a directory. The usual messages of the system are reworded: XBoard
    /// takes every line of an engine with "No such file" or "Permission denied" for the message
    /// that the engine could not be started.
    pub(super) fn directory(path: &Path, error: &io::Error) -> TablebaseError {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "the directory does not exist".to_owned(),
            io::ErrorKind::PermissionDenied => "access is denied".to_owned(),
            _ => error.to_string(),
        };
        TablebaseError::Directory {
            path: path.to_owned(),
            reason,
        }
    }
}
