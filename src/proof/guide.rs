//! What an ordinary search tells the solver.
//! Invariant: a guide decides only which lines are searched first, never a verdict.

use std::fmt;
use std::time::Duration;

use crate::eval::score::Value;
use crate::rules::{Move, Position};

/// A search that may see a win long before it is proved.
pub trait Guide: Sync {
    /// What is known of a position: its value for the side to move in internal units, and a move.
    fn known(&self, pos: &Position) -> Option<(Value, Option<Move>)>;

    /// Searches a position for a mate, at most `nodes` nodes, for at most `time`, and until
    /// `is_over` is true. Returns the number of nodes; 0 if this guide cannot search.
    fn search(
        &self,
        _pos: &Position,
        _nodes: u64,
        _time: Option<Duration>,
        _is_over: &(dyn Fn() -> bool + Sync),
    ) -> u64 {
        0
    }
}

impl fmt::Debug for dyn Guide + '_ {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Guide")
    }
}
