//! The transposition table (TT): clusters of atomic words, shared by all threads without locks.
//! Invariant: an entry is valid only if its two words belong together (key = first word xor
//! second word), so a torn write reads as a miss.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use rayon::prelude::*;

use super::Bound;
use super::tt_memory::prefetch;
use super::tt_memory::{CLUSTER_SIZE, Cluster, TtMemory};
use crate::eval::score::{self, Value};
use crate::proof::Guide;
use crate::rules::{Move, Position};
use crate::util;

/// Number of different generations; a power of two that fits into five bits.
const GENERATIONS: u8 = 32;

/// The largest table in bytes that is cleared by writing zeroes, which takes a few hundredths of
/// a second. A larger one is replaced by new memory, and the old memory is freed meanwhile.
const MAX_WRITTEN_CLEAR: usize = 64 << 20;

/// The stored result of the search of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtEntry {
    /// The best move or the move that caused the cutoff.
    pub mv: Option<Move>,
    /// The value; mates and tablebase wins are counted in plies from this position.
    pub value: Value,
    /// The static evaluation in centipawns before correction; `None` in check.
    pub raw_eval: Option<Value>,
    /// Remaining depth of the search in plies.
    pub depth: i32,
    /// How the value relates to the exact value.
    pub bound: Bound,
    /// The position was searched as a PV node.
    pub is_pv: bool,
}

const NO_EVAL: i16 = i16::MIN;

// Second word: move 0–15, value 16–31, raw_eval 32–47, depth 48–55, bound 56–57, is_pv 58,
// generation 59–63.
fn pack(entry: &TtEntry, generation: u8) -> u64 {
    let mv = entry.mv.map_or(0, Move::code);
    let eval = entry.raw_eval.map_or(NO_EVAL, |eval| eval as i16);
    let bound = match entry.bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => 3,
    };
    u64::from(mv)
        | u64::from(entry.value as i16 as u16) << 16
        | u64::from(eval as u16) << 32
        | u64::from(entry.depth.clamp(0, 255) as u8) << 48
        | bound << 56
        | u64::from(entry.is_pv) << 58
        | u64::from(generation) << 59
}

fn unpack(word: u64) -> Option<TtEntry> {
    let bound = match word >> 56 & 3 {
        1 => Bound::Upper,
        2 => Bound::Lower,
        3 => Bound::Exact,
        _ => return None,
    };
    let eval = (word >> 32) as u16 as i16;
    Some(TtEntry {
        mv: Move::from_code(word as u16),
        value: Value::from((word >> 16) as u16 as i16),
        raw_eval: (eval != NO_EVAL).then_some(Value::from(eval)),
        depth: i32::from((word >> 48) as u8),
        bound,
        is_pv: word >> 58 & 1 != 0,
    })
}

fn depth_of(word: u64) -> i32 {
    i32::from((word >> 48) as u8)
}

fn generation_of(word: u64) -> u8 {
    (word >> 59) as u8
}

/// Converts a value for the TT: mates and tablebase wins are counted from the position instead
/// of the root, `ply` plies earlier.
pub fn value_to_tt(value: Value, ply: usize) -> Value {
    if score::is_decisive(value) { value + value.signum() * ply as Value } else { value }
}

/// The inverse of [`value_to_tt`].
pub fn value_from_tt(value: Value, ply: usize) -> Value {
    if score::is_decisive(value) { value - value.signum() * ply as Value } else { value }
}

/// There is not enough memory for a [`TranspositionTable`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not enough memory for a transposition table of {mebibytes} MiB")]
pub struct TtAllocError {
    /// The requested size in MiB.
    pub mebibytes: usize,
}

