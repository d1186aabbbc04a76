//! Perft: counts the leaves of the tree of legal moves.
//! Invariant: the position is unchanged afterwards.

use super::{Move, Position};

/// The number of legal move sequences of `depth` plies. The four capture-promotions of a pawn count
/// as four moves, although they lead to one position. The moves of the last ply are counted without
/// being made (bulk counting).
///
/// # Examples
/// ```
/// use brisance::rules::{Position, Variant, perft};
///
/// let mut pos = Position::startpos(Variant::Atomic);
/// assert_eq!(perft(&mut pos, 1), 20);
/// assert_eq!(perft(&mut pos, 3), 8902);
/// ```
pub fn perft(pos: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => pos.count_moves(),
        _ => {
            let mut nodes = 0;
            for mv in pos.legal_moves() {
                pos.make(mv);
                nodes += perft(pos, depth - 1);
                pos.unmake();
            }
            nodes
        }
    }
}

/// The [`perft`] count below each legal move, in generation order; empty at depth 0.
///
/// # Examples
/// ```
/// use brisance::rules::{Position, Variant, divide, perft};
///
/// let mut pos = Position::startpos(Variant::Atomic);
/// let counts = divide(&mut pos, 2);
/// assert_eq!(counts.len(), 20);
/// assert_eq!(counts.iter().map(|(_, nodes)| nodes).sum::<u64>(), perft(&mut pos, 2));
/// ```
pub fn divide(pos: &mut Position, depth: u32) -> Vec<(Move, u64)> {
    let mut counts = Vec::new();
    divide_until(pos, depth, &|| false, &mut |mv, nodes| counts.push((mv, nodes)));
    counts
}

/// Like [`divide`], but passes each count to `on_count`, and returns the total, or `None` soon
/// after `is_stopped` is true.
pub fn divide_until(
    pos: &mut Position,
    depth: u32,
    is_stopped: &dyn Fn() -> bool,
    on_count: &mut dyn FnMut(Move, u64),
) -> Option<u64> {
    /// Plies that are counted without a test, which takes a few milliseconds at most.
    const UNCHECKED: u32 = 3;
    let Some(rest) = depth.checked_sub(1) else {
        return Some(1);
    };
    let mut total = 0;
    for mv in pos.legal_moves() {
        if is_stopped() {
            return None;
        }
        pos.make(mv);
        let nodes = if rest <= UNCHECKED {
            Some(perft(pos, rest))
        } else {
            divide_until(pos, rest, is_stopped, &mut |_, _| {})
        };
        pos.unmake();
        on_count(mv, nodes?);
        total += nodes?;
    }
    Some(total)
}
