//! Pruning conditions and margins. Each function states its assumption and why it holds in
//! atomic chess.
//! Invariant: all margins of the main search are here. Depths are in plies, values in
//! centipawns.

use super::params;
use crate::eval::score::{TB_WIN_IN_MAX_PLY, Value};

/// The state of a node before its first move.
pub struct NodeContext {
    pub depth: i32,
    /// Static evaluation, or the TT value if that is a better estimate.
    pub eval: Value,
    /// The static evaluation is higher than before our last move.
    pub improving: bool,
    /// The static evaluation is higher than before the opponent's last move.
    pub opponent_worsening: bool,
    /// The opponent could explode our king if it were its turn.
    pub king_threatened: bool,
}

/// Reverse futility pruning (RFP): the evaluation is so far above beta that a shallow search
/// will not fall below it. Assumes that one enemy move costs no more than the margin, which is
/// false while the king is threatened.
pub fn reverse_futility(node: &NodeContext, beta: Value) -> bool {
    let margin = params::rfp_margin() * (node.depth - i32::from(node.improving))
        - params::rfp_worsening() * i32::from(node.opponent_worsening);
    // With less than no margin the node would fail high with a value below beta.
    let margin = margin.max(0);
    !node.king_threatened
        && node.depth <= params::rfp_depth()
        && beta > -TB_WIN_IN_MAX_PLY
        && node.eval < TB_WIN_IN_MAX_PLY
        && node.eval - margin >= beta
}

/// Razoring: the evaluation is so far below alpha that only captures can raise it, so qsearch
/// decides. The margin is wide because explosions win more material than captures in chess.
pub fn razoring(node: &NodeContext, alpha: Value) -> bool {
    node.depth <= params::razor_depth()
        && alpha < TB_WIN_IN_MAX_PLY
        && node.eval + params::razor_margin() * node.depth < alpha
}

/// Null move pruning: the reduction of the search after a null move in plies, or `None` if a
/// null move should not be tried. Assumes that some move is better than none. A threatened king
/// would explode after the null move. The reduction does not grow with the distance from beta,
/// because shallow searches overlook explosions. Near the leaves the evaluation must be well above
/// beta, because there the move that is given away often wins material.
pub fn null_move_reduction(node: &NodeContext, beta: Value) -> Option<i32> {
    let margin = (params::null_margin() - params::null_margin() / 10 * node.depth).max(0);
    let allowed = !node.king_threatened
        && node.depth >= 2
        && node.eval >= beta + margin
        && beta > -TB_WIN_IN_MAX_PLY;
    allowed.then(|| params::null_base() + node.depth / params::null_divisor())
}

/// Late move pruning (LMP): the number of quiet moves to search. Captures decide atomic games,
/// so fewer late quiet moves are searched than in chess. The higher the evaluation is above
/// alpha, the more moves can raise alpha, and the more are searched.
pub fn lmp_limit(node: &NodeContext, alpha: Value) -> i32 {
    let limit = (params::lmp_base() + node.depth * node.depth * params::lmp_scale() / 100)
        / (3 - i32::from(node.improving));
    let gap = (node.eval - alpha).clamp(-100, 100);
    (limit * (100 + gap * params::lmp_gap() / 100) / 100).max(1)
}

/// Futility pruning of a quiet move: the evaluation plus what a quiet move can gain stays below
/// alpha. Not for checks and attacks on explosive targets, which can gain more.
pub fn futility(node: &NodeContext, lmr_depth: i32, history: i32, alpha: Value) -> bool {
    let depth = lmr_depth.max(0);
    let margin = params::futility_base() + params::futility_margin() * depth + history / 128;
    depth <= params::futility_depth() && alpha < TB_WIN_IN_MAX_PLY && node.eval + margin <= alpha
}

/// History pruning near the leaves: a quiet move that failed often elsewhere will fail here too.
/// The bound is low, because a move may have failed elsewhere only by exposing its king to
/// an explosion.
pub fn history_pruning(depth: i32, history: i32) -> bool {
    depth <= 5 && history < -params::hist_prune() * depth
}

/// SEE pruning of quiet moves: the minimum blast SEE of a move to be searched.
pub fn quiet_see_threshold(lmr_depth: i32) -> Option<Value> {
    let depth = lmr_depth.max(0);
    (depth <= params::see_depth()).then(|| -params::see_quiet() * depth * depth)
}

/// Futility pruning of a capture: the evaluation plus all material that the blast removes stays
/// below alpha. The exchange ends with the capture, so the blast SEE is complete; but the
/// explosion can open a line to the king, hence the margin.
pub fn capture_futility(node: &NodeContext, see: Value, alpha: Value) -> bool {
    alpha < TB_WIN_IN_MAX_PLY
        && node.eval + see + params::cap_futility() * (node.depth + 1) <= alpha
}

/// SEE pruning of captures: the minimum blast SEE of a move to be searched.
pub fn capture_see_threshold(depth: i32) -> Option<Value> {
    (depth <= params::see_depth()).then(|| -params::see_capture() * depth)
}
