//! The arguments of `brisance book build`.
//! Invariant: options of one source are rejected with the other.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use crate::cli::args::{self, EvalSourceArgs, GamesVariantArgs};
use crate::cli::error::CliError;
use crate::cli::output::{OutputPath, WholeFile};
use crate::engine::Settings;

/// Build a book from games or by search.
///
/// --pgn: contains every move played often enough, with a weight of two for each win and one for
/// each draw of the side that played it. Games without a result are skipped.
///
/// --search: searches the best moves of each position of a tree, and propagates the scores to the
/// root by minimax. Positions that can be part of best play for either side are expanded until none
/// is left. The best move of a position has weight 10000, and every 10 centipawns below it halve
/// the weight. The searched positions are recorded in OUT.jsonl: the same command continues an
/// interrupted run, and a run with more plies or a wider margin searches new positions only. Ctrl-C
/// writes the book with the finished positions; the exit code is then 1.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("source").required(true).args(["pgn", "search"])))]
#[command(mut_arg("eval_file", |arg| arg.conflicts_with("pgn")))]
#[command(mut_arg("handcrafted", |arg| arg.conflicts_with("pgn")))]
pub struct BookBuildArgs {
    /// Book file to write.
    #[arg(value_name = "OUT")]
    pub out: OutputPath,

    /// Maximum plies of a game or of the tree [default: 30 for --pgn, 12 for --search].
    #[arg(long, value_name = "N", value_parser = args::number::<u16>(1..=500))]
    pub max_plies: Option<u16>,

    /// Overwrite an existing book.
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub games: BookGamesArgs,

    #[command(flatten)]
    pub search: BookSearchArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "From games")]
pub struct BookGamesArgs {
    /// PGN files to build the book from.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub pgn: Vec<PathBuf>,

    /// Minimum number of games of a move.
    #[arg(long, value_name = "N", default_value_t = 3, conflicts_with = "search",
          value_parser = args::number::<u64>(0..))]
    pub min_games: u64,

    #[command(flatten)]
    pub variant: GamesVariantArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "From a search")]
pub struct BookSearchArgs {
    /// Build the book by search, from this FEN or from the start position.
    #[arg(long, value_name = "FEN", num_args = 0..)]
    pub search: Option<Vec<String>>,

    /// Moves to play first, as e2e4 or in SAN; move numbers are skipped.
    #[arg(long, value_name = "MOVE", num_args = 1.., conflicts_with = "pgn")]
    pub moves: Vec<String>,

    /// Node limit of a position; checked only between iterations.
    #[arg(long, value_name = "N", default_value = "1M", conflicts_with = "pgn",
          value_parser = args::number::<u64>(1..))]
    pub nodes: u64,

    /// Number of best moves per position.
    #[arg(long, value_name = "N", default_value_t = 4, conflicts_with = "pgn",
          value_parser = args::number::<u32>(1..=Settings::MAX_MULTIPV as i128))]
    pub width: u32,

    /// Maximum loss in centipawns of both sides together on the way to a position; also the
    /// maximum loss of a single book move.
    #[arg(long, value_name = "CP", default_value_t = 40, conflicts_with = "pgn",
          value_parser = args::number::<i32>(0..=10_000))]
    pub margin: i32,

    /// Positions searched in parallel [default: all cores].
    #[arg(long, value_name = "N", conflicts_with = "pgn",
          value_parser = args::threads::<usize>())]
    pub threads: Option<usize>,

    /// TT size of each search in MiB.
    #[arg(long, value_name = "MB", default_value_t = 16, conflicts_with = "pgn",
          value_parser = args::hash())]
    pub hash: u32,

    /// Record of searched positions [default: OUT.jsonl].
    #[arg(long, value_name = "FILE", conflicts_with = "pgn")]
    pub record: Option<OutputPath>,

    #[command(flatten)]
    pub eval: EvalSourceArgs,
}

impl BookBuildArgs {
    /// Opens the book file. One that continues an earlier run may exist.
    pub fn open(&self, continues: bool) -> Result<WholeFile, CliError> {
        WholeFile::open_first(&self.out, self.force || continues)
    }
}
