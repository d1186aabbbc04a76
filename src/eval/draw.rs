//! Scaling of evaluations towards a draw: insufficient material, touching kings, and the
//! halfmove clock.
//! Invariant: scaling never changes the sign or increases the magnitude of a value.

use crate::eval::score::Value;
use crate::rules::{Bitboard, Color, PieceType, Position};

/// Scales `value`, which is from the point of view of `color`.
pub fn scale_value(pos: &Position, value: Value, color: Color) -> Value {
    let strong_side = if value > 0 { color } else { !color };
    (i64::from(value) * i64::from(scale_factor(pos, strong_side)) / 256) as Value
}

/// Scale factor for an advantage of `strong_side`, in 256ths.
pub fn scale_factor(pos: &Position, strong_side: Color) -> i32 {
    let clock = 256 - i32::from(pos.halfmove_clock().min(100)) * 3 / 2;
    material_scale(pos, strong_side) * clock / 256
}

fn material_scale(pos: &Position, strong_side: Color) -> i32 {
    if !pos.can_win(strong_side) {
        return 0;
    }
    let kings = pos.by_type(PieceType::King);
    let count = |color| (pos.by_color(color) - kings).count();
    // A bare king has no piece next to it that could be captured, so it can only be mated, and
    // not while it touches the other king.
    if count(!strong_side) > 0 {
        return 256;
    }
    let no_pawns = pos.pieces(strong_side, PieceType::Pawn) == Bitboard::EMPTY;
    match (pos.variant().has_check() && pos.kings_touch(), no_pawns, count(strong_side)) {
        (true, true, 1) => 4,
        (true, true, _) => 96,
        (true, false, _) => 128,
        (false, _, 1) => 160,
        _ => 256,
    }
}
