//! The UCI protocol: sessions with the binary, as GUIs hold them. Response times are tested in
//! `timing/interface.rs`.

mod arguments; // malformed commands
mod files; // files that are read or written
mod parsing; // commands without a binary
pub mod session; // a session with the binary
mod stopping; // commands during a search

use std::time::Duration;

use session::{Session, answer, errors, piped};

use crate::program::assert_has;
use crate::table::rows;

#[test]
fn the_handshake_lists_all_options() {
    let mut session = Session::start();
    let early = session.listen(Duration::from_millis(50));
    assert!(early.is_empty(), "output before the first command");
    session.send("xboard");
    session.send("uci");
    let lines = session.until("uciok");
    let name = format!("id name Brisance {}", env!("CARGO_PKG_VERSION"));
    let expected = [
        name.as_str(),
        "id author the Brisance authors",
        "option name Hash type spin default 16 min 1 max 1048576",
        "option name Clear Hash type button",
        "option name Threads type spin default 1 min 1 max 1024",
        "option name Ponder type check default false",
        "option name MultiPV type spin default 1 min 1 max 256",
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name nodestime type spin default 0 min 0 max 10000",
        "option name Use NNUE type check default true",
        "option name RefutationBook type check default true",
        "option name EvalFile type string default <internal>",
        "option name SyzygyPath type string default <empty>",
        "option name SyzygyProbeDepth type spin default 1 min 1 max 100",
        "option name Syzygy50MoveRule type check default true",
        "option name SyzygyProbeLimit type spin default 7 min 0 max 7",
        "option name OwnBook type check default false",
        "option name BookFile type string default <empty>",
        "option name BookBest type check default false",
        "option name BookDepth type spin default 1000 min 1 max 1000",
        "option name Debug Log File type string default <empty>",
        "option name UCI_Variant type combo default atomic var atomic var nocheckatomic",
        "option name UCI_Chess960 type check default false",
        "option name UCI_AnalyseMode type check default false",
        "option name UCI_ShowWDL type check default false",
        "option name Skill Level type spin default 20 min 0 max 20",
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 2740 min 460 max 2740",
        "uciok",
    ];
    assert_eq!(lines, expected);
    assert!(session.sync().is_empty());
    session.quit();
}

#[test]
fn a_match_as_cute_chess_runs_it() {
    let mut session = Session::start();
    session.send("uci");
    session.until("uciok");
    session.send("setoption name Hash value 8");
    assert!(session.tell("setoption name Threads value 1").is_empty());
    session.send("setoption name UCI_Variant value atomic");
    session.send("ucinewgame");
    session.send("setoption name Ponder value true");
    assert!(session.tell("position startpos").is_empty());
    let best = answer(&session.search("go wtime 800 btime 800 winc 10 binc 10")).to_string();
    let rejected = session.tell(&format!("position startpos moves {best}"));
    assert!(rejected.is_empty(), "{rejected:?}");
    let mut lines = session.tell("go ponder wtime 800 btime 800 winc 10 binc 10");
    assert!(lines.iter().all(|line| line.starts_with("info ")));
    lines.extend(session.search("ponderhit"));
    let reply = answer(&lines).to_string();
    session.send(&format!("position startpos moves {best} {reply}"));
    answer(&session.search("go nodes 500"));
    session.quit();
}

#[test]
fn a_session_of_fishnet_without_the_uci_command() {
    const FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mut session = Session::start();
    session.send("setoption name UCI_Chess960 value true");
    assert!(session.sync().is_empty());
    session.send("ucinewgame");
    session.send("setoption name UCI_AnalyseMode value true");
    session.send("setoption name UCI_Variant value atomic");
    assert!(session.tell("setoption name MultiPV value 1").is_empty());
    for line in ["go nodes 1000", "go movetime 30 depth 3 wtime 1000 btime 1000"] {
        session.send(&format!("position fen {FEN} moves "));
        let lines = session.search(line);
        answer(&lines);
        let (_, before) = lines.split_last().expect("an answer");
        assert!(before.iter().all(|line| line.starts_with("info ")));
    }
    session.quit();
}

