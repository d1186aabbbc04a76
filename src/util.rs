//! Helpers without a domain: text for messages, search speed, files that are read with a bound,
//! and file locks.
//! Invariant: this module uses nothing else of the crate.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, mem, thread};

#[cfg(feature = "cli")]
use serde::Serialize;

/// Returns `text` cut to a length that fits into a message.
pub fn shorten(text: &str) -> String {
    const MAX_CHARS: usize = 80;
    let mut short: String = text.chars().take(MAX_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Returns a message with its middle left out if it is long, so that a long file name or value
/// does not flood the terminal.
#[cfg(feature = "uci")]
pub fn shorten_message(text: &str) -> String {
    const HEAD: usize = 400;
    const TAIL: usize = 100;
    let count = text.chars().count();
    if count <= HEAD + TAIL {
        return text.to_owned();
    }
    let head = text.chars().take(HEAD);
    let tail = text.chars().skip(count - TAIL);
    head.chain(" … ".chars()).chain(tail).collect()
}

/// A number of things in words, such as `1 game`, `2 games` or `2 entries`.
pub fn count(number: impl TryInto<u64>, singular: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    match singular.strip_suffix('y') {
        _ if number == 1 => format!("1 {singular}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {singular}s"),
    }
}

/// Opens a file for reading.
///
/// # Errors
/// Any failure to open, and everything that is no file: a device may never end, and opening a pipe
/// without a writer blocks.
pub fn open_file(path: &Path) -> io::Result<File> {
    let data = fs::metadata(path)?;
    if !data.is_file() {
        let kind = if data.is_dir() { "a directory" } else { "a device or a pipe" };
        let text = format!("{kind}, not a file");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    File::open(path)
}

/// Reads a whole file of at most `max` bytes. The bound is part of the error.
pub fn read_file(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let file = open_file(path)?;
    if file.metadata()?.len() > max {
        return Err(too_large(max));
    }
    read_bounded(file, max)
}

/// Reads a source to its end, at most `max` bytes. The bound is part of the error.
pub fn read_bounded(source: impl Read, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(too_large(max));
    }
    Ok(bytes)
}

/// Reads a line with its line end, of at most `max` bytes: empty at the end of the source, `None`
/// if the line is longer.
pub fn read_line_bounded(source: &mut impl BufRead, max: usize) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut bounded = source.by_ref().take(max as u64 + 1);
    bounded.read_until(b'\n', &mut line)?;
    Ok((line.len() <= max).then_some(line))
}

/// The lines of a stream, which end with a line feed, a carriage return or both.
pub struct Lines<R> {
    source: BufReader<R>,
    /// The last line ended with a carriage return.
    after_return: bool,
}

impl<R: Read> Lines<R> {
    /// Longer lines are returned in parts.
    const MAX_LENGTH: usize = 1 << 24;

    pub fn new(source: R) -> Lines<R> {
        Lines { source: BufReader::new(source), after_return: false }
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut after_return = mem::take(&mut self.after_return);
        let mut line = Vec::new();
        for byte in self.source.by_ref().bytes() {
            match byte? {
                b'\n' if mem::take(&mut after_return) => continue,
                b'\n' => return Ok(Some(line)),
                b'\r' => {
                    self.after_return = true;
                    return Ok(Some(line));
                }
                byte => line.push(byte),
            }
            after_return = false;
            if line.len() == Self::MAX_LENGTH {
                break;
            }
        }
        Ok(Some(line).filter(|line| !line.is_empty()))
    }
}

/// The lines without their ends, or why the stream cannot be read.
impl<R: Read> Iterator for Lines<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        self.read().transpose()
    }
}

fn too_large(max: u64) -> io::Error {
    let bound = match max >> 20 {
        0 => format!("{max} bytes"),
        mebibytes => format!("{mebibytes} MiB"),
    };
    let text = format!("larger than the limit of {bound}");
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

/// Returns `path` with a leading `~` replaced by the home directory. A shell does this for the
/// first path of a list only, and a GUI for none.
pub fn expand_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// Drops a value on another thread, because freeing many gigabytes takes seconds.
pub fn drop_in_background(value: impl Send + 'static) {
    // If no thread can be started, the value is dropped here.
    let thread = thread::Builder::new().name("free".to_owned());
    let _ = thread.spawn(move || drop(value));
}

/// Nodes per second; times below a microsecond count as one microsecond.
pub fn nps(nodes: u64, time: Duration) -> u64 {
    let micros = time.as_micros().max(1);
    u64::try_from(u128::from(nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}

/// The seed of one of many random sequences: that of all of them with the number of the sequence.
#[cfg(feature = "cli")]
pub fn mix(seed: u64, index: u64) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index)
}

/// An object as JSON on a line of its own.
#[cfg(feature = "cli")]
pub fn json_line(object: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(object)? + "\n")
}

