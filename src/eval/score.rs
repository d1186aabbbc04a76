//! Values in centipawns and how mates are counted in them.
//! Invariant: |value| < `TABLE_BOUND` for every static evaluation.

/// A value in centipawns from the side to move's view, or a distance to mate.
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
/// How a win by the tablebases is shown: the plies to where it begins are taken off.
const SHOWN_TABLE_WIN: i32 = 20_000;
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

/// A value as a user reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Centipawns; about ±20000 for a win by the tablebases.
    Centipawns(i32),
    /// Moves (not plies) to the end; negative when the side to move loses, 0 when it has
    /// already lost.
    Mate(i32),
}

/// The value as a user reads it.
pub const fn shown(value: Value) -> Shown {
    if value >= MATE_BOUND {
        Shown::Mate((MATE - value + 1) / 2)
    } else if value <= -MATE_BOUND {
        Shown::Mate(-((MATE + value) / 2))
    } else if value >= TABLE_BOUND {
        Shown::Centipawns(SHOWN_TABLE_WIN - (TABLE_WIN - value))
    } else if value <= -TABLE_BOUND {
        Shown::Centipawns(-SHOWN_TABLE_WIN + (TABLE_WIN + value))
    } else {
        Shown::Centipawns(value)
    }
}

/// Win, draw and loss in thousandths for a value: a plain logistic curve, not fitted to
/// games of any kind yet.
pub fn win_draw_loss(value: Value) -> [u32; 3] {
    let chance = |v: Value| 1000.0 / (1.0 + (-(f64::from(v) - 150.0) / 120.0).exp());
    let win = chance(value).round() as u32;
    let loss = chance(-value).round() as u32;
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_shown_in_moves() {
        assert_eq!(shown(win_in(1)), Shown::Mate(1));
        assert_eq!(shown(win_in(3)), Shown::Mate(2));
        assert_eq!(shown(loss_in(0)), Shown::Mate(0));
        assert_eq!(shown(loss_in(2)), Shown::Mate(-1));
        assert_eq!(shown(-31), Shown::Centipawns(-31));
    }

    #[test]
    fn table_wins_lie_between_values_and_mates() {
        for ply in 0..MAX_PLY {
            let (win, loss) = (table_win_in(ply), table_loss_in(ply));
            assert!(is_decisive(win) && is_decisive(loss) && !is_mate(win) && !is_mate(loss));
            assert_eq!(shown(win), Shown::Centipawns(20_000 - ply as i32));
            assert_eq!(shown(loss), Shown::Centipawns(ply as i32 - 20_000));
            assert!(win_in(MAX_PLY) > win);
        }
        assert!(!is_decisive(TABLE_BOUND - 1));
    }

    #[test]
    fn win_draw_loss_adds_up() {
        for value in (-2000..=2000).step_by(50) {
            assert_eq!(win_draw_loss(value).iter().sum::<u32>(), 1000);
        }
    }
}
