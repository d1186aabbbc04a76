//! Lazy SMP: every thread searches the same position; they meet in the table only.
//! Invariant: one worker and one memory a thread, so that none waits for another.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::root::{RootMove, line_after};
use super::tables::{Probing, TableUse};
use super::threads;
use super::time::Clock;
use super::tt::Table;
use super::worker::{Count, Memory, Searcher, Shared};
use super::{Bound, Control, Limits, Listener, Report, Summary};
use crate::eval::nnue::Network;
use crate::eval::score::{self, Value};
use crate::eval::wdl::Scale;
use crate::rules::{Move, MoveKind, Position};

/// What the searching threads keep between searches.
pub struct Pool {
    memories: Vec<Mutex<Memory>>,
}

impl Pool {
    /// A pool of `count` threads, at least one.
    ///
    /// # Errors
    /// When the system does not give the threads.
    pub fn new(count: usize) -> Result<Pool, String> {
        let count = count.max(1);
        threads::try_out(count)
            .map_err(|error| format!("cannot start {count} threads: {error}"))?;
        let memories = (0..count).map(|_| Mutex::new(Memory::new())).collect();
        Ok(Pool { memories })
    }

    /// Number of threads.
    pub fn len(&self) -> usize {
        self.memories.len()
    }

    /// Never: a pool has at least one thread.
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// Forgets what the threads learnt, and empties the table.
    pub fn clear(&mut self, table: &mut Table) {
        for memory in &mut self.memories {
            memory
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .clear();
        }
        table.clear(self.len());
    }

    /// Searches `pos` until a limit or until `control` stops it. The caller's thread searches
    /// too and should have a stack of [`STACK_SIZE`](super::STACK_SIZE).
    pub fn search(
        &self,
        pos: &Position,
        limits: &Limits,
        setup: &SearchSetup,
        listener: &dyn Listener,
    ) -> Summary {
        let start = Instant::now();
        #[cfg(feature = "tune")]
        setup.tuning.install();
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
        let nodes: Vec<Count> = self.memories.iter().map(|_| Count::default()).collect();
        let shared = Shared {
            table: setup.table,
            control: setup.control,
            clock: Clock::new(limits, pos, setup.overhead, start),
            limits,
            net: setup.net,
            nodes: &nodes,
            probing,
        };
        shared.tell_faults(listener);
        let results = threads::run(self.len(), |index| {
            #[cfg(feature = "tune")]
            setup.tuning.install();
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
                let finished_early = setup.control.is_pondering();
                setup.control.wait(limits.infinite);
                // Clients forget what they were told before the ponder hit.
                if finished_early && !setup.control.is_stopped() {
                    for line in 0..setup.multipv.min(searcher.root_moves.len()) {
                        listener.report(&searcher.report(line, depth.max(1), Bound::Exact));
                    }
                }
                setup.control.stop();
            }
            Found {
                depth,
                report: (index != 0).then(|| searcher.report(0, depth.max(1), Bound::Exact)),
                best: searcher.root_moves.swap_remove(0),
            }
        });
        shared.tell_faults(listener);
        let chosen = if setup.multipv == 1 {
            let voice = |found: &Found| Voice {
                mv: found.best.mv,
                value: found.best.told_value(),
                depth: found.depth,
            };
            elect(&results.iter().map(voice).collect::<Vec<_>>())
        } else {
            0
        };
        let Found {
            depth,
            best,
            report,
        } = &results[chosen];
        // What was told last must end in the move that is played.
        if let Some(report) = report
            && best.mv != results[0].best.mv
        {
            listener.report(report);
        }
        let mut line = best.line.iter().skip(1).copied();
        Summary {
            best: Some(best.shown),
            ponder: line
                .next()
                .or_else(|| line_after(pos, best.mv, setup.table, 2).first().copied()),
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

/// What one thread found.
struct Found {
    /// The last completed iteration.
    depth: i32,
    best: RootMove,
    /// What to tell if it is elected; the main thread has told already.
    report: Option<Report>,
}

/// What a thread has to say when the move is chosen.
#[derive(Clone, Copy)]
struct Voice {
    mv: Move,
    value: Value,
    depth: i32,
}

/// The thread to believe. A mate decides, the quickest first; else each thread votes for its
/// best move, with more weight the deeper it came and the better its value, and of those
/// whose move won the deepest is taken. The main thread wins ties.
fn elect(voices: &[Voice]) -> usize {
    let quickest = (0..voices.len()).rev().max_by_key(|&i| voices[i].value);
    if let Some(index) = quickest
        && voices[index].value >= score::MATE_BOUND
    {
        return index;
    }
    let least = voices.iter().map(|voice| voice.value).min();
    let least = least.unwrap_or(score::DRAW);
    // Ten centipawns of its own, so that the worst voice still counts.
    let weight = |voice: &Voice| i64::from(voice.value - least + 10) * i64::from(voice.depth);
    let votes = |index: usize| -> i64 {
        let same = |voice: &&Voice| voice.mv == voices[index].mv;
        voices.iter().filter(same).map(weight).sum()
    };
    (0..voices.len())
        .rev()
        .max_by_key(|&index| (votes(index), voices[index].depth))
        .unwrap_or(0)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(mv: u16, value: Value, depth: i32) -> Voice {
        let mv = Move::from_code(mv).unwrap();
        Voice { mv, value, depth }
    }

    #[test]
    fn threads_vote() {
        let (a, b) = (0x0a31, 0x0b32);
        let alike = [voice(a, 20, 10), voice(a, 20, 10)];
        assert_eq!(elect(&alike), 0, "the main thread wins ties");
        let deeper = [voice(a, 20, 10), voice(a, 20, 12)];
        assert_eq!(elect(&deeper), 1);
        let outvoted = [voice(a, 20, 10), voice(b, 20, 10), voice(b, 20, 9)];
        assert_eq!(elect(&outvoted), 1);
        let mate = [voice(a, 20, 30), voice(b, score::win_in(5), 3)];
        assert_eq!(elect(&mate), 1);
        let mates = [voice(a, score::win_in(3), 3), voice(b, score::win_in(5), 9)];
        assert_eq!(elect(&mates), 0, "the quickest mate");
        assert_eq!(elect(&mates[1..]), 0);
    }
}
