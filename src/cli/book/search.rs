//! `brisance book build --search`: searches the positions of an opening tree on all cores until
//! no position is left to expand.
//! Invariant: the book depends on the search results only, not on the number of threads or on
//! interruptions.

use std::collections::{HashMap, HashSet};
use std::fs;

use parking_lot::Mutex;

use super::args::BookBuildArgs;
use crate::cli::args::{evaluation_name, position};
use crate::cli::error::{CliError, failed, usage};
use crate::cli::output::{self, AppendFile, print_summary};
use crate::cli::progress::ProgressReporter;
use crate::cli::{interrupt, temporary};
use crate::engine::Settings;
use crate::engine::batch::BatchSearch;
use crate::eval::score::relative_to;
use crate::eval::wdl::WdlModel;
use crate::notation::san;
use crate::opening::{AnalysisRecord, AnalysisRecords, BookTree, RankedMoves, RecordHeader};
use crate::rules::{Position, Variant};
use crate::search::{self, Limits, SearchResult};
use crate::util::count;

/// The default depth of the tree in plies.
const DEFAULT_PLIES: u16 = 12;

/// Builds the book. After an interrupt, it contains the finished positions.
pub fn run(args: &BookBuildArgs, words: &[String]) -> Result<(), CliError> {
    let start = position(words, Variant::Atomic, &args.search.moves)?;
    if let Some(outcome) = start.outcome_by_rule() {
        return usage(format!("the game is over: {outcome}"));
    }
    let path = match &args.search.record {
        Some(record) => record.to_path_buf(),
        None => {
            output::refuse_standard(&args.out, "without --record, OUT")?;
            temporary::with_suffix(&args.out, ".jsonl")
        }
    };
    // An empty record is that of a run without a finished position.
    let continues = fs::metadata(&path).is_ok_and(|record| record.len() > 0);
    let mut out = args.open(continues)?;
    let searches = batch_search(args)?;
    let header = record_header(&searches)?;
    let mut records = AnalysisRecords::default();
    let mut file = AppendFile::resume(&path, |text| {
        records = AnalysisRecords::parse(text, Some(&header)).or_else(|error| {
            let name = path.display();
            failed(format!(
                "{name}: {error}; use --record to write another file"
            ))
        })?;
        Ok(records.bytes)
    })?;
    if records.bytes == 0 {
        file.append(&header.line())?;
    }
    let plies = args.max_plies.unwrap_or(DEFAULT_PLIES);
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

/// The search batch; Ctrl-C stops it.
fn batch_search(args: &BookBuildArgs) -> Result<BatchSearch, CliError> {
    let stop = interrupt::stop_handle()?;
    let options = &args.search;
    Ok(BatchSearch {
        limits: Limits {
            soft_nodes: Some(options.nodes),
            ..Limits::default()
        },
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

/// The first line of the record. Creates an engine, so invalid settings fail here.
fn record_header(searches: &BatchSearch) -> Result<RecordHeader, CliError> {
    let settings = &searches.settings;
    let evaluation = evaluation_name(settings.clone())?;
    let nodes = searches.limits.soft_nodes.unwrap_or_default();
    let (lines, hash) = (settings.multipv, settings.hash);
    Ok(RecordHeader::new(nodes, lines, hash, &evaluation))
}

/// A run of the tree search.
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
        let mut progress = ProgressReporter::new(0, "positions");
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
                    let (epd, moves) = (&new[index].epd, ranked_moves(&result));
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

fn ranked_moves(result: &SearchResult) -> RankedMoves {
    let lines = result.lines.iter();
    let lines = lines.filter_map(|line| Some((*line.pv.first()?, line.value)));
    lines.collect()
}

/// The size of the book and the best line.
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
