//! `brisance analyse`: one position, the games of a file, or a list of positions.
//! Invariant: what an argument is depends on how it is written, not on what lies on the disk.

mod games;
mod list;
mod position;
mod source;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::Error;
use super::args::{self, EvalChoice, PositionArgs};
use super::output::Existing;
use crate::engine::Settings;
use crate::eval::score::MAX_PLY;
use crate::search::Limits;
use source::{Source, Subject};

/// How long an analysis of one position without any limit lasts.
const DEFAULT_TIME: Duration = Duration::from_secs(10);
/// The same for each position of a file.
const DEFAULT_TIME_IN_FILES: Duration = Duration::from_secs(1);

/// Analyse a position, the games of a PGN file, or a list of positions.
///
/// A single word that ends in .pgn, .epd or .fen is a file, and so is any word with
/// --format; everything else is a position: `startpos` or a FEN.
///
/// A position: the best lines, their scores, and the best move. Ends at the first of the given
/// limits; without any, after 10 seconds. Ctrl-C ends it early and the result so far is still
/// printed. Scores are the side to move's: with +1.00 it wins half of its games, with #3 in
/// three moves, with #-2 it loses in two. On a terminal the lines update in place; in a pipe each
/// completed depth is one line.
///
/// A file of games (PGN): the games again with an evaluation behind every move (`[%eval 0.35]`,
/// from White's view; clocks stay), and ?!, ? or ?? with a better line where a move lost a tenth,
/// a fifth or three tenths of a point in winning chances. With --html also a page with graph,
/// board and the turning points.
///
/// A list (EPD or one FEN a line): a line for each position, in their order, as EPD with the
/// operations acd (depth), acn (nodes), ce (centipawns) or dm (mate in so many moves, negative
/// when mated), pm (best move) and pv (line), or as JSON.
///
/// In files the limits hold for each position; without any, each is searched for 1 second.
/// All cores search, a position each. Progress is shown on standard error. After Ctrl-C what
/// was finished stays, and the exit code is 1.
#[derive(Args, Debug)]
#[command(mut_arg("fen", |arg| arg.value_name("FEN|FILE").help(
    "The position: `startpos` (default) or a FEN of 4 to 6 fields, quoted or not; or a file \
     that ends in .pgn, .epd or .fen; with --format any file, and `-` for standard input"
)))]
#[command(mut_arg("variant", |arg| arg.help(
    "The rules: `atomic` as on Lichess (default), or `nocheckatomic`, where kings may stay in \
     check. A PGN names the rules itself; given here, they hold for all its games"
)))]
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

    /// How many of the best lines of a position to show.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_MULTIPV as i64))]
    multipv: u32,

    /// Size of the hash table of each search in MiB; 64 for a position, 16 in files.
    #[arg(long, value_name = "MB",
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_HASH as i64))]
    hash: Option<u32>,

    /// Searching threads: 1 for a position; in files the number of positions searched at a
    /// time, which is that of the cores unless given.
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_THREADS as i64))]
    threads: Option<u32>,

    #[command(flatten)]
    eval: EvalChoice,

    /// Directories of Syzygy tables with ':' between them, on Windows ';'.
    #[arg(long, value_name = "DIR")]
    syzygy: Option<OsString>,

    /// Print JSON, one object a line: for a position `"type":"info"` while searching, then
    /// `"type":"result"`; for a list one `"type":"result"` (or `"error"`) each.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    files: FileArgs,
}

/// What matters for files only.
#[derive(Args, Debug)]
#[command(next_help_heading = "Games and lists")]
struct FileArgs {
    /// The argument is a file of this kind, whatever its name; `-` reads standard input.
    #[arg(long, value_name = "KIND")]
    format: Option<Format>,

    /// Write the result to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Also write the games as one HTML page that needs nothing else.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Go on where an earlier run to the same --out was cut off; what stands there is not
    /// searched again. Use the same limits.
    #[arg(long, requires = "out")]
    resume: bool,

    /// Write over files that exist.
    #[arg(long, conflicts_with = "resume")]
    force: bool,

    /// Leave out the comments, marks and variations that the games already have, but for
    /// clocks.
    #[arg(long)]
    fresh: bool,
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Games.
    Pgn,
    /// Positions, one EPD or FEN a line.
    Epd,
}

/// Does what the arguments ask for.
///
/// # Errors
/// Arguments that make no sense together, input that cannot be read, memory or threads that
/// cannot be had, output that cannot be written, or an interrupt before the end.
pub fn run(args: &AnalyseArgs) -> Result<(), Error> {
    match Subject::of(args.position.words(), args.files.format)? {
        Subject::Position => {
            args.refuse_file_options()?;
            position::run(args)
        }
        Subject::File(source, format) => {
            args.refuse_position_options()?;
            for target in [&args.files.out, &args.files.html] {
                source.refuse_as_target(target.as_ref())?;
            }
            match format {
                Format::Pgn => games::run(args, &source),
                Format::Epd => list::run(args, &source),
            }
        }
    }
}

impl AnalyseArgs {
    fn limits(&self, default_time: Duration) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.time.or(unlimited.then_some(default_time)),
            ..Limits::default()
        }
    }

    fn refuse_file_options(&self) -> Result<(), Error> {
        let files = &self.files;
        let given = [
            (files.out.is_some(), "--out"),
            (files.html.is_some(), "--html"),
            (files.resume, "--resume"),
            (files.force, "--force"),
            (files.fresh, "--fresh"),
        ];
        refuse(
            &given,
            "games and lists; a file's name ends in .pgn, .epd or .fen",
        )
    }

    fn refuse_position_options(&self) -> Result<(), Error> {
        let given = [
            (!self.moves.is_empty(), "--moves"),
            (self.multipv > 1, "--multipv"),
        ];
        refuse(&given, "a single position")
    }

    fn existing(&self) -> Existing {
        Existing::unless(self.files.force)
    }
}

fn refuse(given: &[(bool, &str)], what: &str) -> Result<(), Error> {
    match given.iter().find(|(is_given, _)| *is_given) {
        Some((_, name)) => Err(Error::Usage(format!("{name} is for {what}"))),
        None => Ok(()),
    }
}
