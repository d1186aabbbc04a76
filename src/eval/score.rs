//! Internal values: evaluations, tablebase scores and mate scores on one scale.
//! Invariant: |evaluation| < [`TB_WIN_IN_MAX_PLY`] <= |tablebase score| < [`MATE_IN_MAX_PLY`] <=
//! |mate score| <= [`MATE`].
//!
//! # Examples
//!
//! ```
//! use brisance::eval::score::{self, MATE};
//!
//! assert_eq!(score::mate_in(3), MATE - 3);
//! assert_eq!(score::mated_in(2), -(MATE - 2));
//! assert!(score::is_mate(score::mate_in(5)) && !score::is_mate(score::tb_win_in(5)));
//! assert!(score::is_decisive(score::tb_loss_in(5)) && !score::is_decisive(1200));
//! ```

use std::ops::Neg;

use crate::rules::Color;

/// A value from the side to move's point of view. The unit is that of the network and the
/// training data, about a centipawn. Scores for display are normalised by the
/// [WDL model](super::wdl::WdlModel).
pub type Value = i32;

/// A value or score from White's point of view as one from the point of view of `color`, or the
/// reverse.
pub fn relative_to<T: Neg<Output = T>>(value: T, color: Color) -> T {
    match color {
        Color::White => value,
        Color::Black => -value,
    }
}

/// Greater than every value.
pub const INFINITE: Value = 32_001;
/// The value of having mated or exploded the enemy king; a win in `n` plies is `MATE - n`.
pub const MATE: Value = 32_000;
/// Maximum search ply, and maximum length of a line.
pub const MAX_PLY: usize = 246;
/// The lowest mate score.
pub const MATE_IN_MAX_PLY: Value = MATE - MAX_PLY as Value;
/// A tablebase win at the root, just below the lowest mate score; a tablebase win reached after
/// `n` plies is `TB_WIN - n`.
pub const TB_WIN: Value = MATE_IN_MAX_PLY - 1;
/// The lowest tablebase win score.
pub const TB_WIN_IN_MAX_PLY: Value = TB_WIN - MAX_PLY as Value;
/// A draw.
pub const DRAW: Value = 0;

/// The value of a win `ply` plies from the root.
#[inline]
pub const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// The value of a loss `ply` plies from the root.
#[inline]
pub const fn mated_in(ply: usize) -> Value {
    -MATE + ply as Value
}

/// The value of a tablebase win `ply` plies from the root.
#[inline]
pub const fn tb_win_in(ply: usize) -> Value {
    TB_WIN - ply as Value
}

/// The value of a tablebase loss `ply` plies from the root.
#[inline]
pub const fn tb_loss_in(ply: usize) -> Value {
    -TB_WIN + ply as Value
}

/// True for mate scores and tablebase wins and losses.
#[inline]
pub const fn is_decisive(value: Value) -> bool {
    value >= TB_WIN_IN_MAX_PLY || value <= -TB_WIN_IN_MAX_PLY
}

/// True for mate scores.
#[inline]
pub const fn is_mate(value: Value) -> bool {
    value >= MATE_IN_MAX_PLY || value <= -MATE_IN_MAX_PLY
}

const _: () = assert!(is_mate(mate_in(MAX_PLY)) && !is_mate(tb_win_in(0)));
const _: () = assert!(is_decisive(tb_loss_in(MAX_PLY)) && !is_decisive(TB_WIN_IN_MAX_PLY - 1));
