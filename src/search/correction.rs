//! Correction histories: how far the static evaluation of positions with something in common
//! (pawns, king rings, pieces of one side, the moves that led there) was from what a search
//! found, and the mending of it.
//! Invariant: indices come from [`Keys`] and [`PieceTo`], so every lookup is in range.

use super::history::{PieceTo, boxed, gravitate};
use super::{memory, params};
use crate::eval::score::{TABLE_BOUND, Value};
use crate::rules::{Bitboard, Color, PieceType, Position, attacks};

/// Entries of a table; a power of two.
const SIZE: usize = 1 << 14;
/// An entry holds this many units a centipawn.
const GRAIN: i32 = 128;
/// Bound of an entry: 64 centipawns either way, before weights.
const LIMIT: i32 = 64 * GRAIN;

type Entries = Box<[[i16; SIZE]; 2]>;

/// What positions have in common, as indices of the correction tables.
#[derive(Clone, Copy, Default, Debug)]
pub struct Keys {
    pawns: usize,
    rings: usize,
    pieces: [usize; 2],
}

/// Spreads one more bitboard over a hash.
fn mix(hash: u64, board: Bitboard) -> u64 {
    let spread = (hash ^ board.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    spread ^ spread >> 29
}

fn index(hash: u64) -> usize {
    (hash >> 32) as usize % SIZE
}

impl Keys {
    /// The keys of a position.
    pub fn of(pos: &Position) -> Keys {
        let pawns = pos.of_kind(PieceType::Pawn);
        let kings = pos.of_kind(PieceType::King);
        let by_color = |hash, men: Bitboard| {
            let hash = mix(hash, men & pos.colored(Color::White));
            mix(hash, men & pos.colored(Color::Black))
        };
        let ring = Color::ALL
            .into_iter()
            .filter_map(|color| pos.king(color))
            .fold(Bitboard::EMPTY, |ring, king| ring | attacks::king(king));
        let pieces = |color| {
            let men = pos.colored(color) - pawns - kings;
            [
                PieceType::Knight,
                PieceType::Bishop,
                PieceType::Rook,
                PieceType::Queen,
            ]
            .into_iter()
            .fold(1, |hash, kind| mix(hash, men & pos.of_kind(kind)))
        };
        Keys {
            pieces: Color::ALL.map(|color| index(pieces(color))),
            pawns: index(by_color(1, pawns)),
            rings: index(by_color(
                mix(by_color(1, kings), ring & pawns),
                ring - pawns,
            )),
        }
    }

    /// The index of the pawns alone, less than `size`.
    pub fn pawns(&self, size: usize) -> usize {
        self.pawns % size
    }
}

/// What one thread has learnt of the evaluation's errors.
pub struct Corrections {
    /// `[side to move][pawns of both sides]`.
    pawns: Entries,
    /// `[side to move][men around both kings, and the kings]`.
    rings: Entries,
    /// `[colour of the pieces][side to move][pieces of that colour]`.
    pieces: [Entries; 2],
    /// `[two plies before][one ply before]`.
    moves: Box<[[i16; 768]; 768]>,
}

impl Corrections {
    pub(super) fn new() -> Corrections {
        Corrections {
            pawns: boxed(),
            rings: boxed(),
            pieces: [boxed(), boxed()],
            moves: boxed(),
        }
    }

    /// `raw`, the static evaluation, mended by what earlier searches found.
    pub(super) fn mended(
        &self,
        raw: Value,
        side: Color,
        keys: &Keys,
        line: [Option<PieceTo>; 2],
    ) -> Value {
        let side = side.index();
        let mut sum = params::corr_pawns() * i32::from(self.pawns[side][keys.pawns])
            + params::corr_rings() * i32::from(self.rings[side][keys.rings]);
        for (table, key) in self.pieces.iter().zip(keys.pieces) {
            sum += params::corr_pieces() * i32::from(table[side][key]);
        }
        if let [Some(last), Some(before)] = line {
            sum += params::corr_moves() * i32::from(self.moves[before.index()][last.index()]);
        }
        (raw + sum / (64 * GRAIN)).clamp(1 - TABLE_BOUND, TABLE_BOUND - 1)
    }

    /// Brings what is known of a line (last move first) into the processor's caches.
    pub(super) fn prefetch(&self, line: [Option<PieceTo>; 2]) {
        if let [Some(last), Some(before)] = line {
            memory::prefetch(&self.moves[before.index()][last.index()]);
        }
    }

    /// Learns that a search `depth` plies deep was `error` centipawns above the mended
    /// evaluation.
    pub(super) fn learn(
        &mut self,
        error: Value,
        depth: i32,
        side: Color,
        keys: &Keys,
        line: [Option<PieceTo>; 2],
    ) {
        let bonus = (error * depth * params::corr_rate()).clamp(-LIMIT / 4, LIMIT / 4);
        let side = side.index();
        nudge(&mut self.pawns[side][keys.pawns], bonus);
        nudge(&mut self.rings[side][keys.rings], bonus);
        for (table, key) in self.pieces.iter_mut().zip(keys.pieces) {
            nudge(&mut table[side][key], bonus);
        }
        if let [Some(last), Some(before)] = line {
            nudge(&mut self.moves[before.index()][last.index()], bonus);
        }
    }
}

fn nudge(entry: &mut i16, bonus: i32) {
    gravitate::<LIMIT>(entry, bonus);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::Variant;

    fn keys(text: &str) -> Keys {
        Keys::of(&fen::parse(text, Variant::Atomic).unwrap())
    }

    #[test]
    fn keys_tell_apart_what_they_are_for() {
        let base = keys("4k3/3p4/8/7n/8/8/4P3/R3K3 w - - 0 1");
        let rook = keys("4k3/3p4/8/7n/8/R7/4P3/4K3 w - - 0 1");
        assert_eq!((base.pawns, base.rings), (rook.pawns, rook.rings));
        let beside = keys("4k3/3p4/8/7n/8/8/4P3/3RK3 w - - 0 1");
        assert_eq!(base.pawns, beside.pawns);
        assert_ne!(base.rings, beside.rings);
        let pawn = keys("4k3/3p4/8/7n/4P3/8/8/R3K3 w - - 0 1");
        assert_ne!(base.pawns, pawn.pawns);
        // The same men in the other colours are another structure.
        let swapped = keys("4k3/3P4/8/7n/8/8/4p3/R3K3 w - - 0 1");
        assert_ne!(base.pawns, swapped.pawns);
    }

    #[test]
    fn learns_within_bounds() {
        let mut corrections = Corrections::new();
        let (here, there) = (
            keys("4k3/3p4/8/7n/8/8/4P3/R3K3 w - - 0 1"),
            keys("6k1/5p2/8/7b/8/8/P7/Q3K3 w - - 0 1"),
        );
        let mended = |corrections: &Corrections, keys: &Keys, side| {
            corrections.mended(100, side, keys, [None; 2])
        };
        assert_eq!(mended(&corrections, &here, Color::White), 100);
        let mut last = 100;
        for _ in 0..200 {
            corrections.learn(80, 6, Color::White, &here, [None; 2]);
            let now = mended(&corrections, &here, Color::White);
            assert!(now >= last);
            last = now;
        }
        // Four tables of at most 64 centipawns, each with a weight of at most two.
        assert!(last > 105 && last <= 100 + 4 * 2 * 64, "{last}");
        assert_eq!(mended(&corrections, &here, Color::Black), 100);
        assert_eq!(mended(&corrections, &there, Color::White), 100);
        for _ in 0..400 {
            corrections.learn(-80, 6, Color::White, &here, [None; 2]);
        }
        assert!(mended(&corrections, &here, Color::White) < 95);
        assert_eq!(
            corrections.mended(TABLE_BOUND - 1, Color::Black, &there, [None; 2]),
            TABLE_BOUND - 1
        );
    }
}
