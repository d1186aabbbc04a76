//! Output files of commands: files that are replaced as a whole, and files that grow by whole
//! records. Also the messages on stderr.
//! Invariant: no output is an input, and every output is opened, locked and checked before the work
//! begins. Without a result the file of an earlier run stays as it is.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::str::Utf8Error;

use clap::{Arg, ArgMatches, Command};

use super::CliError;
use super::temporary::{ReplaceLock, TemporaryFile};
use crate::util::{self, shorten};

/// The largest output in bytes that a run can continue.
const MAX_CONTINUED: u64 = 4 << 30;

/// Prints errors about single records of the input on stderr. After the first few they are only
/// counted, so a file of the wrong format does not flood the terminal.
#[derive(Default)]
pub struct CappedErrors {
    count: usize,
}

impl CappedErrors {
    const MAX_PRINTED: usize = 20;

    /// Prints or counts an error.
    pub fn report(&mut self, text: &str) {
        self.count += 1;
        if self.count <= CappedErrors::MAX_PRINTED {
            print_stderr(text);
        }
    }

    /// The number of errors so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Prints how many errors were not printed, and returns the total number.
    pub fn finish(self) -> usize {
        if self.count > CappedErrors::MAX_PRINTED {
            print_stderr(&format!(
                "… and {} more",
                self.count - CappedErrors::MAX_PRINTED
            ));
        }
        self.count
    }
}

/// Prints a warning on stderr.
pub fn print_warning(text: impl Display) {
    print_stderr(&format!("warning: {text}"));
}

/// Prints a line on stderr.
pub fn print_stderr(text: &str) {
    // eprintln! would panic if stderr is closed.
    let _ = writeln!(io::stderr(), "{text}");
}

/// The name of a file that a command writes. Every argument for an output has this type, and every
/// other path is an input: so `refuse_overlap` knows both.
#[derive(Clone, Debug)]
pub struct OutputPath(PathBuf);

impl From<OsString> for OutputPath {
    fn from(name: OsString) -> OutputPath {
        OutputPath(name.into())
    }
}

impl Deref for OutputPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

/// Fails if an output of the command that was given is also an input or another output.
///
/// # Errors
/// Two arguments name the same file.
pub fn refuse_overlap(command: &Command, matches: &ArgMatches) -> Result<(), CliError> {
    if let Some((name, matches)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        return refuse_overlap(command, matches);
    }
    let (mut outputs, mut inputs): (Vec<(&Arg, &Path)>, Vec<PathBuf>) = Default::default();
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        if let Ok(Some(paths)) = matches.try_get_many::<OutputPath>(id) {
            outputs.extend(paths.map(|path| (arg, &**path)));
        } else if let Ok(Some(paths)) = matches.try_get_many::<PathBuf>(id) {
            inputs.extend(paths.map(|path| util::expand_home(path)));
        }
    }
    for (index, (arg, output)) in outputs.iter().enumerate() {
        refuse_input(output, &inputs, &argument_name(arg))?;
        let others = &outputs[..index];
        if let Some((other, _)) = others.iter().find(|other| is_same_file(other.1, output)) {
            let names = [other, arg].map(|arg| argument_name(arg)).join(" and ");
            let text = format!("{names} both name {}", shown(output));
            return Err(CliError::Usage(text));
        }
    }
    Ok(())
}

/// Fails if a command would write to one of its inputs.
///
/// # Errors
/// The output is an input; `name` is that of the argument.
pub fn refuse_input(
    output: &Path,
    inputs: &[impl AsRef<Path>],
    name: &str,
) -> Result<(), CliError> {
    let mut inputs = inputs.iter().map(AsRef::as_ref);
    if inputs.any(|input| is_same_file(input, output)) {
        let text = format!("{} is an input; {name} must be another file", shown(output));
        return Err(CliError::Usage(text));
    }
    Ok(())
}

/// The name of an argument in the help.
fn argument_name(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => arg.get_id().as_str().to_uppercase(),
    }
}

/// True if two paths name the same regular file, also through links; it need not exist.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| fs::canonicalize(path).ok();
    let new_file = |path: &Path| {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        Some(canonical(folder)?.join(path.file_name()?))
    };
    match [one, other].map(fs::metadata) {
        _ if is_standard(one) || is_standard(other) => false,
        // Opening a pipe would block.
        [Ok(a), Ok(b)] => {
            let same = || same_file::is_same_file(one, other);
            let is_same = || same().unwrap_or_else(|_| canonical(one) == canonical(other));
            a.is_file() && b.is_file() && is_same()
        }
        [Err(_), Err(_)] => new_file(one).is_some_and(|path| Some(path) == new_file(other)),
        _ => false,
    }
}

/// True for `-`, which names standard input or output instead of a file.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Fails if a path that must be a file is `-`.
///
/// # Errors
/// The path is `-`; `name` is that of the argument.
pub fn refuse_standard(path: &Path, name: &str) -> Result<(), CliError> {
    if is_standard(path) {
        let text = format!("{name} must be a file, not standard output");
        return Err(CliError::Usage(text));
    }
    Ok(())
}

