//! Published leaf counts from `data/*.perft`, which describe their format. A limit on the number
//! of leaves decides the depth of each position.
//! Slow: `cargo test --release --test engine perft -- --ignored deep_`, or `exhaustive_`

use brisance::notation::fen;
use brisance::rules::{MoveList, Noisy, Position, Quiet, Variant, divide, perft};

struct Entry {
    name: &'static str,
    fen: &'static str,
    variant: Variant,
    leaves: Vec<(u32, u64)>,
}

impl Entry {
    fn position(&self) -> Position {
        fen::parse(self.fen, self.variant).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    fn check(&self, max_leaves: u64) {
        let mut pos = self.position();
        for &(depth, leaves) in self
            .leaves
            .iter()
            .filter(|(_, leaves)| *leaves <= max_leaves)
        {
            let found = perft(&mut pos, depth);
            assert_eq!(found, leaves, "{}: {} depth {depth}", self.name, self.fen);
        }
    }
}

fn read(text: &'static str, variant: Variant) -> Vec<Entry> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &'static str| {
        let fields: Vec<&str> = line.split(" | ").collect();
        let leaves = fields[2].split(' ').map(|pair| {
            let (depth, leaves) = pair.split_once(':').expect("depth:leaves");
            (depth.parse().unwrap(), leaves.parse().unwrap())
        });
        Entry {
            name: fields[0],
            fen: fields[1],
            variant,
            leaves: leaves.collect(),
        }
    };
    lines.map(entry).collect()
}

fn entries() -> Vec<Entry> {
    let mut entries = read(include_str!("data/atomic.perft"), Variant::Atomic);
    let without_check = include_str!("data/nocheckatomic.perft");
    entries.extend(read(without_check, Variant::NoCheckAtomic));
    assert!(entries.len() >= 62, "all positions are there");
    entries
}

#[test]
fn published_counts_at_small_depths() {
    for entry in entries() {
        entry.check(5_000_000);
    }
}

#[test]
#[ignore = "deep: a minute"]
fn deep_published_counts_at_medium_depths() {
    for entry in entries() {
        entry.check(150_000_000);
    }
}

#[test]
#[ignore = "exhaustive: every depth, two billion leaves"]
fn exhaustive_published_counts_at_full_depth() {
    for entry in entries() {
        entry.check(u64::MAX);
    }
}

/// Counts the leaves one by one, with noisy and quiet moves generated in two stages.
fn staged_perft(pos: &mut Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    pos.generate::<Noisy>(&mut moves);
    let noisy = moves.len();
    pos.generate::<Quiet>(&mut moves);
    let mut leaves = 0;
    for (index, &mv) in moves.iter().enumerate() {
        assert_eq!(mv.is_noisy(), index < noisy, "{mv:?} in the wrong stage");
        pos.make(mv);
        leaves += staged_perft(pos, depth - 1);
        pos.unmake();
    }
    leaves
}

#[test]
fn stages_and_bulk_counts_agree() {
    for entry in entries() {
        let mut pos = entry.position();
        for &(depth, leaves) in entry.leaves.iter().filter(|(_, leaves)| *leaves <= 100_000) {
            let found = staged_perft(&mut pos, depth);
            assert_eq!(found, leaves, "{} depth {depth}", entry.name);
        }
    }
}

#[test]
fn divide_sums_to_perft() {
    for entry in entries() {
        let mut pos = entry.position();
        for depth in 0..=3 {
            let parts = divide(&mut pos, depth);
            let moves: Vec<_> = parts.iter().map(|&(mv, _)| mv).collect();
            let sum: u64 = parts.iter().map(|&(_, leaves)| leaves).sum();
            if depth == 0 {
                assert!(parts.is_empty());
            } else {
                assert_eq!(moves[..], pos.legal_moves()[..], "{}", entry.name);
                assert_eq!(sum, perft(&mut pos, depth), "{} depth {depth}", entry.name);
            }
        }
    }
}
