//! One position: searches it and shows what it finds, for eyes, pipes or programs.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{AnalyseArgs, DEFAULT_TIME};
use crate::cli::view::{Form, Subject, View};
use crate::cli::{Error, args, board, interrupt};
use crate::engine::{Engine, Settings};
use crate::rules::Position;

impl AnalyseArgs {
    fn settings(&self) -> Settings {
        self.eval.apply(Settings {
            hash: self.hash.unwrap_or(64) as usize,
            threads: self.threads.unwrap_or(1) as usize,
            multipv: self.multipv as usize,
            ..Settings::default()
        })
    }

    fn form(&self) -> Form {
        if self.json {
            Form::Json
        } else if board::is_live() {
            Form::Live
        } else {
            Form::Plain
        }
    }

    fn start(&self) -> Result<Position, Error> {
        self.position.position().map_err(|error| match error {
            Error::Usage(text)
                if self
                    .position
                    .words()
                    .iter()
                    .any(|word| Path::new(word).exists()) =>
            {
                Error::Usage(format!(
                    "{text}; if it is a file, say --format pgn or --format epd"
                ))
            }
            error => error,
        })
    }
}

/// Searches and prints.
///
/// # Errors
/// A bad FEN or move, memory, threads or tablebases that cannot be had, or a closed stdout.
pub fn run(args: &AnalyseArgs) -> Result<(), Error> {
    let mut pos = args.start()?;
    let spelling = args.position.spelling(&pos);
    args::play(&mut pos, &args.moves)?;

    let mut engine = Engine::new();
    engine.configure(args.settings()).map_err(Error::Failed)?;
    if let Some(path) = &args.syzygy {
        let settings = Settings {
            syzygy_path: path.clone(),
            ..args.settings()
        };
        engine.configure(settings).map_err(Error::Usage)?;
    }
    engine.set_position(pos.clone());
    let control = engine.control();
    control.arm(false);

    let subject = Subject {
        pos,
        spelling,
        multipv: args.multipv as usize,
        tables: engine.tables().map(ToString::to_string),
    };
    let view = View::new(&subject, args.form(), &control);
    if let Some(outcome) = subject.pos.outcome() {
        return Ok(view.close_over(outcome)?);
    }
    let stopped = Arc::clone(&control);
    let interrupted = interrupt::flag_and(move || stopped.stop())?;
    view.open()?;
    let summary = engine.go(&args.limits(DEFAULT_TIME), &view);
    Ok(view.close(&summary, interrupted.load(Ordering::Relaxed))?)
}
