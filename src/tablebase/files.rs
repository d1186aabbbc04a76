//! Finding table files and reading them. Small files are kept in memory and large ones read
//! piece by piece, never mapped: a file that shrinks or a disk that fails under a memory map
//! kills the process, and no program can promise that neither happens.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs, io};

use shakmaty::variant::Atomic;
use shakmaty_syzygy::Tablebase as Syzygy;
use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};

/// Files up to this many bytes are read whole: all tables of three and four men and, of the
/// larger ones, those that are asked most for their size.
const SMALL: u64 = 1 << 20;

/// The files of a list of directories.
pub(super) struct Collection {
    pub(super) tables: Syzygy<Atomic>,
    pub(super) wdl_files: usize,
    pub(super) dtz_files: usize,
    /// Where the file of each name lies.
    pub(super) places: HashMap<String, PathBuf>,
    /// Files that cannot be used: their names, and a sentence each.
    pub(super) faults: Vec<(String, String)>,
}

impl Collection {
    /// The tables in a list of directories, written as in `PATH`.
    ///
    /// # Errors
    /// A directory that cannot be read, or no usable table in any.
    pub(super) fn open(list: &OsStr) -> Result<Collection, String> {
        let mut found = Collection {
            tables: Syzygy::with_filesystem(Arc::new(Files::default())),
            wdl_files: 0,
            dtz_files: 0,
            places: HashMap::new(),
            faults: Vec::new(),
        };
        for directory in env::split_paths(list).filter(|path| !path.as_os_str().is_empty()) {
            for path in table_files(&directory).map_err(|error| unreadable(&directory, &error))? {
                found.add(path);
            }
        }
        if found.places.is_empty() {
            let place = Path::new(list).display();
            return Err(match found.faults.first() {
                Some((_, fault)) => format!("no usable tables in {place}: {fault}"),
                None => format!("no atomic Syzygy tables (*.atbw, *.atbz) in {place}"),
            });
        }
        Ok(found)
    }

    fn add(&mut self, path: PathBuf) {
        let Some(name) = path.file_name().and_then(OsStr::to_str).map(str::to_owned) else {
            return;
        };
        if self.places.contains_key(&name) {
            return;
        }
        match self.tables.add_file(&path) {
            Ok(()) if has_extension(&path, "atbw") => self.wdl_files += 1,
            Ok(()) => self.dtz_files += 1,
            // Not named like a table.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return,
            Err(error) => {
                let why = match error.kind() {
                    io::ErrorKind::InvalidData => "is cut off or damaged".to_owned(),
                    _ => format!("cannot be read: {error}"),
                };
                let text = format!("Syzygy table {} {why}", path.display());
                self.faults.push((name, text));
                return;
            }
        }
        self.places.insert(name, path);
    }
}

/// Why a directory cannot be read, in words of our own: XBoard, which names a directory unasked,
/// takes every line of an engine that holds "No such file" or "Permission denied" for the
/// news that the engine could not be started.
fn unreadable(directory: &Path, error: &io::Error) -> String {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be opened".to_owned(),
        _ => error.to_string(),
    };
    format!("cannot read {}: {why}", directory.display())
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|found| found == wanted)
}

/// The files that may be tables of atomic chess, in the order of their names.
fn table_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
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

/// The file system as the prober sees it.
#[derive(Default)]
struct Files {
    system: OsFilesystem,
}

impl Filesystem for Files {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.system.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.system.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        if self.regular_file_size(path)? > SMALL {
            return self.system.open(path);
        }
        Ok(Box::new(InMemory(fs::read(path)?)))
    }
}

/// The contents of a file.
struct InMemory(Vec<u8>);

impl RandomAccessFile for InMemory {
    fn read_at(&self, buf: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.0.get(start..).unwrap_or_default();
        let count = rest.len().min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}
