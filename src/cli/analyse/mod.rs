//! `brisance analyse`: analyses one position, the games of a file, or a list of positions.
//! Invariant: an interrupt ends the search, and the result so far is printed or kept.

mod args;
mod batch;
mod games;
mod list;

use std::path::Path;
use std::sync::Arc;

use super::source::{self, FileFormat};
use super::view::{self, AnalysisView, ViewSubject};
use super::{CliError, interrupt, output, usage};
use crate::engine::Engine;
use crate::rules::Position;
use crate::search::Limits;
pub(crate) use args::AnalyseArgs;
use args::DEFAULT_TIME;

/// Runs the command. After an interrupt, finished results are kept.
pub fn run(args: &AnalyseArgs) -> Result<(), CliError> {
    let Some((sources, format)) = source::files(&args.position.fen, args.files.format)? else {
        args.refuse_file_options(false)?;
        return run_position(args);
    };
    if !args.position.moves.is_empty() {
        return usage("--moves is only for a single position");
    }
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

impl AnalyseArgs {
    fn start(&self) -> Result<Position, CliError> {
        let mut words = self.position.fen.iter();
        match self.position.position() {
            Err(CliError::Usage(text)) if words.any(|word| Path::new(word).exists()) => {
                usage(format!("{text}; if it is a file, add --format pgn or --format epd"))
            }
            result => result,
        }
    }
}

fn run_position(args: &AnalyseArgs) -> Result<(), CliError> {
    let pos = args.start()?;
    let mut engine = Engine::with_settings(args.settings(64))?;
    if let Some(warning) = engine.thread_warning() {
        output::print_warning(warning);
    }
    engine.set_position(pos.clone());
    let control = interrupt::stop_handle()?;
    engine.set_control(Arc::clone(&control));

    let subject = ViewSubject {
        style: args.position.style(&pos).with_white(args.white),
        multipv: args.multipv as usize,
        tables: engine.tablebase().map(ToString::to_string),
        json: args.json,
    };
    if let Some(outcome) = pos.outcome() {
        return Ok(view::write_over(&subject, outcome)?);
    }
    let view = AnalysisView::open(subject, &control)?;
    let limits = Limits { prove: true, ..args.limits(DEFAULT_TIME) };
    let found = engine.go_armed(&limits, &view);
    Ok(view.close(&found, control.is_stopped())?)
}
