//! Internal values and how mates are counted in them.
//! Invariant: |value| < `TABLE_BOUND` for every static evaluation.

/// A value from the side to move's view, or a distance to mate. The unit is that of the
/// network and of training data, about a hundredth of a pawn; what a user sees is on the
/// [scale](super::wdl::Scale) fitted to games.
pub type Value = i32;

/// Above every value.
pub const INFINITE: Value = 32_001;
/// Mate at the root; a win in `n` plies is `MATE - n`.
pub const MATE: Value = 32_000;
/// The deepest ply a search reaches, and the longest line.
pub const MAX_PLY: usize = 246;
/// At or beyond this a value is a forced win or loss.
pub const MATE_BOUND: Value = MATE - MAX_PLY as Value;
/// A win by the tablebases at the root, just below the longest mate; one that begins `n`
/// plies later is `TABLE_WIN - n`.
pub const TABLE_WIN: Value = MATE_BOUND - 1;
/// At or beyond this a value is a forced win or loss, by mate or by the tablebases.
pub const TABLE_BOUND: Value = TABLE_WIN - MAX_PLY as Value;
/// A draw.
pub const DRAW: Value = 0;

/// The value of winning `ply` plies from the root.
#[inline]
pub const fn win_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// The value of losing `ply` plies from the root.
#[inline]
pub const fn loss_in(ply: usize) -> Value {
    -MATE + ply as Value
}

/// The value of a position `ply` plies from the root that the tablebases call won.
#[inline]
pub const fn table_win_in(ply: usize) -> Value {
    TABLE_WIN - ply as Value
}

/// The value of a position `ply` plies from the root that the tablebases call lost.
#[inline]
pub const fn table_loss_in(ply: usize) -> Value {
    -TABLE_WIN + ply as Value
}

/// True when the value is a forced win or loss, by mate or by the tablebases.
#[inline]
pub const fn is_decisive(value: Value) -> bool {
    value >= TABLE_BOUND || value <= -TABLE_BOUND
}

/// True when the value is a mate.
#[inline]
pub const fn is_mate(value: Value) -> bool {
    value >= MATE_BOUND || value <= -MATE_BOUND
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_wins_lie_between_values_and_mates() {
        for ply in 0..MAX_PLY {
            let (win, loss) = (table_win_in(ply), table_loss_in(ply));
            assert!(is_decisive(win) && is_decisive(loss) && !is_mate(win) && !is_mate(loss));
            assert!(win_in(MAX_PLY) > win);
        }
        assert!(!is_decisive(TABLE_BOUND - 1));
    }
}
