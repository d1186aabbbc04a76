//! `brisance book build --search`: searches the positions of an opening tree on all cores until
//! no position is left to expand.
//! Invariant: the book depends on the search results only, not on the number of threads or on
//! interruptions.

use std::collections::{HashMap, HashSet};
use std::fs;

use parking_lot::Mutex;

use super::args::{BookBuildArgs, print_summary};
use crate::cli::args::position;
use crate::cli::output::{self, AppendFile};
use crate::cli::progress::ProgressReporter;
use crate::cli::{CliError, interrupt, temporary};
use crate::engine::batch::BatchSearch;
use crate::engine::{Engine, Settings};
use crate::eval::score::{self, Value};
use crate::eval::wdl::WdlModel;
use crate::notation::san;
use crate::opening::{
    AnalysisRecord, AnalysisRecords, BookTree, PositionAnalysis, RecordHeader, TreeSettings,
};
use crate::rules::{Position, Variant};
use crate::search::{self, Limits, SearchResult};
use crate::util::count;

/// The default depth of the tree in plies.
const DEFAULT_PLIES: u16 = 12;

/// Builds the book.
///
/// # Errors
/// An invalid FEN, files that cannot be read or written, a lack of memory or threads, or an
/// interrupt.
pub fn run(args: &BookBuildArgs, words: &[String]) -> Result<(), CliError> {
    let start = start_position(words, &args.search.moves)?;
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
    let (mut file, records) = AppendFile::resume(&path, |text| {
        let records = AnalysisRecords::parse(text, &header).map_err(|error| {
            CliError::Failed(format!(
                "{}: {error}; use --record to write another file",
                path.display()
            ))
        })?;
        let length = records.bytes as usize;
        Ok((records, length))
    })?;
    if records.bytes == 0 {
        file.append(&header.line())?;
    }
    let mut search = BookSearch {
        tree: BookTree::new(TreeSettings {
            start: start.clone(),
            plies: usize::from(args.max_plies.unwrap_or(DEFAULT_PLIES)),
            margin: args.search.margin,
        }),
        records,
        new_results: HashMap::new(),
        file,
    };
    let result = search.run(&searches);
    for warning in searches.take_tablebase_errors() {
        output::print_warning(warning);
    }
    let BookSearch {
        tree,
        new_results,
        mut file,
        ..
    } = search;
    file.sync()?;
    if !tree.is_empty() {
        out.write(tree.book().to_bytes())?;
        print_summary(&args.out, &report(&tree, &start, new_results.len()))?;
    }
    result?;
    if searches.stop.is_stopped() {
        return Err(CliError::interrupted(count(tree.len(), "position")));
    }
    Ok(())
}

fn start_position(words: &[String], moves: &[String]) -> Result<Position, CliError> {
    let pos = position(words, Variant::Atomic, moves)?;
    match pos.outcome_by_rule() {
        Some(outcome) => Err(CliError::Usage(format!("the game is over: {outcome}"))),
        None => Ok(pos),
    }
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
    let engine = Engine::with_settings(settings.clone())?;
    let evaluation = match engine.net() {
        Some(net) => net.description().to_owned(),
        None => "handcrafted terms".to_owned(),
    };
    let nodes = searches.limits.soft_nodes.unwrap_or_default();
    Ok(RecordHeader::new(
        nodes,
        settings.multipv,
        settings.hash,
        &evaluation,
    ))
}

/// A run of the tree search.
struct BookSearch {
    tree: BookTree,
    /// The results of earlier runs.
    records: AnalysisRecords,
    /// The results of this run.
    new_results: HashMap<String, PositionAnalysis>,
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
            let new: Vec<_> = requests
                .iter()
                .filter(|request| {
                    self.find_analysis(&request.epd).is_none() && queued.insert(&request.epd)
                })
                .collect();
            progress.add_total(new.len() as u64);
            result = searches.run(
                new.len(),
                |index| new[index].without_history(),
                |index, result| {
                    let (epd, analysis) = (&new[index].epd, position_analysis(&result));
                    self.file.append(&AnalysisRecord::line(epd, &analysis))?;
                    self.new_results.insert(epd.clone(), analysis);
                    progress.advance(1);
                    Ok(())
                },
            );
            for request in &requests {
                let old = self.records.get(&request.epd);
                if let Some(analysis) = old.or_else(|| self.new_results.get(&request.epd)) {
                    self.tree.add(request, analysis);
                }
            }
            self.tree.propagate_values();
            if let Some((line, value)) = self.tree.main_line() {
                progress.set_message(format!("{} plies deep, {value} cp", line.len()));
            }
        }
        progress.finish();
        result
    }

    fn find_analysis(&self, epd: &str) -> Option<&PositionAnalysis> {
        self.records.get(epd).or_else(|| self.new_results.get(epd))
    }
}

fn position_analysis(result: &SearchResult) -> PositionAnalysis {
    let lines = result.lines.iter();
    PositionAnalysis {
        lines: lines
            .filter_map(|line| Some((*line.pv.first()?, line.value)))
            .collect(),
    }
}

/// The size of the book and the best line.
fn report(tree: &BookTree, start: &Position, new_results: usize) -> String {
    let mut text = format!(
        "{}, {} searched",
        tree.book(),
        count(new_results, "new position")
    );
    if let Some((line, value)) = tree.main_line() {
        let moves = san::write_line(start, &line).join(" ");
        let score = white_score(value, start);
        text.push_str(&format!("\nbest play {moves} ({score} for White)"));
    }
    text
}

/// A value as a score from White's point of view.
fn white_score(value: Value, start: &Position) -> String {
    let value = score::relative_to(value, start.side_to_move());
    format!("{:+}", WdlModel::for_position(start).display_score(value))
}
