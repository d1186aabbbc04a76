//! `brisance book`: makes opening books in the Polyglot format and shows what they hold.
//! Invariant: a book is written whole or not at all, and only over an older one if that was
//! asked for or is the earlier state of the same work.

mod games;
mod search;
mod show;

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};

use super::Error;
use super::args::{self, EvalChoice};
use super::output::{self, Existing};
use crate::engine::Settings;
use crate::opening::Book;

/// Make opening books in the Polyglot format, and show what they hold.
///
/// The books are for `atomic`; the engine plays from them with the UCI options OwnBook and
/// BookFile.
#[derive(Args, Debug)]
pub struct BookArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(Box<BuildArgs>),
    Show(show::ShowArgs),
}

/// Make a book from games, or from a search of our own.
///
/// From games (--pgn): every move that was played often enough, weighted by two for each win
/// and one for each draw of the side that played it. Games without a result do not count.
///
/// From a search (--search): each position of a tree is searched for its best moves, the
/// values go back to the start by minimax, and whatever may become best play of either side
/// is searched in turn until nothing is left to ask. The best move of a position has the
/// weight 10000, one that is 10 centipawns worse half of that, and so on. Judged positions are
/// kept beside the book in OUT.jsonl, line by line: a run that is cut off goes on with the same
/// command, and a later one with more plies or a wider margin searches only what is new. After
/// Ctrl-C the book holds what is finished, and the exit code is 1.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("source").required(true).args(["pgn", "search"])))]
#[command(mut_arg("eval_file", |arg| arg.conflicts_with("pgn")))]
#[command(mut_arg("handcrafted", |arg| arg.conflicts_with("pgn")))]
struct BuildArgs {
    /// The book to make.
    #[arg(value_name = "OUT")]
    out: PathBuf,

    /// Plies of each game that count (30 unless given), or of the tree (12).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=500))]
    max_plies: Option<u16>,

    /// Write over a book that exists.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    games: GamesArgs,

    #[command(flatten)]
    search: SearchArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "From games")]
struct GamesArgs {
    /// Make the book from the games of these files.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pgn: Vec<PathBuf>,

    /// Moves played in fewer games are left out.
    #[arg(long, value_name = "N", default_value_t = 3, conflicts_with = "search")]
    min_games: u64,

    /// Read all games by the rules of `atomic`, whatever variant they name.
    #[arg(long, conflicts_with = "search")]
    assume_atomic: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "From a search")]
struct SearchArgs {
    /// Make the book by searching from this FEN, or from the start position.
    #[arg(long, value_name = "FEN", num_args = 0..)]
    search: Option<Vec<String>>,

    /// Nodes after which the search of a position begins no further iteration.
    #[arg(long, value_name = "N", default_value = "1m", value_parser = args::count,
          conflicts_with = "pgn")]
    nodes: u64,

    /// How many of the best moves of a position are looked at.
    #[arg(long, value_name = "N", default_value_t = 4, conflicts_with = "pgn",
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_MULTIPV as i64))]
    width: u32,

    /// Centipawns that both sides together may give away on the way to a position; a move that
    /// alone gives away more is no book move.
    #[arg(long, value_name = "CP", default_value_t = 40, conflicts_with = "pgn",
          value_parser = clap::value_parser!(i32).range(0..=10_000))]
    margin: i32,

    /// Positions searched at a time; all cores unless given.
    #[arg(long, value_name = "N", conflicts_with = "pgn",
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_THREADS as i64))]
    threads: Option<u32>,

    /// Size of the hash table of each search in MiB.
    #[arg(long, value_name = "MB", default_value_t = 16, conflicts_with = "pgn",
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_HASH as i64))]
    hash: u32,

    /// Where the judged positions are kept, instead of OUT.jsonl.
    #[arg(long, value_name = "FILE", conflicts_with = "pgn")]
    record: Option<PathBuf>,

    #[command(flatten)]
    eval: EvalChoice,
}

/// Does what the subcommand says.
///
/// # Errors
/// Files that cannot be read or written or are in the way, games that cannot be read, or an
/// interrupt. What was finished is kept.
pub fn run(args: &BookArgs) -> Result<(), Error> {
    match &args.command {
        Command::Build(args) => match &args.search.search {
            Some(words) => search::run(args, words),
            None => games::run(args),
        },
        Command::Show(args) => show::run(args),
    }
}

impl BuildArgs {
    fn make_way(&self) -> Result<(), Error> {
        output::make_way(
            &self.out,
            Existing::unless(self.force),
            "--force writes over it",
        )
    }

    fn write(&self, book: &Book) -> Result<(), Error> {
        output::write_whole(&self.out, book.to_bytes())
    }
}

/// A book in a few words.
fn size(book: &Book) -> String {
    let (moves, positions) = (book.entries().len(), book.positions());
    format!("{moves} moves in {positions} positions")
}
