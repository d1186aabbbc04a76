//! Lazy SMP: every thread searches the same position; they meet in the table only.
//! Invariant: one worker a thread of a private pool, so that none waits for another.

use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::root::RootMove;
use super::tables::{Probing, TableUse};
use super::time::Clock;
use super::tt::Table;
use super::worker::{Memory, Searcher, Shared};
use super::{Control, Limits, Listener, Summary};
use crate::eval::nnue::Network;
use crate::eval::score;
use crate::eval::wdl::Scale;
use crate::rules::{Move, MoveKind, Position};

/// Deep recursion with move lists in every frame.
const STACK_SIZE: usize = 16 << 20;

/// The searching threads and what they keep between searches.
pub struct Pool {
    threads: ThreadPool,
    memories: Vec<Mutex<Memory>>,
}

impl Pool {
    /// A pool of `count` threads, at least one.
    ///
    /// # Errors
    /// When the system does not give the threads.
    pub fn new(count: usize) -> Result<Pool, String> {
        let count = count.max(1);
        let threads = ThreadPoolBuilder::new()
            .num_threads(count)
            .stack_size(STACK_SIZE)
            .thread_name(|index| format!("search-{index}"))
            .build()
            .map_err(|error| format!("cannot start {count} threads: {error}"))?;
        let memories = (0..count).map(|_| Mutex::new(Memory::new())).collect();
        Ok(Pool { threads, memories })
    }

    /// Number of threads.
    pub fn len(&self) -> usize {
        self.memories.len()
    }

    /// Never: a pool has at least one thread.
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// Forgets what the threads learnt, and empties the table on all of them.
    pub fn clear(&mut self, table: &mut Table) {
        for memory in &mut self.memories {
            memory
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .clear();
        }
        self.threads.install(|| table.clear());
    }

    /// Searches `pos` until a limit or until `control` stops it.
    pub fn search(
        &self,
        pos: &Position,
        limits: &Limits,
        setup: &SearchSetup,
        listener: &dyn Listener,
    ) -> Summary {
        let start = Instant::now();
        let mut root_moves = root_moves(pos, &limits.search_moves);
        if root_moves.is_empty() {
            return Summary::game_over(pos);
        }
        // Who asks for a mate is not content with a win.
        let probing = setup
            .tables
            .filter(|_| limits.mate.is_none())
            .map(|using| Probing::new(using, pos, &mut root_moves, self.len()));
        setup.table.advance();
        let nodes: Vec<AtomicU64> = self.memories.iter().map(|_| AtomicU64::new(0)).collect();
        let shared = Shared {
            table: setup.table,
            control: setup.control,
            clock: Clock::new(limits, pos.side(), setup.overhead, start),
            limits,
            net: setup.net,
            nodes: &nodes,
            probing,
        };
        shared.tell_faults(listener);
        let results = self.threads.broadcast(|context| {
            #[cfg(feature = "tune")]
            setup.tuning.install();
            let index = context.index();
            let mut memory = self.memories[index]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let moves = root_moves.clone();
            let main = (index == 0).then_some(listener);
            let mut searcher = Searcher::new(&shared, index, &mut memory, pos, moves, main);
            let depth = if main.is_some() || setup.helpers {
                searcher.deepen(setup.multipv)
            } else {
                0
            };
            if index == 0 {
                setup.control.wait(limits.infinite);
                setup.control.stop();
            }
            (depth, searcher.root_moves.swap_remove(0))
        });
        shared.tell_faults(listener);
        let (depth, best) = &results[0];
        let mut line = best.line.iter().skip(1).copied();
        Summary {
            best: Some(best.shown),
            ponder: line
                .next()
                .or_else(|| guess_reply(pos, best.mv, setup.table)),
            value: best.told_value(),
            scale: Scale::of(pos),
            depth: *depth,
            nodes: shared.total_nodes(),
            time: start.elapsed(),
        }
    }
}

/// What a search needs besides the position and its limits.
pub struct SearchSetup<'a> {
    /// The table, shared by all threads.
    pub table: &'a Table,
    /// The switches, already armed.
    pub control: &'a Control,
    /// The network to evaluate with; the handcrafted terms without one.
    pub net: Option<&'a Network>,
    /// Number of best lines to search.
    pub multipv: usize,
    /// All threads search; else only the first, which keeps a limit of nodes exactly.
    pub helpers: bool,
    /// Time to leave on the clock.
    pub overhead: Duration,
    /// Tablebases, if there are any.
    pub tables: Option<TableUse<'a>>,
    /// Values of the search's numbers.
    #[cfg(feature = "tune")]
    pub tuning: &'a super::Tuning,
}

/// The moves to search: all legal ones or those asked for, one for each set of equal
/// capture-promotions.
fn root_moves(pos: &Position, wanted: &[Move]) -> Vec<RootMove> {
    let legal = pos.legal_moves();
    let mut moves: Vec<RootMove> = Vec::new();
    if wanted.is_empty() {
        moves.extend(
            legal
                .iter()
                .filter(|mv| !mv.is_redundant())
                .map(|&mv| RootMove::new(mv, mv)),
        );
        return moves;
    }
    for &shown in wanted {
        let mv = if shown.is_redundant() {
            Move::new(shown.from(), shown.to(), MoveKind::CapturePromoteQueen)
        } else {
            shown
        };
        if legal.contains(&mv) && moves.iter().all(|root_move| root_move.mv != mv) {
            moves.push(RootMove::new(mv, shown));
        }
    }
    moves
}

/// The table's move after `mv`, to ponder on when the line ends there.
fn guess_reply(pos: &Position, mv: Move, table: &Table) -> Option<Move> {
    let mut after = pos.clone();
    after.make(mv);
    let reply = table.probe(after.key())?.mv?;
    after.is_legal(reply).then_some(reply)
}

impl Summary {
    fn game_over(pos: &Position) -> Summary {
        let lost = pos.king(pos.side()).is_none() || pos.in_check();
        let won = pos.king(!pos.side()).is_none();
        let value = if won {
            score::MATE
        } else if lost {
            score::loss_in(0)
        } else {
            score::DRAW
        };
        Summary {
            best: None,
            ponder: None,
            value,
            scale: Scale::of(pos),
            depth: 0,
            nodes: 0,
            time: Duration::ZERO,
        }
    }
}
