//! Output files of commands: files that are replaced as a whole, and files that grow by whole
//! records. Also the messages on stderr.
//! Invariant: every output is opened, locked and checked before the work begins, and every error
//! names the file.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::str::Utf8Error;

use super::CliError;
use crate::util::{self, ReplaceLock, shorten};

/// The largest output in bytes that a run can continue.
const MAX_CONTINUED: u64 = 4 << 30;

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

    /// The number of errors so far.
    pub(crate) fn count(&self) -> usize {
        self.count
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

/// True for `-`, which names standard input or output instead of a file.
pub(super) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Fails if a path that must be a file is `-`.
///
/// # Errors
/// The path is `-`; `name` is that of the argument.
pub(super) fn refuse_standard(path: &Path, name: &str) -> Result<(), CliError> {
    if is_standard(path) {
        let text = format!("{name} must be a file, not standard output");
        return Err(CliError::Usage(text));
    }
    Ok(())
}

/// Fails if a file with content exists at `path` and must be kept. Empty files, devices and pipes
/// are accepted.
fn refuse_existing(path: &Path, existing: ExistingFile, advice: &str) -> Result<(), CliError> {
    let has_content = |data: fs::Metadata| data.is_file() && data.len() > 0;
    if existing == ExistingFile::Keep && fs::metadata(path).is_ok_and(has_content) {
        return Err(CliError::Failed(format!(
            "{} exists; {advice}",
            shown(path)
        )));
    }
    Ok(())
}

/// A path for a message, shortened if it is long.
fn shown(path: &Path) -> String {
    shorten(&path.display().to_string())
}

fn write_error(path: &Path, error: &io::Error) -> CliError {
    CliError::Failed(format!("cannot write {}: {error}", shown(path)))
}

fn write_stdout(bytes: &[u8]) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Locks a file that is written by other means than those of this module.
///
/// # Errors
/// Another process is writing to it, or its folder cannot be written.
pub(super) fn lock(path: &Path) -> Result<ReplaceLock, CliError> {
    ReplaceLock::acquire(path).map_err(|error| write_error(path, &error))
}

/// A result that is written as a whole when the work is done. The file is locked and known to be
/// writable from the start, and it is replaced as a whole or not at all.
pub(super) struct WholeFile(WholeTarget);

enum WholeTarget {
    Stdout,
    /// A device or a pipe.
    Special(File, PathBuf),
    Regular {
        path: PathBuf,
        _lock: ReplaceLock,
    },
}

impl WholeFile {
    /// Opens the target before the work begins; `-` is standard output.
    ///
    /// # Errors
    /// The file exists and must be kept (the message ends with `advice`), another process is
    /// writing to it, or it cannot be written.
    pub(super) fn open(
        path: &Path,
        existing: ExistingFile,
        advice: &str,
    ) -> Result<WholeFile, CliError> {
        if is_standard(path) {
            return Ok(WholeFile(WholeTarget::Stdout));
        }
        let failed = |error: io::Error| write_error(path, &error);
        let path = path.to_owned();
        if fs::metadata(&path).is_ok_and(|data| !data.is_file()) {
            let file = OpenOptions::new().write(true).open(&path).map_err(failed)?;
            return Ok(WholeFile(WholeTarget::Special(file, path)));
        }
        if path.file_name().is_none() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let lock = ReplaceLock::acquire(&path).map_err(failed)?;
        refuse_existing(&path, existing, advice)?;
        Ok(WholeFile(WholeTarget::Regular { path, _lock: lock }))
    }

    /// Writes the content.
    ///
    /// # Errors
    /// The content cannot be written; an old file is then unchanged.
    pub(super) fn write(&mut self, content: impl AsRef<[u8]>) -> Result<(), CliError> {
        let content = content.as_ref();
        match &mut self.0 {
            WholeTarget::Stdout => write_stdout(content),
            WholeTarget::Special(file, path) => file
                .write_all(content)
                .map_err(|error| write_error(path, &error)),
            WholeTarget::Regular { path, .. } => {
                util::write_atomically(path, content).map_err(|error| write_error(path, &error))
            }
        }
    }
}

/// The target of results that are written one by one: standard output, or a file that is locked
/// while it is open. A new file that stays empty is removed.
pub(super) struct AppendFile {
    target: AppendTarget,
}

enum AppendTarget {
    Stdout,
    File {
        file: File,
        path: PathBuf,
        /// The file did not exist and nothing has been written.
        is_new: bool,
    },
}

impl AppendFile {
    /// Opens the target before the work begins; without a path, or with `-`, it is standard
    /// output. An existing file is emptied.
    ///
    /// # Errors
    /// The file exists and must be kept (the message ends with `advice`), another process is
    /// writing to it, or it cannot be written.
    pub(super) fn create(
        path: Option<&Path>,
        existing: ExistingFile,
        advice: &str,
    ) -> Result<AppendFile, CliError> {
        let Some(path) = path.filter(|path| !is_standard(path)) else {
            return Ok(AppendFile {
                target: AppendTarget::Stdout,
            });
        };
        let mut out = AppendFile::open(path)?;
        refuse_existing(path, existing, advice)?;
        out.keep(0)?;
        Ok(out)
    }

    /// Opens a file to continue it, and returns its content. A file that does not exist is
    /// created. Call [`AppendFile::keep`] before anything is appended.
    ///
    /// # Errors
    /// `-`, another process that is writing to the file, a file that cannot be read or written, or
    /// one that is not text.
    pub(super) fn resume(path: &Path) -> Result<(AppendFile, String), CliError> {
        if is_standard(path) {
            let text = "a run can be continued only in a file, not in standard output";
            return Err(CliError::Usage(text.to_owned()));
        }
        let mut out = AppendFile::open(path)?;
        let mut content = Vec::new();
        if let AppendTarget::File { file, .. } = &mut out.target
            && file.metadata().is_ok_and(|data| data.is_file())
        {
            content = util::read_bounded(file, MAX_CONTINUED).map_err(|error| {
                CliError::Failed(format!("cannot read {}: {error}", shown(path)))
            })?;
        }
        // A kill may leave a part of a character at the end.
        let is_torn = |error: &Utf8Error| error.error_len().is_none();
        let text = String::from_utf8(content).or_else(|error| {
            let (valid, utf8) = (error.utf8_error().valid_up_to(), error.utf8_error());
            let mut content = error.into_bytes();
            content.truncate(valid);
            String::from_utf8(content)
                .ok()
                .filter(|_| is_torn(&utf8))
                .ok_or_else(|| {
                    CliError::Failed(format!("{} is not text; it is unchanged", shown(path)))
                })
        })?;
        Ok((out, text))
    }

    /// Opens and locks a file, without changing it.
    fn open(path: &Path) -> Result<AppendFile, CliError> {
        let is_new = !path.exists();
        let is_regular = is_new || fs::metadata(path).is_ok_and(|data| data.is_file());
        let mut options = OpenOptions::new();
        // Some devices and pipes cannot be opened for reading as well.
        options.read(is_regular).write(true).create(true);
        let file = options.truncate(false).open(path);
        let file = file.and_then(|file| util::lock_file(&file).map(|()| file));
        let file = file.map_err(|error| write_error(path, &error))?;
        Ok(AppendFile {
            target: AppendTarget::File {
                file,
                path: path.to_owned(),
                is_new,
            },
        })
    }

    /// Removes everything after the first `length` bytes.
    ///
    /// # Errors
    /// The file cannot be truncated.
    pub(super) fn keep(&mut self, length: u64) -> Result<(), CliError> {
        let AppendTarget::File { file, path, .. } = &mut self.target else {
            return Ok(());
        };
        if !file.metadata().is_ok_and(|data| data.is_file()) {
            return Ok(());
        }
        let cut = file.set_len(length);
        let cut = cut.and_then(|()| file.seek(SeekFrom::End(0)));
        cut.map(|_| ()).map_err(|error| write_error(path, &error))
    }

    /// Appends a record in one write.
    ///
    /// # Errors
    /// The record cannot be written.
    pub(super) fn append(&mut self, text: &str) -> Result<(), CliError> {
        if text.is_empty() {
            return Ok(());
        }
        match &mut self.target {
            AppendTarget::Stdout => write_stdout(text.as_bytes()),
            AppendTarget::File { file, path, is_new } => {
                *is_new = false;
                file.write_all(text.as_bytes())
                    .map_err(|error| write_error(path, &error))
            }
        }
    }

    /// Flushes the file to disk.
    ///
    /// # Errors
    /// The data cannot be written.
    pub(super) fn sync(&mut self) -> Result<(), CliError> {
        let AppendTarget::File { file, path, .. } = &mut self.target else {
            return Ok(());
        };
        match file.sync_data() {
            // Devices and pipes do not support syncing.
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
                Err(write_error(path, &error))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for AppendFile {
    fn drop(&mut self) {
        if let AppendTarget::File {
            path, is_new: true, ..
        } = &self.target
        {
            let _ = fs::remove_file(path);
        }
    }
}