/// Sends a line that causes one message, an error that contains all parts.
#[track_caller]
fn error(session: &mut Session, line: &str, parts: &str) {
    let lines = session.tell(line);
    let counts = (lines.len(), errors(&lines).len());
    assert_eq!(counts, (1, 1), "{line}: {lines:?}");
    for part in parts.split(" ; ") {
        assert!(lines[0].contains(part), "{part}: {lines:?}");
    }
}

#[test]
fn invalid_options_keep_the_old_values() {
    let mut session = Session::ready();
    session.send("setoption name uci_variant value NOCHECKATOMIC");
    let table = r#"
        setoption name UCI_Variant value chess     | "chess" ; nocheckatomic
        setoption name Hash value 0                | "0" ; 1 to 1048576
        setoption name Hash value x                | "x" ; 1 to 1048576
        setoption name Threads value 5000          | "5000" ; 1 to 1024
        setoption name Ponder value perhaps        | "perhaps" ; true
        setoption name No Such Thing value 1       | "No Such Thing" ; unknown option
        setoption name SyzygyPath value /no/such   | cannot read /no/such
        setoption name SyzygyProbeDepth value 0    | "0" ; 1 to 100
        setoption name SyzygyProbeLimit value 8    | "8" ; 0 to 7
        setoption name Syzygy50MoveRule value oft  | "oft" ; true
        setoption Hash 3                           | "Hash 3" ; name"#;
    for [line, parts] in rows(table) {
        error(&mut session, line, parts);
    }
    let lines = session.tell("d");
    assert!(lines.contains(&"Variant: nocheckatomic".to_string()));
}

#[test]
fn an_invalid_position_keeps_the_old_one() {
    let mut session = Session::ready();
    session.send("position startpos moves g1f3");
    let before = session.fen();
    let table = r#"
        position fen garbage                    | "garbage" ; ranks
        position fen 8/8/8/8/8/8/8/8 w - - 0 1  | 8/8/8/8/8/8/8/8 ; king
        position startpos moves e2e4 e7e5 e4e5  | "e4e5" ; move 3
        position startpos moves e2e5            | "e2e5" ; move 1
        position startpos moves e2e4 zzzz       | "zzzz" ; move 2
        position startpos moves O-O             | "O-O" ; move 1
        position startpos moves 0000            | "0000" ; move 1
        position                                | "" ; startpos"#;
    for [line, parts] in rows(table) {
        error(&mut session, line, parts);
        assert_eq!(session.fen(), before, "{line}");
    }
}

