//! The transposition table: clusters of atomic words, shared by all threads without locks.
//! Invariant: an entry is believed only if its two words belong together (key = first word
//! xor second), so a torn write reads as a miss.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use rayon::prelude::*;

use super::{Bound, memory};
use crate::eval::score::{TABLE_BOUND, Value};
use crate::rules::Move;

const ENTRIES: usize = 4;
const AGES: u8 = 32;

#[derive(Default)]
#[repr(align(64))]
struct Cluster([[AtomicU64; 2]; ENTRIES]);

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The move that was best or refuted the rest.
    pub mv: Option<Move>,
    /// The value, mates and tablebase wins counted from this position.
    pub value: Value,
    /// The static evaluation; `None` in check.
    pub eval: Option<Value>,
    /// Remaining depth it was searched to.
    pub depth: i32,
    /// How the value relates to the true one.
    pub bound: Bound,
    /// True when it was searched as part of a principal variation.
    pub pv: bool,
}

const NO_EVAL: i16 = i16::MIN;

// Second word: move 0–15, value 16–31, eval 32–47, depth 48–55, bound 56–57, pv 58, age 59–63.
fn pack(entry: &Entry, age: u8) -> u64 {
    let mv = entry.mv.map_or(0, Move::code);
    let eval = entry.eval.map_or(NO_EVAL, |eval| eval as i16);
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
        | u64::from(entry.pv) << 58
        | u64::from(age) << 59
}

fn unpack(word: u64) -> Option<Entry> {
    let bound = match word >> 56 & 3 {
        1 => Bound::Upper,
        2 => Bound::Lower,
        3 => Bound::Exact,
        _ => return None,
    };
    let eval = (word >> 32) as u16 as i16;
    Some(Entry {
        mv: Move::from_code(word as u16),
        value: Value::from((word >> 16) as u16 as i16),
        eval: (eval != NO_EVAL).then_some(Value::from(eval)),
        depth: i32::from((word >> 48) as u8),
        bound,
        pv: word >> 58 & 1 != 0,
    })
}

fn depth_of(word: u64) -> i32 {
    i32::from((word >> 48) as u8)
}

fn age_of(word: u64) -> u8 {
    (word >> 59) as u8
}

/// A value as the table keeps it: mates and tablebase wins counted from the position, not
/// from the root.
pub fn to_table(value: Value, ply: usize) -> Value {
    if value >= TABLE_BOUND {
        value + ply as Value
    } else if value <= -TABLE_BOUND {
        value - ply as Value
    } else {
        value
    }
}

/// The reverse of [`to_table`].
pub fn from_table(value: Value, ply: usize) -> Value {
    if value >= TABLE_BOUND {
        value - ply as Value
    } else if value <= -TABLE_BOUND {
        value + ply as Value
    } else {
        value
    }
}

/// The table.
pub struct Table {
    clusters: Vec<Cluster>,
    age: AtomicU8,
}

