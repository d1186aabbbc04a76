//! `solve --state`: a best-first search in two levels, whose tree is kept in a file. Threads search
//! the leaves.
//! Invariant: the file has each result before another thread can build on it.

use std::io::{self, Write};
use std::iter;
use std::path::Path;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use super::args::SolveArgs;
use super::report::SolveProgress;
use crate::cli::{AppendFile, CliError};
use crate::engine::batch::WorkPool;
use crate::proof::{
    BestFirstTree, Leaf, LeafSolver, ProofVerdict, Solver, SolverListener, SolverResult,
    UnknownReason, state,
};
use crate::rules::Position;
use crate::util::count;

pub struct BestFirstSearch<'a> {
    /// Builds the proof in the end.
    solver: Solver<'a>,
    leaves: LeafSolver<'a>,
    args: &'a SolveArgs,
    start: Instant,
    progress: &'a SolveProgress,
    shared: Mutex<Shared>,
    /// A leaf has been searched.
    changed: Condvar,
}

struct Shared {
    tree: BestFirstTree,
    file: AppendFile,
    nodes: u64,
    /// Leaves that are being searched.
    running: usize,
}

impl<'a> BestFirstSearch<'a> {
    /// Opens the file of the search. `limits` are those of the whole search.
    pub fn open(
        path: &Path,
        pos: &Position,
        args: &'a SolveArgs,
        limits: &Solver<'a>,
        progress: &'a SolveProgress,
    ) -> Result<BestFirstSearch<'a>, CliError> {
        let (file, tree) = state::open(path, pos, limits.attacker)?;
        Ok(BestFirstSearch {
            solver: Solver { max_nodes: None, max_time: None, guide: None, threads: 1, ..*limits },
            leaves: LeafSolver::new(limits, args.leaf_nodes)?,
            args,
            start: Instant::now(),
            progress,
            shared: Mutex::new(Shared { tree, file, nodes: 0, running: 0 }),
            changed: Condvar::new(),
        })
    }

    /// Prints the positions that would be searched next, at most `count`.
    pub fn print_leaves(&self, count: usize) -> Result<(), CliError> {
        let mut shared = self.shared.lock();
        let mut out = io::stdout().lock();
        for leaf in iter::from_fn(|| shared.tree.take_leaf()).take(count) {
            writeln!(out, "{}", state::fen_of(&leaf.pos))?;
        }
        Ok(())
    }

    /// Searches until the root is solved or a limit is reached, and builds the proof.
    pub fn run(&self, threads: usize) -> Result<SolverResult, CliError> {
        let done = WorkPool::new(threads)?.run(
            0..u64::MAX,
            || Ok::<_, CliError>(()),
            |(), _| self.step(),
            |_, done| done,
        );
        let Shared { tree, file, nodes, .. } = &mut *self.shared.lock();
        let closed = file.sync();
        done?;
        closed?;
        let (verdict, more_nodes) = match tree.verdict() {
            Some(true) => {
                let built = self.solver.finish(tree, self.progress)?;
                (built.verdict, built.nodes)
            }
            Some(false) => (ProofVerdict::Disproved, 0),
            None => (ProofVerdict::Unknown(UnknownReason::Limit), 0),
        };
        Ok(SolverResult {
            verdict,
            nodes: *nodes + more_nodes,
            time: self.start.elapsed(),
            hashfull: self.leaves.hashfull(),
        })
    }

    /// Searches a leaf and adds its result. `None` at the end of the search.
    fn step(&self) -> Option<Result<(), CliError>> {
        let leaf = self.take_leaf()?;
        let result = self.leaves.search(&leaf, self.progress);
        let mut shared = self.shared.lock();
        shared.running -= 1;
        self.changed.notify_all();
        if self.progress.is_stopped() {
            return None;
        }
        let done = result.map_err(CliError::from).and_then(|(result, nodes)| {
            shared.nodes += nodes;
            shared.file.append(&state::line(&leaf.pos, &result)?)?;
            shared.tree.add(&leaf, &result);
            let (proof, disproof) = shared.tree.numbers();
            let nodes = count(shared.nodes, "position");
            let tree = count(shared.tree.size(), "position");
            let seconds = self.start.elapsed().as_secs_f64();
            self.progress.bar.set_message(format!(
                "{nodes}, {seconds:.0} s, tree of {tree}, proof number {proof}, disproof number {disproof}"
            ));
            Ok(())
        });
        Some(done)
    }

    fn take_leaf(&self) -> Option<Leaf> {
        let mut shared = self.shared.lock();
        loop {
            let SolveArgs { time, nodes, .. } = self.args;
            let is_late = time.is_some_and(|max| self.start.elapsed() >= max);
            let is_over = is_late || nodes.is_some_and(|max| shared.nodes >= max);
            if is_over || self.progress.is_stopped() {
                return None;
            }
            if let Some(leaf) = shared.tree.take_leaf() {
                shared.running += 1;
                return Some(leaf);
            }
            if shared.running == 0 {
                return None;
            }
            self.changed.wait(&mut shared);
        }
    }
}
