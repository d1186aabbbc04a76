//! The solver's hash table, which threads share: clusters of four entries; the entry that took the
//! fewest nodes to compute is replaced first. The table grows to its size segment by segment, since
//! new memory costs more time than a short search (linear hashing).
//! Invariant: a probe returns what was last stored under its key.

use std::mem;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::status::NodeStatus;
use crate::util;

const CLUSTER_SIZE: usize = 4;
/// Counters of threads: many more than there are nodes on their lines.
const CROWDS: usize = 1 << 16;
/// Clusters of a segment: 64 KiB.
const SEGMENT_SIZE: usize = 1 << 9;
/// Segments at the beginning, so that threads seldom wait for each other.
const FIRST_SEGMENTS: usize = 16;
/// The table grows when one entry in this many is used.
const GROWTH_LOAD: usize = 4;

#[derive(Clone, Copy)]
struct ProofEntry {
    key: u64,
    /// Hash of the part of the path that a path-dependent result needs.
    path_hash: u64,
    status: NodeStatus,
    /// Nodes searched for this entry; 0 marks an empty entry.
    nodes: u32,
}

const _: () = assert!(size_of::<ProofEntry>() == 32);

const EMPTY: ProofEntry =
    ProofEntry { key: 0, path_hash: 0, status: NodeStatus::DISPROVED, nodes: 0 };

type ProofCluster = [ProofEntry; CLUSTER_SIZE];

/// A part of the table; `None` until something is stored there.
type Segment = Option<Box<[ProofCluster]>>;

pub struct ProofTable {
    segments: Vec<Mutex<Segment>>,
    /// Clusters of each segment.
    segment_size: usize,
    /// The number of segments among which the keys are divided, the first ones.
    active: AtomicUsize,
    used: AtomicUsize,
    /// How many threads search below the nodes with a key, by its last bits; empty for a single
    /// thread.
    crowds: Vec<AtomicU8>,
}

impl ProofTable {
    /// A table of `megabytes` MiB, at least one; `None` when the memory cannot be allocated.
    pub fn new(megabytes: usize) -> Option<ProofTable> {
        let bytes = megabytes.max(1).saturating_mul(1 << 20);
        ProofTable::with_clusters(bytes / size_of::<ProofCluster>())
    }

    /// A table of `count` clusters, rounded down to whole segments if it has several; `None` when
    /// the memory cannot be allocated.
    pub fn with_clusters(count: usize) -> Option<ProofTable> {
        // Whether so much memory can be had at all; it is not written here, and freed at once.
        Vec::<ProofCluster>::new().try_reserve_exact(count).ok()?;
        let segment_size = count.min(SEGMENT_SIZE);
        let segments: Vec<_> = (0..count / segment_size).map(|_| Mutex::default()).collect();
        Some(ProofTable {
            active: AtomicUsize::new(segments.len().min(FIRST_SEGMENTS)),
            segments,
            segment_size,
            used: AtomicUsize::new(0),
            crowds: Vec::new(),
        })
    }

    /// The same table for several threads, which see where the others search.
    pub fn with_crowds(mut self) -> ProofTable {
        self.crowds = (0..CROWDS).map(|_| AtomicU8::new(0)).collect();
        self
    }

    fn crowd_of(&self, key: u64) -> Option<&AtomicU8> {
        self.crowds.get(key as usize % CROWDS)
    }

