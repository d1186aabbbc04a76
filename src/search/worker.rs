//! One search thread: the data that it keeps between searches, and the state of one search.
//! Invariant: with one thread, a search depends only on the position, the limits and what
//! earlier searches left in the transposition table and the histories.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arrayvec::ArrayVec;

use super::correction::CorrectionHistory;
use super::history::Histories;
use super::ordering;
use super::proof_helper::ProofHelper;
use super::reduce::LmrTable;
use super::root_move::RootMove;
use super::see::{self, SeeValues};
use super::stack::Stack;
use super::tb::{SyzygyConfig, TbProber};
use super::threads::NodeCounter;
use super::time::{ClockDelays, TimeManager};
use super::tt::{self, TranspositionTable, TtEntry};
use super::{Control, Limits, Listener, SearchLine};
use crate::eval::nnue::{AccumulatorStack, Network};
use crate::eval::score::{self, Value};
use crate::eval::{self, hce};
use crate::host;
use crate::proof::SolverListener;
use crate::rules::{CheckInfo, MAX_MOVES, Move, MoveList, PieceType, Position};

/// What a thread keeps from one search to the next.
pub struct ThreadData {
    histories: Histories,
    /// The histories are cleared when the next search begins.
    clear_is_due: bool,
    stack: Stack,
    lmr_table: LmrTable,
    accumulators: AccumulatorStack,
}

impl ThreadData {
    pub fn new() -> ThreadData {
        ThreadData {
            histories: Histories::new(),
            clear_is_due: false,
            stack: Stack::new(),
            lmr_table: LmrTable::new(),
            accumulators: AccumulatorStack::default(),
        }
    }

    pub fn clear(&mut self) {
        self.histories.clear();
        self.clear_is_due = false;
    }

    /// Like [`ThreadData::clear`], but the thread of the next search does the work.
    pub fn clear_later(&mut self) {
        self.clear_is_due = true;
    }
}

/// What a search needs besides the position and its limits.
#[derive(Clone, Copy)]
pub(crate) struct SearchSetup<'a> {
    pub tt: &'a TranspositionTable,
    /// The switches, already armed (see [`Control::arm`]).
    pub control: &'a Control,
    /// The network of the evaluation; `None` for the handcrafted evaluation.
    pub net: Option<&'a Network>,
    pub multipv: usize,
    /// Number of lines to report.
    pub reported_lines: usize,
    /// Search with all threads. Otherwise only the calling thread searches, and a limit of
    /// nodes is exact.
    pub use_helpers: bool,
    pub delays: ClockDelays,
    pub syzygy: Option<SyzygyConfig<'a>>,
    /// Proves a nearly decided root if [`Limits::prove`] is set.
    pub proof: Option<&'a ProofHelper>,
    #[cfg(feature = "tune")]
    pub tuning: &'a super::Tuning,
}

pub struct SearchShared<'a> {
    pub setup: SearchSetup<'a>,
    /// The main thread has ended, or a helper has noticed that the time is up.
    pub is_over: AtomicBool,
    /// The threads that must leave the search for something else.
    pub interrupts: Vec<AtomicBool>,
    pub time_manager: TimeManager,
    pub limits: &'a Limits,
    /// Number of lines of MultiPV, at most that of the root moves.
    pub line_count: usize,
    pub correction_history: &'a CorrectionHistory,
    pub nodes: Vec<NodeCounter>,
    pub tb_prober: Option<TbProber<'a>>,
}

impl SearchShared<'_> {
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// True if all threads must end the search.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.setup.control.is_stopped()
    }

    /// Makes a thread leave the search soon.
    pub fn interrupt(&self, thread: usize) {
        self.interrupts[thread].store(true, Ordering::Release);
    }

    /// Takes back the interrupt of a thread; false if there is none.
    pub fn take_interrupt(&self, thread: usize) -> bool {
        self.interrupts[thread].swap(false, Ordering::AcqRel)
    }

    pub fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(NodeCounter::get).sum()
    }

    /// What a clock of nodes counts.
    pub fn nodes_per_thread(&self) -> u64 {
        let threads = if self.setup.use_helpers { self.nodes.len() } else { 1 };
        self.total_nodes() / threads as u64
    }

    pub fn report_tb_warnings(&self, listener: &dyn Listener) {
        for warning in self.setup.syzygy.iter().flat_map(|config| config.tb.take_warnings()) {
            listener.warning(&warning);
        }
    }
}

