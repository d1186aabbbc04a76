//! `brisance puzzles`: finds positions with exactly one winning move in games.
//! Invariant: every input is opened before the first game is examined. The output always ends with
//! a whole line, and an interrupted and continued run writes the same as an uninterrupted one.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::data::for_each_game;
use super::pgn_faults::{PgnFaults, refuse_invalid};
use super::source::refuse_repeated_stdin;
use super::{
    AppendFile, CliError, EvalSourceArgs, GamesVariantArgs, OutputPath, ProgressReporter, Source,
    args, failed, interrupt, output, usage,
};
use crate::data;
use crate::engine::Settings;
use crate::files::{is_standard, read_lines};
use crate::notation::pgn::PgnReader;
use crate::notation::units;
use crate::proof::Solver;
use crate::puzzle::{PuzzleCaps, PuzzleCriteria, PuzzleGame, PuzzleList, PuzzleSearch};
use crate::rules::Variant;
use crate::search::{self, Control};
use crate::util::count;

/// Find puzzles in games: positions with exactly one winning move, proved by the solver.
///
/// Only the last plies of won games are examined. The solver proves the shortest win, that no other
/// first move wins as fast, and the line of best defence; a search confirms that the other first
/// moves do not win more slowly. The grade, from 1 (easy) to 4 (very hard), follows from the nodes
/// that the engine needs to find the first move. A game gives at most one puzzle, the earliest; no
/// position and no line occurs twice. The same command continues an interrupted run.
#[derive(Args, Debug)]
pub struct PuzzlesArgs {
    /// Files of training games or PGN files; - is PGN from standard input.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// EPD file to write or continue; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: OutputPath,
    /// Maximum number of puzzles.
    #[arg(long, value_name = "N", value_parser = args::number::<usize>(1..))]
    count: Option<usize>,
    /// Minimum number of moves to find; a move without an alternative does not count.
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = args::number::<u16>(2..=Solver::MAX_MOVES.into()))]
    min_moves: u16,
    /// Maximum length of the win in moves.
    #[arg(long, value_name = "N", default_value_t = 6,
          value_parser = args::number::<u16>(2..=Solver::MAX_MOVES.into()))]
    max_moves: u16,
    /// Node limit of each proof; a position with a proof that takes more is no puzzle.
    #[arg(long, value_name = "N", default_value = "50k",
          value_parser = args::number::<u64>(1..))]
    solver_nodes: u64,
    /// Nodes of the search that evaluates the other first moves.
    #[arg(long, value_name = "N", default_value = "20k",
          value_parser = args::number::<u64>(1..))]
    nodes: u64,
    /// Maximum expected score of the other first moves, from 0 to 1.
    #[arg(long, value_name = "SCORE", default_value_t = 0.7, value_parser = units::share)]
    max_other: f64,
    /// Plies examined at the end of each game.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = args::number::<usize>(0..))]
    last_plies: usize,
    /// Maximum number of puzzles from games with the same first six plies.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = args::number::<usize>(0..))]
    per_opening: usize,
    /// Maximum number of puzzles of each grade.
    #[arg(long, value_name = "N", value_parser = args::number::<usize>(0..))]
    per_grade: Option<usize>,
    /// Maximum number of puzzles of each length.
    #[arg(long, value_name = "N", value_parser = args::number::<usize>(0..))]
    per_length: Option<usize>,
    /// Games examined in parallel [default: all cores].
    #[arg(long, value_name = "N", value_parser = args::threads::<usize>())]
    threads: Option<usize>,
    #[command(flatten)]
    variant: GamesVariantArgs,
    #[command(flatten)]
    eval: EvalSourceArgs,
}

/// Games that are examined before the next ones are read.
const BATCH: usize = 512;
const HASH_MIB: usize = 4;

