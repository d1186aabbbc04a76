//! The solver's hash table: fixed size, clusters of four entries; the entry that took the
//! fewest nodes to compute is replaced first.
//! Invariant: a probe returns what was last stored under its key.

use super::status::NodeStatus;

const CLUSTER_SIZE: usize = 4;

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

const EMPTY: ProofEntry = ProofEntry {
    key: 0,
    path_hash: 0,
    status: NodeStatus::DISPROVED,
    nodes: 0,
};

/// The hash table.
pub(super) struct ProofTable {
    clusters: Vec<[ProofEntry; CLUSTER_SIZE]>,
    used: usize,
}

impl ProofTable {
    /// A table of `megabytes` MiB, at least one; `None` when the memory cannot be allocated.
    pub(super) fn new(megabytes: usize) -> Option<ProofTable> {
        let bytes = megabytes.max(1).saturating_mul(1 << 20);
        ProofTable::with_clusters(bytes / size_of::<[ProofEntry; CLUSTER_SIZE]>())
    }

    /// A table of `count` clusters; `None` when the memory cannot be allocated.
    pub(super) fn with_clusters(count: usize) -> Option<ProofTable> {
        let mut clusters = Vec::new();
        clusters.try_reserve_exact(count).ok()?;
        clusters.resize(count, [EMPTY; CLUSTER_SIZE]);
        Some(ProofTable { clusters, used: 0 })
    }

    fn cluster_index(&self, key: u64) -> usize {
        ((u128::from(key) * self.clusters.len() as u128) >> 64) as usize
    }

    /// The status stored under `key`, and the hash of the path that it depends on.
    pub(super) fn probe(&self, key: u64) -> Option<(NodeStatus, u64)> {
        let cluster = &self.clusters[self.cluster_index(key)];
        let entry = cluster.iter().find(|entry| entry.key == key)?;
        (entry.nodes > 0).then_some((entry.status, entry.path_hash))
    }

    /// Stores a status that took `nodes` more nodes. A proved entry is only replaced by another
    /// proof: it was searched again because the clock did not allow its use.
    pub(super) fn store(&mut self, key: u64, status: NodeStatus, path_hash: u64, nodes: u32) {
        let index = self.cluster_index(key);
        let cluster = &mut self.clusters[index];
        let matches = |entry: &ProofEntry| entry.nodes > 0 && entry.key == key;
        let slot = match cluster.iter().position(matches) {
            Some(slot) => slot,
            None => {
                let costs = cluster.iter().map(|entry| entry.nodes).enumerate();
                let (slot, least) = costs.min_by_key(|&(_, nodes)| nodes).unwrap_or((0, 0));
                self.used += usize::from(least == 0);
                cluster[slot] = EMPTY;
                slot
            }
        };
        let entry = &mut cluster[slot];
        if entry.nodes > 0 && entry.status.is_proved() && !status.is_proved() {
            return;
        }
        *entry = ProofEntry {
            key,
            path_hash,
            status,
            nodes: entry.nodes.saturating_add(nodes).max(1),
        };
    }

    /// Table occupancy in permille.
    pub(super) fn hashfull(&self) -> u32 {
        let entries = self.clusters.len() * CLUSTER_SIZE;
        (self.used as u64 * 1000 / entries as u64) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNKNOWN: NodeStatus = NodeStatus::Unknown {
        proof: 3,
        disproof: 5,
    };

    #[test]
    fn the_entry_with_the_fewest_nodes_is_replaced() {
        let mut table = ProofTable::new(1).unwrap();
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
        assert_eq!(table.used, 4);
    }

    #[test]
    fn a_proved_entry_is_not_replaced_by_an_unknown_one() {
        let mut table = ProofTable::new(1).unwrap();
        table.store(9, NodeStatus::WIN_IN_ONE, 0, 1);
        table.store(9, UNKNOWN, 0, 1);
        assert_eq!(table.probe(9), Some((NodeStatus::WIN_IN_ONE, 0)));
    }

    #[test]
    fn the_whole_table_is_used() {
        let mut table = ProofTable::new(1).unwrap();
        let clusters = table.clusters.len() as u64;
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
    fn a_proved_entry_is_replaced_by_a_proof() {
        let mut table = ProofTable::new(1).unwrap();
        table.store(9, UNKNOWN, 0, 1);
        table.store(9, NodeStatus::DISPROVED, 3, 1);
        assert_eq!(table.probe(9), Some((NodeStatus::DISPROVED, 3)));
        table.store(9, NodeStatus::WIN_IN_ONE, 0, 1);
        table.store(9, NodeStatus::GAME_WON, 0, 1);
        assert_eq!(table.probe(9), Some((NodeStatus::GAME_WON, 0)));
    }
}
