//! The arguments of `brisance analyse`.
//! Invariant: options for files are rejected with a position and the reverse.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use clap::Args;

use crate::cli::source::FileFormat;
use crate::cli::{CliError, EvalSourceArgs, OutputPath, PositionArgs, args, usage};
use crate::engine::Settings;
use crate::search::Limits;

/// The time limit for a single position if no limit is given.
pub const DEFAULT_TIME: Duration = Duration::from_secs(10);
/// The time limit for each position of a file if no limit is given.
pub const DEFAULT_TIME_IN_FILES: Duration = Duration::from_secs(1);

/// The TT size of each search of a file in MiB if none is given.
pub const HASH_IN_FILES: u32 = 16;

/// Analyse a position, the games of a PGN file, or a list of positions.
///
/// Words that end in .pgn, .epd or .fen are files, and so are all words with --format. Everything
/// else is a position: `startpos` or a FEN.
///
/// Position: prints the best lines, their scores and the best move. The analysis ends at the first
/// limit reached, by default after 10 seconds; Ctrl-C ends it early. Scores are from the side to
/// move, or from White with --white: at +1.00 it wins half of its games, #3 is mate in three moves,
/// #-2 is mated in two. On a terminal the lines are updated in place; otherwise each completed depth
/// is one line.
///
/// Games (PGN): writes the games with an evaluation after every move (`[%eval 0.35]`, from White's
/// side; clocks are kept). Moves that lose 0.1, 0.2 or 0.3 points in expected score, or as much in
/// the odds, are marked ?!, ? or ?? and get a better line; to miss a forced win or to allow one is
/// ??. --solve-blunders proves that they lose. --html also writes a page with a graph, a board and
/// the turning points. --no-search makes the page or the JSON from games that have been analysed
/// before.
///
/// List (EPD, or one FEN per line): writes one line per position, in order, as EPD with the
/// operations acd (depth), acn (nodes), ce (centipawns) or dm (mate in N moves, negative if mated),
/// pm (best move) and pv (line), or as JSON.
///
/// For files the limits apply to each position, by default 1 second, and all cores are used, one
/// position each. With --nodes or --depth the same input gives the same output; time limits
/// cannot promise that. Progress is shown on stderr. Ctrl-C keeps the finished results; the exit
/// code is then 1.
#[derive(Args, Debug)]
#[command(mut_arg("fen", |arg| arg.value_name("FEN|FILE").help(
    "Position: `startpos` (default) or a FEN with 4 to 6 fields, quoted or unquoted; or a file that \
     ends in .pgn, .epd or .fen, or several of one format; with --format, any files, or `-` for stdin"
)))]
#[command(mut_arg("variant", |arg| arg.help(
    "Variant: `atomic`, the Lichess rules (default), or `nocheckatomic`, where a king may stay in \
     check. For PGN files it overrides the Variant tags"
)))]
pub struct AnalyseArgs {
    #[command(flatten)]
    pub position: PositionArgs,
    /// Depth limit in plies.
    #[arg(long, value_name = "N", value_parser = args::depth())]
    pub depth: Option<i32>,
    /// Time limit: 500ms, 5s, 2m; a plain number is in seconds.
    #[arg(long, value_parser = args::time)]
    pub time: Option<Duration>,
    /// Node limit: 25000, 10k, 5m.
    #[arg(long, value_name = "N", value_parser = args::number::<u64>(1..))]
    pub nodes: Option<u64>,
    /// Number of best lines to show; for lists only with --json.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = args::number::<u32>(1..=Settings::MAX_MULTIPV as i128))]
    pub multipv: u32,
    /// TT size of each search in MiB [default: 64 for a position, 16 for files].
    #[arg(long, value_name = "MB", value_parser = args::hash())]
    pub hash: Option<u32>,
    /// Search threads of a position, or positions of a file searched in parallel
    /// [default: 1 for a position, all cores for files].
    #[arg(long, value_name = "N", value_parser = args::threads::<u32>())]
    pub threads: Option<u32>,
    #[command(flatten)]
    pub eval: EvalSourceArgs,
    /// Syzygy tablebase directories, separated by ':' (';' on Windows).
    #[arg(long, value_name = "DIR")]
    pub syzygy: Option<OsString>,
    /// Print one JSON object per line: for a position `"type":"info"` while searching, then
    /// `"type":"result"`; for a list one `"type":"result"` or `"error"` per position; for games one
    /// `"type":"game"` each.
    #[arg(long)]
    pub json: bool,
    /// Give scores from White's point of view instead of that of the side to move.
    #[arg(long)]
    pub white: bool,
    #[command(flatten)]
    pub files: FileArgs,
}

