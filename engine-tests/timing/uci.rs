//! Response times of the binary while a search runs.

// Shared with the other test binary, which uses all of it.
#[allow(dead_code)]
#[path = "../uci/session.rs"]
pub(crate) mod session;

use std::thread;
use std::time::Duration;

use serial_test::serial;

use session::Session;

/// Upper limit of the median of several response times; on an idle machine it is below a
/// millisecond.
const PROMPT: Duration = Duration::from_millis(100);

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[test]
#[serial]
fn isready_is_answered_during_a_search() {
    let mut session = Session::ready();
    for line in ["go infinite", "go perft 9"] {
        session.send(line);
        thread::sleep(Duration::from_millis(20));
        let times = (0..7).map(|_| session.measure("isready", "readyok"));
        let median = median(times.collect());
        assert!(median < PROMPT, "{line}: {median:?}");
        session.send("stop");
        session.until(if line.contains("perft") {
            "info string error go perft: stopped"
        } else {
            "bestmove"
        });
    }
}

#[test]
#[serial]
fn stop_ends_a_search_at_once() {
    let mut session = Session::ready();
    let mut times = Vec::new();
    for line in [
        "go infinite",
        "go",
        "go ponder wtime 60000 btime 60000",
        "go depth 200",
    ] {
        for _ in 0..2 {
            session.send(line);
            thread::sleep(Duration::from_millis(15));
            times.push(session.measure("stop", "bestmove"));
        }
    }
    let median = median(times);
    assert!(median < PROMPT, "{median:?}");
}
