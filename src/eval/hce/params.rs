//! Every weight of the handcrafted evaluation, in centipawns as (midgame, endgame) pairs.
//! Chosen by hand as a start; tuning changes this file only.

use super::Pair;

const fn p(mg: i32, eg: i32) -> Pair {
    Pair { mg, eg }
}

/// Worth of pawn to king. Minor pieces count for less than in chess, because each can
/// capture only once; the king's worth is its mate, not a number here.
pub(super) const MATERIAL: [Pair; 6] = [
    p(100, 135),
    p(190, 230),
    p(215, 240),
    p(320, 370),
    p(620, 720),
    p(0, 0),
];

/// For each man, whatever it is: every capture costs the capturer, so the last men decide.
pub(super) const PIECE_COUNT: Pair = p(8, 18);

/// By rank as the owner sees it, pawn to king. Men in enemy territory defend themselves by
/// what they threaten to blow up.
pub(super) const BY_RANK: [[Pair; 8]; 6] = [
    [
        p(0, 0),
        p(0, 0),
        p(0, 4),
        p(6, 12),
        p(16, 24),
        p(30, 50),
        p(45, 90),
        p(0, 0),
    ],
    [
        p(-25, -20),
        p(-8, -8),
        p(4, 0),
        p(14, 6),
        p(26, 12),
        p(30, 14),
        p(20, 8),
        p(5, 0),
    ],
    [
        p(-18, -12),
        p(-4, -4),
        p(4, 0),
        p(10, 4),
        p(18, 8),
        p(20, 10),
        p(14, 6),
        p(5, 0),
    ],
    [
        p(-6, -4),
        p(-2, -2),
        p(4, 0),
        p(8, 4),
        p(14, 8),
        p(18, 10),
        p(24, 14),
        p(14, 8),
    ],
    [
        p(-12, -16),
        p(0, -4),
        p(8, 4),
        p(14, 10),
        p(20, 16),
        p(22, 18),
        p(22, 18),
        p(12, 10),
    ],
    [
        p(12, -30),
        p(0, -10),
        p(-20, 0),
        p(-35, 10),
        p(-45, 16),
        p(-50, 18),
        p(-50, 14),
        p(-40, 6),
    ],
];

/// By distance from the edge file (a or h is 0, d or e is 3), pawn to king.
pub(super) const BY_FILE: [[Pair; 4]; 6] = [
    [p(0, 6), p(0, 2), p(2, 0), p(8, -2)],
    [p(-14, -10), p(-4, -4), p(4, 2), p(8, 6)],
    [p(-6, -6), p(0, 0), p(2, 2), p(4, 4)],
    [p(-2, 0), p(0, 0), p(3, 0), p(6, 0)],
    [p(-6, -6), p(0, 0), p(4, 2), p(6, 4)],
    [p(14, -8), p(10, -2), p(-6, 2), p(-10, 4)],
];

/// For each square attacked that no own man occupies, knight to queen.
pub(super) const MOBILITY: [Pair; 4] = [p(4, 4), p(4, 4), p(3, 5), p(2, 4)];

/// Share, in 256ths, of the material that the best blast at hand would win.
pub(super) const BEST_BLAST: Pair = p(56, 56);
/// Share, in 256ths, of what all other blasts at hand would win.
pub(super) const OTHER_BLASTS: Pair = p(20, 20);

/// For each square of the enemy king's ring attacked, pawn to queen.
pub(super) const RING_ATTACK: [i32; 5] = [5, 7, 6, 7, 6];
/// For each man in that ring attacked, whose capture would explode the king.
pub(super) const RING_TARGET: i32 = 22;
/// Danger `d` counts as `d + d * d / DANGER_CURVE` centipawns.
pub(super) const DANGER_CURVE: i32 = 90;
/// Endgame share of the danger, in 256ths.
pub(super) const DANGER_ENDGAME: i32 = 150;

/// For each man, of either side, beside the own king: a square it cannot flee to and a
/// target whose explosion reaches it.
pub(super) const CONFINED_OWN: Pair = p(-7, -5);
/// See [`CONFINED_OWN`].
pub(super) const CONFINED_ENEMY: Pair = p(4, 6);

/// For the side with less material while the kings touch and no check counts.
pub(super) const TOUCHING: Pair = p(25, 90);

/// A passed pawn by its rank as the owner sees it.
pub(super) const PASSED: [Pair; 8] = [
    p(0, 0),
    p(4, 8),
    p(8, 14),
    p(14, 28),
    p(30, 56),
    p(60, 110),
    p(110, 190),
    p(0, 0),
];
/// Further, for each king step between the enemy king and the pawn.
pub(super) const PASSED_DISTANCE: Pair = p(1, 8);

/// For the side to move.
pub(super) const TEMPO: Pair = p(28, 24);

/// Weight of knight, bishop, rook and queen in the game phase; the full board has 24.
pub(super) const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
