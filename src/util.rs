//! Helpers without a domain: text for messages, search speed, file locks, and files that are
//! replaced atomically.
//! Invariant: this module uses nothing else of the crate.

#[cfg(feature = "cli")]
use std::fs::{self, OpenOptions};
use std::fs::{File, TryLockError};
use std::io;
#[cfg(feature = "cli")]
use std::io::Write;
#[cfg(feature = "cli")]
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Returns `text` cut to a length that fits into a message.
pub(crate) fn shorten(text: &str) -> String {
    const MAX_CHARS: usize = 80;
    let mut short: String = text.chars().take(MAX_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Nodes per second; times below a microsecond count as one microsecond.
pub(crate) fn nps(nodes: u64, time: Duration) -> u64 {
    let micros = time.as_micros().max(1);
    u64::try_from(u128::from(nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}

/// Locks an open file against other processes of this program until it is closed. Devices, pipes
/// and file systems without locks are accepted unlocked.
///
/// Lock a file before truncating it: another process may be writing to it.
///
/// # Errors
/// Another process has locked the file.
pub(crate) fn lock_file(file: &File) -> io::Result<()> {
    let is_regular = file.metadata().is_ok_and(|data| data.is_file());
    match file.try_lock() {
        Err(TryLockError::WouldBlock) if is_regular => {
            let text = "another process is writing to it";
            Err(io::Error::new(io::ErrorKind::ResourceBusy, text))
        }
        _ => Ok(()),
    }
}

/// The lock of a file that is replaced atomically, which a lock on the file itself would not
/// survive: the file `NAME.lock` beside it. It is removed at the end; one that a killed process
/// has left does not block.
#[cfg(feature = "cli")]
pub(crate) struct ReplaceLock {
    path: PathBuf,
    _file: File,
}

#[cfg(feature = "cli")]
impl ReplaceLock {
    /// Locks `path`, which need not exist.
    ///
    /// # Errors
    /// Another process has locked it, or its directory cannot be written.
    pub(crate) fn acquire(path: &Path) -> io::Result<ReplaceLock> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        let path = path.with_file_name(name);
        loop {
            let mut options = OpenOptions::new();
            let file = options.write(true).create(true).truncate(false);
            let file = file.open(&path)?;
            lock_file(&file)?;
            // The owner may have removed the file between the two calls above.
            if path.exists() {
                return Ok(ReplaceLock { path, _file: file });
            }
        }
    }
}

#[cfg(feature = "cli")]
impl Drop for ReplaceLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Writes a file atomically: until the new content is complete on disk, the old file stays. A
/// device or a pipe is written directly.
///
/// # Errors
/// Any failure to write, synchronise or rename.
#[cfg(feature = "cli")]
pub(crate) fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    let is_special = fs::metadata(path).is_ok_and(|data| !data.is_file());
    if is_special {
        return OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut file| file.write_all(content));
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let result = File::create(&temporary)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_data()))
        .and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nps_of_extreme_times_and_counts() {
        assert_eq!(nps(500, Duration::from_millis(250)), 2000);
        assert_eq!(nps(7, Duration::ZERO), 7_000_000);
        assert_eq!(nps(u64::MAX, Duration::from_micros(1)), u64::MAX);
    }

    #[test]
    fn long_text_is_shortened_at_a_character_boundary() {
        assert_eq!(shorten("Hash"), "Hash");
        let exact = "é".repeat(80);
        assert_eq!(shorten(&exact), exact);
        assert_eq!(shorten(&"é".repeat(81)), exact + "…");
    }
}
