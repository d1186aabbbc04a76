//! `brisance book build`: builds a book from games, which are read one by one, or by search, until no
//! position of an opening tree is left to expand.
//! Invariant: an invalid game is reported and counts up to its fault. A searched book depends on the
//! search results only, not on the number of threads or on interruptions.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use parking_lot::Mutex;

use crate::cli::args::{self, evaluation_name, only_atomic, position};
use crate::cli::pgn_faults::{PgnFaults, refuse_invalid};
use crate::cli::{
    AppendFile, CliError, EvalSourceArgs, GamesVariantArgs, OutputPath, ProgressReporter, Source,
    WholeFile, failed, interrupt, output, print_summary, usage,
};
use crate::engine::Settings;
use crate::engine::batch::BatchSearch;
use crate::eval::score::relative_to;
use crate::eval::wdl::WdlModel;
use crate::notation::pgn::{PgnReader, variant_tag};
use crate::notation::san;
use crate::opening::{
    AnalysisRecord, AnalysisRecords, BookTree, GameStats, RankedMoves, RecordHeader,
};
use crate::rules::{Position, Variant};
use crate::search::{self, Limits};
use crate::util::count;

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
    out: OutputPath,
    /// Maximum plies of a game or of the tree [default: 30 for --pgn, 12 for --search].
    #[arg(long, value_name = "N", value_parser = args::number::<u16>(1..=500))]
    max_plies: Option<u16>,
    /// Overwrite an existing book.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    games: BookGamesArgs,
    #[command(flatten)]
    search: BookSearchArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "From games")]
struct BookGamesArgs {
    /// PGN files to build the book from.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pgn: Vec<PathBuf>,
    /// Minimum number of games of a move.
    #[arg(long, value_name = "N", default_value_t = 3, conflicts_with = "search",
          value_parser = args::number::<u64>(0..))]
    min_games: u64,
    #[command(flatten)]
    variant: GamesVariantArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "From a search")]
struct BookSearchArgs {
    /// Build the book by search, from this FEN or from the start position.
    #[arg(long, value_name = "FEN", num_args = 0..)]
    search: Option<Vec<String>>,
    /// Moves to play first, as e2e4 or in SAN; move numbers are skipped.
    #[arg(long, value_name = "MOVE", num_args = 1.., conflicts_with = "pgn")]
    moves: Vec<String>,
    /// Node limit of a position; checked only between iterations.
    #[arg(long, value_name = "N", default_value = "1M", conflicts_with = "pgn",
          value_parser = args::number::<u64>(1..))]
    nodes: u64,
    /// Number of best moves per position.
    #[arg(long, value_name = "N", default_value_t = 4, conflicts_with = "pgn",
          value_parser = args::number::<u32>(1..=Settings::MAX_MULTIPV as i128))]
    width: u32,
    /// Maximum loss in centipawns of both sides together on the way to a position; also the
    /// maximum loss of a single book move.
    #[arg(long, value_name = "CP", default_value_t = 40, conflicts_with = "pgn",
          value_parser = args::number::<i32>(0..=10_000))]
    margin: i32,
    /// Positions searched in parallel [default: all cores].
    #[arg(long, value_name = "N", conflicts_with = "pgn",
          value_parser = args::threads::<usize>())]
    threads: Option<usize>,
    /// TT size of each search in MiB.
    #[arg(long, value_name = "MB", default_value_t = 16, conflicts_with = "pgn",
          value_parser = args::hash())]
    hash: u32,
    /// Record of searched positions [default: OUT.jsonl].
    #[arg(long, value_name = "FILE", conflicts_with = "pgn")]
    record: Option<OutputPath>,
    #[command(flatten)]
    eval: EvalSourceArgs,
}

const DEFAULT_GAME_PLIES: u16 = 30;
const DEFAULT_TREE_PLIES: u16 = 12;

pub fn run(args: &BookBuildArgs) -> Result<(), CliError> {
    args.games.variant.variant().map_or(Ok(()), only_atomic)?;
    match &args.search.search {
        Some(words) => search_tree(args, words),
        None => read_games(args),
    }
}

/// Builds the book from games. After an interrupt or invalid games, the book of the other games is
/// written.
fn read_games(args: &BookBuildArgs) -> Result<(), CliError> {
    let mut out = WholeFile::open_first(&args.out, args.force)?;
    // Fail at once if one of many files is missing.
    let sources = args.games.pgn.iter().map(|path| Source::new(path));
    let files = sources.map(|source| source.open().map(|text| (source, text)));
    let files = files.collect::<Result<Vec<_>, CliError>>()?;
    let stop = interrupt::stop_handle()?;
    let (mut stats, mut faults) = (GameStats::default(), PgnFaults::default());
    // Games with and without a result.
    let (mut used, mut unfinished) = (0, 0);
    let plies = usize::from(args.max_plies.unwrap_or(DEFAULT_GAME_PLIES));
    for (source, text) in files {
        let progress = ProgressReporter::for_bytes(source.bytes().unwrap_or_default());
        let text = progress.wrap_read(text);
        for item in PgnReader::new(text, args.games.variant.variant()) {
            if stop.is_stopped() {
                break;
            }
            if let Some(numbered) = progress.suspend(|| faults.game(&source, item))? {
                match numbered.game.start.variant() {
                    Variant::Atomic if stats.add(&numbered.game, plies) => used += 1,
                    Variant::Atomic => unfinished += 1,
                    other => faults.skip_variant(variant_tag(other)),
                }
            }
            progress.set_message(count(used, "game"));
        }
    }
    let invalid = faults.finish(used + unfinished)?;
    let least = args.games.min_games;
    let book = stats.book(least);
    if book.entries().is_empty() {
        let text = if used > 0 {
            let (least, all) = (count(least, "game"), count(used, "game"));
            format!("no move was played in {least} of {all} with a result, see --min-games")
        } else if unfinished > 0 {
            format!("{} without a result", count(unfinished, "game"))
        } else {
            "there are no games to build it from".to_owned()
        };
        return failed(format!("no book is written: {text}"));
    }
    out.write(book.to_bytes())?;
    let games = count(used, "game");
    let text = format!("{book} from {games}; {unfinished} without a result skipped");
    print_summary(&args.out, &text)?;
    if stop.is_stopped() {
        return failed("interrupted; the book contains the games read so far");
    }
    refuse_invalid(invalid)
}

