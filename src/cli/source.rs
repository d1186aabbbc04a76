//! Text that commands read: files or standard input.
//! Invariant: a file that is not text, such as an archive, is refused when it is opened.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::CliError;
use super::error::usage;
use super::output::is_standard;
use crate::data;

/// A file, or standard input for the path `-`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    pub path: PathBuf,
    /// The name in messages.
    name: String,
}

impl Source {
    pub fn new(path: &Path) -> Source {
        Source {
            path: path.to_owned(),
            name: path.display().to_string(),
        }
    }

    /// Sets the name of standard input in messages.
    pub fn with_stdin_name(mut self, name: &str) -> Source {
        if self.is_stdin() {
            name.clone_into(&mut self.name);
        }
        self
    }

    pub fn is_stdin(&self) -> bool {
        is_standard(&self.path)
    }

    /// The length in bytes; `None` for standard input.
    pub fn bytes(&self) -> Option<u64> {
        let data = fs::metadata(&self.path).ok().filter(|_| !self.is_stdin());
        data.map(|data| data.len())
    }

    /// Opens the text for reading.
    pub fn open(&self) -> Result<Box<dyn Read>, CliError> {
        let open = || -> io::Result<Box<dyn Read>> {
            if self.is_stdin() {
                return Ok(Box::new(data::expect_text(io::stdin())?));
            }
            Ok(Box::new(data::expect_text(File::open(&self.path)?)?))
        };
        open().map_err(|error| self.read_error(&error))
    }

    pub fn read_error(&self, error: &io::Error) -> CliError {
        CliError::read(self, error)
    }
}

impl AsRef<Path> for Source {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Fails if standard input is named more than once.
pub fn refuse_repeated_stdin(sources: &[Source]) -> Result<(), CliError> {
    match sources.iter().filter(|source| source.is_stdin()).count() {
        0 | 1 => Ok(()),
        _ => usage("standard input can be read only once"),
    }
}

/// The names of sources in a message.
pub fn names(sources: &[Source]) -> String {
    let names: Vec<&str> = sources.iter().map(|source| &*source.name).collect();
    names.join(", ")
}
