//! Blast SEE: what a move wins or loses in men by the explosion it causes or invites.
//! There is no exchange sequence, because a capture ends itself. Values from the mover's
//! view in centipawns; `KING` and `-KING` when a king goes.

use super::params;
use crate::eval::score::Value;
use crate::rules::{Bitboard, Move, MoveKind, PieceType, Position, Square, attacks};

/// The value of exploding a king.
pub const KING: Value = 30_000;

/// The men that have a worth, cheapest first.
const MEN: [PieceType; 5] = [
    PieceType::Pawn,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
];

/// The worth of each man from pawn to queen.
pub type Worth = [i32; 5];

/// The worths that the search uses.
pub fn worths() -> Worth {
    [
        params::see_pawn(),
        params::see_knight(),
        params::see_bishop(),
        params::see_rook(),
        params::see_queen(),
    ]
}

/// The blast value of a legal move.
///
/// A capture counts the enemy men it blows up less its own, less one for the lost tempo. A
/// quiet move counts what the cheapest capture on its target square would cost its side,
/// never more than 0: the enemy need not take.
pub fn see(pos: &Position, mv: Move, worth: &Worth) -> Value {
    match mv.kind() {
        MoveKind::Castle => 0,
        kind if kind.is_capture() => capture(pos, mv, worth),
        _ => quiet(pos, mv, worth),
    }
}

fn sum(pos: &Position, men: Bitboard, worth: &Worth) -> i32 {
    MEN.into_iter()
        .map(|k| (men & pos.of_kind(k)).count() as i32 * worth[k.index()])
        .sum()
}

fn capture(pos: &Position, mv: Move, worth: &Worth) -> Value {
    let us = pos.side();
    let mut blasted = pos.blasted(mv.to()).with(mv.from());
    if mv.kind() == MoveKind::EnPassant {
        blasted = blasted.with(Square::new(mv.to().file(), mv.from().rank()));
    }
    let kings = blasted & pos.of_kind(PieceType::King);
    if (kings & pos.colored(us)).any() {
        return -KING;
    }
    if kings.any() {
        return KING;
    }
    sum(pos, blasted & pos.colored(!us), worth) - sum(pos, blasted & pos.colored(us), worth) - 1
}

fn quiet(pos: &Position, mv: Move, worth: &Worth) -> Value {
    let (us, from, to) = (pos.side(), mv.from(), mv.to());
    let Some(mover) = pos.piece_at(from).map(|piece| piece.kind()) else {
        return 0;
    };
    let arrived = mv.promotion().unwrap_or(mover);
    let value = |kind: PieceType| worth.get(kind.index()).copied().unwrap_or(0);
    let gained = if arrived == mover {
        0
    } else {
        value(arrived) - value(mover)
    };
    let occupied = pos.occupied().without(from).with(to);
    let enemies = (pos.colored(!us) - pos.of_kind(PieceType::King)) & occupied;
    let attackers = pos.attackers_to(to, occupied) & enemies;
    let Some(capturer) = cheapest(pos, attackers, worth, attacks::king(to)) else {
        return gained;
    };
    let ring = (attacks::king(to) - pos.of_kind(PieceType::Pawn)) & occupied;
    let kings = ring & pos.of_kind(PieceType::King);
    if (kings & pos.colored(!us)).any() {
        return gained;
    }
    if mover == PieceType::King || (kings & pos.colored(us)).any() {
        return -KING;
    }
    let lost = sum(pos, ring & pos.colored(us), worth) + value(arrived);
    let won = sum(pos, ring & pos.colored(!us), worth) + capturer;
    gained + (won - lost).min(0)
}

/// What the cheapest of the attackers costs its side: nothing extra for a piece that stands
/// in the blast anyway. `None` without attackers.
fn cheapest(pos: &Position, attackers: Bitboard, worth: &Worth, ring: Bitboard) -> Option<i32> {
    if attackers.is_empty() {
        return None;
    }
    let counted = ring - pos.of_kind(PieceType::Pawn);
    if (attackers & counted).any() {
        return Some(0);
    }
    let kind = MEN
        .into_iter()
        .find(|&kind| (attackers & pos.of_kind(kind)).any())?;
    Some(worth[kind.index()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{coord, fen};
    use crate::rules::Variant;

    /// Unit values under which the expected numbers below were published.
    const WORTH: Worth = [301, 702, 738, 1079, 1862];

    #[test]
    fn published_values() {
        for (text, mv, expected) in [
            ("7k/8/8/8/3pq3/2P5/8/K7 w - - 0 1", "c3d4", 1861),
            ("7k/8/8/8/3q4/2P1Q3/8/K7 w - - 0 1", "c3d4", -302),
            ("7k/8/8/3p4/2PPP3/2N5/8/K7 w - - 0 1", "c3d5", -402),
            ("7k/8/8/3r4/8/8/8/K2Q4 w - - 0 1", "d1d4", -783),
            ("k7/8/8/3rq3/8/8/3P4/7K w - - 0 1", "d2d4", 0),
            ("K7/8/8/8/8/8/8/4N2k w - - 0 1", "e1g2", 0),
            ("6rk/8/8/8/8/8/8/K5R1 w - - 0 1", "g1g8", KING),
            ("7k/8/8/8/3qN3/2P1R3/8/K7 w - - 0 1", "c3d4", -221),
        ] {
            let pos = fen::parse(text, Variant::Atomic).unwrap();
            let mv = coord::parse(&pos, mv).unwrap();
            assert_eq!(see(&pos, mv, &WORTH), expected, "{text}");
        }
    }

    #[test]
    fn own_king_in_the_blast() {
        let pos = fen::parse("7k/8/8/8/8/8/3r4/2KR4 w - - 0 1", Variant::Atomic).unwrap();
        let mv = Move::new(
            Square::parse("d1").unwrap(),
            Square::parse("d2").unwrap(),
            MoveKind::Capture,
        );
        assert_eq!(see(&pos, mv, &WORTH), -KING);
    }
}
