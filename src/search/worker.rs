//! One searching thread: what it keeps between searches, and one search of it.
//! Invariant: with one thread everything depends only on the position, the limits and what
//! earlier searches left in the table and histories.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::aim::Aims;
use super::history::Histories;
use super::picker::{self, Clues};
use super::reduce::Logarithms;
use super::root::RootMove;
use super::see::{self, Worth};
use super::stack::Stack;
use super::tables::Probing;
use super::time::Clock;
use super::tt::Table;
use super::{Control, Limits, Listener};
use crate::eval::nnue::{Accumulators, Network};
use crate::eval::score::{self, Value};
use crate::eval::{self, hce};
use crate::rules::{Move, PieceType, Position};

/// What a thread keeps from one search to the next.
pub(super) struct Memory {
    histories: Histories,
    stack: Stack,
    logarithms: Logarithms,
    accumulators: Accumulators,
}

impl Memory {
    pub(super) fn new() -> Memory {
        Memory {
            histories: Histories::new(),
            stack: Stack::new(),
            logarithms: Logarithms::new(),
            accumulators: Accumulators::default(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.histories = Histories::new();
    }
}

/// What one thread counts and others read now and then. A cache line of its own: threads
/// that write to one line take it from each other at every node.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Count(AtomicU64);

impl Count {
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Only its owner may call this.
    pub(super) fn set(&self, count: u64) {
        self.0.store(count, Ordering::Relaxed);
    }
}

/// What the threads of one search share.
pub(super) struct Shared<'a> {
    pub(super) table: &'a Table,
    pub(super) control: &'a Control,
    pub(super) clock: Clock,
    pub(super) limits: &'a Limits,
    /// The network to evaluate with; the handcrafted terms without one.
    pub(super) net: Option<&'a Network>,
    /// Nodes of each thread, written by its owner only.
    pub(super) nodes: &'a [Count],
    /// Tablebases, if there are any.
    pub(super) probing: Option<Probing<'a>>,
}

impl Shared<'_> {
    /// Nodes of all threads.
    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(Count::get).sum()
    }

    /// Answers that all threads got from tablebases.
    pub(super) fn table_hits(&self) -> u64 {
        self.probing.as_ref().map_or(0, Probing::total_hits)
    }

    /// Tells of tablebases that were found missing or damaged.
    pub(super) fn tell_faults(&self, listener: &dyn Listener) {
        if let Some(probing) = &self.probing {
            probing.tell_faults(listener);
        }
    }
}

/// How often the clock is read, in nodes.
const CLOCK_PERIOD: u64 = 512;

