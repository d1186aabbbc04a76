//! `brisance puzzles`: finds positions with exactly one winning move in games.
//! Invariant: the file always ends with a whole line, and an interrupted and continued run writes
//! the same file as an uninterrupted one.

mod input;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::args::{self, EvalSourceArgs, GamesVariantArgs};
use super::output::{self, AppendFile, OutputPath};
use super::progress::ProgressReporter;
use super::{CliError, interrupt};
use crate::engine::{Engine, Settings};
use crate::notation::units;
use crate::proof::Solver;
use crate::puzzle::{PuzzleCaps, PuzzleCriteria, PuzzleGame, PuzzleList, PuzzleSearch};
use crate::search::{self, Control};
use crate::util::count;
use input::{PuzzleSource, ReadGames};

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
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
    /// EPD file to write or continue; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: OutputPath,
    /// Maximum number of puzzles.
    #[arg(long, value_name = "N", value_parser = args::number::<u64>(1..))]
    count: Option<u64>,
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
/// TT size of the searches in MiB.
const HASH_MIB: usize = 4;

/// Finds the puzzles.
///
/// # Errors
/// Conflicting arguments, files that cannot be read or written, a file that another command has
/// made, invalid games, or an interrupt. Puzzles that were found are kept.
pub fn run(args: &PuzzlesArgs) -> Result<(), CliError> {
    args.check()?;
    let inputs = input::open(&args.games)?;
    let header = args.header(&inputs)?;
    let mut run = PuzzleRun::open(args, header)?;
    let stop = interrupt::stop_handle()?;
    let search = args.search(Arc::clone(&stop))?;
    let mut read = ReadGames::new(args.variant.variant());
    let mut batch = Vec::new();
    for input in inputs {
        read.each(input, |game| {
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
    let invalid = read.finish();
    run.finish(args)?;
    let invalid = invalid?;
    if stop.is_stopped() && !run.list.is_full() {
        return Err(CliError::interrupted(count(run.games, "game")));
    }
    match invalid {
        0 => Ok(()),
        _ => Err(CliError::Failed(format!(
            "{} skipped as invalid, or read only in part",
            count(invalid, "game")
        ))),
    }
}

impl PuzzlesArgs {
    fn check(&self) -> Result<(), CliError> {
        let error = if self.min_moves > self.max_moves {
            "--min-moves must not exceed --max-moves".to_owned()
        } else if self
            .games
            .iter()
            .filter(|path| output::is_standard(path))
            .count()
            > 1
        {
            "standard input can be read only once".to_owned()
        } else {
            return Ok(());
        };
        Err(CliError::Usage(error))
    }

    fn criteria(&self) -> PuzzleCriteria {
        PuzzleCriteria {
            min_moves: self.min_moves,
            max_moves: self.max_moves,
            solver_nodes: self.solver_nodes,
            nodes: self.nodes,
            max_other: self.max_other,
            last_plies: self.last_plies,
        }
    }

    fn caps(&self) -> PuzzleCaps {
        let count = self.count.map(|count| usize::try_from(count).ok());
        PuzzleCaps {
            count: count.flatten().unwrap_or(usize::MAX),
            per_opening: self.per_opening,
            per_grade: self.per_grade.unwrap_or(usize::MAX),
            per_length: self.per_length.unwrap_or(usize::MAX),
        }
    }

    fn settings(&self) -> Settings {
        self.eval.apply(Settings {
            hash: HASH_MIB,
            ..Settings::default()
        })
    }

    fn search(&self, stop: Arc<Control>) -> Result<PuzzleSearch, CliError> {
        let threads = self.threads.unwrap_or_else(search::cores);
        Ok(PuzzleSearch::new(
            self.criteria(),
            &self.settings(),
            threads,
            stop,
        )?)
    }

    /// The first lines of the file: everything that the puzzles depend on. Creates an engine, so
    /// an invalid network fails here.
    fn header(&self, inputs: &[PuzzleSource]) -> Result<String, CliError> {
        let engine = Engine::with_settings(self.settings())?;
        let network = match engine.net() {
            Some(net) => net.description().to_owned(),
            None => "handcrafted terms".to_owned(),
        };
        let caps = [
            ("per-grade", self.per_grade),
            ("per-length", self.per_length),
        ];
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
        for (name, cap) in caps {
            if let Some(cap) = cap {
                options.push_str(&format!(" --{name} {cap}"));
            }
        }
        let names: Vec<String> = inputs.iter().map(PuzzleSource::to_string).collect();
        let lines = [
            "Puzzles, one EPD line each.".to_owned(),
            format!("Made by: brisance puzzles {options}"),
            format!("Games: {}", names.join(", ")),
            format!("Network: {network}"),
        ];
        Ok(lines
            .map(|line| format!("# {line}\n").replace(['\r', '\t'], " "))
            .concat())
    }
}

/// The state of a run.
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
    /// Opens the output, with the puzzles of an earlier run.
    fn open(args: &PuzzlesArgs, header: String) -> Result<PuzzleRun, CliError> {
        let mut list = PuzzleList::new(args.caps());
        let (file, length) = if output::is_standard(&args.out) {
            (AppendFile::stdout(), 0)
        } else {
            AppendFile::resume(&args.out, |text| {
                let length = read_existing(&args.out, text, &header, &mut list)?;
                Ok((length, length))
            })?
        };
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
            if let Some(puzzle) = found.map_err(CliError::failed)?
                && let Some(line) = self.list.add(&puzzle, self.games)
            {
                let text = std::mem::take(&mut self.header) + &line;
                self.progress.suspend(|| self.file.append(&text))?;
            }
            Ok::<(), CliError>(())
        })?;
        batch.clear();
        self.progress.set_message(self.counts());
        self.file.sync()
    }

    fn counts(&self) -> String {
        let puzzles = count(self.list.len(), "puzzle");
        format!("{puzzles} in {}", count(self.games, "game"))
    }

    /// Prints the summary, on stderr if the puzzles are on stdout.
    fn finish(&mut self, args: &PuzzlesArgs) -> Result<(), CliError> {
        self.file.append(&std::mem::take(&mut self.header))?;
        let grades = self.list.grades().iter().enumerate();
        let grades = grades.map(|(index, count)| format!("{count} of grade {}", index + 1));
        let text = format!(
            "{}: {}",
            self.counts(),
            grades.collect::<Vec<_>>().join(", ")
        );
        if output::is_standard(&args.out) {
            self.progress.suspend(|| output::print_stderr(&text));
            return Ok(());
        }
        Ok(self.progress.suspend(|| writeln!(io::stdout(), "{text}"))?)
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
    let Some(lines) = text.strip_prefix(header) else {
        let is_ours = text.lines().next() == header.lines().next();
        let name = path.display();
        return Err(if is_ours {
            CliError::Usage(format!(
                "{name} was made with other options, games or another network; use the same ones \
                 to continue, or another file"
            ))
        } else {
            CliError::Failed(format!("{name} was not written by this command"))
        });
    };
    let mut length = header.len();
    let first = header.lines().count() + 1;
    for (index, line) in lines.split_inclusive('\n').enumerate() {
        if !line.ends_with('\n') {
            break;
        }
        if !list.read(line) {
            return Err(CliError::Failed(format!(
                "{}: line {} was not written by this command with these options: {}",
                path.display(),
                first + index,
                line.trim_end()
            )));
        }
        length += line.len();
    }
    Ok(length)
}