/// Finds the puzzles. After an error or an interrupt, those that were found are kept.
pub fn run(args: &PuzzlesArgs) -> Result<(), CliError> {
    if args.min_moves > args.max_moves {
        return usage("--min-moves must not exceed --max-moves");
    }
    let inputs = open_sources(&args.games)?;
    let header = args.header(&inputs)?;
    let mut run = PuzzleRun::open(args, header)?;
    let stop = interrupt::stop_handle()?;
    let search = args.search(Arc::clone(&stop))?;
    let (mut batch, mut read, mut faults) = (Vec::new(), 0, PgnFaults::default());
    for input in inputs {
        read += for_each(input, args.variant.variant(), &mut faults, |game| {
            batch.push(game);
            if batch.len() == BATCH {
                run.examine(&search, &mut batch)?;
            }
            Ok(!run.is_done(&stop))
        })?;
        if run.is_done(&stop) {
            break;
        }
    }
    run.examine(&search, &mut batch)?;
    let invalid = faults.finish(read);
    run.finish(args)?;
    let invalid = invalid?;
    if stop.is_stopped() && !run.list.is_full() {
        return Err(CliError::interrupted(count(run.games, "game")));
    }
    refuse_invalid(invalid)
}

impl PuzzlesArgs {
    fn caps(&self) -> PuzzleCaps {
        PuzzleCaps {
            count: self.count.unwrap_or(usize::MAX),
            per_opening: self.per_opening,
            per_grade: self.per_grade.unwrap_or(usize::MAX),
            per_length: self.per_length.unwrap_or(usize::MAX),
        }
    }

    fn settings(&self) -> Settings {
        self.eval.apply(Settings { hash: HASH_MIB, ..Settings::default() })
    }

    fn search(&self, stop: Arc<Control>) -> Result<PuzzleSearch, CliError> {
        let criteria = PuzzleCriteria {
            min_moves: self.min_moves,
            max_moves: self.max_moves,
            solver_nodes: self.solver_nodes,
            nodes: self.nodes,
            max_other: self.max_other,
            last_plies: self.last_plies,
        };
        let threads = self.threads.unwrap_or_else(search::cores);
        let search = PuzzleSearch::new(criteria, &self.settings(), threads, stop)?;
        Ok(search)
    }

    /// The first lines of the file: everything that the puzzles depend on. Creates an engine, so
    /// an invalid network fails here.
    fn header(&self, inputs: &[PuzzleSource]) -> Result<String, CliError> {
        let network = args::evaluation_name(self.settings())?;
        let mut options = format!(
            "--min-moves {} --max-moves {} --solver-nodes {} --nodes {} --max-other {} \
             --last-plies {} --per-opening {}",
            self.min_moves,
            self.max_moves,
            self.solver_nodes,
            self.nodes,
            self.max_other,
            self.last_plies,
            self.per_opening
        );
        options.extend(self.per_grade.map(|cap| format!(" --per-grade {cap}")));
        options.extend(self.per_length.map(|cap| format!(" --per-length {cap}")));
        let games: Vec<String> = inputs.iter().map(name_and_size).collect();
        let header = format!(
            "# Puzzles, one EPD line each.\n\
             # Made by: brisance puzzles {options}\n\
             # Games: {}\n\
             # Network: {network}\n",
            games.join(", ")
        );
        Ok(header.replace(['\r', '\t'], " "))
    }
}

/// An input and the text of its games in PGN; `None` for training games, which its content tells.
type PuzzleSource = (Source, Option<Box<dyn Read>>);

/// The name of an input without its folder, and the length.
fn name_and_size((source, _): &PuzzleSource) -> String {
    let name = source.path.file_name().unwrap_or_default();
    match source.bytes() {
        Some(bytes) => {
            let name = name.to_string_lossy().replace('\n', " ");
            format!("{name} ({bytes} bytes)")
        }
        None => "standard input".to_owned(),
    }
}

fn open_sources(paths: &[PathBuf]) -> Result<Vec<PuzzleSource>, CliError> {
    let sources: Vec<Source> = paths.iter().map(|path| Source::new(path)).collect();
    refuse_repeated_stdin(&sources)?;
    let opened = sources.into_iter().map(|source| {
        let is_training = !source.is_stdin()
            && data::is_game_file(&source.path).map_err(|error| source.read_error(&error))?;
        let pgn = (!is_training).then(|| source.open()).transpose()?;
        Ok((source, pgn))
    });
    opened.collect()
}

