//! Proof of forced wins: [`Solver`] finds them by depth-first proof-number search (df-pn), an
//! independent verifier replays every reply, and proofs are written to and read from files.
//! Invariant: a win is only reported as proved when the verifier has accepted the proof.

mod atomic;
mod best_first;
mod dfpn;
#[cfg(test)]
mod dfpn_tests;
pub mod file;
mod guide;
mod helpers;
pub mod pgn;
mod run;
#[cfg(feature = "cli")]
pub(crate) mod state;
mod status;
mod table;
mod tree;
mod verifier;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::eval::nnue::Network;
use crate::host::{self, StackError};
use crate::rules::{Color, Move, Position};
use atomic::AtomicGame;
use dfpn::{DfPnSearch, StopCondition};
use status::{NodeStatus, Win};
use table::ProofTable;

pub use best_first::{BestFirstTree, Leaf, LeafResult, LeafStatus};
pub use guide::Guide;
pub use tree::Proof;
pub use verifier::{ProofError, ProofErrorKind, VerifiedProof, verify};

/// The search recurses once per ply of the longest line.
const STACK_SIZE: usize = 16 << 20;

/// Searches for forced wins of one side, within limits.
///
/// # Examples
///
/// ```
/// use brisance::notation::fen;
/// use brisance::proof::{ProofVerdict, NullListener, Solver};
/// use brisance::rules::{Color, Variant};
///
/// // After 1. Nf3 a6, 2. Ne5 threatens to explode the king on d7 and on f7.
/// let fen = "rnbqkbnr/1ppppppp/p7/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2";
/// let pos = fen::parse(fen, Variant::Atomic)?;
/// let solver = Solver {
///     max_moves: Some(2),
///     hash_mb: 1,
///     ..Solver::new(Color::White)
/// };
/// let result = solver.solve(&pos, &NullListener)?;
/// let ProofVerdict::Proved(proved) = result.verdict else {
///     panic!("a forced win");
/// };
/// let (proof, verified) = *proved;
/// assert_eq!(verified.plies, 3);
/// assert_eq!(proof.reply(&pos).expect("White's move").to().to_string(), "e5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Solver<'a> {
    /// The attacker: the side whose win is searched.
    pub attacker: Color,
    /// The win must come within this many moves of the attacker, at most [`Solver::MAX_MOVES`].
    pub max_moves: Option<u16>,
    /// Size of the hash table in MiB.
    pub hash_mb: usize,
    /// Maximum number of nodes.
    pub max_nodes: Option<u64>,
    /// Maximum search time. Building the proof after a successful search may take as long again.
    pub max_time: Option<Duration>,
    /// Decides which lines are searched first; without one, the number of defences alone does.
    pub net: Option<&'a Network>,
    /// A search that may see the win first, and so shortens the proof.
    pub guide: Option<&'a dyn Guide>,
    /// Threads, at least 1, which share the hash table. Only a search of one thread always has the
    /// same result.
    pub threads: usize,
}

/// The progress of a search.
#[derive(Clone, Copy, Debug)]
pub struct SolverProgress {
    /// Nodes searched.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// Hash table occupancy in permille.
    pub hashfull: u32,
    /// Proof number of the root.
    pub proof_number: u32,
    /// Disproof number of the root.
    pub disproof_number: u32,
}

/// Stops and observes a search. Called on the searching thread.
pub trait SolverListener: Sync {
    /// True once the search should end.
    fn is_stopped(&self) -> bool;

    /// Receives the progress every few thousand nodes.
    fn progress(&self, _progress: &SolverProgress) {}
}

/// A listener, of a proof or of a search, that ignores everything and never stops it.
pub struct NullListener;

impl SolverListener for NullListener {
    fn is_stopped(&self) -> bool {
        false
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SolverResult {
    /// Whether the attacker wins.
    pub verdict: ProofVerdict,
    /// Nodes searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
    /// Hash table occupancy at the end in permille.
    pub hashfull: u32,
}

/// Whether the attacker has a forced win.
#[derive(Clone, Debug)]
pub enum ProofVerdict {
    /// The attacker wins; the verifier has accepted the proof.
    Proved(Box<(Proof, VerifiedProof)>),
    /// The attacker has no forced win, or none within [`Solver::max_moves`].
    Disproved,
    /// The search ended without a result.
    Unknown(UnknownReason),
}

/// Why a search ended without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// The search was stopped or reached one of its limits.
    Limit,
    /// The search space is exhausted, but some lines were cut off at the maximum length.
    TooLong,
    /// The verifier rejected the proof, which is a bug in this program.
    InvalidProof(Box<ProofError>),
}

/// Why the solver cannot run.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    /// The hash table cannot be allocated; its size in MiB.
    #[error("cannot allocate a hash table of {0} MiB")]
    Memory(usize),
    /// The search thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    /// The search thread panicked, which is a bug in this program.
    #[error("the solver failed; please report this as a bug")]
    Panicked,
}

impl<'a> Solver<'a> {
    /// The maximum of [`Solver::max_moves`].
    pub const MAX_MOVES: u16 = dfpn::MAX_PLY as u16 / 2;

