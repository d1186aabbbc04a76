//! `brisance solve` and `go mate`.

mod state;

use serde_json::Value;

use crate::program::{EXPLODED, FORCED, Folder, assert_has, check, json_lines, run};
use crate::uci::session::{Session, piped};

#[test]
fn the_exit_code_reports_whether_a_win_is_proved() {
    check(
        "
        0 solve FORCED | PROVED: Black wins within 4 moves | Qe7+ Kf2
        1 solve FORCED --within 3 | DISPROVED: Black has no forced win within 3 moves
        1 solve START --nodes 5k | UNKNOWN: White may | limit
        2 solve --within 0 ! 0
        2 solve --for green ! green
        2 solve '8/8/8 w - -' ! 8/8/8
        2 solve --moves e2e5 ! e2e5
        2 solve --every-move --for other ! --for
        2 solve --every-reply --for mover ! --for
        2 solve --every-reply --every-move ! --every-move
        2 solve --check x --nodes 5 ! --check
        1 solve --check /there/is/none.json ! /there/is/none.json
        # The same win one ply later, with the defender to move.
        0 solve FORCED --moves Qe7+ --for other
        | White to move | PROVED: Black wins within 3 moves
        0 solve FORCED --moves Qe7+ --for either --nodes 100k | White  | PROVED: Black
        ",
    );
    let other = run("solve FORCED --variant nocheckatomic --nodes 50k");
    assert_eq!(other.err, "");
    assert_ne!(other.out, "");
}

#[test]
fn a_finished_game_is_proved_for_its_winner() {
    let drawn = "'7k/8/8/8/8/8/8/K7 w - - 0 1'";
    for (fen, side, code, verdict) in [
        ("EXPLODED", "mover", 1, "disproved"),
        ("EXPLODED", "other", 0, "proved"),
        ("EXPLODED", "white", 1, "disproved"),
        ("EXPLODED", "black", 0, "proved"),
        ("EXPLODED", "either", 0, "proved"),
        (drawn, "either", 1, "disproved"),
    ] {
        let outcome = if fen == drawn { "draw" } else { "Black wins by explosion" };
        let line = format!("solve {fen} --for {side}");
        check(&format!("{code} {line} | game over:  | {outcome}"));
        let lines = run(&format!("{line} --json")).code(code).json();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["verdict"], verdict, "{fen} {side}");
        let reason = lines[0]["reason"].as_str().expect("a reason");
        assert!(reason.starts_with("the game is over: "), "{reason}");
    }
}

#[test]
fn both_sides_together_take_the_limit() {
    let nodes = |side: &str| -> u64 {
        let line = format!("solve START --for {side} --nodes 20k --json");
        let lines = run(&line).code(1).json();
        let nodes = |line: &Value| line["effort"]["nodes"].as_u64().expect("nodes");
        lines.iter().map(nodes).sum()
    };
    let (one, both) = (nodes("mover"), nodes("either"));
    assert!(both <= one + one / 10, "{one} and {both}");
    assert!(both > one / 2, "{one} and {both}");
}

#[test]
fn json_describes_the_proof() {
    let lines = run("solve FORCED --json").code(0).json();
    let [line] = &lines[..] else { panic!("one answer, one line") };
    assert_eq!(line["type"], "solution");
    assert_eq!(line["verdict"], "proved");
    assert_eq!(line["attacker"], "black");
    assert_eq!(line["proof"]["moves"], 4);
    assert_eq!(line["proof"]["line"].as_array().map(Vec::len), Some(7));
    assert_eq!(line["proof"]["line_san"][6], "Qxg5#");
    let nodes = line["effort"]["nodes"].as_u64();
    assert!(nodes.is_some_and(|nodes| nodes > 0));
    let line = &run("solve START --json --nodes 1000").code(1).json()[0];
    assert!(line["verdict"] == "unknown" && line["proof"].is_null());
    let reason = line["reason"].as_str().expect("a reason");
    assert!(reason.contains("limit"), "{reason}");
}

