//! Perft: counting the leaves of the legal move tree.

use super::{Move, Position};

/// Number of legal move sequences of `depth` plies; a capture-promotion counts four times.
/// The last ply is counted without being made.
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

/// [`perft`] split by the first move, in generation order; empty at depth 0.
pub fn divide(pos: &mut Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let mut counts = Vec::new();
    for mv in pos.legal_moves() {
        pos.make(mv);
        counts.push((mv, perft(pos, rest)));
        pos.unmake();
    }
    counts
}
