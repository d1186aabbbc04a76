//! The terms specific to atomic chess: threatened explosions, attacks on the ring of squares
//! around the enemy king, and pieces next to a side's own king.

use super::params;
use super::tapered::TaperedScore;
use super::terms::AttackMap;
use crate::rules::{Bitboard, Color, PieceType, Position, Square, attacks};

/// Midgame material value of the pieces in a set.
fn material_value(pos: &Position, pieces: Bitboard) -> i32 {
    let value = |piece_type: PieceType| {
        let count = (pieces & pos.by_type(piece_type)).count() as i32;
        count * params::MATERIAL[piece_type.index()].mg
    };
    PieceType::ALL.into_iter().map(value).sum()
}

/// A share of the material that the available captures would win; the best capture has the
/// largest share. Captures next to a king are left to [`king_ring`].
pub fn threats(
    pos: &Position,
    color: Color,
    king: Square,
    enemy_king: Square,
    attack_map: &AttackMap,
) -> TaperedScore {
    let us = color.index();
    let near_kings = attacks::blast(king) | attacks::blast(enemy_king);
    let (mut best, mut sum) = (0, 0);
    for target in (attack_map.all[us] & pos.by_color(!color)) - near_kings {
        let victims = pos.blast_victims(target);
        // An attacker inside the blast is one of the `victims`. The least valuable attacker is
        // subtracted as if it came from outside, which is accurate enough.
        let gain = material_value(pos, victims & pos.by_color(!color))
            - material_value(pos, victims & pos.by_color(color))
            - least_valuable_attacker(attack_map, us, target);
        if gain > 0 {
            sum += gain;
            best = best.max(gain);
        }
    }
    let shares = params::BEST_BLAST * best + params::OTHER_BLASTS * (sum - best);
    TaperedScore { mg: shares.mg / 256, eg: shares.eg / 256 }
}

/// Midgame material value of the least valuable piece that attacks `target`.
fn least_valuable_attacker(attack_map: &AttackMap, us: usize, target: Square) -> i32 {
    let piece_type = attack_map.by_type[us].iter().position(|squares| squares.contains(target));
    piece_type.map_or(0, |piece_type| params::MATERIAL[piece_type].mg)
}

/// Attacks on the ring of the enemy king. Attacked enemy pieces in the ring count most, because
/// capturing one explodes the king. The term is halved while the kings touch, because most of
/// the ring is then next to the attacker's king too.
pub fn king_ring(
    pos: &Position,
    color: Color,
    king: Square,
    enemy_king: Square,
    kings_touch: bool,
    attack_map: &AttackMap,
) -> TaperedScore {
    let us = color.index();
    let ring = attacks::king(enemy_king) - attacks::blast(king);
    let count_in_ring = |squares: Bitboard| (squares & ring).count() as i32;
    let mut danger: i32 = attack_map.by_type[us]
        .iter()
        .zip(params::RING_ATTACK)
        .map(|(&squares, weight)| weight * count_in_ring(squares))
        .sum();
    danger += params::RING_TARGET * count_in_ring(attack_map.all[us] & pos.by_color(!color));
    if kings_touch {
        danger /= 2;
    }
    let mg = danger + danger * danger / params::DANGER_CURVE;
    TaperedScore { mg, eg: mg * params::DANGER_ENDGAME / 256 }
}

/// Pieces next to the king. Own pieces block its flight squares and are targets whose
/// explosion destroys it; enemy pieces there cannot be captured by the enemy.
pub fn confined_king(pos: &Position, color: Color, king: Square) -> TaperedScore {
    let ring = attacks::king(king);
    params::CONFINED_OWN * (ring & pos.by_color(color)).count() as i32
        + params::CONFINED_ENEMY * (ring & pos.by_color(!color)).count() as i32
}