#[test]
fn what_is_ignored_in_a_position_is_named() {
    let mut session = Session::ready();
    // START is the board at the start.
    let table = r#"
        rnbqkb2/pppppp2/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 5
        | rnbqkb2/pppppp2/8/8/8/8/PPPPPPPP/RNBQKBNR w KQq - 0 5
        | castling "KQkq": k has no matching rook
        START w KQkq         | START w KQkq - 0 1 | read with - 0 1
        "START w KQkq - 0 1" | START w KQkq - 0 1 |"#;
    let table = table.replace("START", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    for [fen, expected, part] in rows(&table) {
        let lines = session.tell(&format!("position fen {fen}"));
        assert_eq!(lines.len(), usize::from(!part.is_empty()), "{lines:?}");
        for line in lines {
            assert!(line.starts_with("info string position: FEN, "), "{line}");
            assert!(line.contains(part), "{line}");
        }
        assert_eq!(session.fen(), expected);
        assert_ne!(answer(&session.search("go nodes 100")), "(none)");
    }
}

/// Limits that are reached within the first iteration; none is worth a move without a score.
#[test]
fn the_smallest_limits_give_a_score_and_a_sensible_move() {
    const BISHOPS: &str = "8/8/8/3k2n1/8/B1B5/1B1B4/K1B1B3 w - - 0 1";
    let mut session = Session::ready();
    session.send("setoption name MultiPV value 3");
    let limits = "nodes 0, nodes 1, nodes 2, nodes 20, depth 0, movetime 0, wtime 0 btime 0, \
                  wtime -9 btime -9, nodes 1 searchmoves c1e3 c3g7";
    for limits in limits.split(", ") {
        session.send("ucinewgame");
        session.send(&format!("position fen {BISHOPS}"));
        let lines = session.search(&format!("go {limits}"));
        // How deep a search without time comes differs, and the other lines need not win.
        let best = lines.iter().filter(|line| line.contains(" multipv 1 "));
        let scores: Vec<i32> = best.filter_map(|line| centipawns(line)).collect();
        assert!(!scores.is_empty(), "{lines:?}");
        let is_winning = scores.iter().all(|&score| score > 100);
        assert!(is_winning, "{limits}: {lines:?}");
    }
    // White may explode the king at once; the move that does is not the first one generated.
    session.send("position startpos moves g1f3 a7a6 f3g5 a6a5");
    let lines = session.search("go nodes 1");
    assert_eq!(answer(&lines), "g5f7", "{lines:?}");
}

fn centipawns(line: &str) -> Option<i32> {
    let (_, rest) = line.split_once(" score cp ")?;
    rest.split(' ').next()?.parse().ok()
}

#[test]
fn positions_are_accepted_in_every_notation() {
    let mut session = Session::ready();
    let table = "
        position fen 4k3/8/8/8/8/8/8/4K2R w H - 5 moves E1H1 | 4k3/8/8/8/8/8/8/5RK1 b - - 6 1
        position fen 4k3/8/8/8/8/8/8/R3K3 w Q - 5 9 moves O-O-O e8e7
        | 8/4k3/8/8/8/8/8/2KR4 w - - 7 10
        position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - moves
        | rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
        position startpos moves e2e4 a7a6 e4e5 d7d5 e5d6
        | rnbqkbnr/1pp1pppp/p7/8/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3";
    for [line, expected] in rows(table) {
        session.send(&format!("{line} "));
        assert_eq!(session.fen(), expected, "{line}");
    }
    session.send("flip");
    let flipped = "rnbqkbnr/pppp1ppp/8/8/8/P7/1PP1PPPP/RNBQKBNR w KQkq - 0 3";
    assert_eq!(session.fen(), flipped);
}

#[test]
fn uci_chess960_selects_the_castling_notation() {
    let mut session = Session::ready();
    let lone = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    for (option, written) in [("false", "e1g1"), ("true", "e1h1")] {
        session.send(&format!("setoption name UCI_Chess960 value {option}"));
        for read in ["e1g1", "e1h1"] {
            session.send(lone);
            let lines = session.search(&format!("go depth 1 searchmoves {read}"));
            assert_eq!(answer(&lines), written);
            session.send(&format!("{lone} moves {read}"));
            assert_eq!(session.fen(), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
        }
        session.send(lone);
        session.send("go perft 1");
        let lines = session.until("Nodes searched: ");
        assert!(lines.contains(&format!("{written}: 1")), "{lines:?}");
    }
}

#[test]
fn a_finished_game_has_no_best_move() {
    let mut session = Session::ready();
    for (fen, score) in [
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "mate 0"),
        ("4k3/8/8/8/8/8/8/8 b - - 0 1", "mate 1"),
        ("7k/6Q1/8/8/8/8/8/K7 b - - 0 1", "mate 0"),
        ("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", "cp 0"),
    ] {
        session.send(&format!("position fen {fen}"));
        session.send("go depth 5");
        let info = format!("info depth 0 score {score}");
        let expected = [info, "bestmove (none)".into()];
        assert_eq!(session.until("bestmove"), expected, "{fen}");
        session.send("go infinite");
        assert_eq!(session.until("info depth 0"), expected[..1], "{fen}");
        let early = session.listen(Duration::from_millis(30));
        assert!(early.is_empty(), "{fen}: {early:?}");
        assert_eq!(session.search("stop"), expected[1..], "{fen}");
        session.tell("eval");
    }
}

#[test]
fn drawn_games_still_get_a_move() {
    let mut session = Session::ready();
    for position in [
        "fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1 moves",
        "fen 4k3/8/8/8/8/8/4P3/R3K3 w - - 150 200 moves",
        "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
    ] {
        session.send(&format!("position {position}"));
        let best = answer(&session.search("go depth 3")).to_string();
        assert_ne!(best, "(none)", "{position}");
        let rejected = session.tell(&format!("position {position} {best}"));
        assert!(rejected.is_empty(), "{rejected:?}");
    }
}

#[test]
fn the_end_of_the_input_waits_for_limited_searches() {
    assert_eq!(piped(""), [""; 0]);
    answer(&piped("go depth 3\n"));
    answer(&piped("go depth 3"));
    answer(&piped("go infinite\n"));
    answer(&piped("go\n"));
    answer(&piped("go ponder wtime 100 btime 100\n"));
    let two = piped("go depth 2\nposition startpos moves e2e4\ngo nodes 100\ngo infinite\n");
    let answers = two.iter().filter(|line| line.starts_with("bestmove"));
    assert_eq!(answers.count(), 3, "{two:?}");
    let perft = piped("go perft 4\nquit\n");
    assert!(perft.ends_with(&["Nodes searched: 197326".to_owned()]));
    let shown = piped("d\nquit\n");
    assert!(shown.iter().any(|line| line.starts_with("Fen: ")));
}

#[test]
fn quit_during_a_search() {
    let searches = "go infinite, go ponder, go depth 200, go wtime 600000 btime 600000";
    for go in searches.split(", ") {
        let mut session = Session::ready();
        session.send(go);
        session.until("info ");
        session.send("quit");
        let (_, status) = session.end();
        assert!(status.success(), "{go}: {status}");
    }
}

#[test]
fn garbage_is_ignored() {
    let mut session = Session::ready();
    session.send_bytes(b"\xff\xfe\x00garbage\xc3\x28\n\n\r\n   \t\n\x80\x80 \xf0\x28\n");
    session.send(&"x".repeat(100_000));
    session.send("foo");
    session.send("isreadyxyz");
    assert!(session.tell("bestmove e2e4").is_empty());
    // Invalid UTF-8 in a known command is an error message, not a crash.
    session.send_bytes(b"position fen \xff\xfe\nsetoption name \xff value \xff\n");
    assert_eq!(errors(&session.sync()).len(), 2);
    session.send("debug on");
    session.send("foo bar");
    let lines = session.search("go depth 1 nonsense");
    let notes = lines.iter().filter(|line| line.starts_with("info string "));
    let notes: String = notes.cloned().collect();
    assert_has(&notes, &["foo bar", "nonsense"]);
    session.send("debug off");
    assert!(session.tell("foo").is_empty());
}

#[test]
fn commands_outside_of_uci() {
    let mut session = Session::ready();
    let lines = session.tell("eval");
    let last = lines.last().expect("a total");
    assert!(last.starts_with("static evaluation "), "{last}");
    session.send("position fen 4k3/8/8/8/8/8/4q3/4K3 w - - 0 1");
    let lines = session.tell("eval");
    let last = lines.last().expect("a total");
    assert!(last.contains("none, the king is in check"), "{last}");
    session.send("position startpos");
    assert!(session.tell("help")[0].starts_with("Brisance is a UCI "));
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let rustc = std::process::Command::new(rustc).arg("--version").output();
    let rustc = String::from_utf8(rustc.expect("a compiler").stdout).expect("UTF-8");
    let lines = session.tell("compiler");
    let expected = format!("compiled by {}", rustc.trim());
    assert!(lines[0].starts_with("Brisance "), "{lines:?}");
    assert!(lines[1].starts_with(&expected), "{lines:?}");
    error(&mut session, "export_net no/such/folder/x.nnue", "no/such");
    session.send("go perft 0");
    let lines = session.until("Nodes searched: ");
    assert_eq!(lines, ["", "Nodes searched: 1"]);
}

#[test]
fn wdl_is_printed_only_with_uci_showwdl() {
    let mut session = Session::ready();
    for (value, shown) in [("false", false), ("true", true)] {
        session.send(&format!("setoption name UCI_ShowWDL value {value}"));
        let lines = session.search("go depth 2");
        answer(&lines);
        let scored = lines.iter().filter(|line| line.contains(" score "));
        assert!(scored.clone().count() > 0);
        for line in scored {
            assert_eq!(line.contains(" wdl "), shown, "{line}");
        }
    }
}
