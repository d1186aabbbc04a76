//! A proof beside the search: when the root is nearly decided, the last thread leaves the search
//! and proves who wins. What is proved bounds the values of the root moves and fills the TT.
//! Invariant: values change only by a proof that an independent checker has accepted.

use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Bound;
use super::tt::{TranspositionTable, TtEntry};
use crate::eval::score::{self, MAX_PLY};
use crate::host::Instant;
use crate::rules::{Color, Move, Position};

/// Nodes of the first attempt; each further one has four times as many.
const FIRST_NODES: u64 = 500_000;
/// Attempts for the win of one side.
const MAX_ATTEMPTS: u32 = 7;
/// Share of the search time that failed attempts may take, as a divisor.
const TIME_SHARE: u32 = 4;

/// Proves forced wins, for a search that may not know how.
pub(crate) trait RootProver: Sync {
    /// A forced win of `winner` from `root`; `None` if there is none, if none is found with
    /// `max_nodes`, or soon after `is_stopped` becomes true.
    fn prove(
        &self,
        root: &Position,
        winner: Color,
        max_nodes: u64,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Option<ProvedWin>;
}

/// A forced win.
#[derive(Debug)]
pub(crate) struct ProvedWin {
    /// The side that wins.
    pub winner: Color,
    /// The winning move, if the winner is to move at the root; otherwise all legal moves.
    pub root_moves: Vec<ProvedMove>,
    /// The positions of the proof, without those in which the game is over.
    pub positions: Vec<ProvedPosition>,
}

/// What is proved about a root move.
#[derive(Debug)]
pub(crate) struct ProvedMove {
    /// The most plies to the end of the game, this move included.
    pub plies: usize,
    /// The line of longest resistance, which starts with this move.
    pub line: Vec<Move>,
}

/// What is proved about a position.
#[derive(Debug)]
pub(crate) struct ProvedPosition {
    /// Its key.
    pub key: u64,
    /// The winning move if the winner is to move, otherwise `None`.
    pub mv: Option<Move>,
    /// The most plies to the end of the game.
    pub plies: usize,
}

impl ProvedWin {
    /// Stores all positions. A win may be shorter than the proof's, so the values are bounds.
    fn store(&self, tt: &TranspositionTable) {
        for position in self.positions.iter().filter(|pos| pos.plies < MAX_PLY) {
            let (value, bound) = if position.mv.is_some() {
                (score::mate_in(position.plies), Bound::Lower)
            } else {
                (score::mated_in(position.plies), Bound::Upper)
            };
            let entry = TtEntry {
                mv: position.mv,
                value,
                raw_eval: None,
                depth: i32::from(u8::MAX),
                bound,
                is_pv: false,
            };
            tt.store(position.key, entry);
        }
    }
}

/// The state of the proof beside one search.
pub struct ProofHelper<'a> {
    prover: &'a dyn RootProver,
    /// The thread that proves.
    thread: usize,
    is_requested: AtomicBool,
    requests: Mutex<Requests>,
    result: OnceLock<ProvedWin>,
}

#[derive(Default)]
struct Requests {
    /// The side whose win is to be proved next.
    winner: Option<Color>,
    /// Attempts so far, by winner.
    attempts: [u32; 2],
    /// An attempt is under way.
    is_busy: bool,
    /// Time of all attempts so far.
    spent: Duration,
}

impl<'a> ProofHelper<'a> {
    /// A helper that proves on the last of `threads` threads; `None` with a single one.
    pub fn new(prover: &'a dyn RootProver, threads: usize) -> Option<ProofHelper<'a>> {
        (threads > 1).then(|| ProofHelper {
            prover,
            thread: threads - 1,
            is_requested: AtomicBool::new(false),
            requests: Mutex::default(),
            result: OnceLock::new(),
        })
    }

    /// The proved win, once there is one.
    pub fn result(&self) -> Option<&ProvedWin> {
        self.result.get()
    }

    /// Asks for a proof that `winner` wins, unless the attempts so far have taken their share of
    /// the search time, `elapsed`.
    pub fn request(&self, winner: Color, elapsed: Duration) {
        let mut requests = self.requests.lock();
        let is_due = !requests.is_busy
            && requests.attempts[winner.index()] < MAX_ATTEMPTS
            && requests.spent * TIME_SHARE <= elapsed;
        if is_due && self.result().is_none() {
            requests.winner = Some(winner);
            requests.is_busy = true;
            self.is_requested.store(true, Ordering::Relaxed);
        }
    }

    /// True if this thread must leave the search for a proof.
    pub fn calls(&self, thread: usize) -> bool {
        thread == self.thread && self.is_requested.load(Ordering::Relaxed)
    }

    /// Tries what is requested.
    pub fn prove(
        &self,
        root: &Position,
        is_stopped: &(dyn Fn() -> bool + Sync),
        tt: &TranspositionTable,
    ) {
        self.is_requested.store(false, Ordering::Relaxed);
        let mut requests = self.requests.lock();
        let Some(winner) = requests.winner.take() else {
            return;
        };
        let attempt = requests.attempts[winner.index()];
        requests.attempts[winner.index()] += 1;
        drop(requests);
        let start = Instant::now();
        let max_nodes = FIRST_NODES << (2 * attempt);
        if let Some(win) = self.prover.prove(root, winner, max_nodes, is_stopped)
            && win.root_moves.iter().all(|proved| proved.plies < MAX_PLY)
        {
            win.store(tt);
            // This thread alone sets it, and only once: no request follows a result.
            let _ = self.result.set(win);
        }
        let mut requests = self.requests.lock();
        requests.is_busy = false;
        requests.spent += start.elapsed();
    }
}