/// Options for files only.
#[derive(Args, Debug)]
#[command(next_help_heading = "Games and lists")]
pub struct FileArgs {
    /// Read the arguments as files of this format; `-` is stdin.
    #[arg(long, value_name = "KIND")]
    pub format: Option<FileFormat>,
    /// Output file instead of stdout, which `-` names.
    #[arg(long, value_name = "FILE")]
    pub out: Option<OutputPath>,
    /// Also write the games as a self-contained HTML page (games only).
    #[arg(long, value_name = "FILE")]
    pub html: Option<OutputPath>,
    /// Use the evaluations in the games instead of searching, for --html or --json (games only).
    #[arg(long, conflicts_with_all = ["resume", "depth", "time", "nodes", "fresh", "solve_blunders"])]
    pub no_search: bool,
    /// Continue an interrupted run with the same options: results already in --out are kept, and
    /// the page contains them.
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Overwrite existing files.
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    /// Drop existing comments, marks and variations, except clocks (games only).
    #[arg(long)]
    pub fresh: bool,
    /// Try to prove for each ?? that it loses by force, and say in how many moves; about a second
    /// each (games only).
    #[arg(long)]
    pub solve_blunders: bool,
}

impl AnalyseArgs {
    pub fn limits(&self, default_time: Duration) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.time.or(unlimited.then_some(default_time)),
            ..Limits::default()
        }
    }

    pub fn settings(&self, default_hash: u32) -> Settings {
        self.eval.apply(Settings {
            hash: self.hash.unwrap_or(default_hash) as usize,
            threads: self.threads.unwrap_or(1) as usize,
            multipv: self.multipv as usize,
            syzygy_path: self.syzygy.clone().unwrap_or_default(),
            ..Settings::default()
        })
    }

    /// The options that decide the results for a file. They are part of the output, so that a
    /// continued run can compare them; empty without a search.
    pub fn search_options(&self) -> String {
        if self.files.no_search {
            return String::new();
        }
        let limits = self.limits(DEFAULT_TIME_IN_FILES);
        let settings = self.settings(HASH_IN_FILES);
        let network = settings.eval_file.as_deref().and_then(Path::file_name);
        let network = network.map(|name| name.to_string_lossy().replace([',', ';', '(', ')'], "_"));
        let multipv = Some(self.multipv).filter(|&lines| lines > 1);
        let hash = self.hash.filter(|&hash| hash != HASH_IN_FILES);
        let flag = |name: &str, is_given: bool| is_given.then(|| name.to_owned());
        let options = [
            limits.depth.map(|depth| format!("--depth {depth}")),
            limits.nodes.map(|nodes| format!("--nodes {nodes}")),
            limits.move_time.map(|time| format!("--time {time:?}")),
            multipv.map(|lines| format!("--multipv {lines}")),
            hash.map(|hash| format!("--hash {hash}")),
            network.map(|network| format!("--eval-file {network}")),
            flag("--handcrafted", !settings.use_nnue),
            flag("--syzygy", self.syzygy.is_some()),
            flag("--white", self.white),
            flag("--fresh", self.files.fresh),
            flag("--solve-blunders", self.files.solve_blunders),
        ];
        options.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Fails if the earlier results in a file were made with other options.
    pub fn check_search(&self, path: &Path, record: &str, old: &str) -> Result<(), CliError> {
        let new = self.search_options();
        let old = match old {
            _ if old == new => return Ok(()),
            "" => "another version or other options",
            old => old,
        };
        usage(format!(
            "{}: {record} was made with {old}, not with {new}; use the same options to continue, or \
             another file",
            path.display()
        ))
    }

    /// Fails if an option of games is used with a list, or one of files or games with a position.
    pub fn refuse_file_options(&self, is_list: bool) -> Result<(), CliError> {
        const FILES: &str = "files; the name of a file ends in .pgn, .epd or .fen";
        const GAMES: &str = "games; the name of their file ends in .pgn";
        let files = &self.files;
        let given = [
            (!is_list && files.out.is_some(), "--out", FILES),
            (!is_list && files.resume, "--resume", FILES),
            (!is_list && files.force, "--force", FILES),
            (files.html.is_some(), "--html", GAMES),
            (files.fresh, "--fresh", GAMES),
            (files.no_search, "--no-search", GAMES),
            (files.solve_blunders, "--solve-blunders", GAMES),
        ];
        match given.iter().find(|(is_refused, ..)| *is_refused) {
            Some((_, name, purpose)) => usage(format!("{name} is only for {purpose}")),
            None => Ok(()),
        }
    }
}
