//! [`Solver`] finds a win with its threads and its guide, and builds the proof. [`LeafSolver`]
//! searches the leaves of a best-first search.
//! Invariant: a win is only reported as proved when the verifier has accepted the proof.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::atomic::AtomicGame;
use super::best_first::{BestFirstTree, Leaf, LeafResult};
use super::dfpn::{self, DfPnSearch, DfPnStats, StopCondition};
use super::guide::Guide;
use super::helpers::{EndOnDrop, Helpers};
use super::status::{LEAF, NodeStatus, Win};
use super::table::ProofTable;
use super::tree::{Proof, ProofBuilder};
use super::verifier::{ProofError, VerifiedProof, verify};
use crate::eval::nnue::Network;
use crate::host::{self, Instant, StackError};
use crate::rules::{Color, Move, Position};

/// The search recurses once per ply of the longest line.
const STACK_SIZE: usize = 16 << 20;
/// Nodes of all threads before the first search of a guide, which takes longer than easy wins.
const FIRST_ROUND: u64 = 32_000;
/// Nodes between its later searches.
const MAX_ROUND: u64 = 500_000;
/// Nodes of the guide for each of the solver.
const GUIDE_SHARE: u64 = 4;
/// Nodes in which every proof can be built, however short its search.
const MIN_BUILDING: u64 = 1_000_000;

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
        on_stack(|| run(self, pos, table, !known.is_empty(), listener))
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

/// One run of a solver.
struct Run<'r, 'a> {
    solver: &'r Solver<'a>,
    pos: &'r Position,
    table: Arc<ProofTable>,
    depth: Option<u16>,
    start: Instant,
    helpers: Helpers,
    listener: &'r dyn SolverListener,
}

/// Searches for a win. The table `is_known` to have the wins of a tree, or empty.
fn run(
    solver: &Solver,
    pos: &Position,
    table: Arc<ProofTable>,
    is_known: bool,
    listener: &dyn SolverListener,
) -> SolverResult {
    let (depth, start, helpers) = (solver.depth(pos), Instant::now(), Helpers::default());
    let run = Run { solver, pos, table, depth, start, helpers, listener };
    let mut search = run.new_search();
    let verdict = match pos.outcome() {
        Some(outcome) if outcome.is_win_of(solver.attacker) => {
            verified(Proof::empty(pos, solver.attacker))
        }
        Some(_) => ProofVerdict::Disproved,
        None => run.verdict(&mut search, is_known),
    };
    SolverResult {
        verdict,
        nodes: run.nodes(&search),
        time: run.start.elapsed(),
        hashfull: run.table.hashfull(),
    }
}

fn verified(proof: Proof) -> ProofVerdict {
    match verify(&proof.root, proof.attacker, &|pos| proof.reply(pos)) {
        Ok(verified) => ProofVerdict::Proved(Box::new((proof, verified))),
        Err(error) => ProofVerdict::Unknown(UnknownReason::InvalidProof(Box::new(error))),
    }
}

