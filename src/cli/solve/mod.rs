//! `brisance solve`: proves forced wins, writes proofs to files and verifies proofs from files.
//! Invariant: a win is reported as proved only after the verifier has accepted the proof.

mod report;

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use parking_lot::Mutex;

use super::args::{self, NotationStyle, PositionArgs};
use super::output::{self, OutputPath, WholeFile};
use super::progress::ProgressReporter;
use super::{CliError, interrupt};
use crate::proof::file::{self, ProofFile};
use crate::proof::{self, ProofVerdict, Solver, SolverListener, SolverProgress, SolverResult, pgn};
use crate::rules::{Color, GameResult};
use crate::search::Control;
use crate::util;
use report::{ReportFormat, SolveReport};

/// Prove a forced win, or verify a proof from a file.
///
/// Searches until a forced win is proved or disproved or a limit is reached, by default one
/// minute. A win is an explosion of the king or a checkmate against every defence, before
/// threefold repetition or the fifty-move rule can end the game. A proof is verified before it is
/// reported: all replies of the defender are replayed, independently of the search.
///
/// The result is PROVED, DISPROVED (no forced win, or none within --within) or UNKNOWN (a limit
/// was reached). The line is the longest resistance within the proof; a shorter win may exist, see
/// --within. Ctrl-C stops the search. If the game is over, the result is who has won.
#[derive(Args, Debug)]
#[command(after_help = CODES)]
pub struct SolveArgs {
    #[command(flatten)]
    position: PositionArgs,

    /// Side whose win is to be proved.
    #[arg(
        long = "for",
        value_name = "SIDE",
        value_enum,
        default_value_t,
        ignore_case = true
    )]
    side: AttackerChoice,

    /// Maximum length of the win in moves; DISPROVED then means that no win is that short.
    #[arg(long, value_name = "N",
          value_parser = args::number::<u16>(1..=Solver::MAX_MOVES.into()))]
    within: Option<u16>,

    /// Solve each root move separately, each within the limits, and list the results.
    #[arg(long)]
    every_move: bool,

    /// Time limit: 500ms, 5s, 2m; a plain number is in seconds.
    #[arg(long, value_parser = args::time)]
    time: Option<Duration>,

    /// Node limit: 25000, 10k, 5m.
    #[arg(long, value_name = "N", value_parser = args::number::<u64>(1..))]
    nodes: Option<u64>,

    /// Size of the solver's hash table in MiB.
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = args::hash())]
    hash: u32,

    /// File for the complete proof: a game with variations if the name ends in .pgn, otherwise
    /// JSON lines, which --check reads.
    #[arg(long, value_name = "FILE", conflicts_with = "every_move")]
    tree: Option<OutputPath>,

    /// Overwrite an existing --tree file.
    #[arg(long, requires = "tree")]
    force: bool,

    /// Verify the proof in this file instead of searching.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "variant", "chess960", "moves",
          "side", "within", "every_move", "time", "nodes", "hash", "tree"])]
    check: Option<PathBuf>,

    /// Print one JSON object per result.
    #[arg(long)]
    json: bool,
}

const CODES: &str = "\
Exit codes: 0 a win was proved, the proof was verified or the side of --for has already won; 1
otherwise; 2 invalid arguments.";

/// The side whose win is to be proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum AttackerChoice {
    /// The side to move.
    #[default]
    Mover,
    /// The side that is not to move.
    Other,
    /// White.
    White,
    /// Black.
    Black,
    /// The side to move; if that is not proved, the other side. Each gets half of the limits, and
    /// the second one also what the first has left.
    Either,
}

impl AttackerChoice {
    fn attackers(self, mover: Color) -> Vec<Color> {
        match self {
            AttackerChoice::Mover => vec![mover],
            AttackerChoice::Other => vec![!mover],
            AttackerChoice::White => vec![Color::White],
            AttackerChoice::Black => vec![Color::Black],
            AttackerChoice::Either => vec![mover, !mover],
        }
    }
}

