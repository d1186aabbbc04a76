//! Suites of openings: balance, interruptions, files that must not change, and their use in a match.

use brisance::notation::fen;
use brisance::rules::Variant;

use crate::program::Folder;

#[test]
fn openings_are_balanced_and_an_interrupted_run_continues() {
    let folder = Folder::new();
    let make = |words: &str| {
        folder.check(&format!("0 openings {words} --nodes 300 --seed 5"));
    };
    make("whole.epd --count 60 --threads 2");
    make("parts.epd --count 23 --threads 1");
    // An incomplete line, as a kill leaves it.
    folder.append("parts.epd", b"rnbqkbnr/pppp");
    make("parts.epd --count 60 --threads 1");
    let text = folder.read("whole.epd");
    assert_eq!(text, folder.read("parts.epd"));
    assert_eq!(text.lines().count(), 60);
    for line in text.lines() {
        let fen = line.split(" ce ").next().expect("a position");
        let pos = fen::parse(fen, Variant::Atomic).expect("a FEN of four fields");
        assert_eq!(pos.outcome(), None);
        assert!(pos.win_in_one().is_none() && !pos.threatens_explosion(!pos.side_to_move()));
    }
}

#[test]
fn limits_that_no_more_openings_meet_end_the_run() {
    // After one ply from the start position there are 20 positions.
    let folder = Folder::new();
    let few = "few.epd --count 99 --nodes 1 --min-plies 1 --max-plies 1 --from -9999 --to 9999";
    folder.check(&format!(
        "1 openings {few}
         ! only 20 of 99 openings found: the last 10000 candidates gave no new one within the limits
         ! (--min-plies, --max-plies, --from, --to)"
    ));
    let text = folder.read("few.epd");
    assert_eq!(text.lines().count(), 20);
    // The same command finds no other.
    folder.check(&format!("1 openings {few} ! only 20 of 99"));
    assert_eq!(folder.read("few.epd"), text);
    let none = "none.epd --count 3 --nodes 1 --from 99999 --to 99999";
    folder.check(&format!("1 openings {none} ! only 0 of 3 openings found"));
    assert!(!folder.has("none.epd"));
}

#[test]
fn openings_with_other_settings_stay_unchanged() {
    let folder = Folder::new();
    // An opening may be the same with at least seven plies, and so may a few.
    folder.check("0 openings kinds.epd --nodes 300 --count 20");
    let text = folder.read("kinds.epd");
    // Which line is the first to differ depends on the network.
    for other in [
        "--seed 2",
        "--chess960",
        "--variant nocheckatomic --from 500 --to 900",
        "--min-plies 7",
        "--from 200 --to 300",
    ] {
        folder.check(&format!(
            "2 openings kinds.epd --nodes 300 --count 24 {other}
             ! kinds.epd: line  ! was made with another seed"
        ));
        assert_eq!(folder.read("kinds.epd"), text, "{other}");
    }
    folder.check("0 openings kinds.epd --nodes 300 --count 24");
}

#[test]
fn openings_in_pgn_need_the_variant() {
    let play = "match --openings x.pgn --engine 'self name=a' --engine 'self name=b' \
                --nodes 50 --games 2";
    let (folder, _) = Folder::with("x.pgn", "1. Nf3 f6 *\n");
    folder.check(&format!(
        "1 {play} ! without the tag Variant
         0 {play} --variant atomic"
    ));
    let whole = "[Variant \"Atomic\"]\n\n1. Nf3 a6 2. Ng5 a5 3. Nxf7 1-0\n";
    folder.write("x.pgn", whole);
    folder.check(&format!(
        "1 {play} ! game 1: the game is over ! --opening-plies N
         0 {play} --opening-plies 4"
    ));
}
