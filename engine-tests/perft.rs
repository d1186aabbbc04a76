//! Published leaf counts from `data/*.perft`, which describe their format. A limit on the number
//! of leaves decides the depth of each position.
//! Slow: `cargo test --release --test engine perft -- --ignored deep_`, or `exhaustive_`

use brisance::rules::{MoveList, Noisy, Position, Quiet, Variant, divide, divide_until, perft};

use crate::fuzz::targets::PERFT_LISTS;
use crate::table::rows;
use crate::walk::position_in;

struct Entry {
    name: &'static str,
    pos: Position,
    /// Depths and numbers of leaves.
    leaves: Vec<(u32, u64)>,
}

impl Entry {
    /// The depths with at most this number of leaves.
    fn up_to(&self, most: u64) -> impl Iterator<Item = (u32, u64)> {
        let leaves = self.leaves.iter().copied();
        leaves.filter(move |(_, leaves)| *leaves <= most)
    }

    fn check(&self, most: u64) {
        for (depth, leaves) in self.up_to(most) {
            let found = perft(&mut self.pos.clone(), depth);
            assert_eq!(found, leaves, "{} depth {depth}", self.name);
        }
    }
}

fn read(text: &'static str, variant: Variant) -> impl Iterator<Item = Entry> {
    let entry = move |[name, fen, leaves]: [&'static str; 3]| {
        let leaves = leaves.split(' ').map(|pair| {
            let (depth, leaves) = pair.split_once(':').expect("depth:leaves");
            (depth.parse().unwrap(), leaves.parse().unwrap())
        });
        Entry { name, pos: position_in(variant, fen), leaves: leaves.collect() }
    };
    rows(text).into_iter().map(entry)
}

fn entries() -> Vec<Entry> {
    let lists = PERFT_LISTS.into_iter();
    let entries: Vec<Entry> = lists.flat_map(|(list, variant)| read(list, variant)).collect();
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
fn divide_counts_below_each_move_until_it_is_stopped() {
    let mut pos = Position::startpos(Variant::Atomic);
    let whole = [1, 20, 400, 8902, 197_326, 4_864_979];
    for (depth, leaves) in (0..).zip(whole) {
        let mut counted = 0;
        let total = divide_until(&mut pos, depth, &|| false, &mut |_, nodes| counted += nodes);
        assert_eq!(total, Some(leaves), "depth {depth}");
        assert_eq!(counted, leaves * u64::from(depth > 0), "depth {depth}");
        let stopped = divide_until(&mut pos, depth, &|| true, &mut |_, _| panic!("a count"));
        assert_eq!(stopped, (depth == 0).then_some(1));
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
        for (depth, leaves) in entry.up_to(100_000) {
            let found = staged_perft(&mut entry.pos.clone(), depth);
            assert_eq!(found, leaves, "{} depth {depth}", entry.name);
        }
    }
}

#[test]
fn divide_sums_to_perft() {
    for entry in entries() {
        let mut pos = entry.pos.clone();
        assert!(divide(&mut pos, 0).is_empty());
        for depth in 1..=3 {
            let (moves, leaves): (Vec<_>, Vec<_>) = divide(&mut pos, depth).into_iter().unzip();
            assert_eq!(moves[..], pos.legal_moves()[..], "{}", entry.name);
            let sum: u64 = leaves.iter().sum();
            assert_eq!(sum, perft(&mut pos, depth), "{} depth {depth}", entry.name);
        }
    }
}
