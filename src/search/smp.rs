//! Lazy SMP: all threads search the same position and share the transposition table and the
//! correction history.
//! Invariant: each thread has a [`ThreadData`] of its own and the entries of the two tables are
//! atomic, so no thread waits for another because of them.

use std::io;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;

use super::correction::CorrectionHistory;
use super::proof_helper::ProofHelper;
use super::root::pv_from_tt;
use super::root_move::{RootMove, root_moves};
use super::tb::TbProber;
use super::threads;
use super::threads::NodeCounter;
use super::time::TimeManager;
use super::tt::TranspositionTable;
use super::worker::{SearchSetup, SearchShared, Searcher, ThreadData};
use super::{Bound, Limits, Listener, SearchLine, SearchResult};
use crate::eval::score;
use crate::eval::wdl::WdlModel;
use crate::host::Instant;
use crate::rules::{Move, Position};

/// The system could not start the search threads.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} threads: {source}")]
pub struct SearchThreadsError {
    /// Number of threads requested.
    pub threads: usize,
    /// The error of the system.
    pub source: io::Error,
}

/// What the search threads keep between searches, such as their histories.
pub(crate) struct SearchThreads {
    thread_data: Vec<Mutex<ThreadData>>,
    correction_history: CorrectionHistory,
}

impl SearchThreads {
    /// Data for `threads` threads, at least one and at most [`max_threads`](super::max_threads).
    pub(crate) fn new(threads: usize) -> Result<SearchThreads, SearchThreadsError> {
        let threads = threads.clamp(1, threads::max_threads());
        threads::check_available(threads)
            .map_err(|source| SearchThreadsError { threads, source })?;
        let thread_data = (0..threads).map(|_| Mutex::new(ThreadData::new())).collect();
        Ok(SearchThreads { thread_data, correction_history: CorrectionHistory::new() })
    }

    pub(crate) fn thread_count(&self) -> usize {
        self.thread_data.len()
    }

    pub(crate) fn clear(&mut self, tt: &mut TranspositionTable) {
        for (index, data) in self.thread_data.iter_mut().enumerate() {
            let data = data.get_mut();
            if index == 0 {
                data.clear();
            } else {
                data.clear_later();
            }
        }
        self.correction_history.clear();
        tt.clear(self.thread_count());
    }