impl Table {
    /// A table of about `mebibytes` MiB, at least one.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(mebibytes: usize) -> Result<Table, String> {
        let count = mebibytes.max(1).saturating_mul(1 << 20) / size_of::<Cluster>();
        let mut clusters = Vec::new();
        clusters
            .try_reserve_exact(count)
            .map_err(|_| format!("no memory for a table of {mebibytes} MiB"))?;
        memory::prefer_huge_pages(&clusters);
        clusters.resize_with(count, Cluster::default);
        Ok(Table {
            clusters,
            age: AtomicU8::new(0),
        })
    }

    /// Empties the table: on the caller's thread where a search has one, else on all cores.
    pub fn clear(&mut self, threads: usize) {
        if threads == 1 {
            self.clusters.fill_with(Cluster::default);
        } else {
            let clusters = self.clusters.par_iter_mut();
            clusters.for_each(|cluster| *cluster = Cluster::default());
        }
        *self.age.get_mut() = 0;
    }

    /// Starts a new search: what earlier ones left is replaced first.
    pub fn advance(&self) {
        let next = (self.age.load(Ordering::Relaxed) + 1) % AGES;
        self.age.store(next, Ordering::Relaxed);
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// Asks the processor to have the cluster of `key` at hand soon.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        memory::prefetch(self.cluster(key));
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        self.cluster(key).0.iter().find_map(|[check, data]| {
            let word = data.load(Ordering::Relaxed);
            if check.load(Ordering::Relaxed) ^ word == key {
                unpack(word)
            } else {
                None
            }
        })
    }

    /// Notes what was found. An older, shallower entry of the cluster gives way; one of the
    /// same position gives way unless it is much deeper, and lends its move.
    pub fn store(&self, key: u64, mut entry: Entry) {
        let age = self.age.load(Ordering::Relaxed);
        let worth = |word: u64| {
            let old = i32::from((AGES + age - age_of(word)) % AGES);
            depth_of(word) - 8 * old
        };
        let mut victim = None;
        for [check, data] in &self.cluster(key).0 {
            let word = data.load(Ordering::Relaxed);
            if check.load(Ordering::Relaxed) ^ word == key {
                if entry.mv.is_none() {
                    entry.mv = Move::from_code(word as u16);
                }
                let keep = entry.bound != Bound::Exact
                    && age_of(word) == age
                    && entry.depth + 4 + 2 * i32::from(entry.pv) <= depth_of(word);
                if keep {
                    return;
                }
                victim = Some((i32::MIN, [check, data]));
                break;
            }
            let worth = if word == 0 { i32::MIN + 1 } else { worth(word) };
            if victim.as_ref().is_none_or(|(least, _)| worth < *least) {
                victim = Some((worth, [check, data]));
            }
        }
        if let Some((_, [check, data])) = victim {
            let word = pack(&entry, age);
            data.store(word, Ordering::Relaxed);
            check.store(key ^ word, Ordering::Relaxed);
        }
    }

    /// Thousandths of the table filled by the present search, by a sample.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Ordering::Relaxed);
        let sample = &self.clusters[..self.clusters.len().min(1000)];
        let used = |[_, data]: &&[AtomicU64; 2]| {
            let word = data.load(Ordering::Relaxed);
            word != 0 && age_of(word) == age
        };
        let count = sample
            .iter()
            .flat_map(|cluster| &cluster.0)
            .filter(used)
            .count();
        (count * 1000 / (sample.len() * ENTRIES)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::score::table_win_in;

    fn entry(depth: i32, value: Value) -> Entry {
        let mv = Move::from_code(0x0a31);
        Entry {
            mv,
            value,
            eval: Some(-77),
            depth,
            bound: Bound::Lower,
            pv: true,
        }
    }

    #[test]
    fn stores_and_finds() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.probe(12345), None);
        for value in [-32_000, -1, 0, 1, 31_999] {
            table.store(12345, entry(9, value));
            assert_eq!(table.probe(12345), Some(entry(9, value)));
        }
        let no_eval = Entry {
            eval: None,
            mv: None,
            bound: Bound::Exact,
            ..entry(3, 5)
        };
        table.store(999 << 40, no_eval);
        assert_eq!(table.probe(999 << 40), Some(no_eval));
    }

    #[test]
    fn a_torn_write_is_a_miss() {
        let table = Table::new(1).unwrap();
        table.store(7, entry(9, 1));
        let [[_, data], ..] = &table.cluster(7).0;
        data.fetch_xor(1 << 20, Ordering::Relaxed);
        assert_eq!(table.probe(7), None);
    }

    #[test]
    fn deep_and_new_entries_outlive_shallow_and_old() {
        let table = Table::new(1).unwrap();
        // Keys that fall into one cluster differ in their low bits only.
        for key in 1..=4 {
            table.store(key, entry(key as i32 * 2, 0));
        }
        table.store(5, entry(1, 0));
        assert_eq!(table.probe(1), None);
        assert!(table.probe(4).is_some());
        table.advance();
        table.store(6, entry(1, 0));
        table.store(7, entry(1, 0));
        assert!(table.probe(6).is_some() && table.probe(7).is_some());
    }

    #[test]
    fn mates_count_from_the_position() {
        for value in [31_990, -31_990, 31_700, -31_700, 250, 0] {
            assert_eq!(from_table(to_table(value, 17), 17), value);
        }
        assert_eq!(to_table(31_990, 5), 31_995);
        assert_eq!(to_table(table_win_in(5), 5), table_win_in(0));
    }
}
