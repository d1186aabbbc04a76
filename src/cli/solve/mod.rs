//! `brisance solve`: proves forced wins, writes proofs to files and verifies proofs from files.
//! Invariant: a win is reported as proved only after the verifier has accepted the proof.

mod list;
mod report;

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use parking_lot::Mutex;

use super::analyse::input::{self, FileFormat};
use super::args::{self, NotationStyle, PositionArgs};
use super::error::{CliError, failed, usage};
use super::interrupt;
use super::output::{self, OutputPath, WholeFile};
use super::progress::ProgressReporter;
use super::view::PositionStyle;
use crate::engine::EngineError;
use crate::eval::nnue::Network;
use crate::proof::file::{self, ProofFile};
use crate::proof::{self, ProofVerdict, Solver, SolverListener, SolverProgress, SolverResult, pgn};
use crate::rules::{Color, Position};
use crate::search::Control;
use crate::util;
use list::ListArgs;
use report::{MoveCounts, SolveReport};

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
///
/// Files that end in .epd or .fen are lists of positions. Each line gives one JSON object, after
/// at most ten seconds if there is no limit.
#[derive(Args, Debug)]
#[command(after_help = CODES)]
pub struct SolveArgs {
    #[command(flatten)]
    position: PositionArgs,

    /// Side whose win is to be proved [default: mover, with --every-reply other].
    #[arg(long = "for", value_name = "SIDE", value_enum, ignore_case = true)]
    side: Option<AttackerChoice>,

    /// Maximum length of the win in moves; DISPROVED then means that no win is that short.
    #[arg(long, value_name = "N",
          value_parser = args::number::<u16>(1..=Solver::MAX_MOVES.into()))]
    within: Option<u16>,

    /// Solve each root move separately, each within the limits, and list the results.
    #[arg(long)]
    every_move: bool,

    /// Solve the position after each reply of the defender separately, and list which replies lose.
    #[arg(long, conflicts_with = "every_move")]
    every_reply: bool,

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
    #[arg(long, value_name = "FILE", conflicts_with_all = ["every_move", "every_reply"])]
    tree: Option<OutputPath>,

    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,

    /// Verify the proof in this file instead of searching.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "variant", "chess960", "moves",
          "side", "within", "every_move", "every_reply", "time", "nodes", "hash", "tree"])]
    check: Option<PathBuf>,

    /// Print one JSON object per result, as for lists always.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    list: ListArgs,
}

const CODES: &str = "\
Exit codes: 0 a win was proved, with --every-reply after every reply, the proof was verified or the
side of --for has already won, or a list is finished; 1 otherwise; 2 invalid arguments.";

/// The side whose win is to be proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum AttackerChoice {
    /// The side to move.
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
pub fn run(args: &SolveArgs) -> Result<ExitCode, CliError> {
    let proved = match &args.check {
        Some(path) => check(path, args.json)?,
        None => solve(args)?,
    };
    Ok(ExitCode::from(u8::from(!proved)))
}

fn solve(args: &SolveArgs) -> Result<bool, CliError> {
    let net = Network::embedded().map_err(EngineError::EmbeddedNetwork)?;
    match input::files(&args.position.fen, None)? {
        Some((sources, FileFormat::Epd)) => return list::run(args, &sources, &net),
        Some(_) => return usage("solve reads lists of positions, not games"),
        None => args.list.refuse()?,
    }
    let pos = args.position.position()?;
    let mover = pos.side_to_move();
    let attackers = args.attackers(mover);
    let report = |attacker: Color| SolveReport {
        style: PositionStyle::new(&pos, args.position.notation(&pos)),
        attacker,
        within: args.within,
        json: args.json,
    };
    if let Some(outcome) = pos.outcome() {
        let winner = attackers.iter().find(|&&side| outcome.is_win_of(side));
        report(*winner.unwrap_or(&attackers[0])).game_over(outcome)?;
        return Ok(winner.is_some());
    }
    let tree = args.tree.as_ref();
    let mut tree = tree
        .map(|path| WholeFile::open(path, args.force))
        .transpose()?;
    if args.every_move && attackers != [mover] {
        return usage("--every-move needs --for to name the side to move; see --every-reply");
    }
    if args.every_reply && attackers != [!mover] {
        return usage("--every-reply needs --for to name the side that is not to move");
    }
    let progress = SolveProgress {
        stop: interrupt::stop_handle()?,
        reporter: Mutex::new(ProgressReporter::spinner()),
    };
    let limits = args.limits(&net, DEFAULT_TIME);
    progress.suspend(|| report(mover).begin())?;
    if args.every_move || args.every_reply {
        let attacker = attackers[0];
        let task = Solver { attacker, ..limits };
        return solve_each_move(&task, &report(attacker), &progress);
    }
    let print = |attacker, result: &SolverResult| {
        progress.suspend(|| report(attacker).result(result, progress.is_stopped()))
    };
    let (_, result) = solve_in_turn(&pos, &limits, &attackers, &progress, print)?;
    let ProofVerdict::Proved(proof) = &result.verdict else {
        return Ok(false);
    };
    if let (Some(path), Some(tree)) = (&args.tree, &mut tree) {
        tree.write(tree_text(path, proof, report(mover).style.notation)?)?;
    }
    Ok(true)
}

