//! `brisance analyse`: analyses one position, the games of a file, or a list of positions.
//! Invariant: whether an argument is a position or a file depends on its spelling only, not on
//! which files exist.

mod args;
mod game_format;
mod games;
mod list;
mod position;
mod source;

use std::path::Path;

use super::error::CliError;
use super::output;
pub(crate) use args::AnalyseArgs;
use source::{AnalysisInput, FileFormat, Source};

/// Runs the command.
///
/// # Errors
/// Conflicting arguments, invalid input, a lack of memory or threads, output that cannot be
/// written, or an interrupt.
pub fn run(args: &AnalyseArgs) -> Result<(), CliError> {
    match AnalysisInput::from_words(args.position.fen_words(), args.files.format)? {
        AnalysisInput::Position => {
            args.refuse_file_options()?;
            position::run(args)
        }
        AnalysisInput::Files(sources, format) => {
            args.refuse_position_options()?;
            let inputs: Vec<&Path> = sources.iter().filter_map(Source::path).collect();
            for (target, name) in [(&args.files.out, "--out"), (&args.files.html, "--html")] {
                if let Some(target) = target {
                    output::refuse_input(target, &inputs, name)?;
                }
            }
            match format {
                FileFormat::Pgn => games::run(args, &sources),
                FileFormat::Epd => list::run(args, &sources),
            }
        }
    }
}
