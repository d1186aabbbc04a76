//! Scaling towards a draw: material that cannot win, touching kings, and the fifty-move
//! clock.

use crate::eval::score::Value;
use crate::rules::{Bitboard, Color, PieceType, Position};

/// `value`, from the view of `side`, after scaling.
pub(super) fn scaled(pos: &Position, value: Value, side: Color) -> Value {
    let strong = if value > 0 { side } else { !side };
    (i64::from(value) * i64::from(scale(pos, strong)) / 256) as Value
}

/// How much of an advantage of `strong` to believe, in 256ths.
pub(super) fn scale(pos: &Position, strong: Color) -> i32 {
    let clock = 256 - i32::from(pos.halfmove().min(100)) * 3 / 2;
    material_scale(pos, strong) * clock / 256
}

fn material_scale(pos: &Position, strong: Color) -> i32 {
    if !pos.can_win(strong) {
        return 0;
    }
    let king = pos.of_kind(PieceType::King);
    let men = |color| (pos.colored(color) - king).count();
    // Against a bare king nothing but the king itself can be blown up, and a bare king
    // that keeps in touch cannot be.
    if men(!strong) > 0 {
        return 256;
    }
    let bare = pos.pieces(strong, PieceType::Pawn) == Bitboard::EMPTY;
    match (
        pos.variant().has_check() && pos.kings_touch(),
        bare,
        men(strong),
    ) {
        (true, true, 1) => 4,
        (true, true, _) => 96,
        (true, false, _) => 128,
        (false, _, 1) => 160,
        _ => 256,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::hce::evaluate;
    use crate::notation::fen;
    use crate::rules::Variant;

    fn value(text: &str) -> Value {
        evaluate(&fen::parse(text, Variant::Atomic).unwrap())
    }

    #[test]
    fn queen_against_touching_king_is_nearly_a_draw() {
        assert!(value("2q1k3/4K3/8/8/8/8/8/8 b - - 0 1").abs() < 40);
        assert!(value("2q4k/8/8/8/8/8/8/4K3 b - - 0 1") > 200);
    }

    #[test]
    fn dead_material_is_a_draw() {
        assert_eq!(value("8/4rk2/8/8/8/8/3K4/8 w - - 0 1"), 0);
        assert_eq!(value("8/3k4/8/8/2N5/8/3K4/8 w - - 0 1"), 0);
    }
}
