//! Cuts. Each function states what it assumes and why that holds in atomic chess; the node
//! asks, and decides nothing about margins itself. Depths in plies, values in centipawns.

use super::params;
use crate::eval::score::{TABLE_BOUND, Value};

/// What a node knows before its first move.
pub(super) struct Outlook {
    pub(super) depth: i32,
    /// Static evaluation, bettered by what the table knows.
    pub(super) eval: Value,
    /// The static evaluation rose since our last move.
    pub(super) improving: bool,
    /// It is better for us than before the enemy's last move.
    pub(super) worsening: bool,
    /// The enemy could explode our king if it were its move.
    pub(super) threatened: bool,
}

/// Reverse futility: so far above beta that a shallow search will not fall below. Assumes
/// that one enemy move costs no more than the margin, which is false while he threatens the
/// king: then never.
pub(super) fn is_far_above(node: &Outlook, beta: Value) -> bool {
    let margin = params::rfp_margin() * (node.depth - i32::from(node.improving))
        - params::rfp_worsening() * i32::from(node.worsening);
    !node.threatened
        && node.depth <= params::rfp_depth()
        && beta > -TABLE_BOUND
        && node.eval < TABLE_BOUND
        && node.eval - margin >= beta
}

/// Razoring: so far below alpha that only a capture could save it, which quiescence will
/// see. Blasts win more than captures in chess, hence the wide margin.
pub(super) fn is_far_below(node: &Outlook, alpha: Value) -> bool {
    node.depth <= params::razor_depth()
        && alpha < TABLE_BOUND
        && node.eval + params::razor_margin() * node.depth < alpha
}

/// Null move: by how many plies to reduce a search after passing, if passing is sensible.
/// Assumes that some move is better than none; and that a free enemy move is not an
/// explosion at once, in which case the search after it fails at once and was wasted. The
/// reduction ignores how far above beta the node is: a deep cut hides explosions.
pub(super) fn null_reduction(node: &Outlook, beta: Value) -> Option<i32> {
    let sensible = !node.threatened && node.depth >= 2 && node.eval >= beta && beta > -TABLE_BOUND;
    sensible.then(|| params::null_base() + node.depth / params::null_divisor())
}

/// Late-move pruning: how many quiet moves to look at. Captures decide atomic games, so
/// quiet moves far down the list are dropped earlier than in chess.
pub(super) fn quiets_worth_trying(node: &Outlook) -> i32 {
    (params::lmp_base() + node.depth * node.depth * params::lmp_scale() / 100)
        / (3 - i32::from(node.improving))
}

/// Futility of a quiet move: the static evaluation plus what a quiet move may gain stays
/// below alpha. Not for moves that check or attack a fuse, which gain more.
pub(super) fn is_futile(node: &Outlook, reduced_depth: i32, history: i32, alpha: Value) -> bool {
    let depth = reduced_depth.max(0);
    let margin = params::futility_base() + params::futility_margin() * depth + history / 128;
    depth <= params::futility_depth() && alpha < TABLE_BOUND && node.eval + margin <= alpha
}

/// Near the leaves, a quiet move that failed again and again elsewhere: it will here too. A
/// move that failed because it blew up the own king is no worse for it, so the bound is low.
pub(super) fn is_disliked(depth: i32, history: i32) -> bool {
    depth <= 5 && history < -params::hist_prune() * depth
}

/// The least blast SEE that a quiet move must have to be searched.
pub(super) fn quiet_see_bound(reduced_depth: i32) -> Option<Value> {
    let depth = reduced_depth.max(0);
    (depth <= params::see_depth()).then(|| -params::see_quiet() * depth * depth)
}

/// Futility of a capture: the static evaluation and all that the blast takes, bystanders
/// included, stay this far below alpha. A capture ends its own exchange, so nothing follows
/// that the blast does not count; but it may open a way to the king, hence the margin.
pub(super) fn is_futile_capture(node: &Outlook, see: Value, alpha: Value) -> bool {
    alpha < TABLE_BOUND && node.eval + see + params::cap_futility() * (node.depth + 1) <= alpha
}

/// The least blast SEE that a capture must have to be searched.
pub(super) fn capture_see_bound(depth: i32) -> Option<Value> {
    (depth <= params::see_depth()).then(|| -params::see_capture() * depth)
}