/// Builds the book by search. After an interrupt, it contains the finished positions.
fn search_tree(args: &BookBuildArgs, words: &[String]) -> Result<(), CliError> {
    let start = position(words, Variant::Atomic, &args.search.moves)?;
    if let Some(outcome) = start.outcome_by_rule() {
        return usage(format!("the game is over: {outcome}"));
    }
    let path = match &args.search.record {
        Some(record) => record.to_path_buf(),
        None => {
            output::refuse_standard(&args.out, "without --record, OUT")?;
            args.out.with_added_extension("jsonl")
        }
    };
    // An empty record is that of a run without a finished position.
    let continues = fs::metadata(&path).is_ok_and(|record| record.len() > 0);
    let mut out = WholeFile::open_first(&args.out, args.force || continues)?;
    let searches = batch_search(args)?;
    let (nodes, settings) = (args.search.nodes, &searches.settings);
    // Creates an engine, so invalid settings fail here.
    let evaluation = evaluation_name(settings.clone())?;
    let header = RecordHeader::new(nodes, settings.multipv, settings.hash, &evaluation);
    let earlier = AppendFile::resume(&path)?;
    let records = AnalysisRecords::parse(&earlier.text, Some(&header)).or_else(|error| {
        let advice = "use --record to write another file";
        failed(format!("{}: {error}; {advice}", path.display()))
    })?;
    let mut file = earlier.keep(records.bytes)?;
    if records.bytes == 0 {
        file.append(&header.line())?;
    }
    let plies = args.max_plies.unwrap_or(DEFAULT_TREE_PLIES);
    let mut search = BookSearch {
        tree: BookTree::new(start.clone(), plies.into(), args.search.margin),
        analyses: records.analyses,
        new_count: 0,
        file,
    };
    let result = search.run(&searches);
    for warning in searches.take_tablebase_errors() {
        output::print_warning(warning);
    }
    search.file.sync()?;
    let tree = search.tree;
    if !tree.is_empty() {
        out.write(tree.book().to_bytes())?;
        print_summary(&args.out, &report(&tree, &start, search.new_count))?;
    }
    result?;
    if searches.stop.is_stopped() {
        return Err(CliError::interrupted(count(tree.len(), "position")));
    }
    Ok(())
}

fn batch_search(args: &BookBuildArgs) -> Result<BatchSearch, CliError> {
    let stop = interrupt::stop_handle()?;
    let options = &args.search;
    Ok(BatchSearch {
        limits: Limits { soft_nodes: Some(options.nodes), ..Limits::default() },
        settings: options.eval.apply(Settings {
            hash: options.hash as usize,
            multipv: options.width as usize,
            ..Settings::default()
        }),
        concurrency: options.threads.unwrap_or_else(search::cores),
        stop,
        tablebase_errors: Mutex::default(),
    })
}

struct BookSearch {
    tree: BookTree,
    /// The results of this run and of earlier ones.
    analyses: HashMap<String, RankedMoves>,
    /// The number of results of this run.
    new_count: usize,
    file: AppendFile,
}

impl BookSearch {
    /// Searches the positions that the tree requests, round by round. Results of earlier runs
    /// enter the tree only on request, so the tree grows as in a single run.
    fn run(&mut self, searches: &BatchSearch) -> Result<(), CliError> {
        let progress = ProgressReporter::new(0, "positions");
        let mut result = Ok(());
        while result.is_ok() && !searches.stop.is_stopped() {
            let requests = self.tree.pending();
            if requests.is_empty() {
                break;
            }
            let mut queued = HashSet::new();
            let mut new: Vec<_> = requests.iter().collect();
            new.retain(|request| {
                !self.analyses.contains_key(&request.epd) && queued.insert(&request.epd)
            });
            progress.add_total(new.len() as u64);
            result = searches.run(
                new.len(),
                |index| new[index].without_history(),
                |index, result| {
                    let epd = &new[index].epd;
                    let moves = result.lines.iter();
                    let moves = moves.filter_map(|line| Some((*line.pv.first()?, line.value)));
                    let moves: RankedMoves = moves.collect();
                    self.file.append(&AnalysisRecord::line(epd, &moves))?;
                    self.analyses.insert(epd.clone(), moves);
                    self.new_count += 1;
                    progress.advance(1);
                    Ok(())
                },
            );
            for request in &requests {
                if let Some(moves) = self.analyses.get(&request.epd) {
                    self.tree.add(request, moves);
                }
            }
            self.tree.propagate_values();
            if let Some((line, value)) = self.tree.main_line() {
                progress.set_message(format!("{} plies deep, {value} cp", line.len()));
            }
        }
        result
    }
}

fn report(tree: &BookTree, start: &Position, new_count: usize) -> String {
    let new = count(new_count, "new position");
    let mut text = format!("{}, {new} searched", tree.book());
    if let Some((line, value)) = tree.main_line() {
        let moves = san::write_line(start, &line).join(" ");
        let value = relative_to(value, start.side_to_move());
        let score = WdlModel::for_position(start).display_score(value);
        text.push_str(&format!("\nbest play {moves} ({score:+} for White)"));
    }
    text
}
