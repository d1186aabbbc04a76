//! `isready`, `stop` and `ponderhit` while a search runs. Their response times are tested in
//! `timing/interface.rs`.

use std::time::Duration;

use super::session::{Session, answer, errors};

#[test]
fn isready_waits_for_earlier_commands() {
    let mut session = Session::ready();
    // `readyok` comes after the options take effect and before the search ends.
    session.send_bytes(
        b"setoption name Hash value 64\nsetoption name Hash value x\ngo infinite\nisready\n",
    );
    let mut lines = session.until("readyok");
    assert_eq!(errors(&lines).len(), 1, "{lines:?}");
    lines.extend(session.search("stop"));
    answer(&lines);
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
fn stop_ends_every_search_sent_before_it() {
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
fn all_lines_are_printed_again_after_ponderhit() {
    let mut session = Session::ready();
    session.send("setoption name MultiPV value 2");
    session.send("go ponder depth 1");
    session.listen(Duration::from_millis(60));
    let lines = session.search("ponderhit");
    for line in ["multipv 1 ", "multipv 2 "] {
        let is_line = |text: &String| text.starts_with("info depth 1 ") && text.contains(line);
        assert!(lines.iter().any(is_line), "{line}: {lines:?}");
    }
}

#[test]
fn no_bestmove_before_ponderhit_or_stop() {
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
        answer(&[early, session.search(release)].concat());
    }
    // A ponderhit does not end an analysis, and a stray one does not affect the next search.
    session.send("ponderhit");
    session.send("go infinite");
    session.send("ponderhit");
    let early = session.listen(Duration::from_millis(30));
    assert!(early.iter().all(|line| line.starts_with("info ")));
    session.search("stop");
}