impl<'a> Run<'_, 'a> {
    fn new_search(&self) -> DfPnSearch<AtomicGame<'a>> {
        let Solver { attacker, net, guide, .. } = *self.solver;
        DfPnSearch::new(AtomicGame::new(self.pos, attacker, net, guide), Arc::clone(&self.table))
    }

    fn nodes(&self, search: &DfPnSearch<AtomicGame>) -> u64 {
        search.nodes + self.helpers.nodes()
    }

    fn is_over(&self, nodes: u64) -> bool {
        let Solver { max_nodes, max_time, .. } = *self.solver;
        self.listener.is_stopped()
            || max_time.is_some_and(|max| self.start.elapsed() >= max)
            || max_nodes.is_some_and(|max| nodes >= max)
    }

    /// Does `work` while the other threads do `help` until they are done or `work` is.
    fn with_helpers<T>(
        &self,
        help: impl Fn(&mut DfPnSearch<AtomicGame<'a>>) + Sync,
        work: impl FnOnce() -> T,
    ) -> T {
        self.helpers.begin();
        let help = || help(&mut self.new_search());
        host::with_helpers("proof", STACK_SIZE, self.solver.threads.saturating_sub(1), help, || {
            let _end = EndOnDrop(&self.helpers);
            work()
        })
    }

    /// Finds a win and builds its proof. When the table has lost too much of it, the search goes on
    /// with an empty one, unless it had the wins of a tree.
    fn verdict(&self, search: &mut DfPnSearch<AtomicGame<'a>>, is_known: bool) -> ProofVerdict {
        loop {
            let status = self
                .with_helpers(|search| self.helpers.help(search, self.depth), || self.find(search));
            let win = match status {
                NodeStatus::Proved(win) => win,
                NodeStatus::Disproved(_) if search.line_cut_off || self.helpers.line_cut_off() => {
                    return ProofVerdict::Unknown(UnknownReason::TooLong);
                }
                NodeStatus::Disproved(_) => return ProofVerdict::Disproved,
                NodeStatus::Unknown { .. } => return ProofVerdict::Unknown(UnknownReason::Limit),
            };
            let nodes = if is_known { u64::MAX } else { self.nodes(search) + MIN_BUILDING };
            if let Some(proof) = self.build(search, win, nodes) {
                return verified(proof);
            }
            if is_known || self.is_over(self.nodes(search)) {
                return ProofVerdict::Unknown(UnknownReason::Limit);
            }
            self.table.clear();
        }
    }

    /// Builds the proof unless that takes more than `nodes` nodes.
    fn build(
        &self,
        search: &mut DfPnSearch<AtomicGame<'a>>,
        win: Win,
        nodes: u64,
    ) -> Option<Proof> {
        let mut builder = ProofBuilder::default();
        (builder.plies, builder.depth) = (win.plies, self.depth);
        builder.threads = self.solver.threads.max(1);
        let help = |search: &mut DfPnSearch<AtomicGame<'a>>| {
            self.helpers.count(search, |search, stop| builder.build(search, stop));
        };
        let mut stop = StopCondition {
            max_nodes: search.nodes.saturating_add(nodes),
            should_stop: &mut |_| self.listener.is_stopped(),
        };
        let is_built = self.with_helpers(help, || builder.build(search, &mut stop));
        is_built.then(|| builder.into_proof(self.pos, self.solver.attacker))
    }

    /// Searches until the root is solved or a limit is reached.
    fn find(&self, search: &mut DfPnSearch<AtomicGame<'a>>) -> NodeStatus {
        let (helpers, listener) = (&self.helpers, self.listener);
        let max_nodes = self.solver.max_nodes.unwrap_or(u64::MAX);
        let mut should_stop = |stats: DfPnStats| {
            let nodes = stats.nodes + helpers.nodes();
            let numbers = stats.root.numbers(true);
            listener.progress(&SolverProgress {
                nodes,
                time: self.start.elapsed(),
                hashfull: stats.hashfull,
                proof_number: numbers.phi.div_ceil(LEAF),
                disproof_number: numbers.delta.div_ceil(LEAF),
            });
            self.is_over(nodes) || helpers.have_result()
        };
        // A win that is too long would not help.
        let mut guide = self.solver.guide.filter(|_| self.depth.is_none());
        let mut sees_win = false;
        let mut round = FIRST_ROUND;
        loop {
            let own_round = round / self.solver.threads.max(1) as u64;
            let until = guide.map_or(max_nodes, |_| search.nodes + own_round);
            let mut stop =
                StopCondition { max_nodes: until.min(max_nodes), should_stop: &mut should_stop };
            let status = search.solve_root(self.depth, &mut stop);
            // The result of a helper is in the table.
            if helpers.take_result() && !status.is_terminal() {
                continue;
            }
            let nodes = self.nodes(search);
            if status.is_terminal() || self.is_over(nodes) {
                return status;
            }
            let nodes_left = max_nodes.saturating_sub(nodes);
            let time = self.solver.max_time.map(|max| max.saturating_sub(self.start.elapsed()));
            guide = guide.filter(|guide| {
                let nodes = (GUIDE_SHARE * round).min(nodes_left / 4 * 3);
                let time = time.map(|time| time / 4 * 3);
                let is_over = || listener.is_stopped() || helpers.have_result();
                let _pause = helpers.pause();
                let answer = search.ask(*guide, nodes, time, &is_over);
                if answer == Some(true) && !sees_win {
                    sees_win = true;
                    // Its estimates are from before the win was seen.
                    search.table.clear();
                }
                answer.is_some()
            });
            round = (4 * round).min(MAX_ROUND);
        }
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::notation::fen;
    use crate::rules::Variant;

    struct StopAfter(AtomicU32);

    impl SolverListener for StopAfter {
        fn is_stopped(&self) -> bool {
            self.0.fetch_sub(1, Ordering::Relaxed) < 2
        }
    }

    /// A win in the table where there is none stands for a table that has lost the win's entries.
    #[test]
    fn a_proof_that_cannot_be_built_in_time_is_searched_again() {
        // After 1. Nf3 f5; White wins within three moves, and 2. a3 does not win.
        let won = "rnbqkbnr/ppppp1pp/8/5p2/8/5N2/PPPPPPPP/RNBQKB1R w KQkq f6 0 2";
        for (fen, is_known, max_nodes, threads, is_searched) in [
            (won, false, Some(1 << 20), 1, true),
            (won, false, None, 3, true),
            (won, false, None, 0, true),
            (won, false, Some(1), 1, false),
            (won, true, None, 1, false),
            (fen::STARTPOS, false, Some(1), 1, false),
        ] {
            let pos = fen::parse(fen, Variant::Atomic).expect("valid");
            let a3 = pos.legal_moves().into_iter().find(|mv| mv.to().to_string() == "a3");
            let after_a3 = pos.after(a3.expect("legal")).key();
            let solver = Solver { hash_mb: 1, max_nodes, threads, ..Solver::new(Color::White) };
            let table = solver.table().expect("memory");
            table.store(after_a3, NodeStatus::Proved(Win::within(2)), 0, u32::MAX);
            let result = run(&solver, &pos, table, is_known, &StopAfter(AtomicU32::new(1_000)));
            assert!(result.nodes < MIN_BUILDING + 10_000, "{}", result.nodes);
            let is_proved =
                matches!(result.verdict, ProofVerdict::Proved(proved) if proved.1.plies == 5);
            assert_eq!(is_proved, is_searched);
        }
    }
}
