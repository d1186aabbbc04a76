//! Blast SEE (static exchange evaluation): the material won or lost by the explosion that a
//! move causes or allows. A capture ends the exchange, so there is no sequence of captures.
//! Invariant: values are from the mover's point of view in centipawns; exploding a king gives
//! `SEE_KING` or `-SEE_KING`.

use super::params;
use crate::eval::score::Value;
use crate::rules::{Bitboard, Move, MoveKind, PieceType, Position, attacks};

/// The value of exploding the enemy king.
pub const SEE_KING: Value = 30_000;

/// Material values from pawn to queen in centipawns; each is greater than the one before.
pub type SeeValues = [i32; 5];

/// The material values of the search.
pub fn see_values() -> SeeValues {
    [
        params::see_pawn(),
        params::see_knight(),
        params::see_bishop(),
        params::see_rook(),
        params::see_queen(),
    ]
}

/// The blast SEE of a legal move.
///
/// For a capture: the enemy pieces in the blast minus our pieces, minus 1 for the lost tempo.
/// For a quiet move: the result of the cheapest capture on its target square, at most 0 because
/// the opponent need not capture; plus the gain of a promotion.
///
/// # Examples
/// ```
/// use brisance::notation::{coord, fen};
/// use brisance::rules::Variant;
/// use brisance::search::{SEE_KING, see, see_values};
///
/// // The rook captures the rook next to the black king, which explodes.
/// let pos = fen::parse("6rk/8/8/8/8/8/8/K5R1 w - - 0 1", Variant::Atomic).unwrap();
/// let mv = coord::parse(&pos, "g1g8").unwrap();
/// assert_eq!(see(&pos, mv, &see_values()), SEE_KING);
/// ```
pub fn see(pos: &Position, mv: Move, values: &SeeValues) -> Value {
    match mv.kind() {
        MoveKind::Castle => 0,
        kind if kind.is_capture() => capture_see(pos, mv, values),
        _ => quiet_see(pos, mv, values),
    }
}

fn material(pos: &Position, pieces: Bitboard, values: &SeeValues) -> i32 {
    let types = PieceType::ALL.into_iter().zip(values);
    types.map(|(piece_type, value)| (pieces & pos.by_type(piece_type)).count() as i32 * value).sum()
}

fn capture_see(pos: &Position, mv: Move, values: &SeeValues) -> Value {
    let us = pos.side_to_move();
    let (blast, _) = pos.changed_squares(mv.from(), mv.to(), mv.kind());
    let kings = blast & pos.by_type(PieceType::King);
    if (kings & pos.by_color(us)).any() {
        return -SEE_KING;
    }
    if kings.any() {
        return SEE_KING;
    }
    let won = material(pos, blast & pos.by_color(!us), values);
    let lost = material(pos, blast & pos.by_color(us), values);
    won - lost - 1
}

fn quiet_see(pos: &Position, mv: Move, values: &SeeValues) -> Value {
    let (us, from, to) = (pos.side_to_move(), mv.from(), mv.to());
    let Some(mover) = pos.piece_at(from).map(|piece| piece.piece_type()) else {
        return 0;
    };
    let placed = mv.promotion().unwrap_or(mover);
    let value = |piece_type: PieceType| values.get(piece_type.index()).copied().unwrap_or(0);
    let promotion_gain = if placed == mover { 0 } else { value(placed) - value(mover) };
    let occupied = pos.occupied().without(from).with(to);
    let enemies = (pos.by_color(!us) - pos.by_type(PieceType::King)) & occupied;
    let attackers = pos.attackers_to(to, occupied) & enemies;
    let Some(attacker_cost) = cheapest_attacker_cost(pos, attackers, values, attacks::king(to))
    else {
        return promotion_gain;
    };
    let ring = (attacks::king(to) - pos.by_type(PieceType::Pawn)) & occupied;
    let kings = ring & pos.by_type(PieceType::King);
    if (kings & pos.by_color(!us)).any() {
        return promotion_gain;
    }
    if mover == PieceType::King || (kings & pos.by_color(us)).any() {
        return -SEE_KING;
    }
    let lost = material(pos, ring & pos.by_color(us), values) + value(placed);
    let won = material(pos, ring & pos.by_color(!us), values) + attacker_cost;
    promotion_gain + (won - lost).min(0)
}

