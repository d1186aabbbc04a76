//! Correction history: the average error of the static evaluation in positions that share a
//! feature (pawns, king rings, pieces of one colour, the last two moves), and the correction
//! of the evaluation by it.
//! Invariant: indices come from [`CorrectionKeys`] and [`PieceTo`], so every lookup is in
//! range.

use std::sync::atomic::{AtomicBool, AtomicI16, Ordering};

use super::history::{PieceTo, with_gravity};
use super::params;
use super::tt_memory::prefetch;
use crate::eval::score::{TB_WIN_IN_MAX_PLY, Value};
use crate::rules::{Bitboard, Color, PieceType, Position, attacks};

/// Entries of a table for each side to move; a power of two.
const SIZE: usize = 1 << 14;
/// Units of an entry per centipawn.
const UNITS_PER_CENTIPAWN: i32 = 128;
/// Bound of an entry: ±64 centipawns before weights.
const MAX_CORRECTION: i32 = 64 * UNITS_PER_CENTIPAWN;

/// `[side to move][feature]`.
type CorrectionTable = [Box<[AtomicI16; SIZE]>; 2];

/// The features of a position, as indices of the correction tables.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct CorrectionKeys {
    pawn: usize,
    king_ring: usize,
    /// Knights, bishops, rooks and queens of White and of Black.
    non_pawn: [usize; 2],
}

