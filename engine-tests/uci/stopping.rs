//! While a search runs: `isready`, `stop`, `ponderhit` and the time they take.

use std::thread;
use std::time::Duration;

use super::session::{PROMPT, Session, answer, errors, median};

#[test]
fn isready_is_answered_during_a_search() {
    let mut session = Session::ready();
    for line in ["go infinite", "go perft 9"] {
        session.send(line);
        thread::sleep(Duration::from_millis(20));
        let times = (0..7).map(|_| session.measure("isready", "readyok"));
        let median = median(times.collect());
        println!("isready during {line}: {median:?}");
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
fn isready_waits_for_earlier_commands() {
    let mut session = Session::ready();
    // Nothing in between: the prompt may neither overtake the options nor wait for the search.
    session.send_bytes(
        b"setoption name Hash value 64\nsetoption name Hash value x\ngo infinite\nisready\n",
    );
    let mut lines = session.until("readyok");
    assert_eq!(errors(&lines).len(), 1, "{lines:?}");
    session.send("stop");
    lines.extend(session.until("bestmove"));
    answer(&lines);
}

#[test]
fn stop_is_obeyed_at_once() {
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
    println!("stop: {median:?}");
    assert!(median < PROMPT, "{median:?}");
}

#[test]
fn a_stop_right_after_go_is_never_lost() {
    let mut session = Session::ready();
    for round in 0..50 {
        let go = ["go infinite", "go ponder wtime 9000 btime 9000", "go"][round % 3];
        session.send_bytes(format!("{go}\nstop\n").as_bytes());
        answer(&session.until("bestmove"));
    }
    assert!(session.sync().is_empty());
}

#[test]
fn stop_concerns_every_search_read_before_it() {
    let mut session = Session::ready();
    session.send_bytes(b"go infinite\ngo infinite\ngo ponder\nisready\nstop\ngo depth 1\n");
    let mut lines = Vec::new();
    for _ in 0..4 {
        lines.extend(session.until("bestmove"));
    }
    assert_eq!(lines.iter().filter(|line| *line == "readyok").count(), 1);
    assert!(session.sync().is_empty());
}

#[test]
fn lines_are_told_again_after_the_ponder_hit() {
    let mut session = Session::ready();
    session.send("setoption name MultiPV value 2");
    session.send("go ponder depth 1");
    session.listen(Duration::from_millis(60));
    session.send("ponderhit");
    let lines = session.until("bestmove");
    for line in ["multipv 1 ", "multipv 2 "] {
        let told = |told: &String| told.starts_with("info depth 1 ") && told.contains(line);
        assert!(lines.iter().any(told), "{line}: {lines:?}");
    }
}

#[test]
fn no_answer_before_ponderhit_or_stop() {
    let mut session = Session::ready();
    for (go, release) in [
        ("go ponder movetime 10", "ponderhit"),
        ("go ponder depth 1", "ponderhit"),
        ("go ponder wtime 50 btime 50 winc 0 binc 0", "ponderhit"),
        ("go ponder nodes 10", "stop"),
        ("go infinite depth 1", "stop"),
        ("go infinite", "stop"),
    ] {
        session.send(go);
        let early = session.listen(Duration::from_millis(60));
        let silent = early.iter().all(|line| line.starts_with("info "));
        assert!(silent, "{go}: {early:?}");
        session.send(release);
        let mut lines = early;
        lines.extend(session.until("bestmove"));
        answer(&lines);
    }
    // A ponderhit does not end an analysis, nor does a stray one spoil the next search.
    session.send("ponderhit");
    session.send("go infinite");
    session.send("ponderhit");
    let early = session.listen(Duration::from_millis(30));
    assert!(early.iter().all(|line| line.starts_with("info ")));
    session.send("stop");
    session.until("bestmove");
}
