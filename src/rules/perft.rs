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
    let Some(remaining) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let mut counts = Vec::new();
    for mv in pos.legal_moves() {
        pos.make(mv);
        counts.push((mv, perft(pos, remaining)));
        pos.unmake();
    }
    counts
}