/// One search of one thread.
pub(super) struct Searcher<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) index: usize,
    pub(super) pos: Position,
    pub(super) histories: &'a mut Histories,
    pub(super) stack: &'a mut Stack,
    pub(super) logarithms: &'a Logarithms,
    accumulators: &'a mut Accumulators,
    pub(super) worth: Worth,
    pub(super) root_moves: Vec<RootMove>,
    /// The line of MultiPV now searched, from 0.
    pub(super) line: usize,
    pub(super) root_depth: i32,
    pub(super) seldepth: usize,
    pub(super) nodes: u64,
    pub(super) stopped: bool,
    /// Told of progress by the main thread.
    pub(super) listener: Option<&'a dyn Listener>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(
        shared: &'a Shared<'a>,
        index: usize,
        memory: &'a mut Memory,
        pos: &Position,
        root_moves: Vec<RootMove>,
        listener: Option<&'a dyn Listener>,
    ) -> Searcher<'a> {
        memory.stack.reset();
        if let Some(net) = shared.net {
            memory.accumulators.reset(net, pos);
        }
        Searcher {
            shared,
            index,
            pos: pos.clone(),
            histories: &mut memory.histories,
            stack: &mut memory.stack,
            logarithms: &memory.logarithms,
            accumulators: &mut memory.accumulators,
            worth: see::worths(),
            root_moves,
            line: 0,
            root_depth: 0,
            seldepth: 0,
            nodes: 0,
            stopped: false,
            listener,
        }
    }

    /// True for the thread that watches the clock and reports.
    pub(super) fn is_main(&self) -> bool {
        self.index == 0
    }

    /// Looks at limits and switches; true when the search must unwind.
    pub(super) fn must_stop(&mut self) -> bool {
        if self.stopped {
            return true;
        }
        // A stop may come before the search has begun; the first iteration is over in no
        // time, and without it the answer would be any legal move.
        let told = self.root_depth > 1 && self.shared.control.is_stopped();
        self.stopped = told || (self.is_main() && self.is_at_limit());
        self.stopped
    }

    fn is_at_limit(&self) -> bool {
        if let Some(most) = self.shared.limits.nodes
            && (self.nodes >= most
                || (self.nodes.is_multiple_of(CLOCK_PERIOD) && self.shared.total_nodes() >= most))
        {
            return true;
        }
        // A clock of nodes costs nothing to read, and a late reading would cost the game.
        let clock = &self.shared.clock;
        (clock.counts_nodes() || self.nodes.is_multiple_of(CLOCK_PERIOD))
            && clock.is_over(self.shared.control, self.nodes)
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.shared.clock.elapsed()
    }

    /// Makes a move at `ply` and counts the node.
    pub(super) fn make(&mut self, mv: Move, ply: usize) {
        let moved = picker::piece_to(&self.pos, mv);
        let line = [moved, self.stack.moved_before(ply, 1)];
        self.histories.corrections.prefetch(line);
        self.stack.frame(ply).moved = moved;
        self.stack.frame(ply + 1).harmless = false;
        self.pos.make(mv);
        self.shared.table.prefetch(self.pos.key());
        self.entered();
    }

    /// Passes at `ply` and counts the node.
    pub(super) fn make_null(&mut self, ply: usize) {
        self.stack.frame(ply).moved = None;
        self.stack.frame(ply + 1).harmless = false;
        self.pos.make_null();
        self.shared.table.prefetch(self.pos.key());
        self.entered();
    }

    fn entered(&mut self) {
        if self.shared.net.is_some() {
            self.accumulators.forget(&self.pos);
        }
        self.nodes += 1;
        self.shared.nodes[self.index].set(self.nodes);
    }

    pub(super) fn unmake(&mut self) {
        self.pos.unmake();
    }

    /// A move that explodes the enemy king at once. Not looked for where the parent has seen
    /// that there is none.
    pub(super) fn win_in_one(&mut self, ply: usize) -> Option<Move> {
        let known = self.stack.frame(ply).harmless && self.pos.en_passant().is_none();
        if known { None } else { self.pos.win_in_one() }
    }

    /// The static value of the position, which has both kings.
    pub(super) fn evaluate(&mut self) -> Value {
        match self.shared.net {
            Some(net) => eval::by_network(net, self.accumulators, &self.pos),
            None => hce::evaluate(&self.pos),
        }
    }

    /// The static evaluation mended by what the thread learnt of its errors.
    pub(super) fn mended(&self, raw: Value, ply: usize) -> Value {
        let line = [1, 2].map(|back| self.stack.moved_before(ply, back));
        let keys = self.stack.keys(ply);
        self.histories
            .corrections
            .mended(raw, self.pos.side(), keys, line)
    }

    /// What moves at `ply` are ordered by.
    pub(super) fn clues<'b>(
        &'b self,
        ply: usize,
        aims: &'b OnceCell<Aims>,
        threatened: bool,
    ) -> Clues<'b> {
        let continuation = &self.histories.continuation;
        Clues {
            pos: &self.pos,
            histories: self.histories,
            worth: &self.worth,
            after: [1, 2, 4].map(|back| continuation.after(self.stack.moved_before(ply, back))),
            among: self.histories.pawn.among(self.stack.pawns(ply)),
            aims,
            threatened,
        }
    }

    /// The value of a draw by repetition where the side to move can have one and would rather:
    /// `alpha` promises less.
    pub(super) fn draw_in_hand(&self, alpha: Value, ply: usize) -> Option<Value> {
        (alpha < score::DRAW && self.pos.can_repeat(ply)).then_some(score::DRAW)
    }

    /// The value of a node that the rules or the search's reach decide without moves.
    pub(super) fn settled(&mut self, ply: usize) -> Option<Value> {
        let us = self.pos.side();
        if self.pos.king(us).is_none() {
            return Some(score::loss_in(ply));
        }
        if self.pos.king(!us).is_none() {
            return Some(score::win_in(ply));
        }
        if self.pos.has_insufficient_material() || self.pos.is_repetition(ply) {
            return Some(score::DRAW);
        }
        if self.pos.halfmove() >= 100 {
            // Mate on the last half-move comes before the draw.
            let mated = self.pos.in_check() && !self.pos.has_legal_move();
            return Some(if mated {
                score::loss_in(ply)
            } else {
                score::DRAW
            });
        }
        if ply >= score::MAX_PLY - 1 {
            return Some(if self.pos.in_check() {
                score::DRAW
            } else {
                self.evaluate()
            });
        }
        None
    }

    /// True when the side to move has more than king and pawns: passing is no zugzwang.
    pub(super) fn has_pieces(&self) -> bool {
        let us = self.pos.side();
        let pawns_and_king = self.pos.of_kind(PieceType::Pawn) | self.pos.of_kind(PieceType::King);
        (self.pos.colored(us) - pawns_and_king).any()
    }
}
