//! Finds and reads table files, or takes them from memory.
//! Invariant: files are never memory-mapped, because a file that shrinks or a disk that fails under
//! a memory map kills the process. Small files are kept in memory, large ones are read in parts.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use shakmaty::variant::Atomic;
use shakmaty_syzygy::Tablebase as Syzygy;
#[cfg(any(unix, windows))]
use shakmaty_syzygy::filesystem::OsFilesystem;
use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};
use thiserror::Error;

use super::warnings::TableWarnings;
use crate::{host, util};

/// The size in bytes up to which a file is kept in memory: all tables of three and four pieces, and
/// the smaller tables of more.
#[cfg(any(unix, windows))]
const MAX_SIZE_IN_MEMORY: u64 = 1 << 20;

/// Why tablebases cannot be opened.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum TablebaseError {
    #[error("cannot read {}: {}", path.display(), reworded(source))]
    Directory { path: PathBuf, source: io::Error },
    #[error("no atomic Syzygy tables (*.atbw, *.atbz) in {}", .0.display())]
    NoTables(PathBuf),
    #[error("no usable tables in {}: {first}", path.display())]
    NoUsableTables {
        path: PathBuf,
        #[source]
        first: TableFileError,
    },
}

/// Why a table file cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum TableFileError {
    /// The file is shorter than its header says, or not a table.
    #[error("Syzygy table {} is cut off or damaged", .0.display())]
    Damaged(PathBuf),
    #[error("Syzygy table {} cannot be read: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
}

/// The usual messages of the system in other words: XBoard takes every line of an engine with "No
/// such file" or "Permission denied" for the message that the engine could not be started.
fn reworded(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "the directory does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "access is denied".to_owned(),
        _ => error.to_string(),
    }
}

/// The usable files of a collection, and warnings about the others.
pub struct TableFiles {
    pub prober: Syzygy<Atomic>,
    pub wdl_files: usize,
    pub dtz_files: usize,
    pub warnings: TableWarnings,
}

/// Finds the tables in a list of directories, separated as in `PATH`; `~` at the start of each is the
/// home directory.
pub fn from_directories(list: &OsStr) -> Result<TableFiles, TablebaseError> {
    let mut paths = Vec::new();
    let directories = host::split_paths(list).into_iter();
    for directory in directories.filter(|path| !path.as_os_str().is_empty()) {
        let path = util::expand_home(&directory);
        let found = table_paths(&path);
        paths.extend(found.map_err(|source| TablebaseError::Directory { path, source })?);
    }
    from_files(disk(), paths, PathBuf::from(list))
}

/// Takes the tables from memory, by file name.
pub fn from_memory(contents: HashMap<String, Arc<[u8]>>) -> Result<TableFiles, TablebaseError> {
    let mut names: Vec<PathBuf> = contents.keys().map(PathBuf::from).collect();
    names.sort();
    let first = names.first().cloned().unwrap_or_default();
    from_files(Arc::new(MemoryFilesystem(contents)), names, first)
}

/// Opens files, the first of each name. The error names `place`.
fn from_files(
    filesystem: Arc<dyn Filesystem>,
    files: Vec<PathBuf>,
    place: PathBuf,
) -> Result<TableFiles, TablebaseError> {
    let mut prober = Syzygy::with_filesystem(filesystem);
    let (mut paths, mut errors) = (HashMap::new(), Vec::new());
    for path in files {
        let Some(name) = path.file_name().and_then(OsStr::to_str).map(str::to_owned) else {
            continue;
        };
        if paths.contains_key(&name) {
            continue;
        }
        match prober.add_file(&path) {
            Ok(()) => {
                paths.insert(name, path);
            }
            Err(error) => match error.kind() {
                // The name is not that of a table.
                io::ErrorKind::InvalidInput => {}
                io::ErrorKind::InvalidData => errors.push((name, TableFileError::Damaged(path))),
                _ => errors.push((name, TableFileError::Io(path, error))),
            },
        }
    }
    if paths.is_empty() {
        return Err(match errors.into_iter().next() {
            Some((_, first)) => TablebaseError::NoUsableTables { path: place, first },
            None => TablebaseError::NoTables(place),
        });
    }
    let is_wdl = |path: &&PathBuf| has_extension(path, "atbw");
    let wdl_files = paths.values().filter(is_wdl).count();
    let warnings = errors.into_iter().map(|(name, error)| (name, error.to_string()));
    Ok(TableFiles {
        prober,
        wdl_files,
        dtz_files: paths.len() - wdl_files,
        warnings: TableWarnings::new(paths, warnings),
    })
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// The files of a directory with the extension of atomic tables, sorted by name.
fn table_paths(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if has_extension(&path, "atbw") || has_extension(&path, "atbz") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(any(unix, windows))]
fn disk() -> Arc<dyn Filesystem> {
    Arc::new(CachedFilesystem(OsFilesystem::default()))
}

/// Without a file system there are no files.
#[cfg(not(any(unix, windows)))]
fn disk() -> Arc<dyn Filesystem> {
    Arc::new(MemoryFilesystem(HashMap::new()))
}

/// The file system for the prober: small files are read into memory when they are opened.
#[cfg(any(unix, windows))]
struct CachedFilesystem(OsFilesystem);

#[cfg(any(unix, windows))]
impl Filesystem for CachedFilesystem {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.0.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        if self.regular_file_size(path)? > MAX_SIZE_IN_MEMORY {
            return self.0.open(path);
        }
        let content = util::read_file(path, MAX_SIZE_IN_MEMORY)?;
        Ok(Box::new(InMemoryFile(content.into())))
    }
}

struct MemoryFilesystem(HashMap<String, Arc<[u8]>>);

impl MemoryFilesystem {
    fn content(&self, path: &Path) -> io::Result<&Arc<[u8]>> {
        let found = path.to_str().and_then(|name| self.0.get(name));
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Filesystem for MemoryFilesystem {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.content(path).map(|content| content.len() as u64)
    }

    fn read_dir(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(self.0.keys().map(PathBuf::from).collect())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Ok(Box::new(InMemoryFile(Arc::clone(self.content(path)?))))
    }
}

struct InMemoryFile(Arc<[u8]>);

impl RandomAccessFile for InMemoryFile {
    fn read_at(&self, buf: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.0.get(start..).unwrap_or_default();
        let count = rest.len().min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}
