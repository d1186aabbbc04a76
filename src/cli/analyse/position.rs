//! Analyses a single position, and prints the search for a terminal, as plain lines or as JSON.
//! Invariant: the result so far is printed even if Ctrl-C stops the search.

use std::path::Path;
use std::sync::Arc;

use super::args::{AnalyseArgs, DEFAULT_TIME};
use crate::cli::view::{AnalysisView, ViewFormat, ViewSubject};
use crate::cli::{CliError, board, interrupt, output};
use crate::engine::{Engine, Settings};
use crate::rules::Position;
use crate::search::Limits;

impl AnalyseArgs {
    fn settings(&self) -> Settings {
        self.eval.apply(Settings {
            hash: self.hash.unwrap_or(64) as usize,
            threads: self.threads.unwrap_or(1) as usize,
            multipv: self.multipv as usize,
            ..Settings::default()
        })
    }

    fn view_format(&self) -> ViewFormat {
        if self.json {
            ViewFormat::Json
        } else if board::is_interactive() {
            ViewFormat::Live
        } else {
            ViewFormat::Plain
        }
    }

    fn start(&self) -> Result<Position, CliError> {
        self.position.position().map_err(|error| match error {
            CliError::Usage(text)
                if self
                    .position
                    .fen_words()
                    .iter()
                    .any(|word| Path::new(word).exists()) =>
            {
                CliError::Usage(format!(
                    "{text}; if it is a file, add --format pgn or --format epd"
                ))
            }
            error => error,
        })
    }
}

/// Runs the command.
///
/// # Errors
/// An invalid FEN or move, a lack of memory or threads, unusable tablebases, or a closed stdout.
pub fn run(args: &AnalyseArgs) -> Result<(), CliError> {
    let pos = args.start()?;
    let notation = args.position.notation(&pos);

    let mut settings = args.settings();
    if let Some(path) = &args.syzygy {
        settings.syzygy_path = path.clone();
    }
    let mut engine = Engine::with_settings(settings)?;
    if let Some(warning) = engine.thread_warning() {
        output::print_warning(warning);
    }
    engine.set_position(pos.clone());
    let control = interrupt::stop_handle()?;
    engine.set_control(Arc::clone(&control));

    let subject = ViewSubject {
        pos,
        notation,
        from_white: args.white,
        multipv: args.multipv as usize,
        tables: engine.tablebase().map(ToString::to_string),
    };
    let view = AnalysisView::new(&subject, args.view_format(), &control);
    if let Some(outcome) = subject.pos.outcome() {
        return Ok(view.close_over(outcome)?);
    }
    view.open()?;
    let limits = Limits {
        prove: true,
        ..args.limits(DEFAULT_TIME)
    };
    let summary = engine.go_armed(&limits, &view);
    Ok(view.close(&summary, control.is_stopped())?)
}