/// The transposition table.
///
/// # Examples
/// ```
/// use brisance::rules::{Position, Variant};
/// use brisance::search::{Bound, TranspositionTable, TtEntry};
///
/// let tt = TranspositionTable::new(1)?;
/// let key = Position::startpos(Variant::Atomic).key();
/// assert_eq!(tt.probe(key), None);
///
/// let entry = TtEntry {
///     mv: None,
///     value: 25,
///     raw_eval: Some(10),
///     depth: 8,
///     bound: Bound::Exact,
///     is_pv: true,
/// };
/// tt.store(key, entry);
/// assert_eq!(tt.probe(key), Some(entry));
/// # Ok::<(), brisance::search::TtAllocError>(())
/// ```
pub struct TranspositionTable {
    clusters: TtMemory,
    generation: AtomicU8,
}

impl TranspositionTable {
    /// An empty table of `mebibytes` MiB, at least one.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(mebibytes: usize) -> Result<TranspositionTable, TtAllocError> {
        let count = mebibytes.max(1).saturating_mul(1 << 20) / size_of::<Cluster>();
        let clusters = TtMemory::new(count).ok_or(TtAllocError { mebibytes })?;
        Ok(TranspositionTable { clusters, generation: AtomicU8::new(0) })
    }

    /// Removes all entries. Small tables are cleared on the calling thread if `threads` is 1,
    /// otherwise on all cores; large ones get new memory.
    pub fn clear(&mut self, threads: usize) {
        *self.generation.get_mut() = 0;
        let is_large = size_of_val(&*self.clusters) > MAX_WRITTEN_CLEAR;
        if is_large && let Some(new) = TtMemory::new(self.clusters.len()) {
            util::drop_in_background(std::mem::replace(&mut self.clusters, new));
        } else if threads == 1 {
            self.clusters.iter().for_each(Cluster::clear);
        } else {
            self.clusters.par_iter().for_each(Cluster::clear);
        }
    }

    /// Begins a new generation; entries of earlier searches are replaced first.
    pub fn new_search(&self) {
        let next = (self.generation.load(Ordering::Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Ordering::Relaxed);
    }

    /// Frees the memory on another thread.
    pub(crate) fn drop_in_background(self) {
        util::drop_in_background(self.clusters);
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// The entry of the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<TtEntry> {
        self.cluster(key).0.iter().find_map(|[check, data]| {
            let word = data.load(Ordering::Relaxed);
            if check.load(Ordering::Relaxed) ^ word == key { unpack(word) } else { None }
        })
    }

    /// Stores an entry. It replaces the entry of the same position, unless that is of this
    /// generation and much deeper, or else the oldest and shallowest entry of the cluster. An
    /// entry without a move keeps the move stored for the position.
    pub fn store(&self, key: u64, mut entry: TtEntry) {
        let generation = self.generation.load(Ordering::Relaxed);
        let replacement_value = |word: u64| {
            let age = i32::from((GENERATIONS + generation - generation_of(word)) % GENERATIONS);
            depth_of(word) - 8 * age
        };
        let mut replaced = None;
        for [check, data] in &self.cluster(key).0 {
            let word = data.load(Ordering::Relaxed);
            if check.load(Ordering::Relaxed) ^ word == key {
                if entry.mv.is_none() {
                    entry.mv = Move::from_code(word as u16);
                }
                let keep = entry.bound != Bound::Exact
                    && generation_of(word) == generation
                    && entry.depth + 4 + 2 * i32::from(entry.is_pv) <= depth_of(word);
                if keep {
                    return;
                }
                replaced = Some((i32::MIN, [check, data]));
                break;
            }
            let value = if word == 0 { i32::MIN + 1 } else { replacement_value(word) };
            if replaced.as_ref().is_none_or(|(min, _)| value < *min) {
                replaced = Some((value, [check, data]));
            }
        }
        if let Some((_, [check, data])) = replaced {
            let word = pack(&entry, generation);
            data.store(word, Ordering::Relaxed);
            check.store(key ^ word, Ordering::Relaxed);
        }
    }

    /// Entries of the current generation in thousandths of all entries, estimated from a sample.
    pub fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Ordering::Relaxed);
        let sample = &self.clusters[..self.clusters.len().min(1000)];
        let is_used = |[_, data]: &&[AtomicU64; 2]| {
            let word = data.load(Ordering::Relaxed);
            word != 0 && generation_of(word) == generation
        };
        let count = sample.iter().flat_map(|cluster| &cluster.0).filter(is_used).count();
        (count * 1000 / (sample.len() * CLUSTER_SIZE)) as u32
    }
}

