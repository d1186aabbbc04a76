//! The output of a session, and the log of its lines.
//! Invariant: all lines are written whole, flushed and without trailing blanks, because some GUIs
//! compare words exactly; after the first failed write nothing more is written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use crate::util;

/// The start of a line of the log that was read.
const READ: &str = ">> ";
/// The start of a line of the log that was written.
const WRITTEN: &str = "<< ";

/// The output of a session, shared by all threads.
pub struct UciOutput {
    writer: Mutex<Box<dyn Write + Send>>,
    log: Mutex<Option<File>>,
    had_error: AtomicBool,
    failure: OnceLock<io::Error>,
    on_failure: Box<dyn Fn() + Send + Sync>,
}

impl UciOutput {
    /// An output that writes to `writer`. The first failed write calls `on_failure`.
    pub fn new(
        writer: Box<dyn Write + Send>,
        on_failure: impl Fn() + Send + Sync + 'static,
    ) -> UciOutput {
        UciOutput {
            writer: Mutex::new(writer),
            log: Mutex::new(None),
            had_error: AtomicBool::new(false),
            failure: OnceLock::new(),
            on_failure: Box::new(on_failure),
        }
    }

    /// Writes one or more lines as a block: no other thread's lines come in between.
    pub fn print(&self, text: &str) {
        if self.failure.get().is_some() {
            return;
        }
        let lines = text.split('\n').map(str::trim_end);
        let block: String = lines.map(|line| format!("{line}\n")).collect();
        let result = {
            let mut writer = self.writer.lock();
            self.log_lines(WRITTEN, &block);
            write_whole(&mut **writer, block.as_bytes())
        };
        if let Err(error) = result
            && self.failure.set(error).is_ok()
        {
            (self.on_failure)();
        }
    }

    /// Writes `info string …`.
    pub fn info(&self, text: &str) {
        let text = util::shorten_message(&text.replace(['\n', '\r'], " "));
        self.print(&format!("info string {text}"));
    }

    /// Writes `info string error …`.
    pub fn error(&self, text: &str) {
        self.had_error.store(true, Ordering::Relaxed);
        self.info(&format!("error {text}"));
    }

    pub fn has_error(&self) -> bool {
        self.had_error.load(Ordering::Relaxed)
    }

    /// The first failed write, unless the reader has gone away.
    pub fn failure(&self) -> Option<&io::Error> {
        let failure = self.failure.get();
        failure.filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    }

    /// Appends all lines from now on to a file, those that were read after `>> ` and those that
    /// are written after `<< `; `None` ends the log.
    ///
    /// # Errors
    /// The path is no file, a file of another kind, or it cannot be written; an earlier log goes on.
    pub fn set_log(&self, path: Option<&Path>) -> io::Result<()> {
        let file = path.map(open_log).transpose()?;
        *self.log.lock() = file;
        Ok(())
    }

    pub fn log_input(&self, line: &str) {
        self.log_lines(READ, line);
    }

    fn log_lines(&self, mark: &str, text: &str) {
        let mut log = self.log.lock();
        if let Some(file) = &mut *log {
            let lines: String = text.lines().map(|line| format!("{mark}{line}\n")).collect();
            // The game goes on without a log.
            if file.write_all(lines.as_bytes()).is_err() {
                *log = None;
            }
        }
    }
}

fn open_log(path: &Path) -> io::Result<File> {
    let mut start = String::new();
    let refuse = |text| Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    match fs::metadata(path) {
        // Opening a pipe without a reader would block.
        Ok(data) if !data.is_file() => return refuse("not a file"),
        Ok(data) if data.len() > 0 => {
            // What is not UTF-8 leaves the string empty.
            let _ = File::open(path)?.take(READ.len() as u64).read_to_string(&mut start);
            if ![READ, WRITTEN].contains(&start.as_str()) {
                return refuse("the file exists and is not a log");
            }
        }
        _ => {}
    }
    OpenOptions::new().append(true).create(true).open(path)
}

/// Writes and flushes, even to a pipe that does not block.
fn write_whole(writer: &mut dyn Write, mut bytes: &[u8]) -> io::Result<()> {
    const PAUSE: Duration = Duration::from_millis(1);
    loop {
        let result = if bytes.is_empty() {
            match writer.flush() {
                Ok(()) => return Ok(()),
                Err(error) => Err(error),
            }
        } else {
            writer.write(bytes)
        };
        match result {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(PAUSE),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU32;

    use super::*;

    /// Accepts one byte at a time, refuses every second call, and fails when it is full.
    struct Slow {
        calls: u32,
        room: usize,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.calls += 1;
            if self.calls.is_multiple_of(2) {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            self.room = self.room.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len().min(1))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_noticed_once() {
        let failures = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&failures);
        let slow = Box::new(Slow { calls: 0, room: 16 });
        let out = UciOutput::new(slow, move || {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        out.print("readyok");
        out.print("readyok");
        assert!(out.failure().is_none());
        out.error("x");
        out.print("readyok");
        assert_eq!(failures.load(Ordering::Relaxed), 1);
        let kind = out.failure().map(io::Error::kind);
        assert_eq!(kind, Some(io::ErrorKind::StorageFull));
        assert!(out.has_error());
    }
}
