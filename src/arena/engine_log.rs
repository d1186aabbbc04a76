//! A log of the lines that a match exchanges with engine processes.
//! Invariant: every line is written when it is sent or read, so that a crash loses none.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use crate::files::{self, AppendFile, FileError};

/// A log file, shared by all engines of a match.
#[derive(Debug)]
pub struct EngineLog {
    start: Instant,
    state: Mutex<LogState>,
}

#[derive(Debug)]
struct LogState {
    file: AppendFile,
    /// The first failed write; nothing is written after it.
    error: Option<FileError>,
}

impl EngineLog {
    /// Creates a log in a new or empty file.
    ///
    /// # Errors
    /// The file has content, another process is writing to it, or it cannot be created.
    pub fn create(path: &Path) -> Result<EngineLog, FileError> {
        let earlier = AppendFile::resume(path)?;
        // After the file is locked, so that no other match has written to it.
        files::refuse_existing(path, false, "use another file")?;
        let file = earlier.keep(0)?;
        Ok(EngineLog { start: Instant::now(), state: Mutex::new(LogState { file, error: None }) })
    }

    /// The first failed write since the last call.
    pub fn take_error(&self) -> Option<FileError> {
        self.state.lock().error.take()
    }
}

/// The log of one engine process, if there is a log.
#[derive(Clone)]
pub struct ProcessLog {
    pub log: Option<Arc<EngineLog>>,
    pub engine: String,
    pub process: u32,
}

impl ProcessLog {
    /// Adds a line: the milliseconds since the start, the engine's name and process, `>` for a
    /// line to it or `<` for one from it, and the text.
    pub fn add(&self, direction: char, line: &str) {
        let Some(log) = &self.log else { return };
        let (engine, process) = (&self.engine, self.process);
        let mut state = log.state.lock();
        let time = log.start.elapsed().as_millis();
        let text = format!("{time:>8} {engine} {process} {direction} {line}\n");
        if state.error.is_none()
            && let Err(error) = state.file.append(&text)
        {
            state.error = Some(error);
        }
    }
}
