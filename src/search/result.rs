//! What a search tells: its progress to a [`Listener`], and its result to the caller.
//! Invariant: the last exact reports and the lines of the result are the same.

use std::time::Duration;

use crate::eval::score::Value;
use crate::eval::wdl::{DisplayScore, WdlModel};
pub use crate::proof::NullListener;
use crate::rules::{Move, Position};
use crate::util;

/// How a value of the search relates to the exact value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The exact value.
    Exact,
    /// The exact value is at least this.
    Lower,
    /// The exact value is at most this.
    Upper,
}

impl Bound {
    /// How the `value` of a node that was searched with this window relates to the exact one.
    pub(super) fn of_search(value: Value, alpha: Value, beta: Value, is_pv: bool) -> Bound {
        if value >= beta {
            Bound::Lower
        } else if is_pv && value > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// True if a value with this bound decides a node with the window from `alpha` to `beta`.
    pub(super) fn allows_cutoff(self, value: Value, alpha: Value, beta: Value) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        }
    }
}

/// One of the best lines of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchLine {
    /// Internal value from the side to move's point of view.
    pub value: Value,
    /// Depth of the iteration that the value comes from, in plies.
    pub depth: i32,
    /// Maximum ply reached by this line (selective depth).
    pub seldepth: i32,
    /// The principal variation, first move first.
    pub pv: Vec<Move>,
}

impl SearchLine {
    /// A line whose selective depth is its depth.
    pub fn new(depth: i32, value: Value, pv: Vec<Move>) -> SearchLine {
        SearchLine { value, depth, seldepth: depth, pv }
    }
}

/// The state of one line during a search.
#[derive(Clone, Debug)]
pub struct SearchInfo {
    /// Depth of the iteration in plies.
    pub depth: i32,
    /// Maximum ply reached by this line (selective depth).
    pub seldepth: i32,
    /// Rank of this line, 1 for the best.
    pub multipv: usize,
    /// Internal value from the side to move's point of view.
    pub value: Value,
    /// Converts the value to a score and to win, draw and loss probabilities.
    pub wdl_model: WdlModel,
    /// How the value relates to the exact value.
    pub bound: Bound,
    /// Nodes of all threads so far.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Entries of the transposition table in use, in thousandths.
    pub hashfull: u32,
    /// Successful tablebase probes of all threads.
    pub tbhits: u64,
    /// The principal variation, first move first.
    pub pv: Vec<Move>,
}

impl SearchInfo {
    /// A single exact line that took no nodes and no time.
    pub fn new(line: SearchLine, wdl_model: WdlModel) -> SearchInfo {
        SearchInfo {
            depth: line.depth,
            seldepth: line.seldepth,
            multipv: 1,
            value: line.value,
            wdl_model,
            bound: Bound::Exact,
            nodes: 0,
            time: Duration::ZERO,
            hashfull: 0,
            tbhits: 0,
            pv: line.pv,
        }
    }

    /// The score as displayed to a user.
    pub fn display_score(&self) -> DisplayScore {
        self.wdl_model.display_score(self.value)
    }

    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        util::nps(self.nodes, self.time)
    }
}

/// The result of a finished search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The lines, best first: one for each line of MultiPV, and at least one. If the game is over,
    /// it has no moves.
    pub lines: Vec<SearchLine>,
    /// The expected reply.
    pub ponder_move: Option<Move>,
    /// Converts values to scores and to win, draw and loss probabilities.
    pub wdl_model: WdlModel,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Elapsed time.
    pub time: Duration,
    /// Elapsed time on the engine's clock, which starts with the search or with the ponder hit;
    /// `None` without one.
    pub clock_time: Option<Duration>,
}

impl SearchResult {
    /// The result with a single line that took no nodes and no time.
    pub fn new(line: SearchLine, wdl_model: WdlModel) -> SearchResult {
        SearchResult {
            ponder_move: line.pv.get(1).copied(),
            lines: vec![line],
            wdl_model,
            nodes: 0,
            time: Duration::ZERO,
            clock_time: None,
        }
    }

    /// The best line.
    pub fn best(&self) -> &SearchLine {
        &self.lines[0]
    }

    /// The moves of the best line; none if the game is over.
    pub fn pv(&self) -> &[Move] {
        &self.best().pv
    }

    /// The move to play; `None` if the game is over.
    pub fn best_move(&self) -> Option<Move> {
        self.pv().first().copied()
    }

    /// The value of the best line in internal units, from the side to move's point of view.
    pub fn value(&self) -> Value {
        self.best().value
    }

    /// The depth of the best line in plies.
    pub fn depth(&self) -> i32 {
        self.best().depth
    }

    /// The score as displayed to a user.
    pub fn display_score(&self) -> DisplayScore {
        self.wdl_model.display_score(self.value())
    }

    /// The value of the displayed score. What is computed from it stays the same when the score
    /// is written to a file and read back.
    pub fn displayed_value(&self) -> Value {
        self.wdl_model.value_of(self.display_score())
    }

    /// The expected score of the side to move, from 0 to 1, for the displayed score.
    pub fn expected_score(&self) -> f64 {
        self.wdl_model.expected_score(self.displayed_value())
    }

    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        util::nps(self.nodes, self.time)
    }

    /// The best line as a report.
    pub(crate) fn info(&self) -> SearchInfo {
        SearchInfo {
            nodes: self.nodes,
            time: self.time,
            ..SearchInfo::new(self.best().clone(), self.wdl_model)
        }
    }
}

/// Minimum depth of the nodes that [`Listener::cut_node`] receives, in plies.
pub const MIN_CUT_NODE_DEPTH: i32 = 2;

/// Receives the progress of a search. The methods run on the thread that called the search.
pub trait Listener: Sync {
    /// Called for each line of a completed iteration, best line first, and for bounds in
    /// searches that take longer than three seconds.
    fn report(&self, _info: &SearchInfo) {}

    /// False if the reports and current moves would be ignored; the search then does not make
    /// them.
    fn wants_reports(&self) -> bool {
        true
    }

    /// Called before each root move once the search has taken three seconds. `number` counts
    /// from 1.
    fn current_move(&self, _depth: i32, _mv: Move, _number: usize) {}

    /// True if [`cut_node`](Listener::cut_node) is to be called.
    fn wants_cut_nodes(&self) -> bool {
        false
    }

    /// Called when a quiet move fails high at a node without a TT move, at least
    /// [`MIN_CUT_NODE_DEPTH`] plies deep: an example for the policy head. `value` is the lower bound
    /// in internal units.
    fn cut_node(&self, _pos: &Position, _mv: Move, _value: Value) {}

    /// Called once for each tablebase that is missing or damaged, with a message.
    fn warning(&self, _text: &str) {}

    /// True once the search should end, asked every few thousand nodes.
    fn is_stopped(&self) -> bool {
        false
    }
}

impl Listener for NullListener {
    fn wants_reports(&self) -> bool {
        false
    }
}