impl SolverListener for SearchShared<'_> {
    fn is_stopped(&self) -> bool {
        self.is_stopped()
    }
}

const CLOCK_CHECK_INTERVAL: u64 = 512;

pub struct Searcher<'a> {
    pub shared: &'a SearchShared<'a>,
    /// Number of the thread; 0 is the main thread.
    pub index: usize,
    pub pos: Position,
    pub histories: &'a mut Histories,
    pub stack: &'a mut Stack,
    pub lmr_table: &'a LmrTable,
    accumulators: &'a mut AccumulatorStack,
    pub see_values: SeeValues,
    pub root_moves: Vec<RootMove>,
    /// The lines of MultiPV so far, best first.
    pub lines: Vec<SearchLine>,
    /// The current line of MultiPV, from 0.
    pub pv_index: usize,
    pub root_depth: i32,
    pub seldepth: usize,
    /// The value of a draw for the side of the root.
    root_draw_value: Value,
    pub nodes: u64,
    /// The root moves have the values and lines of the proof.
    pub is_proof_shown: bool,
    /// The search must return; all values are meaningless.
    pub stopped: bool,
    /// Present on the main thread only.
    pub listener: Option<&'a dyn Listener>,
    /// The listener if it collects cut nodes.
    pub cut_node_listener: Option<&'a dyn Listener>,
}

