//! Files that commands write: whole ones that take their place at once, and growing ones that
//! always end with a whole piece. Every error names the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Error;

/// Complaints about single pieces of the input, on stderr; after the first few they are only
/// counted, so that a file of the wrong kind does not fill the screen.
#[derive(Default)]
pub struct Complaints {
    count: usize,
}

impl Complaints {
    const TOLD: usize = 20;

    /// Tells one.
    pub fn add(&mut self, text: &str) {
        self.count += 1;
        if self.count <= Complaints::TOLD {
            tell(text);
        }
    }

    /// Says how many were not told, and returns the number of all.
    pub fn close(self) -> usize {
        if self.count > Complaints::TOLD {
            tell(&format!("… and {} more", self.count - Complaints::TOLD));
        }
        self.count
    }
}

/// Writes a line on stderr.
pub fn tell(text: &str) {
    // Not eprintln: it panics when stderr is closed.
    let _ = writeln!(io::stderr(), "{text}");
}

/// What to do with a file that is already there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    /// Leave it and fail.
    Keep,
    /// Write a new one in its place.
    Replace,
}

impl Existing {
    /// As the switch `--force` says.
    pub fn unless(force: bool) -> Existing {
        if force {
            Existing::Replace
        } else {
            Existing::Keep
        }
    }
}

/// Whether two names, of files that may not be there yet, are of one regular file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        fs::canonicalize(path).ok().or_else(|| {
            let folder = match path.parent() {
                Some(folder) if folder != Path::new("") => folder,
                _ => Path::new("."),
            };
            Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
        })
    };
    let is_special = fs::metadata(one).is_ok_and(|found| !found.is_file());
    !is_special && place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other))
}

/// Fails when a file is in the way. Devices and pipes never are.
///
/// # Errors
/// A message that names the file and what to do.
pub fn make_way(path: &Path, existing: Existing, advice: &str) -> Result<(), Error> {
    if existing == Existing::Keep && fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return Err(Error::Failed(format!(
            "{} exists; {advice}",
            path.display()
        )));
    }
    Ok(())
}

/// Writes a file so that it is either there whole or not at all; an older one stays until
/// then.
///
/// # Errors
/// A message that names the file.
pub fn write_whole(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Error> {
    let content = content.as_ref();
    let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file());
    let result = if is_special {
        // A device cannot be replaced by a file.
        OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut file| file.write_all(content))
    } else {
        replace(path, content)
    };
    result.map_err(|error| failed(path, &error))
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written = File::create(&beside)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_data()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::Failed(format!("cannot write {}: {error}", path.display()))
}

/// Where results go one after another, each in one write: a file or stdout.
pub struct Growing {
    target: Target,
}

enum Target {
    Stdout,
    File { file: File, path: PathBuf },
}

impl Growing {
    /// Standard output.
    pub fn stdout() -> Growing {
        Growing {
            target: Target::Stdout,
        }
    }

    /// A new file.
    ///
    /// # Errors
    /// A message that names the file.
    pub fn create(path: &Path) -> Result<Growing, Error> {
        let file = File::create(path).map_err(|error| failed(path, &error))?;
        Ok(Growing::file(file, path))
    }

    /// An older file, from which everything behind the first `length` bytes is cut off.
    ///
    /// # Errors
    /// A message that names the file.
    pub fn extend(path: &Path, length: u64) -> Result<Growing, Error> {
        use io::Seek;
        let opened = OpenOptions::new().write(true).open(path);
        let cut = opened.and_then(|mut file| {
            file.set_len(length)?;
            file.seek(io::SeekFrom::End(0))?;
            Ok(file)
        });
        let file = cut.map_err(|error| failed(path, &error))?;
        Ok(Growing::file(file, path))
    }

    fn file(file: File, path: &Path) -> Growing {
        Growing {
            target: Target::File {
                file,
                path: path.to_owned(),
            },
        }
    }

    /// Adds a piece.
    ///
    /// # Errors
    /// A message that names the file, or what is wrong with stdout.
    pub fn add(&mut self, text: &str) -> Result<(), Error> {
        match &mut self.target {
            Target::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes())?;
                Ok(out.flush()?)
            }
            Target::File { file, path } => file
                .write_all(text.as_bytes())
                .map_err(|error| failed(path, &error)),
        }
    }

    /// Waits until the disk has everything.
    ///
    /// # Errors
    /// A message that names the file.
    pub fn close(self) -> Result<(), Error> {
        match self.target {
            Target::Stdout => Ok(()),
            Target::File { file, path } => match file.sync_data() {
                // Devices and pipes have nothing to wait for.
                Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
                    Err(failed(&path, &error))
                }
                _ => Ok(()),
            },
        }
    }
}