impl SolveArgs {
    fn attackers(&self, mover: Color) -> Vec<Color> {
        let default = if self.every_reply {
            AttackerChoice::Other
        } else {
            AttackerChoice::Mover
        };
        self.side.unwrap_or(default).attackers(mover)
    }

    /// A solver with the limits of the command.
    fn limits<'a>(&self, net: &'a Network, default_time: Duration) -> Solver<'a> {
        let unlimited = self.nodes.is_none();
        Solver {
            max_moves: self.within,
            hash_mb: self.hash as usize,
            max_nodes: self.nodes,
            max_time: self.time.or(unlimited.then_some(default_time)),
            net: Some(net),
            ..Solver::new(Color::White)
        }
    }
}

/// Searches for a win of each attacker in turn until one is proved, each with an equal share of
/// what is left of the limits. `each` gets every result; the last one is returned.
fn solve_in_turn(
    pos: &Position,
    limits: &Solver,
    attackers: &[Color],
    listener: &dyn SolverListener,
    mut each: impl FnMut(Color, &SolverResult) -> io::Result<()>,
) -> Result<(Color, SolverResult), CliError> {
    let mut left = *limits;
    let mut searches = attackers.len() as u32;
    for &attacker in attackers {
        let task = Solver {
            attacker,
            max_nodes: left
                .max_nodes
                .map(|all| all.div_ceil(searches.into()).max(1)),
            max_time: left.max_time.map(|all| all / searches),
            ..left
        };
        let result = task.solve(pos, listener)?;
        each(attacker, &result)?;
        searches -= 1;
        let is_proved = matches!(result.verdict, ProofVerdict::Proved(_));
        if is_proved || searches == 0 || listener.is_stopped() {
            return Ok((attacker, result));
        }
        left.max_time = left.max_time.map(|all| all.saturating_sub(result.time));
        left.max_nodes = left.max_nodes.map(|all| all.saturating_sub(result.nodes));
    }
    unreachable!("there is an attacker")
}

fn solve_each_move(
    task: &Solver,
    report: &SolveReport,
    progress: &SolveProgress,
) -> Result<bool, CliError> {
    let mut counts = MoveCounts::default();
    for mv in report.style.pos.legal_moves() {
        if mv.is_redundant() {
            continue;
        }
        counts.all += 1;
        if progress.is_stopped() {
            continue;
        }
        let result = task.solve_after(report.style.pos, mv, progress)?;
        progress.suspend(|| report.first_move(mv, &result))?;
        match result.verdict {
            ProofVerdict::Proved(_) => counts.proved += 1,
            ProofVerdict::Disproved => counts.disproved += 1,
            ProofVerdict::Unknown(_) => counts.unknown += 1,
        }
    }
    progress.suspend(|| report.move_counts(&counts, progress.is_stopped()))?;
    let is_reply = report.attacker != report.style.pos.side_to_move();
    let needed = if is_reply { counts.all } else { 1 };
    Ok(counts.proved >= needed)
}

fn check(path: &Path, json: bool) -> Result<bool, CliError> {
    let name = path.display();
    let file: Box<dyn Read> = if output::is_standard(path) {
        Box::new(io::stdin())
    } else {
        Box::new(util::open_file(path).map_err(|error| CliError::read(path.display(), &error))?)
    };
    let advice = if is_pgn(path) {
        "; proofs in PGN are for viewers, only JSON lines can be verified"
    } else {
        ""
    };
    let proof_file = ProofFile::read(BufReader::new(file))
        .or_else(|error| failed(format!("{name} is not a proof file: {error}{advice}")))?;
    let verified = proof_file
        .verify()
        .or_else(|error| failed(format!("the proof in {name} is invalid: {error}")))?;
    let notation = NotationStyle {
        chess960: proof_file.chess960,
    };
    let report = SolveReport {
        style: PositionStyle::new(&proof_file.root, notation),
        attacker: proof_file.attacker,
        within: None,
        json,
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
    stop: Arc<Control>,
    /// The solver reports from its own thread.
    reporter: Mutex<ProgressReporter>,
}

impl SolveProgress {
    /// Runs an action that writes to stdout.
    fn suspend<T>(&self, action: impl FnOnce() -> T) -> T {
        self.reporter.lock().suspend(action)
    }
}

impl SolverListener for SolveProgress {
    fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    fn progress(&self, progress: &SolverProgress) {
        self.reporter.lock().set_message(report::progress(progress));
    }
}
