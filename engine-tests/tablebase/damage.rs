//! Missing, truncated and altered tables and files that are no tables: probes return nothing
//! and the reason is reported once.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use brisance::rules::Position;
use brisance::tablebase::{Tablebase, Wdl};

use super::{Reference, engine, folder, open, random_position};
use crate::folder::Folder;
use crate::random::Random;
use crate::searching::{nodes, report};
use crate::walk::{position, x_fen};

/// A copy of the tables of `names`, or of all, that a test may damage.
fn copy(from: &Path, names: Option<&[&str]>) -> Folder {
    let folder = Folder::new();
    for entry in fs::read_dir(from).expect("readable") {
        let name = entry.expect("readable").file_name();
        let name = name.to_str().expect("UTF-8");
        let stem = name.split('.').next().expect("a stem");
        if names.is_none_or(|names| names.contains(&stem)) {
            fs::copy(from.join(name), folder.path(name)).expect("copied");
        }
    }
    folder
}

const QUEEN: &str = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";

#[test]
fn a_missing_table_is_reported_once() {
    let Some(folder) = folder() else { return };
    let copy = copy(&folder, None);
    fs::remove_file(copy.path("KQvK.atbw")).expect("removed");
    let tables = open(&copy.path(""));
    let pos = position(QUEEN);
    assert!(tables.covers(&pos) && tables.wdl(&pos).is_none() && tables.dtz(&pos).is_none());
    assert!(tables.rank_moves(&pos, &pos.legal_moves(), true).is_none());
    let missing = "Syzygy table KQvK.atbw is missing";
    assert_eq!(tables.take_warnings(), [missing]);
    assert!(tables.wdl(&pos).is_none());
    assert_eq!(tables.take_warnings(), [""; 0]);
    let rook = position("8/8/8/3k4/8/r7/8/KR6 w - - 0 1");
    assert!(tables.wdl(&rook).is_some(), "other tables still work");
}

#[test]
fn without_dtz_moves_are_ranked_by_wdl() {
    let Some(folder) = folder() else { return };
    let copy = copy(&folder, None);
    let pos = position(QUEEN);
    let moves = pos.legal_moves();
    let whole = open(&copy.path("")).rank_moves(&pos, &moves, true);
    let whole = whole.expect("a ranking");
    fs::remove_file(copy.path("KQvK.atbz")).expect("removed");
    let tables = open(&copy.path(""));
    let ranking = tables.rank_moves(&pos, &moves, true).expect("a ranking");
    assert!(whole.by_dtz && !ranking.by_dtz);
    for (rank, better) in ranking.ranks.iter().zip(&whole.ranks) {
        assert_eq!(rank.wdl(), better.wdl());
    }
    let missing = "Syzygy table KQvK.atbz is missing";
    assert_eq!(tables.take_warnings(), [missing]);
    // The search uses the results.
    let mut engine = engine(&copy.path(""));
    let (result, reports) = report(&mut engine, &pos, &nodes(2000));
    assert_eq!(reports.warnings().len(), 1);
    assert!(result.value() > 10_000, "{}", result.value());
}

#[test]
fn the_first_of_two_folders_takes_precedence() {
    let Some(folder) = folder() else { return };
    let copy = copy(&folder, Some(&["KQvK"]));
    fs::write(copy.path("KQvK.atbw"), [0; 80]).expect("written");
    fs::write(copy.path("notes.txt"), "no table").expect("written");
    fs::write(copy.path("chess.atbw"), "no table").expect("written");
    let list = |folders: [&Path; 2]| std::env::join_paths(folders).expect("plain names");
    let pos = position(QUEEN);
    let good = Tablebase::open(list([&folder, &copy.path("")])).expect("tables");
    assert_eq!(good.wdl(&pos), Some(Wdl::Win));
    let whole = open(&folder);
    assert_eq!(good.to_string(), whole.to_string());
    assert_eq!(good.max_pieces(), 4);
    let bad = Tablebase::open(list([&copy.path(""), &folder])).expect("tables");
    assert_eq!(bad.wdl(&pos), None);
    assert_eq!(bad.to_string(), whole.to_string());
}

