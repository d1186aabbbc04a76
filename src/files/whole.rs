//! Files that are written as a whole.
//! Invariant: an old file is replaced by a whole new one or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::temporary::TemporaryFile;
use super::{FileError, is_standard, refuse_existing, write_error, write_stdout};

/// A result that is written as a whole when the work is done. The file is locked and known to be
/// writable from the start, and it is replaced as a whole or not at all.
pub enum WholeFile {
    Stdout,
    /// A device or a pipe.
    Special(File, PathBuf),
    Regular {
        path: PathBuf,
        /// The file that `path` names, if it is a link.
        target: PathBuf,
        _lock: TemporaryFile,
    },
}

impl WholeFile {
    /// Opens the target before the work begins; `-` is standard output. With `force` an existing
    /// file is replaced.
    pub fn open(path: &Path, force: bool) -> Result<WholeFile, FileError> {
        WholeFile::open_with(path, force, "use --force to overwrite")
    }

    /// Like [`WholeFile::open`], for commands whose first file is the output, as it is not in `cp`.
    pub fn open_first(path: &Path, force: bool) -> Result<WholeFile, FileError> {
        let advice = "the first file is the output; use --force to overwrite it";
        WholeFile::open_with(path, force, advice)
    }

    fn open_with(path: &Path, force: bool, advice: &'static str) -> Result<WholeFile, FileError> {
        if is_standard(path) {
            return Ok(WholeFile::Stdout);
        }
        let failed = write_error(path);
        if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return Ok(WholeFile::Special(file, path.to_owned()));
        }
        if path.file_name().is_none() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        // The file that a link names is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let lock = TemporaryFile::lock_of(&target).map_err(failed)?;
        refuse_existing(path, force, advice)?;
        Ok(WholeFile::Regular { path: path.to_owned(), target, _lock: lock })
    }

    /// Writes the content. If that fails, an old file is unchanged.
    pub fn write(&mut self, content: impl AsRef<[u8]>) -> Result<(), FileError> {
        let content = content.as_ref();
        match self {
            WholeFile::Stdout => write_stdout(content),
            WholeFile::Special(file, path) => file.write_all(content).map_err(write_error(path)),
            WholeFile::Regular { path, target, .. } => TemporaryFile::next_to(target)
                .and_then(|mut new| {
                    new.file.write_all(content)?;
                    new.replace(target)
                })
                .map_err(write_error(path)),
        }
    }

    /// Calls `write` with the name of an empty file, and replaces the target by it if that
    /// succeeds. A device is written by its own name; standard output is refused.
    pub fn fill<T, E: From<FileError>>(
        &mut self,
        write: impl FnOnce(&Path) -> Result<T, E>,
    ) -> Result<T, E> {
        let (path, target) = match self {
            WholeFile::Stdout => {
                let text = "the output must be a file, not standard output";
                return Err(FileError::Standard(text).into());
            }
            WholeFile::Special(_, path) => return write(path),
            WholeFile::Regular { path, target, .. } => (path, target),
        };
        let failed = write_error(path);
        let new = TemporaryFile::next_to(target).map_err(&failed)?;
        let result = write(new.path())?;
        new.replace(target).map_err(&failed)?;
        Ok(result)
    }
}
