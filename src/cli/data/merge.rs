//! `brisance data import` and `brisance data merge`: several files into one.
//! Invariant: the output appears complete or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::games::for_each_game;
use crate::cli::output::{OutputPath, WholeFile, print_warning};
use crate::cli::{CliError, interrupt};
use crate::data::{Corruption, DataCounts, DataError, GameReader, GameWriter, PartInfo};
use crate::util::count;

#[derive(Args, Debug)]
pub struct MergeArgs {
    /// File to write.
    output: OutputPath,
    /// Files of training games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
}

#[derive(Args, Debug)]
pub struct ImportArgs {
    #[command(flatten)]
    merge: MergeArgs,
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
/// An output that exists or cannot be written, and an input that is missing, damaged or of the
/// current version.
pub fn import(args: &ImportArgs) -> Result<(), CliError> {
    for file in &args.merge.files {
        let version = GameReader::open(file)?.version();
        if version > 1 {
            let file = file.display();
            let text = format!(
                "{file} is of version {version} already and needs no conversion; `brisance data \
                 merge` joins files"
            );
            return Err(CliError::Failed(text));
        }
    }
    combine(&args.merge, &args.settings)
}

/// Merges files; those of the current version are copied chunk by chunk.
///
/// # Errors
/// An output that exists or cannot be written, and a missing or damaged input.
pub fn merge(args: &MergeArgs) -> Result<(), CliError> {
    combine(args, &[])
}

fn combine(args: &MergeArgs, settings: &[(String, String)]) -> Result<(), CliError> {
    interrupt::end_process()?;
    let mut output = WholeFile::open_first(&args.output, args.force)?;
    let counts = output.fill(|path| write(path, &args.files, settings))?;
    let (games, positions) = (counts.games, counts.plies);
    let bytes = fs::metadata(&*args.output)?.len();
    writeln!(
        io::stdout(),
        "{}: {}, {}, {}, {:.3} per position",
        args.output.display(),
        count(games, "game"),
        count(positions, "position"),
        count(bytes, "byte"),
        bytes as f64 / positions.max(1) as f64
    )?;
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
