//! Matches against engines that move too late or not at all.

// Shared with the other test binary, which uses all of it.
#[allow(dead_code)]
#[path = "../arena/helpers.rs"]
mod helpers;
#[allow(dead_code)]
#[path = "../arena/record.rs"]
mod record;
#[allow(dead_code)]
#[path = "../arena/stub.rs"]
mod stub;

use serial_test::serial;

use stub::loses;

#[test]
#[serial]
fn late_moves_lose_on_time() {
    for (behaviour, limits) in [
        ("late-move", "--movetime 0.05 --margin 400"),
        ("moves-only-on-stop", "--tc 0.1+0 --margin 400"),
        ("slow-readyok", "--movetime 0.05 --margin 400"),
    ] {
        loses(behaviour, limits, "lost on time", "time forfeit");
    }
}

#[test]
#[serial]
fn an_engine_that_does_not_start_in_time_loses() {
    let words = "--nodes 20 --start-timeout 0.3 --quit-timeout 0.1";
    for behaviour in ["silent-at-uci", "floods-output"] {
        let reason = "stalled: no uciok within 300ms";
        loses(behaviour, words, reason, "abandoned");
    }
    let words = "--nodes 20 --ready-timeout 0.3 --quit-timeout 0.1";
    let reason = "stalled: no readyok within 300ms";
    loses("silent-at-isready", words, reason, "abandoned");
}

#[test]
#[serial]
fn an_engine_that_does_not_move_loses() {
    let words = "--nodes 20 --move-timeout 0.3 --quit-timeout 0.1";
    let reason = "stalled: no move within 300ms";
    let (_, games) = loses("silent-at-go", words, reason, "abandoned");
    assert!(games.iter().all(|game| game.sans.len() <= 1));
    let words = "--tc 0.1+0 --margin 400 --stop-timeout 0.2 --quit-timeout 0.1";
    let reason = "stalled: over time and no reply to stop";
    loses("garbage-only", words, reason, "abandoned");
}