impl<'a> Searcher<'a> {
    pub fn new(
        shared: &'a SearchShared<'a>,
        index: usize,
        data: &'a mut ThreadData,
        pos: &Position,
        root_moves: Vec<RootMove>,
        listener: Option<&'a dyn Listener>,
    ) -> Searcher<'a> {
        if data.clear_is_due {
            data.clear();
        }
        data.stack.reset();
        if shared.setup.net.is_some() {
            data.accumulators.reset(pos);
        }
        Searcher {
            shared,
            index,
            pos: pos.clone(),
            histories: &mut data.histories,
            stack: &mut data.stack,
            lmr_table: &data.lmr_table,
            accumulators: &mut data.accumulators,
            see_values: see::see_values(),
            root_moves,
            lines: Vec::new(),
            pv_index: 0,
            root_depth: 0,
            seldepth: 0,
            root_draw_value: shared.time_manager.root_draw_value,
            nodes: 0,
            is_proof_shown: false,
            stopped: false,
            listener,
            cut_node_listener: listener.filter(|listener| listener.wants_cut_nodes()),
        }
    }

    /// True for the thread that checks all limits and sends reports.
    pub fn is_main(&self) -> bool {
        self.index == 0
    }

    /// Checks the limits and the switches. True if the search must return.
    pub fn should_stop(&mut self) -> bool {
        if self.stopped {
            return true;
        }
        // The first iteration of the main thread ignores a stop, and its first line all limits: it
        // takes almost no time, and without it the best move would be an arbitrary legal move
        // without a score.
        let may_stop = self.root_depth > 1 || !self.is_main();
        if !may_stop && self.pv_index == 0 {
            return false;
        }
        self.stopped = (may_stop
            && (self.shared.is_stopped()
                || self.shared.interrupts[self.index].load(Ordering::Relaxed)))
            || if self.is_main() { self.is_limit_reached() } else { self.stop_when_out_of_time() };
        self.stopped
    }

    /// True if the time is up; then all threads stop. Helpers check it too, because with more threads
    /// than cores the main thread may not run just then.
    fn stop_when_out_of_time(&self) -> bool {
        let (control, time_manager) = (self.shared.setup.control, &self.shared.time_manager);
        let is_check_due = self.nodes.is_multiple_of(CLOCK_CHECK_INTERVAL);
        let is_over = (is_check_due || time_manager.counts_nodes())
            && time_manager.is_hard_limit_reached(control, self.shared.nodes_per_thread());
        if is_over {
            self.shared.end();
        }
        is_over
    }

    fn is_limit_reached(&self) -> bool {
        let is_check_due = self.nodes.is_multiple_of(CLOCK_CHECK_INTERVAL);
        if is_check_due {
            host::pause(Duration::ZERO);
            if self.listener.is_some_and(|listener| listener.is_stopped()) {
                return true;
            }
        }
        if let Some(max) = self.shared.limits.nodes
            && (self.nodes >= max || (is_check_due && self.shared.total_nodes() >= max))
        {
            return true;
        }
        // A clock that counts nodes is cheap to read, and exceeding it would lose the game.
        let time_manager = &self.shared.time_manager;
        (is_check_due || time_manager.counts_nodes())
            && time_manager
                .is_hard_limit_reached(self.shared.setup.control, self.shared.nodes_per_thread())
    }

    /// Makes a move at `ply` and counts the node.
    pub fn make(&mut self, mv: Move, ply: usize) {
        let piece_to = ordering::piece_to(&self.pos, mv);
        let previous_moves = [piece_to, self.stack.previous_piece_to(ply, 1)];
        self.shared.correction_history.prefetch(previous_moves);
        self.stack.frame(ply).piece_to = piece_to;
        self.pos.make(mv);
        self.enter_node(ply + 1);
    }

    pub fn make_null(&mut self, ply: usize) {
        self.stack.frame(ply).piece_to = None;
        self.pos.make_null();
        self.enter_node(ply + 1);
    }

    fn enter_node(&mut self, ply: usize) {
        self.shared.setup.tt.prefetch(self.pos.key());
        self.stack.enter(ply);
        self.stack.frame(ply).no_win_in_one = false;
        if self.shared.setup.net.is_some() {
            self.accumulators.invalidate(&self.pos);
        }
        self.nodes += 1;
        self.shared.nodes[self.index].set(self.nodes);
    }

    /// The TT entry of the position at `ply`, with the value seen from the root.
    #[inline]
    pub fn probe_tt(&self, ply: usize) -> Option<TtEntry> {
        let entry = self.shared.setup.tt.probe(self.pos.key())?;
        let value = tt::value_from_tt(entry.value, ply);
        Some(TtEntry { value, ..entry })
    }

    /// Stores the TT entry of the position at `ply`, with the value seen from the root.
    #[inline]
    pub fn store_tt(&self, entry: TtEntry, ply: usize) {
        let value = tt::value_to_tt(entry.value, ply);
        self.shared.setup.tt.store(self.pos.key(), TtEntry { value, ..entry });
    }

    /// True if a move explodes the enemy king at once; it is then the line of a PV node. Skips the
    /// test if the parent has ruled such a move out.
    pub fn has_win_in_one(&mut self, ply: usize, is_pv: bool) -> bool {
        let ruled_out = self.stack.frame(ply).no_win_in_one && self.pos.en_passant().is_none();
        if ruled_out {
            return false;
        }
        let win = self.pos.win_in_one();
        if is_pv && let Some(mv) = win {
            self.stack.frame(ply + 1).pv.clear();
            self.stack.update_pv(ply, mv);
        }
        win.is_some()
    }

    /// The static evaluation in centipawns, before correction. Both kings must be on the board.
    /// `king_threatened` if the opponent could explode the king if it were its turn.
    pub fn evaluate(&mut self, king_threatened: bool) -> Value {
        match self.shared.setup.net {
            Some(net) => eval::evaluate_nnue(net, self.accumulators, &self.pos, king_threatened),
            None => hce::evaluate(&self.pos),
        }
    }

    /// Sets the correction keys at `ply` and prefetches the corrections.
    pub fn set_correction_keys(&mut self, ply: usize) {
        self.stack.set_correction_keys(ply, &self.pos);
        let keys = self.stack.correction_keys(ply);
        let side_to_move = self.pos.side_to_move();
        self.shared.correction_history.prefetch_keys(side_to_move, keys);
    }

    pub fn corrected_eval(&self, raw_eval: Value, ply: usize) -> Value {
        self.shared.correction_history.correct(
            raw_eval,
            self.pos.side_to_move(),
            self.stack.correction_keys(ply),
            self.stack.previous_moves(ply),
        )
    }

    /// Appends the bonus of each quiet move by the policy head; nothing without one.
    pub fn policy_bonuses(
        &mut self,
        check_info: &CheckInfo,
        moves: &MoveList,
        bonuses: &mut ArrayVec<i32, MAX_MOVES>,
    ) {
        let pos = &self.pos;
        let net = self.shared.setup.net;
        if let Some(policy) = net.and_then(|net| self.accumulators.policy(net, pos)) {
            ordering::policy_bonuses(&policy, pos, check_info, moves, bonuses);
        }
    }

    /// Passes a quiet move that failed high to a listener that collects such moves.
    pub fn report_cut_node(&mut self, mv: Move, ply: usize, value: Value) {
        if let Some(listener) = self.cut_node_listener
            && !mv.is_noisy()
            && self.stack.frame(ply).excluded.is_none()
        {
            listener.cut_node(&self.pos, mv, value);
        }
    }

    /// The value of a draw by repetition that the side to move can reach with one move, if that
    /// is greater than `alpha`.
    pub fn upcoming_repetition(&self, alpha: Value, ply: usize) -> Option<Value> {
        let draw = self.draw_value(ply);
        (alpha < draw && self.pos.upcoming_repetition(ply)).then_some(draw)
    }

    /// The value of a draw for the side to move at `ply`.
    #[inline]
    pub fn draw_value(&self, ply: usize) -> Value {
        if ply.is_multiple_of(2) { self.root_draw_value } else { -self.root_draw_value }
    }

    /// The value of a node that is over by the rules or beyond the maximum ply.
    pub fn terminal_value(&mut self, ply: usize) -> Option<Value> {
        let us = self.pos.side_to_move();
        if self.pos.king(us).is_none() {
            return Some(score::mated_in(ply));
        }
        if self.pos.king(!us).is_none() {
            return Some(score::mate_in(ply));
        }
        if self.pos.has_insufficient_material() || self.pos.is_repetition(ply) {
            return Some(self.draw_value(ply));
        }
        if self.pos.halfmove_clock() >= 100 {
            // Checkmate on the hundredth half-move takes precedence over the draw.
            let is_mated = self.pos.in_check() && !self.pos.has_legal_move();
            return Some(if is_mated { score::mated_in(ply) } else { self.draw_value(ply) });
        }
        if ply >= score::MAX_PLY - 1 {
            return Some(if self.pos.in_check() {
                score::DRAW
            } else {
                let king_threatened = self.pos.threatens_explosion(!us);
                self.evaluate(king_threatened)
            });
        }
        None
    }

    /// True if the side to move has more than king and pawns, so that zugzwang is unlikely.
    pub fn has_non_pawn_material(&self) -> bool {
        let us = self.pos.side_to_move();
        let pawns_and_king = self.pos.by_type(PieceType::Pawn) | self.pos.by_type(PieceType::King);
        (self.pos.by_color(us) - pawns_and_king).any()
    }
}

