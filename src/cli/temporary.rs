//! Files that exist only while a command runs: new content before it replaces a file, scratch
//! files and locks.
//! Invariant: they are removed on return, on an error and on an interrupt, and no file of another
//! program is ever removed or overwritten.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::util;

/// The files to remove if the process is interrupted.
static TEMPORARIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes all temporary files, before the process ends. No others can be created afterwards.
pub fn remove_all() {
    let all = TEMPORARIES.lock();
    for path in &*all {
        let _ = fs::remove_file(path);
    }
    std::mem::forget(all);
}

/// Removes a file when it is dropped.
struct Removal(PathBuf);

impl Removal {
    /// Opens a file that is to be removed.
    fn of(path: PathBuf, options: &OpenOptions) -> io::Result<(Removal, File)> {
        let mut all = TEMPORARIES.lock();
        let file = options.open(&path)?;
        all.push(path.clone());
        Ok((Removal(path), file))
    }
}

impl Drop for Removal {
    fn drop(&mut self) {
        let mut all = TEMPORARIES.lock();
        let _ = fs::remove_file(&self.0);
        if let Some(at) = all.iter().position(|path| *path == self.0) {
            all.swap_remove(at);
        }
    }
}

/// `path` with a suffix.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// A new file.
pub struct TemporaryFile {
    removal: Removal,
    pub(super) file: File,
}

impl TemporaryFile {
    /// Creates an empty file in the folder of `path`.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn next_to(path: &Path) -> io::Result<TemporaryFile> {
        let path = with_suffix(path, &format!(".{:08x}.tmp", fastrand::u32(..)));
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create_new(true);
        let (removal, file) = Removal::of(path, options)?;
        Ok(TemporaryFile { removal, file })
    }

    pub fn path(&self) -> &Path {
        &self.removal.0
    }

    /// Renames the file to `target`, which it replaces, when its content is on disk.
    ///
    /// # Errors
    /// Any failure to synchronise or rename.
    pub fn replace(self, target: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(target) {
            self.file.set_permissions(old.permissions())?;
        }
        self.file.sync_data()?;
        fs::rename(self.path(), target)
    }
}

/// The lock of a file that is replaced by renaming, which a lock on the file itself would not
/// survive: the file `NAME.lock` next to it. One that a killed process has left does not block.
pub struct ReplaceLock {
    _removal: Removal,
    _file: File,
}

impl ReplaceLock {
    /// Locks `path`, which need not exist.
    ///
    /// # Errors
    /// Another process has locked it, its folder cannot be written, or `NAME.lock` is not empty
    /// and therefore not a lock.
    pub fn acquire(path: &Path) -> io::Result<ReplaceLock> {
        let path = with_suffix(path, ".lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        loop {
            let file = options.open(&path)?;
            util::lock_file(&file)?;
            if file.metadata()?.len() > 0 {
                let text = format!("{} is in the way, it is not a lock", path.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
            }
            // The owner may have removed the file between the two calls above.
            if path.exists() {
                let (removal, _) = Removal::of(path, &options)?;
                return Ok(ReplaceLock {
                    _removal: removal,
                    _file: file,
                });
            }
        }
    }
}
