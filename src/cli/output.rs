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

use clap::{Arg, ArgMatches, Command};

use super::temporary::TemporaryFile;
use super::{CliError, failed, usage};
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

    pub fn report(&mut self, text: &str) {
        self.count += 1;
        if self.count <= CappedErrors::MAX_PRINTED {
            print_stderr(text);
        }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Prints how many errors were not printed, and returns the total number.
    pub fn finish(self) -> usize {
        let hidden = self.count.saturating_sub(CappedErrors::MAX_PRINTED);
        if hidden > 0 {
            print_stderr(&format!("… and {hidden} more"));
        }
        self.count
    }
}

pub fn print_warning(text: impl Display) {
    print_stderr(&format!("warning: {text}"));
}

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
        let name = argument_name(arg);
        refuse_input(output, &inputs, &name)?;
        let mut others = outputs[..index].iter();
        if let Some((other, _)) = others.find(|other| is_same_file(other.1, output)) {
            let other = argument_name(other);
            return usage(format!("{other} and {name} both name {}", shown(output)));
        }
    }
    Ok(())
}

/// Fails if a command would write to one of its inputs; `name` is that of the output's argument.
pub fn refuse_input(
    output: &Path,
    inputs: &[impl AsRef<Path>],
    name: &str,
) -> Result<(), CliError> {
    let mut inputs = inputs.iter().map(AsRef::as_ref);
    if inputs.any(|input| is_same_file(input, output)) {
        let output = shown(output);
        return usage(format!("{output} is an input; {name} must be another file"));
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

/// Fails if a path that must be a file is `-`; `name` is that of the argument.
pub fn refuse_standard(path: &Path, name: &str) -> Result<(), CliError> {
    if is_standard(path) {
        return usage(format!("{name} must be a file, not standard output"));
    }
    Ok(())
}

/// Fails without `force` if a file with content exists at `path`. Empty files, devices and pipes
/// are accepted.
fn refuse_existing(path: &Path, force: bool, advice: &str) -> Result<(), CliError> {
    let has_content = |data: fs::Metadata| data.is_file() && data.len() > 0;
    if !force && fs::metadata(path).is_ok_and(has_content) {
        return failed(format!("{} exists; {advice}", shown(path)));
    }
    Ok(())
}

/// A path for a message, shortened if it is long.
fn shown(path: &Path) -> String {
    shorten(&path.display().to_string())
}

fn write_error(path: &Path) -> impl Fn(io::Error) -> CliError {
    move |error| CliError::Failed(format!("cannot write {}: {error}", shown(path)))
}

fn write_stdout(bytes: &[u8]) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Prints a summary, on stderr if the result itself is on stdout.
pub fn print_summary(out: &Path, text: &str) -> Result<(), CliError> {
    if is_standard(out) {
        print_stderr(text);
        return Ok(());
    }
    Ok(writeln!(io::stdout(), "{text}")?)
}

/// A result that is written as a whole when the work is done. The file is locked and known to be
/// writable from the start, and it is replaced as a whole or not at all.
pub enum WholeFile {
    Stdout,
    /// A device or a pipe.
    Special(File, PathBuf),
    Regular {
        path: PathBuf,
        /// The file that `path` names, if it is a link.
        target: PathBuf,
        _lock: TemporaryFile,
    },
}

impl WholeFile {
    /// Opens the target before the work begins; `-` is standard output. With `force` an existing
    /// file is replaced.
    pub fn open(path: &Path, force: bool) -> Result<WholeFile, CliError> {
        WholeFile::open_with(path, force, "use --force to overwrite")
    }

    /// Like [`WholeFile::open`], for commands whose first file is the output, as it is not in `cp`.
    pub fn open_first(path: &Path, force: bool) -> Result<WholeFile, CliError> {
        let advice = "the first file is the output; use --force to overwrite it";
        WholeFile::open_with(path, force, advice)
    }

    fn open_with(path: &Path, force: bool, advice: &str) -> Result<WholeFile, CliError> {
        if is_standard(path) {
            return Ok(WholeFile::Stdout);
        }
        let failed = write_error(path);
        if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return Ok(WholeFile::Special(file, path.to_owned()));
        }
        if path.file_name().is_none() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        // The file that a link names is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let lock = TemporaryFile::lock_of(&target).map_err(failed)?;
        refuse_existing(path, force, advice)?;
        Ok(WholeFile::Regular { path: path.to_owned(), target, _lock: lock })
    }

    /// Writes the content. If that fails, an old file is unchanged.
    pub fn write(&mut self, content: impl AsRef<[u8]>) -> Result<(), CliError> {
        let content = content.as_ref();
        match self {
            WholeFile::Stdout => write_stdout(content),
            WholeFile::Special(file, path) => file.write_all(content).map_err(write_error(path)),
            WholeFile::Regular { path, target, .. } => TemporaryFile::next_to(target)
                .and_then(|mut new| {
                    new.file.write_all(content)?;
                    new.replace(target)
                })
                .map_err(write_error(path)),
        }
    }

    /// Calls `write` with the name of an empty file, and replaces the target by it if that
    /// succeeds. A device is written by its own name; standard output is refused.
    pub fn fill<T>(
        &mut self,
        write: impl FnOnce(&Path) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let (path, target) = match self {
            WholeFile::Stdout => return usage("the output must be a file, not standard output"),
            WholeFile::Special(_, path) => return write(path),
            WholeFile::Regular { path, target, .. } => (path, target),
        };
        let new = TemporaryFile::next_to(target).map_err(write_error(path))?;
        let result = write(new.path()).map_err(|error| match error {
            error @ (CliError::Usage(_) | CliError::Output(_)) => error,
            error => {
                let name = new.path().display().to_string();
                CliError::Failed(error.to_string().replace(&name, &shown(path)))
            }
        })?;
        new.replace(target).map_err(write_error(path))?;
        Ok(result)
    }
}

/// The target of results that are written one by one: standard output, or a file that is locked
/// while it is open. A new file that stays empty is removed.
pub struct AppendFile(Option<OpenFile>);

struct OpenFile {
    file: File,
    path: PathBuf,
    /// The file did not exist and nothing has been written.
    is_new: bool,
    /// The first record replaces the content.
    is_old: bool,
}

impl AppendFile {
    /// Opens the target before the work begins; without a path, or with `-`, it is standard
    /// output. With `resume` a file is continued as by [`AppendFile::resume`], and with `force` the
    /// first record replaces the content of an existing file.
    pub fn open(
        path: Option<&Path>,
        resume: bool,
        force: bool,
        read: impl FnOnce(&Path, &str) -> Result<usize, CliError>,
    ) -> Result<AppendFile, CliError> {
        match path {
            Some(path) if resume => AppendFile::resume(path, |text| read(path, text)),
            Some(path) if !is_standard(path) => {
                let open = OpenFile::open(path)?;
                let advice = "use --resume to continue or --force to overwrite";
                refuse_existing(path, force, advice)?;
                Ok(AppendFile(Some(open)))
            }
            _ => Ok(AppendFile(None)),
        }
    }

    /// Opens a file to continue it; one that does not exist is created. `read` returns the length
    /// in bytes of the records to keep: what follows is removed. The file is unchanged if it is not
    /// text, or if `read` fails.
    pub fn resume(
        path: &Path,
        read: impl FnOnce(&str) -> Result<usize, CliError>,
    ) -> Result<AppendFile, CliError> {
        if is_standard(path) {
            return usage("a run can be continued only in a file, not in standard output");
        }
        let mut open = OpenFile::open(path)?;
        let mut content = Vec::new();
        if open.is_old {
            let bytes = util::read_bounded(&open.file, MAX_CONTINUED);
            content = bytes.map_err(|error| CliError::read(shown(path), &error))?;
        }
        let length = read(text_of(path, &content)?)?;
        open.cut(length).map_err(write_error(path))?;
        Ok(AppendFile(Some(open)))
    }

    /// Appends a record in one write.
    pub fn append(&mut self, text: &str) -> Result<(), CliError> {
        match &mut self.0 {
            _ if text.is_empty() => Ok(()),
            None => write_stdout(text.as_bytes()),
            Some(open) => {
                open.is_new = false;
                open.cut(0)
                    .and_then(|()| open.file.write_all(text.as_bytes()))
                    .map_err(write_error(&open.path))
            }
        }
    }

    /// Flushes the file to disk.
    pub fn sync(&mut self) -> Result<(), CliError> {
        let Some(OpenFile { file, path, .. }) = &self.0 else {
            return Ok(());
        };
        match file.sync_data() {
            // Devices and pipes do not support syncing.
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
                Err(write_error(path)(error))
            }
            _ => Ok(()),
        }
    }
}

