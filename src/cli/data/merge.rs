//! `brisance data merge`: several files into one.
//! Invariant: the output appears complete or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::games::skip_incomplete;
use crate::cli::output::{OutputPath, WholeFile};
use crate::cli::{CliError, interrupt};
use crate::data::{DataCounts, GameReader, GameWriter, SegmentHeader};
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

/// Merges files chunk by chunk.
pub fn run(args: &MergeArgs) -> Result<(), CliError> {
    interrupt::end_process()?;
    let mut output = WholeFile::open_first(&args.output, args.force)?;
    let counts = output.fill(|path| write(path, &args.files))?;
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

fn write(output: &Path, files: &[PathBuf]) -> Result<DataCounts, CliError> {
    let mut writer = GameWriter::append(output)?;
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let source = SegmentHeader::default().with("source", name);
        let mut reader = GameReader::open(file)?;
        while let Some(chunk) = skip_incomplete(reader.next_raw_chunk())?.flatten() {
            writer.begin_segment(reader.segment().unwrap_or(&source).clone())?;
            writer.add_chunk(&chunk)?;
        }
    }
    writer.flush()?;
    Ok(writer.written())
}