/// Calls `visit` with each game of a file until it returns false. Returns the number of games, with
/// those that were read only in part. With a variant, the Variant tags of PGN are ignored. Fails for
/// a file that cannot be read, is damaged or has no games.
fn for_each(
    (source, pgn): PuzzleSource,
    variant: Option<Variant>,
    faults: &mut PgnFaults,
    mut visit: impl FnMut(PuzzleGame) -> Result<bool, CliError>,
) -> Result<usize, CliError> {
    let mut count = 0;
    match pgn {
        None => for_each_game(&source.path, |_, game| {
            count += 1;
            visit(game.into())
        })?,
        Some(text) => {
            for item in PgnReader::new(text, variant) {
                if let Some(numbered) = faults.game(&source, item)? {
                    count += 1;
                    if !visit(numbered.game.into())? {
                        break;
                    }
                }
            }
        }
    }
    if count == 0 && !faults.any() {
        return failed(format!("{source} has no games"));
    }
    Ok(count)
}

struct PuzzleRun {
    list: PuzzleList,
    file: AppendFile,
    /// The lines to write before the first puzzle.
    header: String,
    progress: ProgressReporter,
    /// Games examined or skipped so far.
    games: u64,
    /// Games that an earlier run has examined.
    skip: u64,
}

impl PuzzleRun {
    fn open(args: &PuzzlesArgs, header: String) -> Result<PuzzleRun, CliError> {
        let mut list = PuzzleList::new(args.caps());
        let earlier = AppendFile::open(Some(&args.out), !is_standard(&args.out), false)?;
        let length = read_existing(&args.out, &earlier.text, &header, &mut list)?;
        let file = earlier.keep(length)?;
        Ok(PuzzleRun {
            skip: list.last_game(),
            list,
            file,
            header: if length > 0 { String::new() } else { header },
            progress: ProgressReporter::spinner(),
            games: 0,
        })
    }

    fn is_done(&self, stop: &Control) -> bool {
        self.list.is_full() || stop.is_stopped()
    }

    /// Examines the games of the batch, and empties it.
    fn examine(
        &mut self,
        search: &PuzzleSearch,
        batch: &mut Vec<PuzzleGame>,
    ) -> Result<(), CliError> {
        let known = self.skip.saturating_sub(self.games).min(batch.len() as u64);
        self.games += known;
        search.run(&batch[known as usize..], |_, found| {
            self.games += 1;
            if let Some(puzzle) = found?
                && let Some(line) = self.list.add(&puzzle, self.games)
            {
                let text = std::mem::take(&mut self.header) + &line;
                self.progress.suspend(|| self.file.append(&text))?;
            }
            Ok::<(), CliError>(())
        })?;
        batch.clear();
        self.progress.set_message(self.counts());
        Ok(self.file.sync()?)
    }

    fn counts(&self) -> String {
        let puzzles = count(self.list.len(), "puzzle");
        format!("{puzzles} in {}", count(self.games, "game"))
    }

    fn finish(&mut self, args: &PuzzlesArgs) -> Result<(), CliError> {
        self.file.append(&std::mem::take(&mut self.header))?;
        let grades = (1..).zip(self.list.grades());
        let grades = grades.map(|(grade, count)| format!("{count} of grade {grade}"));
        let grades: Vec<String> = grades.collect();
        let text = format!("{}: {}", self.counts(), grades.join(", "));
        self.progress.suspend(|| output::print_summary(&args.out, &text))
    }
}

/// Reads the puzzles of an earlier run into `list`. Returns the length of the whole lines.
fn read_existing(
    path: &Path,
    text: &str,
    header: &str,
    list: &mut PuzzleList,
) -> Result<usize, CliError> {
    if text.len() < header.len() && header.starts_with(text) {
        return Ok(0);
    }
    let name = path.display();
    let Some(lines) = text.strip_prefix(header) else {
        if text.lines().next() != header.lines().next() {
            return failed(format!("{name} was not written by this command"));
        }
        return usage(format!(
            "{name} was made with other options, games or another network; use the same ones to \
             continue, or another file"
        ));
    };
    let length = read_lines(lines, |number, line| {
        if list.read(line) {
            return Ok(true);
        }
        failed(format!(
            "{name}: line {} was not written by this command with these options: {}",
            header.lines().count() + number,
            line.trim_end()
        ))
    })?;
    Ok(header.len() + length)
}
