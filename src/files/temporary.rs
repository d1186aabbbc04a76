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

/// An open file that is removed when it is dropped.
pub struct TemporaryFile {
    path: PathBuf,
    pub file: File,
}

impl TemporaryFile {
    /// Creates an empty file in the folder of `path`.
    pub fn next_to(path: &Path) -> io::Result<TemporaryFile> {
        let path = path.with_added_extension(format!("{:08x}.tmp", fastrand::u32(..)));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let mut all = TEMPORARIES.lock();
        let file = options.open(&path)?;
        all.push(path.clone());
        Ok(TemporaryFile { path, file })
    }

    /// Locks `path`, which need not exist and is replaced by renaming, which a lock on the file
    /// itself would not survive: the lock is the file `NAME.lock` next to it. One that a killed
    /// process has left does not block. Fails if another process has locked the path, or if
    /// `NAME.lock` is not empty and therefore not a lock.
    pub fn lock_of(path: &Path) -> io::Result<TemporaryFile> {
        let path = path.with_added_extension("lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let mut all = TEMPORARIES.lock();
        loop {
            let file = options.open(&path)?;
            util::lock_file(&file)?;
            if file.metadata()?.len() > 0 {
                let text = format!("{} is in the way, it is not a lock", path.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
            }
            // The owner may have removed the file between the two calls above.
            if path.exists() {
                all.push(path.clone());
                return Ok(TemporaryFile { path, file });
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the file to `target`, which it replaces, when its content is on disk.
    pub fn replace(self, target: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(target) {
            self.file.set_permissions(old.permissions())?;
        }
        self.file.sync_data()?;
        fs::rename(&self.path, target)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let mut all = TEMPORARIES.lock();
        let _ = fs::remove_file(&self.path);
        if let Some(at) = all.iter().position(|path| *path == self.path) {
            all.swap_remove(at);
        }
    }
}