    /// Searches `pos` until a limit is reached or `setup.control` stops the search. The calling
    /// thread searches too and needs a stack of [`STACK_SIZE`](super::STACK_SIZE) bytes.
    pub(crate) fn search(
        &self,
        pos: &Position,
        limits: &Limits,
        setup: &SearchSetup,
        listener: &dyn Listener,
    ) -> SearchResult {
        let start = Instant::now();
        #[cfg(feature = "tune")]
        setup.tuning.install();
        let mut root_moves = root_moves(pos, &limits.search_moves);
        if root_moves.is_empty() {
            return game_over(pos);
        }
        // A search for a mate must not stop at a tablebase win.
        let syzygy = setup.syzygy.filter(|_| limits.mate.is_none());
        let mut tb_prober = syzygy.map(TbProber::new);
        if let Some(tb_prober) = &mut tb_prober {
            rank_root_moves(tb_prober, pos, &mut root_moves);
        }
        setup.tt.new_search();
        let can_prove = setup.use_helpers && self.thread_count() > 1;
        let proof = setup.proof.filter(|proof| {
            (can_prove || proof.has_win()) && limits.prove && limits.search_moves.is_empty()
        });
        let has_win = proof.is_some_and(ProofHelper::has_win);
        let shared = SearchShared {
            setup: SearchSetup { proof, syzygy, ..*setup },
            is_over: AtomicBool::new(false),
            interrupts: (0..self.thread_count())
                .map(|index| AtomicBool::new(index == 0 && has_win))
                .collect(),
            time_manager: TimeManager::new(limits, pos, setup.delays, start),
            limits,
            line_count: setup.multipv.min(root_moves.len()),
            correction_history: &self.correction_history,
            nodes: self.thread_data.iter().map(|_| NodeCounter::default()).collect(),
            tb_prober,
        };
        shared.report_tb_warnings(listener);
        let mut results = threads::run(self.thread_count(), |index| {
            #[cfg(feature = "tune")]
            setup.tuning.install();
            let mut data = self.thread_data[index].lock();
            let moves = root_moves.clone();
            let listener = (index == 0).then_some(listener);
            let mut searcher = Searcher::new(&shared, index, &mut data, pos, moves, listener);
            let mut completed = 0;
            if index == 0 || setup.use_helpers {
                completed = searcher.iterate_with_proof();
            }
            if index == 0 {
                let finished_while_pondering = setup.control.is_pondering();
                setup.control.wait(limits.infinite);
                // GUIs discard the reports that come before the ponder hit.
                if finished_while_pondering && !setup.control.is_stopped() {
                    searcher.report_lines();
                }
                shared.end();
            }
            ThreadResult { completed, lines: searcher.lines }
        });
        shared.report_tb_warnings(listener);
        // Only the main thread shows a proof for certain.
        let is_proved = proof.is_some_and(ProofHelper::has_win);
        let best = if is_proved { 0 } else { best_result(&results, setup.multipv) };
        // The last report and the result agree.
        if results[best].lines[0] != results[0].lines[0] {
            shared.report(listener, pos, 0, &results[best].lines[0], Bound::Exact);
        }
        let lines = results.swap_remove(best).lines;
        let pv = &lines[0].pv;
        let ponder_move =
            pv.get(1).copied().or_else(|| pv_from_tt(pos, pv[0], setup.tt, 2).first().copied());
        SearchResult {
            ponder_move,
            lines,
            wdl_model: WdlModel::for_position(pos),
            nodes: shared.total_nodes(),
            time: start.elapsed(),
            clock_time: shared.time_manager.time_on_clock(setup.control),
        }
    }
}

/// Ranks and sorts the root moves if the tablebases contain the position.
fn rank_root_moves(tb_prober: &mut TbProber, pos: &Position, root_moves: &mut [RootMove]) {
    let moves: Vec<Move> = root_moves.iter().map(|root_move| root_move.mv).collect();
    let Some(ranks) = tb_prober.rank_root_moves(pos, &moves) else {
        return;
    };
    for (root_move, rank) in root_moves.iter_mut().zip(ranks) {
        root_move.tb_rank = Some(rank);
    }
    root_moves.sort_by_key(RootMove::sort_key);
}

struct ThreadResult {
    /// Depth of the last completed iteration; 0 if there is none.
    completed: i32,
    /// The lines of MultiPV; at least one on the main thread and after a completed iteration.
    lines: Vec<SearchLine>,
}

/// The index of the result that counts: with several lines that of the main thread, otherwise that
/// of the best thread. A winning mate decides, the shortest first. Otherwise the votes of all
/// threads for their moves count, weighted by depth and value, and the deepest thread with the
/// winning move is chosen. The main thread wins ties.
fn best_result(results: &[ThreadResult], multipv: usize) -> usize {
    if multipv > 1 {
        return 0;
    }
    // Helpers that have not completed an iteration have no vote. The main thread comes last,
    // because `max_by_key` chooses the last of equals.
    let voters = || {
        let all = results.iter().enumerate().rev();
        let voters = all.filter(|&(index, result)| index == 0 || result.completed > 0);
        voters.map(|(index, result)| (index, &result.lines[0], result.completed))
    };
    let winner = voters().max_by_key(|(_, best, _)| best.value);
    if let Some((index, best, _)) = winner
        && best.value >= score::MATE_IN_MAX_PLY
    {
        return index;
    }
    let min_value = voters().map(|(_, best, _)| best.value).min();
    let min_value = min_value.unwrap_or(score::DRAW);
    let votes = |mv: Move| -> i64 {
        let same_move = voters().filter(|(_, best, _)| best.pv[0] == mv);
        // Ten extra centipawns, so that the vote of the worst thread still counts.
        let weights = same_move
            .map(|(_, best, depth)| i64::from(best.value - min_value + 10) * i64::from(depth));
        weights.sum()
    };
    let winner = voters().max_by_key(|(_, best, depth)| (votes(best.pv[0]), *depth));
    winner.map_or(0, |(index, ..)| index)
}