impl Guide for TranspositionTable {
    fn known(&self, pos: &Position) -> Option<(Value, Option<Move>)> {
        let entry = self.probe(pos.key())?;
        score::is_mate(entry.value).then_some((entry.value, entry.mv))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::score::tb_win_in;
    use crate::rules::Variant;

    fn entry(depth: i32, value: Value) -> TtEntry {
        let mv = Move::from_code(0x0a31);
        TtEntry { mv, value, raw_eval: Some(-77), depth, bound: Bound::Lower, is_pv: true }
    }

    #[test]
    fn torn_write_is_a_miss() {
        let tt = TranspositionTable::new(1).unwrap();
        tt.store(7, entry(9, 1));
        let [[_, data], ..] = &tt.cluster(7).0;
        data.fetch_xor(1 << 20, Ordering::Relaxed);
        assert_eq!(tt.probe(7), None);
    }

    #[test]
    fn mates_are_stored_relative_to_the_position() {
        for value in [31_990, -31_990, 31_700, -31_700, 250, 0] {
            assert_eq!(value_from_tt(value_to_tt(value, 17), 17), value);
        }
        assert_eq!(value_to_tt(31_990, 5), 31_995);
        assert_eq!(value_to_tt(tb_win_in(5), 5), tb_win_in(0));
    }

    /// A key whose cluster has this index in a table of 1 MiB.
    fn key(cluster: u64, number: u64) -> u64 {
        cluster << 50 | number
    }

    #[test]
    fn every_field_is_stored() {
        let tt = TranspositionTable::new(1).unwrap();
        let mut number = 0;
        for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
            for (depth, is_pv) in [(0, false), (1, true), (255, false), (127, true)] {
                for _ in 0..2 * GENERATIONS {
                    number += 1;
                    let entry = TtEntry {
                        mv: Move::from_code(0x8fff - number),
                        value: i32::from(number) - 100,
                        raw_eval: Some(100 - i32::from(number)),
                        depth,
                        bound,
                        is_pv,
                    };
                    let key = key(u64::from(number), 1);
                    tt.store(key, entry);
                    assert_eq!(tt.probe(key), Some(entry));
                    tt.new_search();
                    assert_eq!(tt.probe(key), Some(entry));
                }
            }
        }
        for value in [-32_000, -1, 31_999] {
            let entry = TtEntry { mv: None, raw_eval: None, ..entry(3, value) };
            let key = key(0, value as u64);
            tt.store(key, entry);
            assert_eq!(tt.probe(key), Some(entry));
        }
        tt.store(3, entry(1000, 0));
        assert_eq!(tt.probe(3).map(|entry| entry.depth), Some(255));
    }

    #[test]
    fn a_solver_is_guided_by_mates_only() {
        let (tt, pos) = (TranspositionTable::new(1).unwrap(), Position::startpos(Variant::Atomic));
        for (value, is_known) in [(250, false), (31_990, true), (-31_990, true)] {
            let entry = entry(3, value);
            tt.store(pos.key(), entry);
            assert_eq!(tt.known(&pos), is_known.then_some((value, entry.mv)));
        }
    }

    #[test]
    fn the_whole_table_is_used_and_cleared() {
        for threads in [1, 2] {
            let mut tt = TranspositionTable::new(1).unwrap();
            assert_eq!(tt.hashfull(), 0);
            let keys = || (0..1 << 14).flat_map(|cluster| (1..=4).map(move |n| key(cluster, n)));
            for key in keys() {
                tt.store(key, entry(1, 0));
            }
            assert!(keys().all(|key| tt.probe(key).is_some()));
            assert_eq!(tt.hashfull(), 1000);
            tt.new_search();
            assert_eq!(tt.hashfull(), 0);
            // The sample is the first thousand clusters with four thousand entries.
            for cluster in 0..333 {
                tt.store(key(cluster, 5), entry(1, 0));
            }
            assert_eq!(tt.hashfull(), 83);
            tt.clear(threads);
            assert_eq!(tt.hashfull(), 0);
            assert!(keys().all(|key| tt.probe(key).is_none()));
        }
    }