/// Fails without `force` if a file with content exists at `path`. Empty files, devices and pipes
/// are accepted.
fn refuse_existing(path: &Path, force: bool, advice: &str) -> Result<(), CliError> {
    let has_content = |data: fs::Metadata| data.is_file() && data.len() > 0;
    if !force && fs::metadata(path).is_ok_and(has_content) {
        return Err(CliError::Failed(format!(
            "{} exists; {advice}",
            shown(path)
        )));
    }
    Ok(())
}

/// A path for a message, shortened if it is long.
fn shown(path: &Path) -> String {
    shorten(&path.display().to_string())
}

fn write_error(path: &Path, error: &io::Error) -> CliError {
    CliError::Failed(format!("cannot write {}: {error}", shown(path)))
}

fn write_stdout(bytes: &[u8]) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// A result that is written as a whole when the work is done. The file is locked and known to be
/// writable from the start, and it is replaced as a whole or not at all.
pub struct WholeFile(WholeTarget);

enum WholeTarget {
    Stdout,
    /// A device or a pipe.
    Special(File, PathBuf),
    Regular {
        path: PathBuf,
        /// The file that `path` names, if it is a link.
        target: PathBuf,
        _lock: ReplaceLock,
    },
}

impl WholeFile {
    /// Opens the target before the work begins; `-` is standard output. With `force` an existing
    /// file is replaced.
    ///
    /// # Errors
    /// The file exists and must be kept, another process is writing to it, or it cannot be
    /// written.
    pub fn open(path: &Path, force: bool) -> Result<WholeFile, CliError> {
        WholeFile::open_with(path, force, "use --force to overwrite")
    }

    /// Like [`WholeFile::open`], for commands whose first file is the output, as it is not in `cp`.
    ///
    /// # Errors
    /// As for [`WholeFile::open`].
    pub fn open_first(path: &Path, force: bool) -> Result<WholeFile, CliError> {
        WholeFile::open_with(
            path,
            force,
            "the first file is the output; use --force to overwrite it",
        )
    }

    fn open_with(path: &Path, force: bool, advice: &str) -> Result<WholeFile, CliError> {
        if is_standard(path) {
            return Ok(WholeFile(WholeTarget::Stdout));
        }
        let failed = |error: io::Error| write_error(path, &error);
        if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return Ok(WholeFile(WholeTarget::Special(file, path.to_owned())));
        }
        if path.file_name().is_none() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        // The file that a link names is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let lock = ReplaceLock::acquire(&target).map_err(failed)?;
        refuse_existing(path, force, advice)?;
        Ok(WholeFile(WholeTarget::Regular {
            path: path.to_owned(),
            target,
            _lock: lock,
        }))
    }

    /// Writes the content.
    ///
    /// # Errors
    /// The content cannot be written; an old file is then unchanged.
    pub fn write(&mut self, content: impl AsRef<[u8]>) -> Result<(), CliError> {
        let content = content.as_ref();
        match &mut self.0 {
            WholeTarget::Stdout => write_stdout(content),
            WholeTarget::Special(file, path) => file
                .write_all(content)
                .map_err(|error| write_error(path, &error)),
            WholeTarget::Regular { path, target, .. } => TemporaryFile::next_to(target)
                .and_then(|mut new| {
                    new.file.write_all(content)?;
                    new.replace(target)
                })
                .map_err(|error| write_error(path, &error)),
        }
    }

    /// Calls `write` with the name of an empty file, and replaces the target by it if that
    /// succeeds. A device is written by its own name.
    ///
    /// # Errors
    /// The target is standard output or cannot be replaced, and the errors of `write`.
    pub fn fill<T>(
        &mut self,
        write: impl FnOnce(&Path) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        match &self.0 {
            WholeTarget::Stdout => {
                let text = "the output must be a file, not standard output";
                Err(CliError::Usage(text.to_owned()))
            }
            WholeTarget::Special(_, path) => write(path),
            WholeTarget::Regular { path, target, .. } => {
                let failed = |error| write_error(path, &error);
                let new = TemporaryFile::next_to(target).map_err(failed)?;
                let result = write(new.path()).map_err(|error| match error {
                    CliError::Failed(text) => {
                        let name = new.path().display().to_string();
                        CliError::Failed(text.replace(&name, &shown(path)))
                    }
                    error => error,
                })?;
                new.replace(target).map_err(failed)?;
                Ok(result)
            }
        }
    }
}

/// The target of results that are written one by one: standard output, or a file that is locked
/// while it is open. A new file that stays empty is removed.
pub struct AppendFile {
    target: AppendTarget,
}

