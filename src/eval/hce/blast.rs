//! The terms that only atomic chess has: what each side threatens to blow up, what bears
//! on the enemy king's ring, and how closely a king is surrounded.

use super::{Pair, Reach, params};
use crate::rules::{Bitboard, Color, PieceType, Position, Square, attacks};

/// Midgame worth of the men in a set.
fn worth(pos: &Position, men: Bitboard) -> i32 {
    let of = |kind: PieceType| {
        (men & pos.of_kind(kind)).count() as i32 * params::MATERIAL[kind.index()].mg
    };
    PieceType::ALL.into_iter().map(of).sum()
}

/// A share of what the captures at hand would win, the best one counted most. Captures that
/// reach a king are left to [`king_ring`].
pub(super) fn threats(
    pos: &Position,
    color: Color,
    own: Square,
    other: Square,
    reach: &Reach,
) -> Pair {
    let us = color.index();
    let kings = attacks::blast(own) | attacks::blast(other);
    let (mut best, mut sum) = (0, 0);
    for target in (reach.all[us] & pos.colored(!color)) - kings {
        let blasted = pos.blasted(target);
        let capturer = cheapest_attacker(reach, us, target);
        // An attacker that stands in the blast is counted there already; which one it is
        // does not matter, as the cheapest is assumed to come from outside.
        let gain = worth(pos, blasted & pos.colored(!color))
            - worth(pos, blasted & pos.colored(color))
            - capturer;
        if gain > 0 {
            sum += gain;
            best = best.max(gain);
        }
    }
    let share = |part: fn(Pair) -> i32| {
        (best * part(params::BEST_BLAST) + (sum - best) * part(params::OTHER_BLASTS)) / 256
    };
    Pair {
        mg: share(|pair| pair.mg),
        eg: share(|pair| pair.eg),
    }
}

fn cheapest_attacker(reach: &Reach, us: usize, target: Square) -> i32 {
    let kind = reach.by_kind[us]
        .iter()
        .position(|squares| squares.contains(target));
    kind.map_or(0, |kind| params::MATERIAL[kind].mg)
}

/// Attacks on the ring of the enemy king; most of all on its men there, any of whose
/// captures explodes the king. Counts for little while the kings touch: most of that ring
/// is then the own king's too.
pub(super) fn king_ring(
    pos: &Position,
    color: Color,
    own: Square,
    other: Square,
    touch: bool,
    reach: &Reach,
) -> Pair {
    let us = color.index();
    let ring = attacks::king(other) - attacks::blast(own);
    let attacked = |squares: Bitboard| (squares & ring).count() as i32;
    let mut danger: i32 = reach.by_kind[us]
        .iter()
        .zip(params::RING_ATTACK)
        .map(|(&squares, weight)| weight * attacked(squares))
        .sum();
    danger += params::RING_TARGET * attacked(reach.all[us] & pos.colored(!color));
    if touch {
        danger /= 2;
    }
    let mg = danger + danger * danger / params::DANGER_CURVE;
    Pair {
        mg,
        eg: mg * params::DANGER_ENDGAME / 256,
    }
}

/// Men beside the own king take its squares and are fuses to it. Enemy men there cannot be
/// blown up by their own side.
pub(super) fn confined_king(pos: &Position, color: Color, own: Square) -> Pair {
    let ring = attacks::king(own);
    params::CONFINED_OWN * (ring & pos.colored(color)).count() as i32
        + params::CONFINED_ENEMY * (ring & pos.colored(!color)).count() as i32
}