fn mix(hash: u64, board: Bitboard) -> u64 {
    let spread = (hash ^ board.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    spread ^ spread >> 29
}

fn index(hash: u64) -> usize {
    (hash >> 32) as usize % SIZE
}

/// Mixes the squares of White and of Black among `pieces` into a hash.
fn mix_colors(hash: u64, pos: &Position, pieces: Bitboard) -> u64 {
    let hash = mix(hash, pieces & pos.by_color(Color::White));
    mix(hash, pieces & pos.by_color(Color::Black))
}

fn king_rings(pos: &Position) -> Bitboard {
    Color::ALL
        .into_iter()
        .filter_map(|color| pos.king(color))
        .fold(Bitboard::EMPTY, |ring, king| ring | attacks::king(king))
}

fn pawn_index(pos: &Position) -> usize {
    index(mix_colors(1, pos, pos.by_type(PieceType::Pawn)))
}

fn king_ring_index(pos: &Position) -> usize {
    let (ring, pawns) = (king_rings(pos), pos.by_type(PieceType::Pawn));
    let kings = mix_colors(1, pos, pos.by_type(PieceType::King));
    let with_pawns = mix(kings, ring & pawns);
    index(mix_colors(with_pawns, pos, ring - pawns))
}

fn non_pawn_index(pos: &Position, color: Color) -> usize {
    let pieces = pos.by_color(color);
    let add = |hash, piece_type| mix(hash, pieces & pos.by_type(piece_type));
    index(PieceType::PIECES.into_iter().fold(1, add))
}

impl CorrectionKeys {
    pub fn new(pos: &Position) -> CorrectionKeys {
        CorrectionKeys {
            pawn: pawn_index(pos),
            king_ring: king_ring_index(pos),
            non_pawn: Color::ALL.map(|color| non_pawn_index(pos, color)),
        }
    }

    /// The keys of `pos`, if `self` are the keys before its last move or null move. After a quiet
    /// move, only the keys that contain the moved piece are computed.
    pub fn after_move(&self, pos: &Position) -> CorrectionKeys {
        let Some(change) = pos.last_change() else {
            return CorrectionKeys::new(pos);
        };
        let (piece, from, to) = match (change.removed.as_slice(), change.added.as_slice()) {
            ([], []) => return *self,
            (&[(piece, from)], &[(placed, to)]) if piece == placed => (piece, from, to),
            _ => return CorrectionKeys::new(pos),
        };
        let mut keys = *self;
        let rings = king_rings(pos);
        let touches_ring = rings.contains(from) || rings.contains(to);
        match piece.piece_type() {
            PieceType::Pawn => keys.pawn = pawn_index(pos),
            PieceType::King => keys.king_ring = king_ring_index(pos),
            _ => keys.non_pawn[piece.color().index()] = non_pawn_index(pos, piece.color()),
        }
        if touches_ring && piece.piece_type() != PieceType::King {
            keys.king_ring = king_ring_index(pos);
        }
        keys
    }

    fn indices(&self) -> [usize; 4] {
        let [white, black] = self.non_pawn;
        [self.pawn, self.king_ring, white, black]
    }

    /// The pawn structure as an index less than `size`.
    pub fn pawn_history_index(&self, size: usize) -> usize {
        self.pawn % size
    }
}

/// The correction history of all threads. An update is a load and a store, so one of two that
/// coincide may be lost.
pub struct CorrectionHistory {
    /// By the pawns of both sides, by both kings and the pieces around them, and by the pieces of
    /// White and of Black.
    tables: [CorrectionTable; 4],
    /// `[move two plies earlier][last move]`.
    continuation: Box<[[AtomicI16; PieceTo::COUNT]]>,
    /// The rows of `continuation` written to since they were last cleared.
    written: Box<[AtomicBool]>,
}

fn clear(entries: &mut [AtomicI16]) {
    for entry in entries {
        *entry.get_mut() = 0;
    }
}

impl CorrectionHistory {
    pub fn new() -> CorrectionHistory {
        let rows = 0..PieceTo::COUNT;
        let table = |_| Box::new([const { AtomicI16::new(0) }; SIZE]);
        CorrectionHistory {
            tables: std::array::from_fn(|_| std::array::from_fn(table)),
            continuation: rows
                .clone()
                .map(|_| [const { AtomicI16::new(0) }; PieceTo::COUNT])
                .collect(),
            written: rows.map(|_| AtomicBool::new(false)).collect(),
        }
    }

    pub fn clear(&mut self) {
        for side in self.tables.as_flattened_mut() {
            clear(&mut side[..]);
        }
        for (row, written) in self.continuation.iter_mut().zip(&mut self.written) {
            if std::mem::take(written.get_mut()) {
                clear(row);
            }
        }
    }

    fn entries(&self, side_to_move: Color, keys: &CorrectionKeys) -> [&AtomicI16; 4] {
        let (side, indices) = (side_to_move.index(), keys.indices());
        std::array::from_fn(|table| &self.tables[table][side][indices[table]])
    }

    /// `raw_eval`, the static evaluation of the side to move in centipawns, plus the weighted
    /// corrections. `previous_moves` are the moves one and two plies earlier.
    pub fn correct(
        &self,
        raw_eval: Value,
        side_to_move: Color,
        keys: &CorrectionKeys,
        previous_moves: [Option<PieceTo>; 2],
    ) -> Value {
        let pieces = params::corr_pieces();
        let weights = [params::corr_pawns(), params::corr_rings(), pieces, pieces];
        let entries = self.entries(side_to_move, keys);
        let weighted = entries.iter().zip(weights);
        let mut sum: i32 = weighted.map(|(entry, weight)| weight * load(entry)).sum();
        if let [Some(last), Some(before)] = previous_moves {
            let entry = &self.continuation[before.index()][last.index()];
            sum += params::corr_moves() * load(entry);
        }
        (raw_eval + sum / (64 * UNITS_PER_CENTIPAWN))
            .clamp(1 - TB_WIN_IN_MAX_PLY, TB_WIN_IN_MAX_PLY - 1)
    }

    pub fn prefetch(&self, previous_moves: [Option<PieceTo>; 2]) {
        if let [Some(last), Some(before)] = previous_moves {
            prefetch(&self.continuation[before.index()][last.index()]);
        }
    }

    pub fn prefetch_keys(&self, side_to_move: Color, keys: &CorrectionKeys) {
        for entry in self.entries(side_to_move, keys) {
            prefetch(entry);
        }
    }

    /// Records that the value of a search of `depth` plies was `error` centipawns above the
    /// corrected evaluation.
    pub fn update(
        &self,
        error: Value,
        depth: i32,
        side_to_move: Color,
        keys: &CorrectionKeys,
        previous_moves: [Option<PieceTo>; 2],
    ) {
        let max_bonus = MAX_CORRECTION / 4;
        let bonus = (error * depth * params::corr_rate()).clamp(-max_bonus, max_bonus);
        for entry in self.entries(side_to_move, keys) {
            update_entry(entry, bonus);
        }
        if let [Some(last), Some(before)] = previous_moves {
            let written = &self.written[before.index()];
            // Writing it again would take the cache line from the other threads.
            if !written.load(Ordering::Relaxed) {
                written.store(true, Ordering::Relaxed);
            }
            update_entry(&self.continuation[before.index()][last.index()], bonus);
        }
    }
}

fn load(entry: &AtomicI16) -> i32 {
    i32::from(entry.load(Ordering::Relaxed))
}

fn update_entry(entry: &AtomicI16, bonus: i32) {
    let old = entry.load(Ordering::Relaxed);
    entry.store(with_gravity::<MAX_CORRECTION>(old, bonus), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;
    use crate::walk::{self, position};

    fn keys(text: &str) -> CorrectionKeys {
        CorrectionKeys::new(&position(text))
    }

    #[test]
    fn keys_depend_only_on_their_own_features() {
        let base = keys("4k3/3p4/8/7n/8/8/4P3/R3K3 w - - 0 1");
        let rook = keys("4k3/3p4/8/7n/8/R7/4P3/4K3 w - - 0 1");
        assert_eq!((base.pawn, base.king_ring), (rook.pawn, rook.king_ring));
        let beside = keys("4k3/3p4/8/7n/8/8/4P3/3RK3 w - - 0 1");
        assert_eq!(base.pawn, beside.pawn);
        assert_ne!(base.king_ring, beside.king_ring);
        let pawn = keys("4k3/3p4/8/7n/4P3/8/8/R3K3 w - - 0 1");
        assert_ne!(base.pawn, pawn.pawn);
        // Swapping the colours of the pawns gives another structure.
        let swapped = keys("4k3/3P4/8/7n/8/8/4p3/R3K3 w - - 0 1");
        assert_ne!(base.pawn, swapped.pawn);
    }

    #[test]
    fn keys_after_a_move_are_those_from_scratch() {
        let (mut explosions, mut null_moves) = (0, 0);
        walk::visit(7, 5_000, Variant::Atomic, |pos| {
            let before = CorrectionKeys::new(pos);
            for mv in pos.legal_moves() {
                explosions += usize::from(mv.is_capture());
                pos.make(mv);
                assert_eq!(before.after_move(pos), CorrectionKeys::new(pos), "{pos:?}");
                pos.unmake();
            }
            if !pos.in_check() && pos.outcome().is_none() {
                null_moves += 1;
                pos.make_null();
                assert_eq!(before.after_move(pos), CorrectionKeys::new(pos), "{pos:?}");
                pos.unmake();
            }
        });
        assert!(explosions > 100 && null_moves > 100, "{explosions} {null_moves}");
    }

    #[test]
    fn corrections_stay_within_bounds() {
        let history = CorrectionHistory::new();
        let here = keys("4k3/3p4/8/7n/8/8/4P3/R3K3 w - - 0 1");
        let there = keys("6k1/5p2/8/7b/8/8/P7/Q3K3 w - - 0 1");
        let corrected = |eval, keys, side| history.correct(eval, side, keys, [None; 2]);
        let mut last = 100;
        for _ in 0..200 {
            history.update(80, 6, Color::White, &here, [None; 2]);
            let now = corrected(100, &here, Color::White);
            assert!(now >= last);
            last = now;
        }
        // Four tables of at most 64 centipawns, each with a weight of at most two.
        assert!(last > 105 && last <= 100 + 4 * 2 * 64, "{last}");
        assert_eq!(corrected(100, &here, Color::Black), 100);
        assert_eq!(corrected(100, &there, Color::White), 100);
        for _ in 0..400 {
            history.update(-80, 6, Color::White, &here, [None; 2]);
        }
        assert!(corrected(100, &here, Color::White) < 95);
        let most = TB_WIN_IN_MAX_PLY - 1;
        assert_eq!(corrected(most, &there, Color::Black), most);
    }
}