enum AppendTarget {
    Stdout,
    File {
        file: File,
        path: PathBuf,
        /// The file did not exist and nothing has been written.
        is_new: bool,
        /// The first record replaces the content.
        is_old: bool,
    },
}

impl AppendFile {
    /// The target standard output.
    pub fn stdout() -> AppendFile {
        AppendFile {
            target: AppendTarget::Stdout,
        }
    }

    /// Opens the target before the work begins; without a path, or with `-`, it is standard
    /// output. With `force` the first record replaces the content of an existing file.
    ///
    /// # Errors
    /// The file exists and must be kept, another process is writing to it, or it cannot be
    /// written.
    pub fn create(path: Option<&Path>, force: bool) -> Result<AppendFile, CliError> {
        let Some(path) = path.filter(|path| !is_standard(path)) else {
            return Ok(AppendFile::stdout());
        };
        let out = AppendFile::open(path)?;
        let advice = "use --resume to continue or --force to overwrite";
        refuse_existing(path, force, advice)?;
        Ok(out)
    }

    /// Opens a file to continue it; one that does not exist is created. `read` returns what its
    /// content means, and the length in bytes of the records to keep: what follows is removed.
    ///
    /// # Errors
    /// `-`, another process that is writing to the file, a file that cannot be read or written or
    /// is not text, and the errors of `read`. The file is then unchanged.
    pub fn resume<T>(
        path: &Path,
        read: impl FnOnce(&str) -> Result<(T, usize), CliError>,
    ) -> Result<(AppendFile, T), CliError> {
        if is_standard(path) {
            let text = "a run can be continued only in a file, not in standard output";
            return Err(CliError::Usage(text.to_owned()));
        }
        let mut out = AppendFile::open(path)?;
        let mut content = Vec::new();
        if let AppendTarget::File { file, .. } = &mut out.target
            && file.metadata().is_ok_and(|data| data.is_file())
        {
            content = util::read_bounded(file, MAX_CONTINUED).map_err(|error| {
                CliError::Failed(format!("cannot read {}: {error}", shown(path)))
            })?;
        }
        let (value, length) = read(text_of(path, &content)?)?;
        if let AppendTarget::File { file, is_old, .. } = &mut out.target
            && std::mem::take(is_old)
        {
            cut(file, length as u64).map_err(|error| write_error(path, &error))?;
        }
        Ok((out, value))
    }

    /// Opens and locks a file, without changing it.
    fn open(path: &Path) -> Result<AppendFile, CliError> {
        let is_new = !path.exists();
        let is_regular = is_new || fs::metadata(path).is_ok_and(|data| data.is_file());
        let mut options = OpenOptions::new();
        // Some devices and pipes cannot be opened for reading as well.
        options.read(is_regular).write(true).create(true);
        let file = options.truncate(false).open(path);
        let file = file.and_then(|file| util::lock_file(&file).map(|()| file));
        let file = file.map_err(|error| write_error(path, &error))?;
        Ok(AppendFile {
            target: AppendTarget::File {
                file,
                path: path.to_owned(),
                is_new,
                is_old: is_regular,
            },
        })
    }

    /// Appends a record in one write.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn append(&mut self, text: &str) -> Result<(), CliError> {
        if text.is_empty() {
            return Ok(());
        }
        match &mut self.target {
            AppendTarget::Stdout => write_stdout(text.as_bytes()),
            AppendTarget::File {
                file,
                path,
                is_new,
                is_old,
            } => {
                *is_new = false;
                let emptied = match std::mem::take(is_old) {
                    true => cut(file, 0),
                    false => Ok(()),
                };
                emptied
                    .and_then(|()| file.write_all(text.as_bytes()))
                    .map_err(|error| write_error(path, &error))
            }
        }
    }

    /// Flushes the file to disk.
    ///
    /// # Errors
    /// The data cannot be written.
    pub fn sync(&mut self) -> Result<(), CliError> {
        let AppendTarget::File { file, path, .. } = &mut self.target else {
            return Ok(());
        };
        match file.sync_data() {
            // Devices and pipes do not support syncing.
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
                Err(write_error(path, &error))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for AppendFile {
    fn drop(&mut self) {
        if let AppendTarget::File {
            path, is_new: true, ..
        } = &self.target
        {
            let _ = fs::remove_file(path);
        }
    }
}

/// Removes everything after the first `length` bytes.
fn cut(file: &mut File, length: u64) -> io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::End(0)).map(|_| ())
}

/// The text of a file that an earlier run has written, without a part of a character that a kill
/// may have left at the end.
fn text_of<'a>(path: &Path, content: &'a [u8]) -> Result<&'a str, CliError> {
    let is_torn = |error: &Utf8Error| error.error_len().is_none();
    let text = match std::str::from_utf8(content) {
        Err(error) if is_torn(&error) => std::str::from_utf8(&content[..error.valid_up_to()]),
        text => text,
    };
    text.map_err(|_| CliError::Failed(format!("{} is not text; it is unchanged", shown(path))))
}
