//! Forced wins, proved: a proof-number search finds them, a judge of its own replays every
//! reply, and files carry them to others.
//! Invariant: nothing is called proved that the judge has not passed.

mod atomic;
mod check;
mod dfpn;
#[cfg(test)]
mod dfpn_tests;
pub mod file;
pub mod pgn;
mod status;
mod table;
mod tree;

use std::thread;
use std::time::{Duration, Instant};

use crate::rules::{Color, Move, Outcome, Position};
use atomic::Atomic;
use dfpn::{Brake, Effort, Game, Solver};
use status::Status;
use table::Table;

pub use check::{Fault, Verified, Why, verify};
pub use tree::Proof;

/// What is to be proved, and with what means.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// The side that is to win.
    pub attacker: Color,
    /// The win must come within so many moves of the attacker.
    pub within: Option<u16>,
    /// Size of the table in mebibytes.
    pub hash: usize,
    /// Positions to visit at most.
    pub nodes: Option<u64>,
    /// Time to search at most. Working out the proof that was found may take longer.
    pub time: Option<Duration>,
}

impl Task {
    /// Most moves that [`Task::within`] can ask for.
    pub const MOST_MOVES: u16 = dfpn::MAX_PLY as u16 / 2;

    /// A win of `attacker` however long, with 16 MiB and no limit.
    pub fn new(attacker: Color) -> Task {
        Task {
            attacker,
            within: None,
            hash: 16,
            nodes: None,
            time: None,
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Positions visited.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// Thousandths of the table in use.
    pub hashfull: u32,
    /// Leaves still to be won before the root is: a guess of the work left.
    pub proof: u32,
    /// Leaves still to be denied before the root is.
    pub disproof: u32,
}

impl Progress {
    fn new(effort: Effort, time: Duration) -> Progress {
        let left = effort.root.numbers(true);
        Progress {
            nodes: effort.nodes,
            time,
            hashfull: effort.fill,
            proof: left.own,
            disproof: left.other,
        }
    }
}

/// Steers and observes a search, on the searching thread.
pub trait Watch: Sync {
    /// True once the search should end.
    fn is_stopped(&self) -> bool;

    /// Called a few hundred times a second.
    fn progress(&self, _progress: &Progress) {}
}

/// Never stops and ignores everything.
pub struct Unwatched;

impl Watch for Unwatched {
    fn is_stopped(&self) -> bool {
        false
    }
}

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer itself.
    pub verdict: Verdict,
    /// Positions visited.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
    /// Thousandths of the table in use at the end.
    pub hashfull: u32,
}

/// Does the attacker win by force?
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Yes, and the judge has passed the proof.
    Proved(Box<(Proof, Verified)>),
    /// No: the search has been through everything.
    Disproved,
    /// Not known.
    Unknown(Reason),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The search was stopped or came to one of its limits.
    Limit,
    /// Nothing is left to search, but lines were cut at their greatest length.
    TooLong,
    /// A proof was found that the judge does not pass: a fault of this program.
    Refused(Box<Fault>),
}

/// Searches for a forced win of `task.attacker` in `pos`, whose history counts.
///
/// # Errors
/// When the memory or the thread cannot be had.
pub fn solve(pos: &Position, task: &Task, watch: &dyn Watch) -> Result<Answer, String> {
    /// Deep recursion: a frame for each half-move of the longest line.
    const STACK: usize = 16 << 20;
    let table = Table::new(task.hash)?;
    thread::scope(|scope| {
        thread::Builder::new()
            .name("proof".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || run(pos, task, table, watch))
            .map_err(|error| format!("cannot start a thread: {error}"))?
            .join()
            .map_err(|_| "the solver failed; please report it".to_owned())
    })
}

/// The same for a win that begins with `mv`, a legal move of the attacker. The proof begins
/// after it.
///
/// # Errors
/// See [`solve`].
pub fn solve_after(
    pos: &Position,
    mv: Move,
    task: &Task,
    watch: &dyn Watch,
) -> Result<Answer, String> {
    let mut after = pos.clone();
    after.make(mv);
    let within = task.within.map(|moves| moves.saturating_sub(1));
    solve(&after, &Task { within, ..*task }, watch)
}

fn run(pos: &Position, task: &Task, table: Table, watch: &dyn Watch) -> Answer {
    let start = Instant::now();
    let mut solver = Solver::new(Atomic::new(pos, task.attacker), table);
    let verdict = match pos.outcome() {
        Some(Outcome::Win { winner, .. }) if winner == task.attacker => {
            judged(Proof::nothing(pos, task.attacker))
        }
        Some(_) => Verdict::Disproved,
        None => search(&mut solver, task, start, watch),
    };
    let effort = solver.effort();
    Answer {
        verdict,
        nodes: effort.nodes,
        time: start.elapsed(),
        hashfull: effort.fill,
    }
}

fn search(solver: &mut Solver<Atomic>, task: &Task, start: Instant, watch: &dyn Watch) -> Verdict {
    let attacking = solver.game.attacking();
    let depth = task.within.map(|moves| {
        let moves = moves.min(Task::MOST_MOVES);
        (2 * moves).saturating_sub(u16::from(attacking))
    });
    let mut is_over = |effort: Effort| {
        let time = start.elapsed();
        watch.progress(&Progress::new(effort, time));
        watch.is_stopped() || task.time.is_some_and(|most| time >= most)
    };
    let mut brake = Brake {
        nodes: task.nodes.unwrap_or(u64::MAX),
        stop: &mut is_over,
    };
    match solver.settle(depth, &mut brake) {
        Status::Won { plies, .. } => {
            // A proof in hand is worked out whatever it takes, unless someone says stop.
            let mut is_over = |_| watch.is_stopped();
            let mut brake = Brake {
                nodes: u64::MAX,
                stop: &mut is_over,
            };
            tree::build(solver, plies, depth, &mut brake)
                .map_or(Verdict::Unknown(Reason::Limit), judged)
        }
        Status::NotWon { .. } if solver.cut => Verdict::Unknown(Reason::TooLong),
        Status::NotWon { .. } => Verdict::Disproved,
        Status::Open { .. } => Verdict::Unknown(Reason::Limit),
    }
}

fn judged(proof: Proof) -> Verdict {
    match verify(&proof.root, proof.attacker, &|pos| proof.reply(pos)) {
        Ok(verified) => Verdict::Proved(Box::new((proof, verified))),
        Err(fault) => Verdict::Unknown(Reason::Refused(Box::new(fault))),
    }
}