#[test]
fn all_winning_moves_are_listed() {
    let ended = run("solve FORCED --within 4 --every-move --json");
    let lines = ended.code(0).json();
    let mut proved = lines.iter().filter(|line| line["verdict"] == "proved");
    let winning = proved.next().expect("a winning move");
    assert_eq!(winning["first_move"]["san"], "Qe7+");
    assert_eq!(winning["proof"]["moves"], 4);
    assert_eq!(winning["proof"]["line"][0], "d8e7");
    assert_eq!(proved.next(), None);
    assert!(lines.iter().all(|line| line["verdict"] != "unknown"));
    assert!(lines.len() > 15);
}

/// Players of the first atomic servers knew that few replies to 1. Nf3 are playable.
#[test]
fn replies_that_lose_are_listed() {
    let ended = run("solve --moves Nf3 --every-reply --within 3 --nodes 3k --json");
    let lines = ended.code(1).json();
    let losing = |line: &&Value| line["verdict"] == "proved";
    let (lost, open): (Vec<_>, Vec<_>) = lines.iter().partition(losing);
    let san = |line: &&Value| line["first_move"]["san"].as_str().map(str::to_owned);
    let mut open: Vec<_> = open.iter().filter_map(san).collect();
    open.sort();
    assert_eq!(lost.len(), 17);
    assert_eq!(open, ["d6", "e5", "f6"]);
    for line in lost {
        let proof = &line["proof"];
        assert_eq!(line["attacker"], "white");
        assert_eq!(proof["line"][0], line["first_move"]["uci"]);
        assert!(proof["moves"].as_u64().is_some_and(|moves| moves <= 3));
    }
    check(
        "
        1 solve --moves Nf3 --every-reply --for white --nodes 1k
        | a6        PROVED, 2 moves: a6 Ne5 | White wins after 17 of 20 replies
        # The king on d7 or f7 explodes after any reply.
        0 solve --moves Nf3 a6 Ne5 --every-reply --nodes 1k | White wins after 18 of 18 replies
        ",
    );
}

#[test]
fn a_list_gives_a_line_for_each_position() {
    let folder = Folder::new();
    let lost = FORCED.replace(" b ", " w ");
    folder.write(
        "list.epd",
        format!("# a comment\n{FORCED} ; id \"won\";\nnonsense\n{EXPLODED}\n{lost}\n"),
    );
    folder.check(
        "
        1 solve list.epd --nodes 20k --out all.json ! line 3 ! cannot read 1 of 4 lines
        2 solve list.epd --moves e4 ! --moves
        2 solve list.epd --every-reply ! --every-reply
        2 solve games.pgn ! not games
        2 solve --out x ! --out
        2 solve FORCED --force ! --force
        2 solve --check x --out y ! --out
        # Without the network this takes more than 100,000 nodes.
        0 solve '8/2p5/6R1/3P3k/8/8/6p1/6K1 w - - 5 34' --nodes 30k | PROVED
        # Threads share the nodes, and the proof is checked as always.
        0 solve '8/2p5/6R1/3P3k/8/8/6p1/6K1 w - - 5 34' --nodes 1m --threads 3 | PROVED
        ",
    );
    let all = folder.read("all.json");
    let lines = json_lines(&all);
    assert!(lines.iter().map(|line| &line["line"]).eq(&[2, 3, 4, 5]));
    assert!(lines[0]["verdict"] == "proved" && lines[0]["id"] == "won");
    assert_eq!(lines[0]["proof"]["line"][0], "d8e7");
    assert_eq!(lines[1]["type"], "error");
    assert_eq!(lines[2]["verdict"], "disproved");
    assert_eq!(lines[3]["attacker"], "white");
    // What a kill has left is continued, whatever the number of threads.
    let first: String = all.split_inclusive('\n').take(2).collect();
    let first = first.replace("\"won\"", "\"kept\"");
    folder.write("all.json", format!("{first}{{\"type\""));
    folder.check("1 solve list.epd --nodes 20k --out all.json --resume --threads 1 ! line 3");
    let timeless = |text: &str| -> Vec<Value> {
        let mut lines = json_lines(text);
        for line in &mut lines {
            line["effort"] = Value::Null;
        }
        lines
    };
    let resumed = folder.read("all.json");
    assert!(resumed.starts_with(&first), "{resumed}");
    assert_eq!(timeless(&resumed.replace("kept", "won")), timeless(&all));
    folder.check("1 solve list.epd --within 9 --out all.json --resume ! line 1 ! the options");
    folder.write("all.json", "{}\n");
    folder.check("1 solve list.epd --out all.json --resume ! line 1 ! does not match this list");
    assert_eq!(folder.read("all.json"), "{}\n");
}