#[cfg(test)]
impl<'a> SearchSetup<'a> {
    /// A search of one line without a network, delays, tablebases and a proof.
    pub fn new(tt: &'a TranspositionTable, control: &'a Control) -> SearchSetup<'a> {
        #[cfg(feature = "tune")]
        static TUNING: once_cell::sync::Lazy<super::Tuning> =
            once_cell::sync::Lazy::new(Default::default);
        SearchSetup {
            tt,
            control,
            net: None,
            multipv: 1,
            reported_lines: 1,
            use_helpers: true,
            delays: ClockDelays::default(),
            syzygy: None,
            proof: None,
            #[cfg(feature = "tune")]
            tuning: &TUNING,
        }
    }
}

#[cfg(test)]
impl Searcher<'_> {
    /// What `test` returns for the main thread of a search of `pos` with two threads.
    pub fn with<T>(
        pos: &Position,
        proof: Option<&ProofHelper>,
        test: impl FnOnce(&mut Searcher) -> T,
    ) -> T {
        let limits = Limits::default();
        let (tt, control) = (TranspositionTable::new(1).expect("1 MiB"), Control::default());
        let setup = SearchSetup { proof, ..SearchSetup::new(&tt, &control) };
        let shared = SearchShared {
            is_over: AtomicBool::new(false),
            interrupts: vec![AtomicBool::new(false), AtomicBool::new(false)],
            time_manager: TimeManager::new(&limits, pos, setup.delays, host::Instant::now()),
            limits: &limits,
            line_count: 1,
            correction_history: &CorrectionHistory::new(),
            nodes: vec![NodeCounter::default(), NodeCounter::default()],
            tb_prober: None,
            setup,
        };
        let mut data = ThreadData::new();
        let moves = super::root_move::root_moves(pos, &[]);
        test(&mut Searcher::new(&shared, 0, &mut data, pos, moves, None))
    }
}
