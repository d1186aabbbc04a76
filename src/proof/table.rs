//! The solver's table: fixed in size; of the entries that meet in a cluster those that cost
//! the least work give way.
//! Invariant: what is found under a key is what was last stored for it.

use super::status::Status;

const ENTRIES: usize = 4;

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    /// Fingerprint of the part of the path that a tied fact needs.
    path: u64,
    status: Status,
    /// Positions visited for it; 0 in an empty entry.
    work: u32,
}

const _: () = assert!(size_of::<Entry>() == 32);

const EMPTY: Entry = Entry {
    key: 0,
    path: 0,
    status: Status::DENIED,
    work: 0,
};

/// The table.
pub(super) struct Table {
    clusters: Vec<[Entry; ENTRIES]>,
    used: usize,
}

impl Table {
    /// A table of `mebibytes` MiB, at least one.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub(super) fn new(mebibytes: usize) -> Result<Table, String> {
        let bytes = mebibytes.max(1).saturating_mul(1 << 20);
        Table::with_clusters(bytes / size_of::<[Entry; ENTRIES]>())
            .ok_or_else(|| format!("no memory for a table of {mebibytes} MiB"))
    }

    /// A table of so many times four entries.
    pub(super) fn with_clusters(count: usize) -> Option<Table> {
        let mut clusters = Vec::new();
        clusters.try_reserve_exact(count).ok()?;
        clusters.resize(count, [EMPTY; ENTRIES]);
        Some(Table { clusters, used: 0 })
    }

    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.clusters.len() as u128) >> 64) as usize
    }

    /// What is stored for a key, and the fingerprint of the path it is tied to.
    pub(super) fn probe(&self, key: u64) -> Option<(Status, u64)> {
        let cluster = &self.clusters[self.index(key)];
        let entry = cluster.iter().find(|entry| entry.key == key)?;
        (entry.work > 0).then_some((entry.status, entry.path))
    }

    /// Notes what `work` more positions told. A win that is known is kept against anything
    /// but a win, because it was only the clock that forbade its use.
    pub(super) fn store(&mut self, key: u64, status: Status, path: u64, work: u32) {
        let index = self.index(key);
        let cluster = &mut self.clusters[index];
        let same = |entry: &Entry| entry.work > 0 && entry.key == key;
        let place = match cluster.iter().position(same) {
            Some(place) => place,
            None => {
                let works = cluster.iter().map(|entry| entry.work).enumerate();
                let (place, least) = works.min_by_key(|&(_, work)| work).unwrap_or((0, 0));
                self.used += usize::from(least == 0);
                cluster[place] = EMPTY;
                place
            }
        };
        let entry = &mut cluster[place];
        if entry.work > 0 && entry.status.is_won() && !status.is_won() {
            return;
        }
        *entry = Entry {
            key,
            path,
            status,
            work: entry.work.saturating_add(work).max(1),
        };
    }

    /// Thousandths of the table in use.
    pub(super) fn fill(&self) -> u32 {
        let places = self.clusters.len() * ENTRIES;
        (self.used as u64 * 1000 / places as u64) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Status = Status::Open {
        proof: 3,
        disproof: 5,
    };

    #[test]
    fn the_least_work_gives_way() {
        let mut table = Table::new(1).unwrap();
        // Small keys fall into the first cluster.
        for key in 1..=4 {
            table.store(key, OPEN, 0, key as u32 * 10);
        }
        table.store(5, Status::DENIED, 7, 15);
        assert_eq!(table.probe(1), None);
        assert_eq!(table.probe(2), Some((OPEN, 0)));
        assert_eq!(table.probe(5), Some((Status::DENIED, 7)));
        // Work adds up: the entry for 2 has now cost more than that for 5.
        table.store(2, OPEN, 0, 10);
        table.store(6, OPEN, 0, 1);
        assert_eq!(table.probe(5), None);
        assert!(table.probe(2).is_some());
        assert_eq!(table.used, 4);
    }

    #[test]
    fn a_known_win_is_kept() {
        let mut table = Table::new(1).unwrap();
        table.store(9, Status::WIN_IN_ONE, 0, 1);
        table.store(9, OPEN, 0, 1);
        assert_eq!(table.probe(9), Some((Status::WIN_IN_ONE, 0)));
    }
}
