//! Output files of commands: files that are replaced atomically, and files that grow by whole
//! records. Also the messages on stderr.
//! Invariant: every error names the file.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::CliError;
use crate::util;

/// Prints errors about single records of the input on stderr. After the first few they are only
/// counted, so a file of the wrong format does not flood the terminal.
#[derive(Default)]
pub(crate) struct CappedErrors {
    count: usize,
}

impl CappedErrors {
    const MAX_PRINTED: usize = 20;

    /// Prints or counts an error.
    pub(crate) fn report(&mut self, text: &str) {
        self.count += 1;
        if self.count <= CappedErrors::MAX_PRINTED {
            print_stderr(text);
        }
    }

    /// Prints how many errors were not printed, and returns the total number.
    pub(crate) fn finish(self) -> usize {
        if self.count > CappedErrors::MAX_PRINTED {
            print_stderr(&format!(
                "… and {} more",
                self.count - CappedErrors::MAX_PRINTED
            ));
        }
        self.count
    }
}

/// Prints a warning on stderr.
pub(crate) fn print_warning(text: impl Display) {
    print_stderr(&format!("warning: {text}"));
}

/// Prints a line on stderr.
pub(crate) fn print_stderr(text: &str) {
    // eprintln! would panic if stderr is closed.
    let _ = writeln!(io::stderr(), "{text}");
}

/// What to do with an output file that exists already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExistingFile {
    /// Keep it and fail.
    Keep,
    /// Replace it.
    Replace,
}

impl ExistingFile {
    /// The behaviour selected by `--force`.
    pub(crate) fn from_force(force: bool) -> ExistingFile {
        if force {
            ExistingFile::Replace
        } else {
            ExistingFile::Keep
        }
    }
}

/// True if two paths name the same regular file; the file need not exist.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let absolute = |path: &Path| {
        fs::canonicalize(path).ok().or_else(|| {
            let dir = match path.parent() {
                Some(dir) if dir != Path::new("") => dir,
                _ => Path::new("."),
            };
            Some(fs::canonicalize(dir).ok()?.join(path.file_name()?))
        })
    };
    let is_special = fs::metadata(one).is_ok_and(|metadata| !metadata.is_file());
    !is_special && absolute(one).is_some_and(|path| Some(path) == absolute(other))
}

/// Fails if a regular file exists at `path` and must be kept; devices and pipes are accepted.
///
/// # Errors
/// The file exists; the message ends with `advice`.
pub(crate) fn refuse_existing(
    path: &Path,
    existing: ExistingFile,
    advice: &str,
) -> Result<(), CliError> {
    if existing == ExistingFile::Keep && fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
    {
        return Err(CliError::Failed(format!(
            "{} exists; {advice}",
            path.display()
        )));
    }
    Ok(())
}

/// Writes a file atomically: it is replaced as a whole or not at all.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_atomic(path: &Path, content: impl AsRef<[u8]>) -> Result<(), CliError> {
    util::write_atomically(path, content.as_ref()).map_err(|error| write_error(path, &error))
}

fn write_error(path: &Path, error: &io::Error) -> CliError {
    CliError::Failed(format!("cannot write {}: {error}", path.display()))
}

/// The target of results that are written one by one: a file or stdout.
pub(crate) struct AppendFile {
    target: AppendTarget,
}

enum AppendTarget {
    Stdout,
    File { file: File, path: PathBuf },
}

impl AppendFile {
    /// Standard output.
    pub(crate) fn stdout() -> AppendFile {
        AppendFile {
            target: AppendTarget::Stdout,
        }
    }

    /// Creates a file.
    ///
    /// # Errors
    /// The file cannot be created.
    pub(crate) fn create(path: &Path) -> Result<AppendFile, CliError> {
        let file = File::create(path).map_err(|error| write_error(path, &error))?;
        Ok(AppendFile::file(file, path))
    }

    /// Opens an existing file and truncates it to `length` bytes.
    ///
    /// # Errors
    /// The file cannot be opened or truncated.
    pub(crate) fn open_truncated(path: &Path, length: u64) -> Result<AppendFile, CliError> {
        use io::Seek;
        let opened = OpenOptions::new().write(true).open(path);
        let cut = opened.and_then(|mut file| {
            file.set_len(length)?;
            file.seek(io::SeekFrom::End(0))?;
            Ok(file)
        });
        let file = cut.map_err(|error| write_error(path, &error))?;
        Ok(AppendFile::file(file, path))
    }

    fn file(file: File, path: &Path) -> AppendFile {
        AppendFile {
            target: AppendTarget::File {
                file,
                path: path.to_owned(),
            },
        }
    }

    /// Appends a record in one write.
    ///
    /// # Errors
    /// The record cannot be written.
    pub(crate) fn append(&mut self, text: &str) -> Result<(), CliError> {
        match &mut self.target {
            AppendTarget::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes())?;
                Ok(out.flush()?)
            }
            AppendTarget::File { file, path } => file
                .write_all(text.as_bytes())
                .map_err(|error| write_error(path, &error)),
        }
    }

    /// Flushes the file to disk.
    ///
    /// # Errors
    /// The data cannot be written.
    pub(crate) fn finish(self) -> Result<(), CliError> {
        match self.target {
            AppendTarget::Stdout => Ok(()),
            AppendTarget::File { file, path } => match file.sync_data() {
                // Devices and pipes do not support syncing.
                Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
                    Err(write_error(&path, &error))
                }
                _ => Ok(()),
            },
        }
    }
}
