//! The arguments of `solve`: the position or list, whose win is searched, and the limits.
//! Invariant: the limits are shared by all searches of one position.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};

use crate::cli::{CliError, OutputPath, PositionArgs, args};
use crate::engine::{Engine, Settings};
use crate::proof::{ProofVerdict, Solver, SolverListener, SolverResult};
use crate::rules::{Color, Outcome, Position};
use crate::search::Control;

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
#[command(after_help = CODES, group(ArgGroup::new("file").args(["tree", "out"]).multiple(true)))]
pub struct SolveArgs {
    #[command(flatten)]
    pub position: PositionArgs,
    /// Side whose win is to be proved [default: mover, with --every-reply other].
    #[arg(long = "for", value_name = "SIDE", value_enum, ignore_case = true)]
    pub side: Option<AttackerChoice>,
    /// Maximum length of the win in moves; DISPROVED then means that no win is that short.
    #[arg(long, value_name = "N",
          value_parser = args::number::<u16>(1..=Solver::MAX_MOVES.into()))]
    pub within: Option<u16>,
    /// Solve each root move separately, each within the limits, and list the results.
    #[arg(long)]
    pub every_move: bool,
    /// Solve the position after each reply of the defender separately, and list which replies lose.
    #[arg(long, conflicts_with = "every_move")]
    pub every_reply: bool,
    /// Time limit: 500ms, 5s, 2m; a plain number is in seconds.
    #[arg(long, value_parser = args::time)]
    pub time: Option<Duration>,
    /// Node limit: 25000, 10k, 5m.
    #[arg(long, value_name = "N", value_parser = args::number::<u64>(1..))]
    pub nodes: Option<u64>,
    /// Size of each hash table in MiB; the search that guides the solver has one of a quarter.
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = args::hash())]
    pub hash: u32,
    /// Threads that share the hash table [default: 1]; for a list the positions that are solved at
    /// once, each with its own hash table [default: all cores].
    #[arg(long, value_name = "N", value_parser = args::threads::<usize>())]
    pub threads: Option<usize>,
    /// File for the complete proof: a game with variations if the name ends in .pgn, otherwise
    /// JSON lines, which --check reads.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["every_move", "every_reply"])]
    pub tree: Option<OutputPath>,
    /// Search best-first for hours and keep the tree in this file: the same command continues it.
    /// There is no time limit by default.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["within", "every_move", "every_reply",
          "out"])]
    pub state: Option<OutputPath>,
    /// Node limit of each search at a leaf of --state.
    #[arg(long, value_name = "N", default_value = "50k", requires = "state",
          value_parser = args::number::<u64>(1..))]
    pub leaf_nodes: u64,
    /// Print the N positions that would be searched next with --state, and end.
    #[arg(long, value_name = "N", requires = "state", conflicts_with_all = ["tree", "json"],
          value_parser = args::number::<usize>(0..))]
    pub leaves: Option<usize>,
    /// Overwrite an existing file.
    #[arg(long, requires = "file")]
    pub force: bool,
    /// Verify the proof in this file instead of searching.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "variant", "chess960", "moves",
          "side", "within", "every_move", "every_reply", "time", "nodes", "hash", "tree", "state",
          "leaf_nodes", "leaves", "out", "resume", "threads"])]
    pub check: Option<PathBuf>,
    /// Print one JSON object per result, as for lists always.
    #[arg(long)]
    pub json: bool,
    /// Output file instead of stdout, which `-` names.
    #[arg(long, value_name = "FILE", help_heading = "Lists")]
    pub out: Option<OutputPath>,
    /// Continue an interrupted run with the same options: results already in --out are kept.
    #[arg(long, help_heading = "Lists")]
    #[arg(requires = "out", conflicts_with = "force")]
    pub resume: bool,
}

const CODES: &str = "\
Exit codes: 0 a win was proved, with --every-reply after every reply, the proof was verified or the
side of --for has already won, or a list is finished; 1 otherwise; 2 invalid arguments.";

/// The side whose win is to be proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum AttackerChoice {
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

impl SolveArgs {
    pub fn attackers(&self, mover: Color) -> Vec<Color> {
        match self.side {
            None if self.every_reply => vec![!mover],
            None | Some(AttackerChoice::Mover) => vec![mover],
            Some(AttackerChoice::Other) => vec![!mover],
            Some(AttackerChoice::White) => vec![Color::White],
            Some(AttackerChoice::Black) => vec![Color::Black],
            Some(AttackerChoice::Either) => vec![mover, !mover],
        }
    }

    /// An engine to guide the solver.
    pub fn engine(&self, stop: &Arc<Control>, threads: usize) -> Result<Engine, CliError> {
        let settings = Settings {
            // The guide does not search for --state.
            hash: self.state.as_ref().map_or((self.hash as usize / 4).max(1), |_| 1),
            threads,
            ..Settings::default()
        };
        let mut engine = Engine::with_settings(settings)?;
        engine.set_control(Arc::clone(stop));
        Ok(engine)
    }

    pub fn limits<'a>(&self, engine: &'a Engine, default_time: Duration) -> Solver<'a> {
        let unlimited = self.nodes.is_none();
        Solver {
            max_moves: self.within,
            hash_mb: self.hash as usize,
            max_nodes: self.nodes,
            max_time: self.time.or(unlimited.then_some(default_time)),
            net: Some(engine.loaded_net()),
            guide: Some(engine),
            ..Solver::new(Color::White)
        }
    }
}

/// The attacker that has won, if one has.
pub fn winner(attackers: &[Color], outcome: Outcome) -> Option<Color> {
    let mut attackers = attackers.iter().copied();
    attackers.find(|&side| outcome.is_win_of(side))
}

/// Searches for a win of each attacker in turn until one is proved, each with an equal share of
/// what is left of the limits. `each` gets every result; the last one is returned.
pub fn solve_in_turn(
    pos: &Position,
    limits: &Solver,
    attackers: &[Color],
    listener: &dyn SolverListener,
    mut each: impl FnMut(Color, &SolverResult) -> io::Result<()>,
) -> Result<(Color, SolverResult), CliError> {
    let mut left = *limits;
    for (&attacker, searches) in attackers.iter().zip((1..=attackers.len() as u32).rev()) {
        let task = Solver {
            attacker,
            max_nodes: left.max_nodes.map(|all| all.div_ceil(searches.into()).max(1)),
            max_time: left.max_time.map(|all| all / searches),
            ..left
        };
        let result = task.solve(pos, listener)?;
        each(attacker, &result)?;
        let is_proved = matches!(result.verdict, ProofVerdict::Proved(_));
        if is_proved || searches == 1 || listener.is_stopped() {
            return Ok((attacker, result));
        }
        left.max_time = left.max_time.map(|all| all.saturating_sub(result.time));
        left.max_nodes = left.max_nodes.map(|all| all.saturating_sub(result.nodes));
    }
    unreachable!("there is an attacker")
}