#[test]
fn a_proof_file_can_be_verified_and_written_as_pgn() {
    let folder = Folder::new();
    folder.check(
        "
        0 solve FORCED --tree proof.json
        0 solve --check proof.json | the proof is valid: Black wins within 4 moves
        ",
    );
    let text = folder.read("proof.json");
    let torn: String = text.split_inclusive('\n').take(4).collect();
    folder.write("proof.json", torn);
    folder.check("1 solve --check proof.json ! is invalid ! the proof has no move");
    folder.write("proof.json", "my notes\n");
    folder.check(
        "
        1 solve --check proof.json ! line 1
        0 solve FORCED --tree proof.json --force
        0 solve --check proof.json
        0 solve FORCED --tree proof.pgn
        1 solve --check proof.pgn ! proofs in PGN are for viewers
        # Without a proof no file is written.
        1 solve START --nodes 1000 --tree none.json | UNKNOWN
        ",
    );
    let text = folder.read("proof.pgn");
    assert!(text.contains("[Variant \"Atomic\"]"), "{text}");
    assert!(text.contains("(2. Kd1 Qe2+ 3. Kc1 Qc2#)"), "{text}");
    assert!(!folder.has("none.json"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_reports_the_state() {
    let child = crate::program::command("solve --time 60s").spawn();
    let ended = crate::program::interrupt(child.expect("it starts")).code(1);
    assert_has(&ended.out, &["UNKNOWN", "interrupted", "positions in"]);
}

/// Checks the output of `go mate` with more words: parts of it, and the start of its last line.
#[track_caller]
fn go_mate(position: &str, words: &str, parts: &[&str], last: &str) {
    // The end of the input does not stop the search.
    let lines = piped(&format!("position {position}\ngo mate {words}\n"));
    let (best, before) = lines.split_last().expect("an answer");
    let text = before.join("\n");
    assert_has(&text, parts);
    assert!(best.starts_with(last), "{words}: {best}");
    assert!(!text.contains("bestmove"), "{words}: {text}");
}

#[test]
fn go_mate_finds_proved_mates() {
    let forced = format!("fen {FORCED}");
    let proof = ["score mate 4 ", "pv d8e7 "];
    go_mate(&forced, "4", &proof, "bestmove d8e7 ponder e1");
    let none = "info string no mate in 3 proved";
    go_mate(&forced, "3", &[none], "bestmove d8e7");
    // Limits that are too small for a result.
    for limit in ["nodes 20000", "movetime 200", "wtime 4000 btime 4000"] {
        let none = "info string no mate in 20";
        go_mate("startpos", &format!("20 {limit}"), &[none], "bestmove ");
    }
    let with = |mv: &str| format!("4 nodes 300000 searchmoves d8d7 {mv}");
    go_mate(&forced, &with("d8e7"), &["score mate 4 "], "bestmove d8e7");
    go_mate(&forced, &with("d8d6"), &["no mate in 4"], "bestmove d8d");
}

#[test]
fn a_stop_ends_go_mate() {
    let mut session = Session::ready();
    session.send("go mate 20");
    // The solver reports its progress.
    session.until("info nodes ");
    let text = session.search("stop").join("\n");
    assert!(text.contains("info string no mate in 20 proved"), "{text}");
}
