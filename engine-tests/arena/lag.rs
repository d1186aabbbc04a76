//! `match --lag`: the clock of an engine that moves at once, and records with another lag.
//! Invariant: the lags are far longer than anything here takes, so that no result depends on the
//! speed of the machine.

use super::stub::loses;
use crate::folder::Folder;

#[test]
fn lag_is_charged_for_every_move() {
    // 250 s, and after each move 10 s more and 100 s less.
    let left = [160.0, 70.0, 10.0];
    let lost = |words: &str, moves: usize| {
        let (reason, tag) = ("lost on time", "time forfeit");
        let words = format!("--nodes 20 {words}");
        let (_, games) = loses("moves-at-once", "tc=250+10", &words, reason, tag);
        for game in games {
            let clocks = game.clocks("Stub");
            assert_eq!(clocks.len(), moves, "{clocks:?}");
            for (clock, left) in clocks.iter().zip(left) {
                assert!((left - 5.0..=left).contains(clock), "{clocks:?}");
            }
        }
    };
    lost("--lag 100000", 2);
    // The third move is 30 s late, which leaves the increment; the fourth is 90 s late.
    lost("--lag 100000 --margin 40000", 3);
}

#[test]
fn a_record_with_another_lag_is_refused() {
    let place = Folder::new();
    let engines = "--engine 'self name=A option.nodestime=20' \
                   --engine 'self name=B option.nodestime=20' --tc 3+0.1 --max-moves 2";
    let [two, four] = [2, 4].map(|games| format!("{engines} --games {games}"));
    let games = place.played(&format!("{two} --lag 50"));
    assert!(games.iter().all(|game| game.tag("Lag") == "50 ms"));
    let record = place.bytes("games.pgn");
    for (words, now) in [("", ""), ("--lag 0", ""), ("--lag 51", "51 ms")] {
        let part = format!("Lag is \"50 ms\" in the file and \"{now}\" now");
        place.refuses(2, &format!("{two} {words} --resume"), &part);
        assert_eq!(place.bytes("games.pgn"), record);
    }
    let summary = place.summary(&format!("{four} --lag 50 --resume"));
    let counts = [&summary["resumed"], &summary["games"]];
    assert_eq!(counts, [2, 4]);

    let place = Folder::new();
    let games = place.played(&format!("{two} --lag 0"));
    assert!(games.iter().all(|game| game.tag("Lag").is_empty()));
    let part = "Lag is \"\" in the file and \"50 ms\" now";
    place.refuses(2, &format!("{two} --lag 50 --resume"), part);
}
