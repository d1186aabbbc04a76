//! Arguments that a GUI should not send: every `go` is still answered by a `bestmove`, and the
//! error names what is wrong.

use std::time::Duration;

use super::session::{Session, answer, errors, piped};
use crate::table::rows;

#[test]
fn a_malformed_go_still_gets_a_move() {
    let mut session = Session::ready();
    // The command, how many errors it causes, and what the first one names.
    let table = r#"
        go wtime 1e9 btime 50              | 2 | go wtime: "1e9"
        go depth -1                        | 2 | go depth: "-1" is negative
        go movetime 1.5                    | 2 | go movetime: "1.5"
        go depth                           | 2 | go depth: "" needs a number
        go depth wtime 50                  | 1 | go depth: "" needs a number
        go depth x nodes 100               | 1 | go depth: "x"
        go nodes 0x10 depth 2              | 1 | go nodes: "0x10"
        go movestogo x wtime 60 btime 60   | 1 | go movestogo: "x"
        go mate 0 depth 2                  | 1 | "0" is not a number of moves from 1 to 120
        go mate -1 depth 2                 | 1 | go mate: "-1" is negative"#;
    for [line, count, part] in rows(table) {
        let lines = session.search(line);
        answer(&lines);
        let errors = errors(&lines);
        assert_eq!(errors.len().to_string(), count, "{line}: {errors:?}");
        assert!(errors[0].contains(part), "{line}: {errors:?}");
    }
}

#[test]
fn a_mate_beyond_the_longest_is_searched_up_to_the_longest() {
    let mut session = Session::ready();
    session.send("position fen rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4");
    for moves in ["121", "500", "99999999999999"] {
        let lines = session.search(&format!("go mate {moves}"));
        assert_eq!(answer(&lines), "d3d7");
        let expected = format!("\"{moves}\" is more than 120 moves");
        assert!(errors(&lines)[0].contains(&expected), "{lines:?}");
    }
}

#[test]
fn bad_search_moves_are_reported() {
    let mut session = Session::ready();
    let lines = session.search("go searchmoves a2a3 depth 3");
    assert_eq!(answer(&lines), "a2a3");
    assert!(errors(&session.search("go nodes 200 searchmoves 0000")).is_empty());
    let lines = session.search("go searchmoves zzzz depth 3");
    answer(&lines);
    assert!(lines[0].contains("go searchmoves: \"zzzz\" is not a move"));
    assert!(lines[1].contains("no legal move is left; searching all moves"));
    let lines = session.search("go searchmoves zzzz e2e5 h2h3 depth 3");
    assert_eq!(answer(&lines), "h2h3");
    assert_eq!(errors(&lines).len(), 2, "{lines:?}");
    assert!(lines[1].contains("e2e5"), "{lines:?}");
    let lines = session.search("go searchmoves e2e5 depth 3");
    assert_ne!(answer(&lines), "e2e5");
    assert_eq!(errors(&lines).len(), 2, "{lines:?}");
}

#[test]
fn after_a_rejected_position_nothing_is_searched() {
    let mut session = Session::ready();
    for bad in [
        "position startpos moves e2e4 e7e5 e4e5",
        "position startpos moves zzzz",
        "position fen 8/8 w - -",
        "position",
    ] {
        session.send("position startpos moves g1f3");
        session.send(bad);
        for go in ["go depth 3", "go infinite", "go ponder depth 3", "go mate 2"] {
            session.send(go);
            if go != "go depth 3" && go != "go mate 2" {
                let early = session.listen(Duration::from_millis(30));
                assert!(early.iter().all(|line| line.starts_with("info ")));
                session.send("stop");
            }
            let lines = session.until("bestmove");
            assert_eq!(lines.last().map(String::as_str), Some("bestmove (none)"));
        }
        session.send("go perft 1");
        let lines = session.until("info string error");
        assert!(lines[0].contains("the last position was rejected"));
        // The next position makes up for it.
        session.send("position startpos");
        assert_ne!(answer(&session.search("go depth 1")), "(none)");
    }
}

#[test]
fn more_threads_than_cores_are_reported_once() {
    let mut session = Session::ready();
    let lines = session.tell("setoption name Threads value 1024");
    assert_eq!(lines.len(), 1, "{lines:?}");
    let start = "info string 1024 threads on ";
    assert!(lines[0].starts_with(start), "{lines:?}");
    assert!(lines[0].ends_with(" threads search"), "{lines:?}");
    // All of these search.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let lines = session.tell(&format!("setoption name Threads value {}", 2 * cores));
    assert!(lines[0].ends_with(" weaken play"), "{lines:?}");
    session.tell("setoption name Threads value 1024");
    for line in ["setoption name Threads value 1024", "ucinewgame"] {
        assert!(session.tell(line).is_empty(), "{line}");
    }
    let lines = session.search("go nodes 5000");
    answer(&lines);
    let notes = lines.iter().filter(|line| line.starts_with("info string"));
    assert_eq!(notes.count(), 0);
    assert!(session.tell("setoption name Threads value 1").is_empty());
}

#[test]
fn a_benchmark_is_stopped() {
    for command in ["bench 99", "go perft 12"] {
        let mut session = Session::ready();
        // What follows in the same block would belong to a script.
        session.tell(command);
        session.send("stop");
        let lines = session.until("info string error");
        assert!(lines.last().is_some_and(|line| line.ends_with("stopped")));
        session.tell(command);
        session.send("quit");
        assert!(session.end().1.success());
    }
    let mut session = Session::ready();
    for depth in ["0", "-1", "x", "1000"] {
        session.send(&format!("bench {depth}"));
        let lines = session.until("info string error");
        let expected = format!("bench: \"{depth}\" is not a depth from 1 to ");
        assert!(lines[0].contains(&expected), "{lines:?}");
    }
    // In a script, `quit` waits for the result, but not for a search.
    let lines = piped("go perft 3\ngo infinite\nquit\n");
    assert!(lines.contains(&"Nodes searched: 8902".to_owned()));
    answer(&lines);
    let lines = piped("bench 1\nquit\n");
    assert!(lines.last().is_some_and(|line| line.ends_with(" nps")));
}

#[test]
fn long_names_are_shortened() {
    let name = "x".repeat(1 << 20);
    let mut session = Session::ready();
    let lines = "setoption name EvalFile value, setoption name BookFile value, \
                 setoption name SyzygyPath value, setoption name Debug Log File value, \
                 export_net, genfens 1 seed 1 book, position fen";
    for line in lines.split(", ") {
        session.send(&format!("{line} {name}"));
        let lines = session.until("info string error");
        session.sync();
        assert_eq!(lines.len(), 1, "{}", lines.len());
        assert!(lines[0].len() < 1000, "{}", lines[0].len());
    }
}

#[test]
fn an_endless_line_is_refused() {
    let mut session = Session::ready();
    for _ in 0..70 {
        session.send_bytes(&vec![b'x'; 1 << 20]);
    }
    let lines = session.tell("");
    assert!(lines[0].contains("a line of more than 64 MiB"), "{lines:?}");
}
