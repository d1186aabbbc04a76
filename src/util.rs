//! Helpers without a domain: text for messages, search speed, and files that are replaced
//! atomically.
//! Invariant: this module uses nothing else of the crate.

#[cfg(feature = "cli")]
use std::fs::{self, File, OpenOptions};
#[cfg(feature = "cli")]
use std::io::{self, Write};
#[cfg(feature = "cli")]
use std::path::Path;
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