impl OpenFile {
    /// Opens and locks a file, without changing it.
    fn open(path: &Path) -> Result<OpenFile, CliError> {
        let is_new = !path.exists();
        let is_regular = is_new || fs::metadata(path).is_ok_and(|data| data.is_file());
        let mut options = OpenOptions::new();
        // Some devices and pipes cannot be opened for reading as well.
        options.read(is_regular).write(true).create(true);
        let file = options.truncate(false).open(path);
        let file = file.and_then(|file| util::lock_file(&file).map(|()| file));
        Ok(OpenFile {
            file: file.map_err(write_error(path))?,
            path: path.to_owned(),
            is_new,
            is_old: is_regular,
        })
    }

    /// Removes everything after the first `length` bytes of an earlier output, once.
    fn cut(&mut self, length: usize) -> io::Result<()> {
        if std::mem::take(&mut self.is_old) {
            self.file.set_len(length as u64)?;
            self.file.seek(SeekFrom::End(0))?;
        }
        Ok(())
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if self.is_new {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Calls `read` with the lines of an earlier output, each with its number, from 1, and its line
/// feed, until it returns false. Returns their length in bytes without that line, and without a part
/// of a line at the end.
pub fn read_lines(
    text: &str,
    mut read: impl FnMut(usize, &str) -> Result<bool, CliError>,
) -> Result<usize, CliError> {
    let mut length = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if !line.ends_with('\n') || !read(number, line)? {
            break;
        }
        length += line.len();
    }
    Ok(length)
}

/// The text of a file that an earlier run has written, without a part of a character that a kill
/// may have left at the end.
fn text_of<'a>(path: &Path, content: &'a [u8]) -> Result<&'a str, CliError> {
    match std::str::from_utf8(content) {
        Ok(text) => Ok(text),
        Err(error) if error.error_len().is_none() => {
            Ok(std::str::from_utf8(&content[..error.valid_up_to()]).unwrap_or_default())
        }
        Err(_) => failed(format!("{} is not text; it is unchanged", shown(path))),
    }
}