/// The result of a search without legal root moves.
fn game_over(pos: &Position) -> SearchResult {
    let is_lost = pos.king(pos.side_to_move()).is_none() || pos.in_check();
    let is_won = pos.king(!pos.side_to_move()).is_none();
    let value = if is_won {
        score::MATE
    } else if is_lost {
        score::mated_in(0)
    } else {
        score::DRAW
    };
    let line = SearchLine::new(0, value, Vec::new());
    SearchResult::new(line, WdlModel::for_position(pos))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::eval::score::Value;
    use crate::search::{Control, NullListener};
    use crate::walk::{play, position};

    /// The value of a search by the side to move, with this lag and one second on the clock.
    fn value_with_lag(pos: &Position, lag: Duration) -> Value {
        let (tt, control) = (TranspositionTable::new(1).expect("1 MiB"), Control::default());
        let mut setup = SearchSetup::new(&tt, &control);
        setup.delays.lag = lag;
        let limits = Limits {
            time: [Some(Duration::from_secs(1)); 2],
            // The clock counts nodes, so that a busy machine changes nothing.
            node_time: Some(1000),
            depth: Some(4),
            ..Limits::default()
        };
        let threads = SearchThreads::new(1).expect("one thread");
        threads.search(pos, &limits, &setup, &NullListener).value()
    }

    #[test]
    fn draw_is_better_than_equality_on_a_short_clock() {
        // A draw by the fifty-move rule: after the first move, after the reply, and for Black.
        // Stalemate by the only move.
        let mut positions = [
            "4k3/8/8/8/8/7p/7P/K7 w - - 99 80",
            "4k3/8/8/8/8/7p/7P/K7 w - - 98 80",
            "4k3/8/8/8/8/7p/7P/K7 b - - 98 80",
            "2k5/2P5/2P4p/8/7P/2p5/2p5/2K5 w - - 0 1",
        ]
        .map(position)
        .to_vec();
        // Behind in material, but the next move repeats a position for the third time.
        let mut pos = position("4k1r1/8/8/8/8/7p/7P/K7 w - - 0 1");
        let moves = "a1b1 e8d8 b1a1 d8e8 a1b1 e8d8 b1a1 d8e8 a1b1 e8d8";
        play(&mut pos, moves);
        positions.push(pos);
        for pos in positions {
            assert_eq!(value_with_lag(&pos, Duration::ZERO), score::DRAW);
            let value = value_with_lag(&pos, Duration::from_millis(50));
            assert!(value > score::DRAW, "{value}");
        }
    }

    fn vote(mv: u16, value: Value, depth: i32) -> ThreadResult {
        let pv = vec![Move::from_code(mv).unwrap()];
        ThreadResult { completed: depth, lines: vec![SearchLine::new(depth, value, pv)] }
    }

    #[test]
    fn best_thread_is_chosen_by_mate_votes_and_depth() {
        let (a, b) = (0x0a31, 0x0b32);
        let equal = [vote(a, 20, 10), vote(a, 20, 10)];
        assert_eq!(best_result(&equal, 1), 0, "the main thread wins ties");
        let deeper = [vote(a, 20, 10), vote(a, 20, 12)];
        assert_eq!(best_result(&deeper, 1), 1);
        let outvoted = [vote(a, 20, 10), vote(b, 20, 10), vote(b, 20, 9)];
        assert_eq!(best_result(&outvoted, 1), 1);
        let mate = [vote(a, 20, 30), vote(b, score::mate_in(5), 3)];
        assert_eq!(best_result(&mate, 1), 1);
        let mates = [vote(a, score::mate_in(3), 3), vote(b, score::mate_in(5), 9)];
        assert_eq!(best_result(&mates, 1), 0, "the shortest mate");
        assert_eq!(best_result(&mates[1..], 1), 0);
    }
}
