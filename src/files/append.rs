//! Files that grow by whole records, which a later run may continue.
//! Invariant: a file that cannot be continued is unchanged.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{FileError, is_standard, refuse_existing, shown, write_error, write_stdout};
use crate::util;

/// The largest output in bytes that a run can continue.
const MAX_CONTINUED: u64 = 4 << 30;

/// The target of results that are written one by one: standard output, or a file that is locked
/// while it is open. A new file that stays empty is removed.
#[derive(Debug)]
pub struct AppendFile(Option<OpenFile>);

#[derive(Debug)]
struct OpenFile {
    file: File,
    path: PathBuf,
    /// The file did not exist and nothing has been written.
    is_new: bool,
    /// The first record replaces the content.
    is_old: bool,
}

/// A file that a run continues, and what an earlier run has written.
pub struct EarlierOutput {
    pub text: String,
    file: AppendFile,
}

impl EarlierOutput {
    /// Keeps the first `length` bytes of the text.
    pub fn keep(self, length: usize) -> Result<AppendFile, FileError> {
        let AppendFile(mut open) = self.file;
        if let Some(open) = open.as_mut().filter(|_| !self.text.is_empty()) {
            open.cut(length).map_err(write_error(&open.path))?;
        }
        Ok(AppendFile(open))
    }
}

impl AppendFile {
    /// Opens the target before the work begins; without a path, or with `-`, it is standard
    /// output. With `resume` a file is continued as by [`AppendFile::resume`]; otherwise the text is
    /// empty, and with `force` the first record replaces the content of an existing file.
    pub fn open(
        path: Option<&Path>,
        resume: bool,
        force: bool,
    ) -> Result<EarlierOutput, FileError> {
        let open = match path {
            Some(path) if resume => return AppendFile::resume(path),
            Some(path) if !is_standard(path) => {
                let open = OpenFile::open(path)?;
                let advice = "use --resume to continue or --force to overwrite";
                refuse_existing(path, force, advice)?;
                Some(open)
            }
            _ => None,
        };
        Ok(EarlierOutput { text: String::new(), file: AppendFile(open) })
    }

    /// Opens a file to continue it; one that does not exist is created. The file is unchanged until
    /// [`EarlierOutput::keep`].
    pub fn resume(path: &Path) -> Result<EarlierOutput, FileError> {
        if is_standard(path) {
            let text = "a run can be continued only in a file, not in standard output";
            return Err(FileError::Standard(text));
        }
        let open = OpenFile::open(path)?;
        let mut content = Vec::new();
        if open.is_old {
            let bytes = util::read_bounded(&open.file, MAX_CONTINUED);
            content = bytes.map_err(|error| FileError::Read(shown(path), error))?;
        }
        let text = text_of(content).ok_or_else(|| FileError::NotText(shown(path)))?;
        Ok(EarlierOutput { text, file: AppendFile(Some(open)) })
    }

    /// Appends a record in one write.
    pub fn append(&mut self, text: &str) -> Result<(), FileError> {
        match &mut self.0 {
            _ if text.is_empty() => Ok(()),
            None => write_stdout(text.as_bytes()),
            Some(open) => {
                open.is_new = false;
                open.cut(0)
                    .and_then(|()| open.file.write_all(text.as_bytes()))
                    .map_err(write_error(&open.path))
            }
        }
    }

    /// Flushes the file to disk.
    pub fn sync(&mut self) -> Result<(), FileError> {
        let Some(OpenFile { file, path, .. }) = &self.0 else {
            return Ok(());
        };
        match file.sync_data() {
            // Devices and pipes do not support syncing.
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
                Err(write_error(path)(error))
            }
            _ => Ok(()),
        }
    }
}

impl OpenFile {
    /// Opens and locks a file, without changing it.
    fn open(path: &Path) -> Result<OpenFile, FileError> {
        let is_new = !path.exists();
        let is_regular = is_new || fs::metadata(path).is_ok_and(|data| data.is_file());
        let mut options = OpenOptions::new();
        // Some devices and pipes cannot be opened for reading as well.
        options.read(is_regular).write(true).create(true);
        let file = options.truncate(false).open(path);
        let file = file.and_then(|file| util::lock_file(&file).map(|()| file));
        Ok(OpenFile {
            file: file.map_err(write_error(path))?,
            path: path.to_owned(),
            is_new,
            is_old: is_regular,
        })
    }

    /// Removes everything after the first `length` bytes of an earlier output, once.
    fn cut(&mut self, length: usize) -> io::Result<()> {
        if std::mem::take(&mut self.is_old) {
            self.file.set_len(length as u64)?;
            self.file.seek(SeekFrom::End(0))?;
        }
        Ok(())
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if self.is_new {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Calls `read` with the lines of an earlier output, each with its number, from 1, and its line
/// feed, until it returns false. Returns their length in bytes without that line, and without a part
/// of a line at the end.
pub fn read_lines<E>(
    text: &str,
    mut read: impl FnMut(usize, &str) -> Result<bool, E>,
) -> Result<usize, E> {
    let mut length = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if !line.ends_with('\n') || !read(number, line)? {
            break;
        }
        length += line.len();
    }
    Ok(length)
}

/// The text of a file that an earlier run has written, without a part of a character that a kill
/// may have left at the end; `None` if it is no text.
fn text_of(mut content: Vec<u8>) -> Option<String> {
    if let Err(error) = std::str::from_utf8(&content)
        && error.error_len().is_none()
    {
        content.truncate(error.valid_up_to());
    }
    String::from_utf8(content).ok()
}
