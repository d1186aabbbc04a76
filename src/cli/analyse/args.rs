//! The arguments of `brisance analyse`.
//! Invariant: options for files are rejected with a position and the reverse.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::source::FileFormat;
use crate::cli::args::{self, EvalSourceArgs, PositionArgs};
use crate::cli::error::CliError;
use crate::cli::output::ExistingFile;
use crate::engine::Settings;
use crate::eval::score::MAX_PLY;
use crate::search::Limits;

/// The time limit for a single position if no limit is given.
pub(super) const DEFAULT_TIME: Duration = Duration::from_secs(10);
/// The time limit for each position of a file if no limit is given.
pub(super) const DEFAULT_TIME_IN_FILES: Duration = Duration::from_secs(1);

/// Analyse a position, the games of a PGN file, or a list of positions.
///
/// A single word that ends in .pgn, .epd or .fen is a file, and so is any single word with
/// --format. Everything else is a position: `startpos` or a FEN.
///
/// Position: prints the best lines, their scores and the best move. The analysis ends at the first
/// limit reached, by default after 10 seconds; Ctrl-C ends it early. Scores are from the side to
/// move: at +1.00 it wins half of its games, #3 is mate in three moves, #-2 is mated in two. On a
/// terminal the lines are updated in place; otherwise each completed depth is one line.
///
/// Games (PGN): writes the games with an evaluation after every move (`[%eval 0.35]`, from White's
/// side; clocks are kept). Moves that lose 0.1, 0.2 or 0.3 points in expected score are marked ?!,
/// ? or ?? and get a better line. --html also writes a page with a graph, a board and the turning
/// points.
///
/// List (EPD, or one FEN per line): writes one line per position, in order, as EPD with the
/// operations acd (depth), acn (nodes), ce (centipawns) or dm (mate in N moves, negative if mated),
/// pm (best move) and pv (line), or as JSON.
///
/// For files the limits apply to each position, by default 1 second, and all cores are used, one
/// position each. Progress is shown on stderr. Ctrl-C keeps the finished results; the exit code is
/// then 1.
#[derive(Args, Debug)]
#[command(mut_arg("fen", |arg| arg.value_name("FEN|FILE").help(
    "Position: `startpos` (default) or a FEN with 4 to 6 fields, quoted or unquoted; or a file that \
     ends in .pgn, .epd or .fen; with --format, any file, or `-` for stdin"
)))]
#[command(mut_arg("variant", |arg| arg.help(
    "Variant: `atomic`, the Lichess rules (default), or `nocheckatomic`, where a king may stay in \
     check. For PGN files it overrides the Variant tags"
)))]
pub(crate) struct AnalyseArgs {
    #[command(flatten)]
    pub(super) position: PositionArgs,

    /// Moves to play first, as e2e4 or in SAN; move numbers are skipped.
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    pub(super) moves: Vec<String>,

    /// Depth limit in plies.
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(i32).range(1..=MAX_PLY as i64))]
    pub(super) depth: Option<i32>,

    /// Time limit: 500ms, 5s, 2m; a plain number is in seconds.
    #[arg(long, value_parser = args::parse_duration)]
    pub(super) time: Option<Duration>,

    /// Node limit: 25000, 10k, 5m.
    #[arg(long, value_name = "N", value_parser = args::parse_count)]
    pub(super) nodes: Option<u64>,

    /// Number of best lines to show.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_MULTIPV as i64))]
    pub(super) multipv: u32,

    /// TT size of each search in MiB [default: 64 for a position, 16 for files].
    #[arg(long, value_name = "MB",
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_HASH as i64))]
    pub(super) hash: Option<u32>,

    /// Search threads of a position, or positions of a file searched in parallel
    /// [default: 1 for a position, all cores for files].
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_THREADS as i64))]
    pub(super) threads: Option<u32>,

    #[command(flatten)]
    pub(super) eval: EvalSourceArgs,

    /// Syzygy tablebase directories, separated by ':' (';' on Windows).
    #[arg(long, value_name = "DIR")]
    pub(super) syzygy: Option<OsString>,

    /// Print one JSON object per line: for a position `"type":"info"` while searching, then
    /// `"type":"result"`; for a list one `"type":"result"` or `"error"` per position.
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) files: FileArgs,
}

/// Options for files only.
#[derive(Args, Debug)]
#[command(next_help_heading = "Games and lists")]
pub(super) struct FileArgs {
    /// Read the argument as a file of this format; `-` is stdin.
    #[arg(long, value_name = "KIND")]
    pub(super) format: Option<FileFormat>,

    /// Output file instead of stdout.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,

    /// Also write the games as a self-contained HTML page.
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,

    /// Continue an interrupted run: results already in --out are kept. Use the same limits.
    #[arg(long, requires = "out")]
    pub(super) resume: bool,

    /// Overwrite existing files.
    #[arg(long, conflicts_with = "resume")]
    pub(super) force: bool,

    /// Drop existing comments, marks and variations, except clocks.
    #[arg(long)]
    pub(super) fresh: bool,
}

impl AnalyseArgs {
    pub(super) fn limits(&self, default_time: Duration) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.time.or(unlimited.then_some(default_time)),
            ..Limits::default()
        }
    }

    pub(super) fn refuse_file_options(&self) -> Result<(), CliError> {
        let files = &self.files;
        let given = [
            (files.out.is_some(), "--out"),
            (files.html.is_some(), "--html"),
            (files.resume, "--resume"),
            (files.force, "--force"),
            (files.fresh, "--fresh"),
        ];
        refuse_options(
            &given,
            "files; the name of a file ends in .pgn, .epd or .fen",
        )
    }

    pub(super) fn refuse_position_options(&self) -> Result<(), CliError> {
        let given = [
            (!self.moves.is_empty(), "--moves"),
            (self.multipv > 1, "--multipv"),
        ];
        refuse_options(&given, "a single position")
    }

    pub(super) fn existing(&self) -> ExistingFile {
        ExistingFile::from_force(self.files.force)
    }
}

fn refuse_options(given: &[(bool, &str)], purpose: &str) -> Result<(), CliError> {
    match given.iter().find(|(is_given, _)| *is_given) {
        Some((_, name)) => Err(CliError::Usage(format!("{name} is only for {purpose}"))),
        None => Ok(()),
    }
}