    #[test]
    fn a_large_table_is_there_at_once_and_cleared_at_once() {
        let mut tt = TranspositionTable::new(2 * (MAX_WRITTEN_CLEAR >> 20)).unwrap();
        let keys: Vec<u64> = (0..30).map(|n| n << 58 | (n + 1)).collect();
        for _ in 0..3 {
            assert!(keys.iter().all(|&key| tt.probe(key).is_none()));
            keys.iter().for_each(|&key| tt.store(key, entry(3, 1)));
            assert!(keys.iter().all(|&key| tt.probe(key).is_some()));
            tt.new_search();
            tt.clear(1);
        }
    }

    /// Each search since an entry was stored counts as eight plies of depth less.
    #[test]
    fn age_and_depth_decide_which_entry_is_replaced() {
        // The depth and age of four entries, and which of them is replaced.
        for (entries, replaced) in [
            ([(9, 0), (7, 0), (8, 0), (6, 0)], 3),
            ([(6, 0), (6, 0), (7, 0), (8, 0)], 0),
            ([(20, 1), (13, 0), (11, 0), (14, 0)], 2),
            ([(20, 1), (13, 0), (12, 0), (14, 0)], 0),
            ([(30, 2), (13, 0), (15, 0), (14, 0)], 1),
            ([(30, 2), (15, 0), (16, 0), (22, 1)], 0),
            ([(200, 30), (1, 0), (2, 0), (3, 0)], 0),
            ([(0, 0), (0, 1), (0, 2), (0, 3)], 3),
        ] {
            for first_generation in [0, 5, GENERATIONS - 1] {
                let tt = TranspositionTable::new(1).unwrap();
                (0..first_generation).for_each(|_| tt.new_search());
                for age in (0..GENERATIONS).rev() {
                    for (number, &(depth, entry_age)) in entries.iter().enumerate() {
                        if entry_age == age {
                            tt.store(key(7, number as u64 + 1), entry(depth, 0));
                        }
                    }
                    if age > 0 {
                        tt.new_search();
                    }
                }
                tt.store(key(7, 9), entry(0, 0));
                for number in 0..4 {
                    let found = tt.probe(key(7, number as u64 + 1));
                    assert_eq!(found.is_none(), number == replaced, "{entries:?}");
                }
            }
        }
    }

    #[test]
    fn a_much_deeper_entry_of_the_same_position_is_kept() {
        // The depths of the old and the new entry, the bound of the new one, whether it is from a
        // PV node, whether it is from a later search, whether the old one is kept.
        for (old, new, bound, is_pv, later, kept) in [
            (9, 6, Bound::Upper, false, false, false),
            (9, 5, Bound::Upper, false, false, true),
            (9, 5, Bound::Lower, true, false, false),
            (9, 4, Bound::Lower, true, false, false),
            (9, 3, Bound::Lower, true, false, true),
            (9, 0, Bound::Exact, false, false, false),
            (9, 0, Bound::Upper, false, true, false),
            (3, 0, Bound::Upper, false, false, false),
        ] {
            let tt = TranspositionTable::new(1).unwrap();
            let first = entry(old, 1);
            tt.store(key(9, 1), first);
            if later {
                tt.new_search();
            }
            let second = TtEntry { mv: None, bound, is_pv, ..entry(new, 2) };
            tt.store(key(9, 1), second);
            // The move of the first entry is kept in any case.
            let replaced = TtEntry { mv: first.mv, ..second };
            let expected = if kept { first } else { replaced };
            assert_eq!(tt.probe(key(9, 1)), Some(expected), "{old} {new} {bound:?}");
        }
    }
}
