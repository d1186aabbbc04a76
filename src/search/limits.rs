//! When a search ends.
//! Invariant: a search never changes its [`Limits`].

use std::time::Duration;

use crate::rules::Move;

/// When a search ends: at the first limit that it reaches. Without limits it runs until it is
/// stopped.
///
/// # Examples
/// ```
/// use brisance::engine::Engine;
/// use brisance::search::{Limits, NullListener};
///
/// let mut engine = Engine::new();
/// let limits = Limits {
///     nodes: Some(2000),
///     ..Limits::default()
/// };
/// let result = engine.go(&limits, &NullListener);
/// assert_eq!(result.nodes, 2000);
/// assert!(engine.position().is_legal(result.best_move().unwrap()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time left on the clocks of White and Black.
    pub time: [Option<Duration>; 2],
    /// Increment per move of White and Black.
    pub increment: [Duration; 2],
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Exact time for this move.
    pub move_time: Option<Duration>,
    /// Maximum depth of iterative deepening in plies.
    pub depth: Option<i32>,
    /// Maximum number of nodes of all threads; exact with one thread, except that depth 1 is always
    /// completed.
    pub nodes: Option<u64>,
    /// Number of nodes after which no new iteration begins.
    pub soft_nodes: Option<u64>,
    /// Nodes per millisecond, if the clock counts nodes instead of time. Games on such a clock
    /// do not depend on the speed or the load of the machine.
    pub node_time: Option<u64>,
    /// Stop once a mate in at most this many moves is found, for either side.
    pub mate: Option<i32>,
    /// Run until stopped, even after the last iteration.
    pub infinite: bool,
    /// Search during the opponent's turn, until stopped or until [`Control::ponderhit`](super::Control::ponderhit), which
    /// starts the clock.
    pub ponder: bool,
    /// Let one of several threads prove the result when the root is nearly decided. Only for
    /// analysis: the thread is missing in the search meanwhile.
    pub prove: bool,
    /// The root moves to search; all legal moves if empty.
    pub search_moves: Vec<Move>,
}
