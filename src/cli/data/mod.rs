//! `brisance data`: inspects, verifies, merges and exports files of training games.
//! Invariant: input files are never modified.

mod export;
mod games;
mod info;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Subcommand;

use self::export::ExportArgs;
pub(super) use self::games::for_each_game;
use self::games::{GameFiles, skip_incomplete};
use super::{CliError, OutputPath, WholeFile, args, failed, interrupt};
use crate::data::{DataCounts, GameReader, GameWriter, SegmentHeader};
use crate::eval::wdl::{DisplayScore, WdlModel};
use crate::notation::{fen, san};
use crate::util::count;

/// Inspect, verify, merge and export files of training games.
#[derive(Debug, Subcommand)]
pub enum DataCommand {
    /// Show the settings of each part of a file, and count games, positions, results and captures.
    Info(GameFiles),
    /// Verify all checksums and replay all games.
    Verify(GameFiles),
    /// Merge the games of several files into a new one, which keeps the settings of each part.
    Merge {
        /// File to write.
        output: OutputPath,
        #[command(flatten)]
        input: GameFiles,
        /// Overwrite an existing file.
        #[arg(long)]
        force: bool,
    },
    /// Export labelled positions, filtered and shuffled, for the trainer.
    ///
    /// Games are split between training and validation as a whole, so the two sets share no game.
    /// A scratch file of 41 bytes per position is written next to the output and removed. Memory
    /// stays below 1 GB with 300 million positions.
    Export(ExportArgs),
    /// Print a game with the recorded value of each move, in internal units.
    Show {
        /// File of training games.
        file: PathBuf,
        /// Number of the game, from 1.
        #[arg(value_parser = args::number::<u64>(1..))]
        number: u64,
    },
}

pub fn run(command: &DataCommand) -> Result<(), CliError> {
    match command {
        DataCommand::Info(input) => info::run(&input.files),
        DataCommand::Verify(input) => verify(&input.files),
        DataCommand::Merge { output, input, force } => merge(output, &input.files, *force),
        DataCommand::Export(args) => export::run(args),
        DataCommand::Show { file, number } => show(file, *number),
    }
}

fn verify(files: &[PathBuf]) -> Result<(), CliError> {
    for file in files {
        let mut counts = DataCounts::default();
        let mut reader = GameReader::open(file)?;
        while let Some(chunk) = reader.next_chunk()? {
            counts.games += chunk.len() as u64;
            let plies = chunk.iter().map(|game| game.plies.len() as u64);
            counts.plies += plies.sum::<u64>();
        }
        writeln!(io::stdout(), "{}: {counts}, no errors", file.display())?;
    }
    Ok(())
}

fn show(file: &Path, number: u64) -> Result<(), CliError> {
    let (mut index, mut found) = (0, None);
    for_each_game(file, |_, game| {
        index += 1;
        if index == number {
            found = Some(game);
        }
        Ok(index < number)
    })?;
    let Some(game) = found else {
        let (name, games) = (file.display(), count(index, "game"));
        return failed(format!("{name} has only {games}"));
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{}", fen::write(&game.start, fen::CastlingStyle::XFen))?;
    for (pos, ply) in game.positions() {
        let value = match WdlModel::for_position(&pos).display_score(ply.value.into()) {
            DisplayScore::Mate(moves) => format!("mate {moves}"),
            DisplayScore::Centipawns(_) => format!("{:+}", ply.value),
        };
        let random = if ply.random { " random" } else { "" };
        let (number, mv) = (san::move_number(&pos), san::write(&pos, ply.mv));
        writeln!(out, "{number} {mv:8} {value}{random}")?;
    }
    Ok(writeln!(out, "{}", game.result)?)
}

fn merge(output: &Path, files: &[PathBuf], force: bool) -> Result<(), CliError> {
    interrupt::end_process()?;
    let counts = WholeFile::open_first(output, force)?.fill(|path| {
        let (new, name) = (path.display().to_string(), output.display().to_string());
        write_merged(path, files).or_else(|error| failed(error.to_string().replace(&new, &name)))
    })?;
    let bytes = fs::metadata(output)?.len();
    let each = bytes as f64 / counts.plies.max(1) as f64;
    let (name, bytes) = (output.display(), count(bytes, "byte"));
    let text = format!("{name}: {counts}, {bytes}, {each:.3} per position");
    Ok(writeln!(io::stdout(), "{text}")?)
}

fn write_merged(output: &Path, files: &[PathBuf]) -> Result<DataCounts, CliError> {
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
