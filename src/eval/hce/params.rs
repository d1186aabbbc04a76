//! All weights of the handcrafted evaluation, in centipawns as (midgame, endgame) pairs. They
//! were chosen by hand. Tuning the evaluation changes only this file.

use super::tapered::TaperedScore;

const fn s(mg: i32, eg: i32) -> TaperedScore {
    TaperedScore { mg, eg }
}

/// Piece values, pawn to king. Minor pieces have lower values than in orthodox chess, because
/// each can capture only once. The king has none.
#[rustfmt::skip]
pub const MATERIAL: [TaperedScore; 6] = [
    s(100, 135), s(190, 230), s(215, 240), s(320, 370), s(620, 720), s(0, 0),
];

/// Per piece of any type. Every capture costs the capturing piece, so the number of pieces
/// matters by itself.
pub const PIECE_COUNT: TaperedScore = s(8, 18);

/// Piece-square bonus by rank from the owner's perspective, pawn to king. Pieces in enemy
/// territory are protected by the material that would explode with them.
#[rustfmt::skip]
pub const BY_RANK: [[TaperedScore; 8]; 6] = [
    [s(0, 0), s(0, 0), s(0, 4), s(6, 12), s(16, 24), s(30, 50), s(45, 90), s(0, 0)],
    [s(-25, -20), s(-8, -8), s(4, 0), s(14, 6), s(26, 12), s(30, 14), s(20, 8), s(5, 0)],
    [s(-18, -12), s(-4, -4), s(4, 0), s(10, 4), s(18, 8), s(20, 10), s(14, 6), s(5, 0)],
    [s(-6, -4), s(-2, -2), s(4, 0), s(8, 4), s(14, 8), s(18, 10), s(24, 14), s(14, 8)],
    [s(-12, -16), s(0, -4), s(8, 4), s(14, 10), s(20, 16), s(22, 18), s(22, 18), s(12, 10)],
    [s(12, -30), s(0, -10), s(-20, 0), s(-35, 10), s(-45, 16), s(-50, 18), s(-50, 14), s(-40, 6)],
];

/// Piece-square bonus by distance from the edge file (a or h is 0, d or e is 3), pawn to king.
pub const BY_FILE: [[TaperedScore; 4]; 6] = [
    [s(0, 6), s(0, 2), s(2, 0), s(8, -2)],
    [s(-14, -10), s(-4, -4), s(4, 2), s(8, 6)],
    [s(-6, -6), s(0, 0), s(2, 2), s(4, 4)],
    [s(-2, 0), s(0, 0), s(3, 0), s(6, 0)],
    [s(-6, -6), s(0, 0), s(4, 2), s(6, 4)],
    [s(14, -8), s(10, -2), s(-6, 2), s(-10, 4)],
];

/// Per attacked square not occupied by an own piece, knight to queen.
pub const MOBILITY: [TaperedScore; 4] = [s(4, 4), s(4, 4), s(3, 5), s(2, 4)];

/// Share, in 256ths, of the material that the best available capture would win.
pub const BEST_BLAST: TaperedScore = s(56, 56);
/// Share, in 256ths, of the material that all other available captures would win.
pub const OTHER_BLASTS: TaperedScore = s(20, 20);

/// Per attacked square of the enemy king's ring, pawn to queen.
pub const RING_ATTACK: [i32; 5] = [5, 7, 6, 7, 6];
/// Per attacked enemy piece in that ring, whose capture would explode the king.
pub const RING_TARGET: i32 = 22;
/// King danger `d` counts as `d + d * d / DANGER_CURVE` centipawns.
pub const DANGER_CURVE: i32 = 90;
/// Endgame value of king danger, in 256ths of the midgame value.
pub const DANGER_ENDGAME: i32 = 150;

/// Per own piece next to its king: it blocks a flight square and is a target whose
/// explosion destroys the king.
pub const CONFINED_OWN: TaperedScore = s(-7, -5);
/// Per enemy piece next to the king: the enemy cannot capture there.
pub const CONFINED_ENEMY: TaperedScore = s(4, 6);

/// For the side with less material while the kings touch, because touching kings cannot be
/// checked.
pub const TOUCHING_KINGS: TaperedScore = s(25, 90);

/// Passed pawn by rank from the owner's perspective.
#[rustfmt::skip]
pub const PASSED: [TaperedScore; 8] = [
    s(0, 0), s(4, 8), s(8, 14), s(14, 28), s(30, 56), s(60, 110), s(110, 190), s(0, 0),
];
/// Passed pawn, per king move between the enemy king and the pawn.
pub const PASSED_DISTANCE: TaperedScore = s(1, 8);

/// Bonus for the side to move.
pub const TEMPO: TaperedScore = s(28, 24);

/// Weight in the game phase, pawn to king. The start position has a total of 24.
pub const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