/// Locks an open file against other processes of this program until it is closed. Devices, pipes
/// and file systems without locks are accepted unlocked.
///
/// Lock a file before truncating it: another process may be writing to it.
///
/// # Errors
/// Another process has locked the file.
pub fn lock_file(file: &File) -> io::Result<()> {
    let is_regular = file.metadata().is_ok_and(|data| data.is_file());
    match file.try_lock() {
        Err(TryLockError::WouldBlock) if is_regular => {
            let text = "another process is writing to it";
            Err(io::Error::new(io::ErrorKind::ResourceBusy, text))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways() {
        let lines = |text: &str| -> Vec<String> {
            let lines = Lines::new(text.as_bytes()).map(|line| line.expect("memory can be read"));
            let texts = lines.map(|line| String::from_utf8(line).expect("text"));
            texts.collect()
        };
        assert_eq!(lines("a\nb\r\nc\rd"), ["a", "b", "c", "d"]);
        assert_eq!(lines("\n\r\n\r\r\n\n\ra\n"), ["", "", "", "", "", "", "a"]);
        assert!(lines("").is_empty());
        let long = "x".repeat(Lines::<&[u8]>::MAX_LENGTH + 1);
        assert_eq!(lines(&long).concat(), long);
    }

    #[test]
    fn nps_of_extreme_times_and_counts() {
        assert_eq!(nps(500, Duration::from_millis(250)), 2000);
        assert_eq!(nps(7, Duration::ZERO), 7_000_000);
        assert_eq!(nps(u64::MAX, Duration::from_micros(1)), u64::MAX);
    }

    #[test]
    fn things_are_counted_in_words() {
        for (number, singular, text) in [
            (0, "game", "0 games"),
            (1, "game", "1 game"),
            (2, "entry", "2 entries"),
            (1, "reply", "1 reply"),
            (3, "play", "3 plays"),
        ] {
            assert_eq!(count(number, singular), text);
        }
    }

    #[test]
    #[cfg(feature = "cli")]
    fn long_messages_keep_both_ends() {
        let short = "x".repeat(500);
        assert_eq!(shorten_message(&short), short);
        let long = format!("cannot read {}: no such file", "é".repeat(100_000));
        let text = shorten_message(&long);
        assert!(text.starts_with("cannot read é") && text.ends_with("é: no such file"));
        assert_eq!(text.chars().count(), 503);
    }

    #[test]
    fn files_are_read_with_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bound");
        fs::write(&path, [7; 100]).unwrap();
        assert_eq!(read_file(&path, 100).unwrap(), [7; 100]);
        let error = read_file(&path, 99).unwrap_err();
        assert_eq!(error.to_string(), "larger than the limit of 99 bytes");
        let error = read_bounded(io::repeat(0), 3 << 20).unwrap_err();
        assert_eq!(error.to_string(), "larger than the limit of 3 MiB");
        let mut lines = &b"one\nthree\n"[..];
        assert_eq!(read_line_bounded(&mut lines, 4).unwrap().unwrap(), b"one\n");
        assert_eq!(read_line_bounded(&mut lines, 4).unwrap(), None);
        let error = read_file(&env::temp_dir(), 100).unwrap_err();
        assert_eq!(error.to_string(), "a directory, not a file");
        #[cfg(unix)]
        {
            let error = read_file(Path::new("/dev/zero"), 100).unwrap_err();
            assert_eq!(error.to_string(), "a device or a pipe, not a file");
        }
    }

    #[test]
    fn only_a_leading_tilde_is_the_home_directory() {
        let home = env::home_dir().expect("a home directory");
        assert_eq!(expand_home(Path::new("~/a/b")), home.join("a/b"));
        for other in ["/a/~/b", "a~", "~other/b", ""] {
            assert_eq!(expand_home(Path::new(other)), Path::new(other));
        }
    }
}