    /// A solver for wins of `attacker` of any length, with a hash table of 16 MiB and no other
    /// limits.
    pub fn new(attacker: Color) -> Solver<'a> {
        Solver {
            attacker,
            max_moves: None,
            hash_mb: 16,
            max_nodes: None,
            max_time: None,
            net: None,
            guide: None,
            threads: 1,
        }
    }

    /// Searches for a forced win of the attacker in `pos`. Repetitions of positions in the
    /// history of `pos` count.
    ///
    /// # Errors
    /// When the hash table or the search thread cannot be created.
    pub fn solve(
        &self,
        pos: &Position,
        listener: &dyn SolverListener,
    ) -> Result<SolverResult, SolverError> {
        self.solve_with(pos, &[], listener)
    }

    /// Builds the proof of a best-first search whose root is proved, from the wins that its tree
    /// knows. The limits of the solver apply to the search of what it does not know.
    ///
    /// # Errors
    /// See [`Solver::solve`].
    pub fn finish(
        &self,
        tree: &BestFirstTree,
        listener: &dyn SolverListener,
    ) -> Result<SolverResult, SolverError> {
        self.solve_with(tree.root(), &tree.wins(), listener)
    }

    fn solve_with(
        &self,
        pos: &Position,
        known: &[(u64, Win)],
        listener: &dyn SolverListener,
    ) -> Result<SolverResult, SolverError> {
        let table = self.table()?;
        for &(key, win) in known {
            table.store(key, NodeStatus::Proved(win), 0, u32::MAX);
        }
        on_stack(|| run::run(self, pos, table, !known.is_empty(), listener))
    }

    /// Searches for a forced win after `mv`, a legal move in `pos`. The proof begins after that
    /// move; [`Solver::max_moves`] includes it if it is the attacker's.
    ///
    /// # Errors
    /// See [`Solver::solve`].
    pub fn solve_after(
        &self,
        pos: &Position,
        mv: Move,
        listener: &dyn SolverListener,
    ) -> Result<SolverResult, SolverError> {
        let own = u16::from(pos.side_to_move() == self.attacker);
        let max_moves = self.max_moves.map(|moves| moves.saturating_sub(own));
        Solver { max_moves, ..*self }.solve(&pos.after(mv), listener)
    }

    fn table(&self) -> Result<Arc<ProofTable>, SolverError> {
        let mut table = ProofTable::new(self.hash_mb).ok_or(SolverError::Memory(self.hash_mb))?;
        if self.threads > 1 {
            table = table.with_crowds();
        }
        Ok(Arc::new(table))
    }

    /// The greatest length of a win in plies, if it is limited.
    fn depth(&self, pos: &Position) -> Option<u16> {
        let is_or_node = pos.side_to_move() == self.attacker;
        self.max_moves.map(|moves| {
            let moves = moves.min(Solver::MAX_MOVES);
            (2 * moves).saturating_sub(u16::from(is_or_node))
        })
    }
}

/// Searches the leaves of best-first searches for one attacker. What it learns stays in its table.
pub struct LeafSolver<'a> {
    attacker: Color,
    max_nodes: u64,
    net: Option<&'a Network>,
    table: Arc<ProofTable>,
}

impl<'a> LeafSolver<'a> {
    /// Searches at most `max_nodes` nodes of each leaf, with the attacker, the table and the
    /// network of `solver`.
    ///
    /// # Errors
    /// When the hash table cannot be created.
    pub fn new(solver: &Solver<'a>, max_nodes: u64) -> Result<LeafSolver<'a>, SolverError> {
        Ok(LeafSolver {
            attacker: solver.attacker,
            max_nodes,
            net: solver.net,
            table: solver.table()?,
        })
    }

    /// Hash table occupancy in permille.
    pub fn hashfull(&self) -> u32 {
        self.table.hashfull()
    }

    /// Searches a leaf. Also returns the nodes it took. Several threads may search at once.
    ///
    /// # Errors
    /// When the search thread cannot be created.
    pub fn search(
        &self,
        leaf: &Leaf,
        listener: &dyn SolverListener,
    ) -> Result<(LeafResult, u64), SolverError> {
        on_stack(|| {
            let game = AtomicGame::new(&leaf.pos, self.attacker, self.net, None);
            let mut search = DfPnSearch::new(game, Arc::clone(&self.table));
            let mut stop = StopCondition {
                max_nodes: self.max_nodes,
                should_stop: &mut |_| listener.is_stopped(),
            };
            let result = match search.solve_root(None, &mut stop) {
                NodeStatus::Proved(win) => LeafResult::Proved(win.plies),
                NodeStatus::Disproved(_) if !search.line_cut_off => LeafResult::Disproved,
                _ => LeafResult::Open(leaf.moves(&search.children(None))),
            };
            (result, search.nodes)
        })
    }
}

fn on_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, SolverError> {
    host::on_stack("proof", STACK_SIZE, work).map_err(|error| match error {
        StackError::Refused(error) => SolverError::Thread(error),
        StackError::Panicked => SolverError::Panicked,
    })
}