/// The value of the cheapest attacker; 0 for a piece inside the blast, which is lost anyway.
/// `None` without attackers.
fn cheapest_attacker_cost(
    pos: &Position,
    attackers: Bitboard,
    values: &SeeValues,
    ring: Bitboard,
) -> Option<i32> {
    if attackers.is_empty() {
        return None;
    }
    let lost_anyway = ring - pos.by_type(PieceType::Pawn);
    if (attackers & lost_anyway).any() {
        return Some(0);
    }
    let mut types = PieceType::ALL.into_iter().zip(values);
    let cheapest = types.find(|&(piece_type, _)| (attackers & pos.by_type(piece_type)).any());
    cheapest.map(|(_, &value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::coord;
    use crate::rules::{Color, Square, Variant};
    use crate::walk::{self, position};

    /// The piece values for which the expected results below were published.
    const VALUES: SeeValues = [301, 702, 738, 1079, 1862];

    #[test]
    fn see_matches_published_values() {
        for (text, mv, expected) in [
            ("7k/8/8/8/3pq3/2P5/8/K7 w - - 0 1", "c3d4", 1861),
            ("7k/8/8/8/3q4/2P1Q3/8/K7 w - - 0 1", "c3d4", -302),
            ("7k/8/8/3p4/2PPP3/2N5/8/K7 w - - 0 1", "c3d5", -402),
            ("7k/8/8/3r4/8/8/8/K2Q4 w - - 0 1", "d1d4", -783),
            ("k7/8/8/3rq3/8/8/3P4/7K w - - 0 1", "d2d4", 0),
            ("K7/8/8/8/8/8/8/4N2k w - - 0 1", "e1g2", 0),
            ("6rk/8/8/8/8/8/8/K5R1 w - - 0 1", "g1g8", SEE_KING),
            ("7k/8/8/8/3qN3/2P1R3/8/K7 w - - 0 1", "c3d4", -221),
        ] {
            let pos = position(text);
            let mv = coord::parse(&pos, mv).unwrap();
            assert_eq!(see(&pos, mv, &VALUES), expected, "{text}");
        }
    }

    #[test]
    fn capture_beside_own_king_loses_it() {
        let pos = position("7k/8/8/8/8/8/3r4/2KR4 w - - 0 1");
        let [from, to] = ["d1", "d2"].map(|name| Square::parse(name).unwrap());
        let mv = Move::new(from, to, MoveKind::Capture);
        assert_eq!(see(&pos, mv, &VALUES), -SEE_KING);
    }

    /// The material that `us` loses between two positions minus the material that the other side
    /// loses.
    fn net_loss(before: &Position, after: &Position, us: Color) -> i32 {
        let material = |pos: &Position, color: Color| -> i32 {
            let pieces = Square::all().filter_map(|square| pos.piece_at(square));
            pieces
                .filter(|piece| piece.color() == color)
                .filter_map(|piece| VALUES.get(piece.piece_type().index()))
                .sum()
        };
        let lost = |color| material(before, color) - material(after, color);
        lost(us) - lost(!us)
    }

    /// The value of a move by making it and, after a quiet move, every capture on its target.
    fn see_by_making(pos: &mut Position, mv: Move) -> Value {
        let us = pos.side_to_move();
        let before = pos.clone();
        pos.make(mv);
        let value = if mv.is_capture() {
            match pos.king(!us) {
                None => SEE_KING,
                Some(_) => -net_loss(&before, pos, us) - 1,
            }
        } else if mv.kind() == MoveKind::Castle {
            0
        } else {
            let after = pos.clone();
            let replies = pos.legal_moves().into_iter();
            let captures = replies.filter(|reply| reply.is_capture() && reply.to() == mv.to());
            let losses = captures.map(|reply| {
                pos.make(reply);
                let loss = match pos.king(us) {
                    None => SEE_KING,
                    Some(_) => net_loss(&after, pos, us),
                };
                pos.unmake();
                loss
            });
            match losses.max() {
                Some(SEE_KING) => -SEE_KING,
                worst => -net_loss(&before, &after, us) - worst.unwrap_or(0).max(0),
            }
        };
        pos.unmake();
        value
    }

    /// Without check every capture that `see` counts is legal.
    #[test]
    fn see_agrees_with_making_the_moves() {
        let (mut captures, mut quiets) = ([0; 3], [0; 3]);
        walk::visit(5, 2_000, Variant::NoCheckAtomic, |pos| {
            for mv in pos.legal_moves() {
                let expected = see_by_making(pos, mv);
                assert_eq!(see(pos, mv, &VALUES), expected, "{pos:?} {mv:?}");
                let counts = if mv.is_capture() { &mut captures } else { &mut quiets };
                counts[(expected.signum() + 1) as usize] += 1;
            }
        });
        assert!(captures[0] > 100 && captures[2] > 100, "{captures:?}");
        assert!(quiets.iter().all(|&count| count > 100), "{quiets:?}");
    }
}
