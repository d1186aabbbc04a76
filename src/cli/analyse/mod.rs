//! `brisance analyse`: analyses one position, the games of a file, or a list of positions.
//! Invariant: whether an argument is a position or a file depends on its spelling only, not on
//! which files exist.

mod args;
mod batch;
mod game_format;
mod games;
pub(super) mod input;
mod list;
mod position;

use super::error::CliError;
use super::output;
pub(crate) use args::AnalyseArgs;
use input::FileFormat;

/// Runs the command. After an interrupt, finished results are kept.
pub fn run(args: &AnalyseArgs) -> Result<(), CliError> {
    let Some((sources, format)) = input::files(&args.position.fen, args.files.format)? else {
        args.refuse_file_options()?;
        return position::run(args);
    };
    args.refuse_position_options()?;
    for (target, name) in [(&args.files.out, "--out"), (&args.files.html, "--html")] {
        if let Some(target) = target {
            output::refuse_input(target, &sources, name)?;
        }
    }
    match format {
        FileFormat::Pgn => games::run(args, &sources),
        FileFormat::Epd => list::run(args, &sources),
    }
}
