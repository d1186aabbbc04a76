//! `brisance analyse`: searches one position and shows what it finds, for eyes, pipes or
//! programs.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;

use super::Error;
use super::args::{self, EvalChoice, PositionArgs};
use super::board;
use super::view::{Form, Subject, View};
use crate::engine::{Engine, Settings};
use crate::eval::score::MAX_PLY;
use crate::search::{Control, Limits};

/// How long an analysis without any limit lasts.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Analyse a position: the best lines, their scores, and the best move.
///
/// Ends at the first of the given limits; without any, after 10 seconds. Ctrl-C ends it
/// early and the result so far is still printed. Scores are in pawns from the side to
/// move's view: +1.50 is good for it, #3 wins in three moves, #-2 loses in two.
///
/// On a terminal the lines update in place; in a pipe each completed depth is one line.
#[derive(Args, Debug)]
pub struct AnalyseArgs {
    #[command(flatten)]
    position: PositionArgs,

    /// Moves to play from the position first, as e2e4 or in SAN; move numbers are skipped.
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    moves: Vec<String>,

    /// Stop after this many plies.
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(i32).range(1..=MAX_PLY as i64))]
    depth: Option<i32>,

    /// Stop after this time: 500ms, 5s, 2m; a plain number is seconds.
    #[arg(long, value_parser = args::duration)]
    time: Option<Duration>,

    /// Stop after this many positions: 25000, 10k, 5m.
    #[arg(long, value_name = "N", value_parser = args::count)]
    nodes: Option<u64>,

    /// How many of the best lines to show.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_MULTIPV as i64))]
    multipv: u32,

    /// Size of the hash table in MiB.
    #[arg(long, value_name = "MB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_HASH as i64))]
    hash: u32,

    /// Searching threads.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_THREADS as i64))]
    threads: u32,

    #[command(flatten)]
    eval: EvalChoice,
    /// Directories of Syzygy tables with ':' between them, on Windows ';'.
    #[arg(long, value_name = "DIR")]
    syzygy: Option<OsString>,

    /// Print JSON, one object a line: `"type":"info"` while searching, then `"type":"result"`.
    #[arg(long)]
    json: bool,
}

impl AnalyseArgs {
    fn limits(&self) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.time.or(unlimited.then_some(DEFAULT_TIME)),
            ..Limits::default()
        }
    }

    fn settings(&self) -> Settings {
        self.eval.apply(Settings {
            hash: self.hash as usize,
            threads: self.threads as usize,
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
}

/// Searches and prints.
///
/// # Errors
/// A bad FEN or move, memory, threads or tablebases that cannot be had, or a closed stdout.
pub fn run(args: &AnalyseArgs) -> Result<(), Error> {
    let mut pos = args.position.position()?;
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
    let interrupted = stop_on_interrupt(Arc::clone(&control));
    view.open()?;
    let summary = engine.go(&args.limits(), &view);
    Ok(view.close(&summary, interrupted.load(Ordering::Relaxed))?)
}

/// The first interrupt ends the search and sets the flag, the second ends the program.
fn stop_on_interrupt(control: Arc<Control>) -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&interrupted);
    let handler = move || {
        if asked.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
        control.stop();
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        let _ = writeln!(io::stderr(), "warning: Ctrl-C will not be handled: {error}");
    }
    interrupted
}
