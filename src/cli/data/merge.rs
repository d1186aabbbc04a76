//! `brisance data import` and `brisance data merge`: several files into one.
//! Invariant: the output appears complete or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::games::for_each_game;
use crate::cli::CliError;
use crate::cli::output::{self, print_warning, refuse_standard};
use crate::data::{Corruption, DataCounts, DataError, GameReader, GameWriter, PartInfo};

#[derive(Args, Debug)]
pub(super) struct ImportArgs {
    /// File to write; it must not exist, or be empty.
    output: PathBuf,
    /// Files of training games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A setting that the games of version 1 were made with, such as `nodes=400`; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    settings: Vec<(String, String)>,
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

/// Converts files of version 1, each into a part of the output.
///
/// # Errors
/// An output that exists or cannot be written, and a missing or damaged input.
pub(super) fn import(args: &ImportArgs) -> Result<(), CliError> {
    combine(&args.output, &args.files, &args.settings)
}

/// Merges files; those of the current version are copied chunk by chunk.
///
/// # Errors
/// As for [`import`].
pub(super) fn merge(output: &Path, files: &[PathBuf]) -> Result<(), CliError> {
    combine(output, files, &[])
}

fn combine(
    output: &Path,
    files: &[PathBuf],
    settings: &[(String, String)],
) -> Result<(), CliError> {
    refuse_standard(output, "OUTPUT")?;
    let _lock = output::lock(output)?;
    check_absent(output)?;
    // Fail before the output is created if an input is not a file of games.
    for file in files {
        GameReader::open(file)?;
    }
    let mut name = output.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = output.with_file_name(name);
    let result = write(&temporary, files, settings).and_then(|counts| {
        check_absent(output)?;
        fs::rename(&temporary, output).map_err(CliError::failed)?;
        Ok(counts)
    });
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    let counts = result?;
    let (games, positions) = (counts.games, counts.plies);
    let bytes = fs::metadata(output)?.len();
    writeln!(
        io::stdout(),
        "{}: {games} games, {positions} positions, {bytes} bytes, {:.3} per position",
        output.display(),
        bytes as f64 / positions.max(1) as f64
    )?;
    Ok(())
}

/// Fails if the output exists; an empty file is replaced.
fn check_absent(output: &Path) -> Result<(), CliError> {
    let is_empty = |data: fs::Metadata| data.is_file() && data.len() == 0;
    if output.exists() && !fs::metadata(output).is_ok_and(is_empty) {
        return Err(CliError::Failed(format!("{} exists", output.display())));
    }
    Ok(())
}

fn write(
    output: &Path,
    files: &[PathBuf],
    settings: &[(String, String)],
) -> Result<DataCounts, CliError> {
    let mut writer = GameWriter::append(output)?;
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let source = PartInfo::default().with("source", name);
        if GameReader::open(file)?.version() == 1 {
            let part = settings
                .iter()
                .fold(source, |part, (name, value)| part.with(name, value));
            writer.begin_part(part)?;
            for_each_game(file, |_, game| {
                writer.add(&game)?;
                Ok(true)
            })?;
        } else {
            copy_chunks(file, &source, &mut writer)?;
        }
    }
    writer.flush()?;
    Ok(writer.written())
}

fn copy_chunks(file: &Path, source: &PartInfo, writer: &mut GameWriter) -> Result<(), CliError> {
    let mut reader = GameReader::open(file)?;
    loop {
        match reader.next_raw_chunk() {
            Ok(Some(chunk)) => {
                writer.begin_part(reader.part().unwrap_or(source).clone())?;
                writer.add_chunk(&chunk)?;
            }
            Ok(None) => return Ok(()),
            Err(DataError::Corrupt(path, at, Corruption::Truncated)) => {
                let file = path.display();
                print_warning(format!(
                    "{file}: the incomplete chunk at byte {at} is skipped"
                ));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
    }
}