/// The time limit if no limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Searches or verifies, and prints the result. The exit code is 0 if a win is proved.
///
/// # Errors
/// An invalid FEN or move, a file that cannot be read or written, a lack of memory, or a closed
/// stdout.
pub fn run(args: &SolveArgs) -> Result<ExitCode, CliError> {
    let format = if args.json {
        ReportFormat::Json
    } else {
        ReportFormat::Plain
    };
    let proved = match &args.check {
        Some(path) => check(path, format)?,
        None => solve(args, format)?,
    };
    Ok(if proved {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn solve(args: &SolveArgs, format: ReportFormat) -> Result<bool, CliError> {
    let pos = args.position.position()?;
    let notation = args.position.notation(&pos);
    let attackers = args.side.attackers(pos.side_to_move());
    let report = |attacker: Color| SolveReport {
        pos: &pos,
        notation,
        attacker,
        within: args.within,
        format,
    };
    if let Some(outcome) = pos.outcome() {
        let won = |&&side: &&Color| outcome.result() == GameResult::Win(side);
        let winner = attackers.iter().find(won);
        report(*winner.unwrap_or(&attackers[0])).game_over(outcome, winner.is_some())?;
        return Ok(winner.is_some());
    }
    let tree = args.tree.as_ref();
    let mut tree = tree
        .map(|path| WholeFile::open(path, args.force))
        .transpose()?;
    if args.every_move && attackers != [pos.side_to_move()] {
        let text = "--every-move needs --for to name the side to move";
        return Err(CliError::Usage(text.to_owned()));
    }
    let progress = SolveProgress::new()?;
    let mut limits = SolveLimits::new(args);
    for (index, &attacker) in attackers.iter().enumerate() {
        let report = report(attacker);
        progress.suspend(|| report.begin())?;
        let task = args.task(attacker, limits.share(attackers.len() - index));
        let proved = if args.every_move {
            solve_each_move(&task, &report, &progress)?
        } else {
            let result = task.solve(&pos, &progress).map_err(CliError::failed)?;
            limits.take(&result);
            print_result(args, &result, &report, &progress, tree.as_mut())?
        };
        if proved || progress.is_stopped() {
            return Ok(proved);
        }
    }
    Ok(false)
}

/// What is left of the limits of a command.
struct SolveLimits {
    time: Option<Duration>,
    nodes: Option<u64>,
}

impl SolveLimits {
    fn new(args: &SolveArgs) -> SolveLimits {
        let unlimited = args.nodes.is_none();
        SolveLimits {
            time: args.time.or(unlimited.then_some(DEFAULT_TIME)),
            nodes: args.nodes,
        }
    }

    /// The limits of the next of `left` searches: an equal share for each.
    fn share(&self, left: usize) -> SolveLimits {
        SolveLimits {
            time: self.time.map(|time| time / left as u32),
            nodes: self.nodes.map(|nodes| nodes.div_ceil(left as u64).max(1)),
        }
    }

    fn take(&mut self, result: &SolverResult) {
        self.time = self.time.map(|time| time.saturating_sub(result.time));
        self.nodes = self.nodes.map(|nodes| nodes.saturating_sub(result.nodes));
    }
}

impl SolveArgs {
    fn task(&self, attacker: Color, limits: SolveLimits) -> Solver {
        Solver {
            max_moves: self.within,
            hash_mb: self.hash as usize,
            max_nodes: limits.nodes,
            max_time: limits.time,
            ..Solver::new(attacker)
        }
    }
}

/// Prints the result of a search, and writes the proof to its file. True if a win is proved.
fn print_result(
    args: &SolveArgs,
    result: &SolverResult,
    report: &SolveReport,
    progress: &SolveProgress,
    tree: Option<&mut WholeFile>,
) -> Result<bool, CliError> {
    progress.suspend(|| report.result(result, progress.is_stopped()))?;
    let ProofVerdict::Proved(proved) = &result.verdict else {
        return Ok(false);
    };
    if let (Some(path), Some(tree)) = (&args.tree, tree) {
        tree.write(tree_text(path, proved, report.notation)?)?;
    }
    Ok(true)
}

fn solve_each_move(
    task: &Solver,
    report: &SolveReport,
    progress: &SolveProgress,
) -> Result<bool, CliError> {
    let mut counts = [0; 3];
    for mv in report.pos.legal_moves() {
        if mv.is_redundant() || progress.is_stopped() {
            continue;
        }
        let result = task
            .solve_after(report.pos, mv, progress)
            .map_err(CliError::failed)?;
        progress.suspend(|| report.first_move(mv, &result))?;
        counts[match result.verdict {
            ProofVerdict::Proved(_) => 0,
            ProofVerdict::Disproved => 1,
            ProofVerdict::Unknown(_) => 2,
        }] += 1;
    }
    progress.suspend(|| report.move_counts(counts, progress.is_stopped()))?;
    Ok(counts[0] > 0)
}

fn check(path: &Path, format: ReportFormat) -> Result<bool, CliError> {
    let name = path.display();
    let file: Box<dyn Read> = if output::is_standard(path) {
        Box::new(io::stdin())
    } else {
        let file = util::open_file(path);
        let named = |error| CliError::Failed(format!("cannot read {name}: {error}"));
        Box::new(file.map_err(named)?)
    };
    let advice = if is_pgn(path) {
        "; proofs in PGN are for viewers, only JSON lines can be verified"
    } else {
        ""
    };
    let proof_file = ProofFile::read(BufReader::new(file)).map_err(|error| {
        CliError::Failed(format!("{name} is not a proof file: {error}{advice}"))
    })?;
    let verified = proof_file
        .verify()
        .map_err(|error| CliError::Failed(format!("the proof in {name} is invalid: {error}")))?;
    let notation = NotationStyle {
        chess960: proof_file.chess960,
    };
    let report = SolveReport {
        pos: &proof_file.root,
        notation,
        attacker: proof_file.attacker,
        within: None,
        format,
    };
    report.verified_proof(&verified)?;
    Ok(true)
}

/// The proof in the format that the file name selects.
fn tree_text(
    path: &Path,
    (proof, verified): &(proof::Proof, proof::VerifiedProof),
    notation: NotationStyle,
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    if is_pgn(path) {
        text = pgn::game(proof).to_pgn().into_bytes();
    } else {
        file::write(proof, verified, notation.chess960, &mut text)?;
    }
    Ok(text)
}

fn is_pgn(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"))
}

/// Prints the progress of the solver, and stops it at Ctrl-C.
struct SolveProgress {
    control: Arc<Control>,
    /// The solver reports from its own thread.
    reporter: Mutex<ProgressReporter>,
}

impl SolveProgress {
    fn new() -> Result<SolveProgress, CliError> {
        let control = interrupt::stop_handle()?;
        let reporter = Mutex::new(ProgressReporter::spinner());
        Ok(SolveProgress { control, reporter })
    }

    /// Runs an action that writes to stdout.
    fn suspend<T>(&self, action: impl FnOnce() -> T) -> T {
        self.reporter.lock().suspend(action)
    }
}

impl SolverListener for SolveProgress {
    fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    fn progress(&self, progress: &SolverProgress) {
        self.reporter.lock().set_message(report::progress(progress));
    }
}