#[test]
fn folders_without_tables_are_errors() {
    let place = Folder::new();
    let error = |path: &Path| Tablebase::open(path).expect_err("no tables").to_string();
    assert!(error(&place.path("")).contains("no atomic Syzygy tables"));
    let text = error(&place.path("nowhere"));
    assert!(text.contains("nowhere") && text.contains("the directory does not exist"), "{text}");
    fs::write(place.path("KQvK.atbw"), "short").expect("written");
    let text = error(&place.path(""));
    assert!(text.contains("KQvK.atbw is cut off or damaged"), "{text}");
    assert!(error(&place.path("KQvK.atbw")).contains("KQvK.atbw"));
}

#[test]
fn a_truncated_table_returns_nothing_or_the_truth() {
    let Some(folder) = folder() else { return };
    let copy = copy(&folder, Some(&["KQvK", "KRvK"]));
    let file = copy.path("KQvK.atbw");
    let bytes = fs::read(&file).expect("readable");
    let pos = position(QUEEN);
    for length in (0..bytes.len()).step_by(16) {
        fs::write(&file, &bytes[..length]).expect("written");
        let tables = open(&copy.path(""));
        let (first, second) = (tables.wdl(&pos), tables.wdl(&pos));
        let warnings = tables.take_warnings();
        // The rest may still contain the value.
        assert!(first.is_none_or(|wdl| wdl == Wdl::Win), "{length}");
        assert_eq!(first, second);
        let is_noticed = first.is_none() || length % 64 != 16;
        assert_eq!(warnings.len(), usize::from(is_noticed));
        let is_named = warnings.iter().all(|text| text.contains("KQvK.atbw"));
        assert!(is_named, "{warnings:?}");
        if length < bytes.len() / 2 {
            assert_eq!(first, None, "{length}");
        }
    }
}

fn positions(material: &[&str], count: usize) -> Vec<Position> {
    let mut random = Random::new(8);
    let mut found = Vec::new();
    while found.len() < count {
        let pos = random_position(material[0].len() - 1, &mut random);
        let text = x_fen(&pos).to_uppercase();
        let board = text.split(' ').next().expect("a board").chars();
        let mut pieces: Vec<char> = board.filter(char::is_ascii_alphabetic).collect();
        pieces.sort_unstable();
        let mut expected: Vec<char> = material[0].replace('v', "").chars().collect();
        expected.sort_unstable();
        if pieces == expected {
            found.push(pos);
        }
    }
    found
}

#[test]
fn altered_tables_do_not_crash() {
    let Some(folder) = folder() else { return };
    let reference = Reference::new(&folder);
    let mut random = Random::new(15);
    let (mut noticed, mut unnoticed) = (0, 0);
    for (material, step) in [("KQvK", 8), ("KPvK", 32), ("KRPvK", 397), ("KNvKP", 5999)] {
        let names = [material, "KQvK", "KRvK", "KBvK", "KNvK", "KPvK"];
        let copy = copy(&folder, Some(&names));
        let positions = positions(&names, 6);
        let values: Vec<i32> = positions.iter().map(|pos| reference.wdl(pos)).collect();
        for extension in ["atbw", "atbz"] {
            let file = copy.path(&format!("{material}.{extension}"));
            let bytes = fs::read(&file).expect("readable");
            let offsets = (0..bytes.len()).filter(|&at| at < 100 || at % step == 0);
            for at in offsets {
                let mut altered = bytes.clone();
                altered[at] ^= 1 << random.below(8);
                fs::write(&file, &altered).expect("written");
                let tables = open(&copy.path(""));
                let mut wrong = 0;
                for (pos, wdl) in positions.iter().zip(&values) {
                    let found = tables.wdl(pos);
                    let _ = tables.dtz(pos);
                    let _ = tables.rank_moves(pos, &pos.legal_moves(), true);
                    wrong += usize::from(found.is_none_or(|found| found.value() != *wdl));
                }
                let warnings = tables.take_warnings();
                let distinct: HashSet<&String> = warnings.iter().collect();
                assert_eq!(distinct.len(), warnings.len(), "{warnings:?}");
                if warnings.is_empty() {
                    unnoticed += usize::from(wrong > 0);
                } else {
                    noticed += 1;
                }
                // The magic number and the layout.
                let context = format!("{material}.{extension} at {at}");
                assert!(at >= 4 || !warnings.is_empty(), "{context}");
            }
            fs::write(&file, &bytes).expect("written");
        }
    }
    println!("altered tables: {noticed} noticed, {unnoticed} gave another answer");
    assert!(noticed > 200, "{noticed}");
}
