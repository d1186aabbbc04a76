//! Suites of openings: balance, interruptions, files that must not change, and their use in a match.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use brisance::notation::fen;
use brisance::rules::Variant;
use predicates::prelude::*;
use predicates::str::contains;

use super::brisance;

/// An unused path in the directory for temporary files.
fn scratch(name: &str) -> PathBuf {
    let path = env::temp_dir().join(format!("brisance-{}-{name}", process::id()));
    let _ = fs::remove_file(&path);
    path
}

#[test]
fn openings_are_balanced_and_an_interrupted_run_continues() {
    let (whole, parts) = (scratch("whole.epd"), scratch("parts.epd"));
    let make = |path: &Path, count: &str, threads: &str| {
        let path = path.to_str().expect("the name is plain");
        let rest = [
            "--nodes",
            "300",
            "--seed",
            "5",
            "--count",
            count,
            "--threads",
            threads,
        ];
        brisance(&[&["openings", path][..], &rest].concat())
            .assert()
            .success();
    };
    make(&whole, "60", "2");
    make(&parts, "23", "1");
    // An incomplete line, as a kill leaves it.
    let mut torn = fs::read_to_string(&parts).expect("openings");
    torn.push_str("rnbqkbnr/pppp");
    fs::write(&parts, torn).expect("writable");
    make(&parts, "60", "1");
    let text = fs::read_to_string(&whole).expect("openings");
    assert_eq!(text, fs::read_to_string(&parts).expect("openings"));
    assert_eq!(text.lines().count(), 60);
    for line in text.lines() {
        let fen = line.split(" ce ").next().expect("a position");
        let pos = fen::parse(fen, Variant::Atomic).expect("a FEN of four fields");
        assert_eq!(pos.outcome(), None);
        assert!(pos.win_in_one().is_none() && !pos.threatens_explosion(!pos.side_to_move()));
    }
    let _ = (fs::remove_file(whole), fs::remove_file(parts));
}

#[test]
fn openings_with_other_settings_stay_unchanged() {
    let path = scratch("kinds.epd");
    let name = path.to_str().expect("plain");
    let with = |count: &str, rest: &[&str]| {
        brisance(
            &[
                &["openings", name, "--nodes", "300", "--count", count],
                rest,
            ]
            .concat(),
        )
    };
    // An opening may be the same with at least seven plies, and so may a few.
    with("20", &[]).assert().success();
    let text = fs::read(&path).expect("openings");
    for rest in [
        &["--seed", "2"][..],
        &["--chess960"],
        &["--variant", "nocheckatomic", "--from", "500", "--to", "900"],
        &["--min-plies", "7"],
        &["--from", "200", "--to", "300"],
    ] {
        with("24", rest)
            .assert()
            .code(2)
            // Which line is the first to differ depends on the network.
            .stderr(contains("kinds.epd: line ").and(contains(" was made with another seed")));
        assert_eq!(fs::read(&path).expect("openings"), text, "{rest:?}");
    }
    with("24", &[]).assert().success();
    let _ = fs::remove_file(path);
}

#[test]
fn a_file_without_openings_stays_unchanged() {
    let path = scratch("notes.txt");
    fs::write(&path, "my notes\n").expect("writable");
    brisance(&["openings", path.to_str().expect("plain"), "--count", "5"])
        .assert()
        .code(1)
        .stderr(contains("line 1").and(contains("my notes")));
    assert_eq!(
        fs::read_to_string(&path).expect("still there"),
        "my notes\n"
    );
    let _ = fs::remove_file(path);
}

#[test]
fn openings_in_pgn_need_the_variant() {
    let path = scratch("openings.pgn");
    let name = path.to_str().expect("plain");
    fs::write(&path, "1. Nf3 f6 *\n").expect("writable");
    let rest = [
        "--engine",
        "self name=a",
        "--engine",
        "self name=b",
        "--nodes",
        "50",
        "--games",
        "2",
    ];
    let play =
        |more: &[&str]| brisance(&[&["match", "--openings", name][..], &rest, more].concat());
    let refused = play(&[]).assert().code(1);
    refused.stderr(contains("without the tag Variant"));
    play(&["--variant", "atomic"]).assert().success();
    let whole = "[Variant \"Atomic\"]\n\n1. Nf3 a6 2. Ng5 a5 3. Nxf7 1-0\n";
    fs::write(&path, whole).expect("writable");
    let over = play(&[]).assert().code(1);
    over.stderr(contains("game 1: the game is over").and(contains("--opening-plies N")));
    play(&["--opening-plies", "4"]).assert().success();
    let _ = fs::remove_file(path);
}
