//! Analyses a single position, and prints the search for a terminal, as plain lines or as JSON.
//! Invariant: the result so far is printed even if Ctrl-C stops the search.

use std::path::Path;
use std::sync::Arc;

use super::args::{AnalyseArgs, DEFAULT_TIME};
use crate::cli::error::usage;
use crate::cli::view::{self, AnalysisView, ViewSubject};
use crate::cli::{CliError, interrupt, output};
use crate::engine::Engine;
use crate::rules::Position;
use crate::search::Limits;

impl AnalyseArgs {
    fn start(&self) -> Result<Position, CliError> {
        let mut words = self.position.fen.iter();
        match self.position.position() {
            Err(CliError::Usage(text)) if words.any(|word| Path::new(word).exists()) => usage(
                format!("{text}; if it is a file, add --format pgn or --format epd"),
            ),
            result => result,
        }
    }
}

pub fn run(args: &AnalyseArgs) -> Result<(), CliError> {
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
    };
    let mut renderer = view::renderer(subject, args.json);
    if let Some(outcome) = pos.outcome() {
        return Ok(renderer.over(outcome)?);
    }
    renderer.begin()?;
    let view = AnalysisView::new(renderer, &control);
    let limits = Limits {
        prove: true,
        ..args.limits(DEFAULT_TIME)
    };
    let found = engine.go_armed(&limits, &view);
    Ok(view.close(&found, control.is_stopped())?)
}
