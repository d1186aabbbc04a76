//! A folder with the files of one test.

use std::fs;
use std::path::PathBuf;
#[cfg(unix)]
use std::process::Command;

use tempfile::TempDir;

/// Removed at the end of the test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Folder {
        let mut builder = tempfile::Builder::new();
        Folder(builder.prefix("brisance-").tempdir().expect("a folder"))
    }

    /// A folder with one file, and the path of the file.
    #[track_caller]
    pub fn with(name: &str, contents: impl AsRef<[u8]>) -> (Folder, String) {
        let folder = Folder::new();
        let path = folder.write(name, contents);
        (folder, path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn at(&self, name: &str) -> String {
        let path = self.path(name).into_os_string().into_string();
        path.expect("a plain name")
    }

    /// Writes a file and returns its path.
    #[track_caller]
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), contents).expect("writable");
        self.at(name)
    }

    #[track_caller]
    pub fn append(&self, name: &str, more: &[u8]) {
        self.write(name, [&self.bytes(name), more].concat());
    }

    /// Makes a named pipe and returns its path.
    #[cfg(unix)]
    pub fn make_pipe(&self, name: &str) -> String {
        let made = Command::new("mkfifo").arg(self.path(name)).status();
        assert!(made.expect("mkfifo runs").success());
        self.at(name)
    }

    #[track_caller]
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("UTF-8")
    }

    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The size of a file in bytes, 0 if there is none.
    pub fn size(&self, name: &str) -> u64 {
        fs::metadata(self.path(name)).map_or(0, |data| data.len())
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("readable");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> =
            names.map(|name| name.into_string().expect("a plain name")).collect();
        names.sort();
        names
    }
}
