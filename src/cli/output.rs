//! The names of the outputs of commands, and what is printed: messages, summaries, JSON.
//! Invariant: no output is an input.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use serde::Serialize;

use super::{CliError, usage};
use crate::files::{is_standard, shown};
use crate::util::{self, json_line};

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

/// Fails if a path that must be a file is `-`; `name` is that of the argument.
pub fn refuse_standard(path: &Path, name: &str) -> Result<(), CliError> {
    if is_standard(path) {
        return usage(format!("{name} must be a file, not standard output"));
    }
    Ok(())
}

/// Prints a summary, on stderr if the result itself is on stdout.
pub fn print_summary(out: &Path, text: &str) -> Result<(), CliError> {
    if is_standard(out) {
        print_stderr(text);
        return Ok(());
    }
    Ok(writeln!(io::stdout(), "{text}")?)
}

/// Prints an object as a line of JSON, in one write.
pub fn print_json(object: &impl Serialize) -> io::Result<()> {
    io::stdout().lock().write_all(json_line(object)?.as_bytes())
}
