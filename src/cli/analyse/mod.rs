//! `brisance analyse`: analyses one position, the games of a file, or a list of positions.
//! Invariant: whether an argument is a position or a file depends on its spelling only, not on
//! which files exist.

mod args;
mod game_format;
mod games;
mod list;
mod position;
mod source;

use super::error::CliError;
pub(crate) use args::AnalyseArgs;
use source::{AnalysisInput, FileFormat};

/// Runs the command.
///
/// # Errors
/// Conflicting arguments, invalid input, a lack of memory or threads, output that cannot be
/// written, or an interrupt.
pub(crate) fn run(args: &AnalyseArgs) -> Result<(), CliError> {
    match AnalysisInput::from_words(args.position.fen_words(), args.files.format)? {
        AnalysisInput::Position => {
            args.refuse_file_options()?;
            position::run(args)
        }
        AnalysisInput::Files(sources, format) => {
            args.refuse_position_options()?;
            for target in [&args.files.out, &args.files.html] {
                for source in &sources {
                    source.refuse_overwrite(target.as_ref())?;
                }
            }
            match format {
                FileFormat::Pgn => games::run(args, &sources),
                FileFormat::Epd => list::run(args, &sources),
            }
        }
    }
}