    /// Records that a thread begins to search the node of a key.
    pub fn enter(&self, key: u64) {
        if let Some(crowd) = self.crowd_of(key) {
            crowd.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Records that a thread leaves the node of a key, which it has entered.
    pub fn leave(&self, key: u64) {
        if let Some(crowd) = self.crowd_of(key) {
            crowd.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// The number of threads that search the node of a key, or by chance another one.
    pub fn crowd(&self, key: u64) -> u32 {
        let crowd = self.crowd_of(key);
        crowd.map_or(0, |crowd| crowd.load(Ordering::Relaxed).into())
    }

    /// The segment of a key among the first `active`: the last bits of a hash of it. Where these are
    /// no segment yet, the keys are still in the one with a bit less.
    fn segment_of(key: u64, active: usize) -> usize {
        let (hash, mask) = ((key >> 32) as usize, active.next_power_of_two() - 1);
        let segment = hash & mask;
        if segment < active { segment } else { segment & (mask >> 1) }
    }

    /// The segment of a key, and the cluster in it.
    fn lock(&self, key: u64) -> (MutexGuard<'_, Segment>, usize) {
        loop {
            let segment = ProofTable::segment_of(key, self.active.load(Ordering::Acquire));
            let guard = self.segments[segment].lock();
            // The table may have grown meanwhile.
            if ProofTable::segment_of(key, self.active.load(Ordering::Acquire)) == segment {
                return (guard, key as usize % self.segment_size);
            }
        }
    }

    /// Adds a segment, which takes its keys from another one, if the table is full enough.
    fn grow(&self) {
        let active = self.active.load(Ordering::Acquire);
        let entries = active * self.segment_size * CLUSTER_SIZE;
        if active == self.segments.len()
            || self.used.load(Ordering::Relaxed) * GROWTH_LOAD < entries
        {
            return;
        }
        let split = ProofTable::segment_of((active as u64) << 32, active);
        let (mut from, mut to) = (self.segments[split].lock(), self.segments[active].lock());
        // Another thread may have added it meanwhile.
        if self.active.load(Ordering::Acquire) != active {
            return;
        }
        let Some(mut added) = new_segment(self.segment_size) else {
            return;
        };
        let old = from.iter_mut().flat_map(|clusters| clusters.as_flattened_mut());
        for (entry, slot) in old.zip(added.as_flattened_mut()) {
            if ProofTable::segment_of(entry.key, active + 1) == active {
                *slot = mem::replace(entry, EMPTY);
            }
        }
        *to = Some(added);
        self.active.store(active + 1, Ordering::Release);
    }

    /// The status stored under `key`, and the hash of the path that it depends on.
    pub fn probe(&self, key: u64) -> Option<(NodeStatus, u64)> {
        let (segment, index) = self.lock(key);
        let cluster = &segment.as_ref()?[index];
        let entry = cluster.iter().find(|entry| entry.key == key)?;
        (entry.nodes > 0).then_some((entry.status, entry.path_hash))
    }

    /// Stores a status that took `nodes` more nodes. A proved entry is only replaced by another
    /// proof: it was searched again because the clock did not allow its use. Nothing is stored if
    /// the memory is exhausted.
    pub fn store(&self, key: u64, status: NodeStatus, path_hash: u64, nodes: u32) {
        self.grow();
        let (mut segment, index) = self.lock(key);
        if segment.is_none() {
            *segment = new_segment(self.segment_size);
        }
        let Some(cluster) = segment.as_mut().map(|clusters| &mut clusters[index]) else {
            return;
        };
        let matches = |entry: &ProofEntry| entry.nodes > 0 && entry.key == key;
        let slot = match cluster.iter().position(matches) {
            Some(slot) => slot,
            None => {
                let costs = cluster.iter().map(|entry| entry.nodes).enumerate();
                let (slot, least) = costs.min_by_key(|&(_, nodes)| nodes).unwrap_or((0, 0));
                self.used.fetch_add(usize::from(least == 0), Ordering::Relaxed);
                cluster[slot] = EMPTY;
                slot
            }
        };
        let entry = &mut cluster[slot];
        if entry.nodes > 0 && entry.status.is_proved() && !status.is_proved() {
            return;
        }
        *entry =
            ProofEntry { key, path_hash, status, nodes: entry.nodes.saturating_add(nodes).max(1) };
    }

    pub fn clear(&self) {
        // Memory that is there already costs less than new memory.
        for segment in &self.segments {
            if let Some(clusters) = &mut *segment.lock() {
                clusters.fill([EMPTY; CLUSTER_SIZE]);
            }
        }
        self.used.store(0, Ordering::Relaxed);
    }

    /// Table occupancy in permille.
    pub fn hashfull(&self) -> u32 {
        let entries = self.segments.len() * self.segment_size * CLUSTER_SIZE;
        (self.used.load(Ordering::Relaxed) as u64 * 1000 / entries as u64) as u32
    }
}

/// A segment of empty clusters; `None` if the memory is exhausted.
fn new_segment(size: usize) -> Segment {
    let mut clusters = Vec::new();
    clusters.try_reserve_exact(size).ok()?;
    clusters.resize(size, [EMPTY; CLUSTER_SIZE]);
    Some(clusters.into_boxed_slice())
}

impl Drop for ProofTable {
    fn drop(&mut self) {
        const MAX_SEGMENTS: usize = 4096;
        let segments = self.segments.iter();
        if segments.filter(|segment| segment.lock().is_some()).count() > MAX_SEGMENTS {
            util::drop_in_background(std::mem::take(&mut self.segments));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNKNOWN: NodeStatus = NodeStatus::Unknown { proof: 3, disproof: 5 };

    #[test]
    fn the_entry_with_the_fewest_nodes_is_replaced() {
        let table = ProofTable::with_clusters(1).unwrap();
        for key in 1..=4 {
            table.store(key, UNKNOWN, 0, key as u32 * 10);
        }
        table.store(5, NodeStatus::DISPROVED, 7, 15);
        assert_eq!(table.probe(1), None);
        assert_eq!(table.probe(2), Some((UNKNOWN, 0)));
        assert_eq!(table.probe(5), Some((NodeStatus::DISPROVED, 7)));
        // Node counts add up: the entry for 2 has now cost more than the one for 5.
        table.store(2, UNKNOWN, 0, 10);
        table.store(6, UNKNOWN, 0, 1);
        assert_eq!(table.probe(5), None);
        assert!(table.probe(2).is_some());
        assert_eq!(table.used.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn threads_are_counted() {
        let table = ProofTable::new(1).unwrap().with_crowds();
        for key in [7, 7, 8, 8] {
            table.enter(key);
        }
        table.leave(7);
        assert_eq!([7, 8, 9].map(|key| table.crowd(key)), [1, 2, 0]);
    }

    /// Keys as random as those of positions.
    fn keys(count: u64) -> impl Iterator<Item = u64> {
        (1..=count).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    #[test]
    fn entries_are_kept_while_the_table_grows() {
        let table = ProofTable::new(7).unwrap();
        let segments = 7 * 16;
        assert_eq!((table.segments.len(), table.hashfull()), (segments, 0));
        let count = (segments * SEGMENT_SIZE * CLUSTER_SIZE / GROWTH_LOAD) as u64;
        for (number, key) in keys(count).enumerate() {
            table.store(key, UNKNOWN, number as u64, 1);
        }
        assert_eq!(table.active.load(Ordering::Relaxed), segments);
        assert!((240..=250).contains(&table.hashfull()), "{}", table.hashfull());
        let is_kept =
            |&(number, key): &(usize, u64)| table.probe(key) == Some((UNKNOWN, number as u64));
        let kept = keys(count).enumerate().filter(is_kept).count();
        assert!(kept * 100 > 98 * count as usize, "{kept} of {count}");
        table.clear();
        assert_eq!(keys(count).find(|&key| table.probe(key).is_some()), None);
        // An empty entry is no entry of the position with key 0.
        assert_eq!(ProofTable::new(1).unwrap().probe(0), None);
    }

    #[test]
    fn a_thread_that_waits_while_the_table_grows_finds_the_new_segment() {
        let table = ProofTable::new(2).unwrap();
        // A key of segment 0, and of the segment after the first ones once that is there.
        let key = (FIRST_SEGMENTS as u64) << 32 | 1;
        let segment = table.segments[0].lock();
        std::thread::scope(|scope| {
            scope.spawn(|| table.store(key, UNKNOWN, 0, 1));
            std::thread::sleep(std::time::Duration::from_millis(50));
            table.active.store(FIRST_SEGMENTS + 1, Ordering::Release);
            drop(segment);
        });
        assert_eq!(table.probe(key), Some((UNKNOWN, 0)));
    }

    #[test]
    fn threads_store_while_the_table_grows() {
        let table = ProofTable::new(16).unwrap();
        let keys: Vec<u64> = keys(120_000).collect();
        std::thread::scope(|scope| {
            for keys in keys.chunks(30_000) {
                let table = &table;
                scope.spawn(move || {
                    for &key in keys {
                        table.store(key, UNKNOWN, key, 1);
                    }
                });
            }
        });
        let kept = keys.iter().filter(|&&key| table.probe(key) == Some((UNKNOWN, key))).count();
        assert!(kept * 100 > 98 * keys.len(), "{kept}");
    }

    #[test]
    fn a_proved_entry_is_replaced_only_by_a_proof() {
        use NodeStatus as Status;
        let table = ProofTable::new(1).unwrap();
        for (stored, found) in [
            (UNKNOWN, UNKNOWN),
            (Status::DISPROVED, Status::DISPROVED),
            (Status::WIN_IN_ONE, Status::WIN_IN_ONE),
            (UNKNOWN, Status::WIN_IN_ONE),
            (Status::GAME_WON, Status::GAME_WON),
        ] {
            table.store(9, stored, 3, 1);
            assert_eq!(table.probe(9), Some((found, 3)));
        }
    }
}
