//! Output files: those that are replaced as a whole, those that grow by whole records, and temporary
//! ones.
//! Invariant: every output is opened, locked and checked before the work begins. Without a result the
//! file of an earlier run stays as it is.

#![allow(clippy::disallowed_methods, reason = "`-` is standard output")]

mod append;
pub mod temporary;
mod whole;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use thiserror::Error;

use crate::util::shorten;
pub use append::{AppendFile, EarlierOutput, read_lines};
pub use whole::WholeFile;

/// Why an output cannot be opened or written.
#[derive(Debug, Error)]
pub enum FileError {
    #[error(transparent)]
    Stdout(io::Error),
    /// `-` where a file is needed.
    #[error("{0}")]
    Standard(&'static str),
    #[error("cannot read {0}: {1}")]
    Read(String, #[source] io::Error),
    #[error("cannot write {0}: {1}")]
    Write(String, #[source] io::Error),
    #[error("{0} is a folder")]
    Folder(String),
    #[error("{0} exists; {1}")]
    Exists(String, &'static str),
    #[error("{0} is not text; it is unchanged")]
    NotText(String),
}

/// True for `-`, which names standard input or output instead of a file.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Fails without `force` if a file with content exists at `path`. Empty files, devices and pipes
/// are accepted.
pub fn refuse_existing(path: &Path, force: bool, advice: &'static str) -> Result<(), FileError> {
    let has_content = |data: fs::Metadata| data.is_file() && data.len() > 0;
    if !force && fs::metadata(path).is_ok_and(has_content) {
        return Err(FileError::Exists(shown(path), advice));
    }
    Ok(())
}

/// A path for a message, shortened if it is long.
pub fn shown(path: &Path) -> String {
    shorten(&path.display().to_string())
}

fn write_error(path: &Path) -> impl Fn(io::Error) -> FileError {
    move |error| match error.kind() {
        _ if path.is_dir() => FileError::Folder(shown(path)),
        _ => FileError::Write(shown(path), error),
    }
}

fn write_stdout(bytes: &[u8]) -> Result<(), FileError> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(FileError::Stdout)
}
