//! The solver's hash table, which threads share: fixed size, clusters of four entries; the entry
//! that took the fewest nodes to compute is replaced first. Memory is allocated in segments when
//! they are first written, so that even a large table is there at once.
//! Invariant: a probe returns what was last stored under its key.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::status::NodeStatus;
use crate::util;

const CLUSTER_SIZE: usize = 4;
/// Counters of threads: many more than there are nodes on their lines.
const CROWDS: usize = 1 << 16;
/// Clusters of a segment: 1 MiB.
const SEGMENT_SIZE: usize = 1 << 13;

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
    count: usize,
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

    /// A table of `count` clusters; `None` when the memory cannot be allocated.
    pub fn with_clusters(count: usize) -> Option<ProofTable> {
        // Whether so much memory can be had at all; it is not written here, and freed at once.
        Vec::<ProofCluster>::new().try_reserve_exact(count).ok()?;
        let segments = 0..count.div_ceil(SEGMENT_SIZE);
        Some(ProofTable {
            segments: segments.map(|_| Mutex::default()).collect(),
            count,
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

    /// The segment of a key and the cluster in it.
    fn place(&self, key: u64) -> (usize, usize) {
        let index = ((u128::from(key) * self.count as u128) >> 64) as usize;
        (index / SEGMENT_SIZE, index % SEGMENT_SIZE)
    }

    /// The status stored under `key`, and the hash of the path that it depends on.
    pub fn probe(&self, key: u64) -> Option<(NodeStatus, u64)> {
        let (segment, index) = self.place(key);
        let segment = self.segments[segment].lock();
        let cluster = &segment.as_ref()?[index];
        let entry = cluster.iter().find(|entry| entry.key == key)?;
        (entry.nodes > 0).then_some((entry.status, entry.path_hash))
    }

    /// Stores a status that took `nodes` more nodes. A proved entry is only replaced by another
    /// proof: it was searched again because the clock did not allow its use. Nothing is stored if
    /// the memory is exhausted.
    pub fn store(&self, key: u64, status: NodeStatus, path_hash: u64, nodes: u32) {
        let (segment, index) = self.place(key);
        let mut segment = self.segments[segment].lock();
        if segment.is_none() {
            *segment = new_segment();
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
        let entries = self.count * CLUSTER_SIZE;
        (self.used.load(Ordering::Relaxed) as u64 * 1000 / entries as u64) as u32
    }
}

/// A segment of empty clusters; `None` if the memory is exhausted.
fn new_segment() -> Segment {
    let mut clusters = Vec::new();
    clusters.try_reserve_exact(SEGMENT_SIZE).ok()?;
    clusters.resize(SEGMENT_SIZE, [EMPTY; CLUSTER_SIZE]);
    Some(clusters.into_boxed_slice())
}

impl Drop for ProofTable {
    fn drop(&mut self) {
        const MAX_SEGMENTS: usize = 256;
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
        let table = ProofTable::new(1).unwrap();
        // Small keys fall into the first cluster.
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

    #[test]
    fn the_whole_table_is_used() {
        let table = ProofTable::new(1).unwrap();
        let clusters = table.count as u64;
        let key = |cluster: u64, number: u64| cluster * (u64::MAX / clusters + 1) + number;
        assert_eq!(table.hashfull(), 0);
        for cluster in 0..clusters / 2 {
            table.store(key(cluster, 1), UNKNOWN, cluster, 1);
        }
        assert_eq!(table.hashfull(), 125);
        for cluster in 0..clusters {
            let expected = (cluster < clusters / 2).then_some((UNKNOWN, cluster));
            assert_eq!(table.probe(key(cluster, 1)), expected);
        }
        // An empty entry is no entry of the position with key 0.
        assert_eq!(ProofTable::new(1).unwrap().probe(0), None);
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
