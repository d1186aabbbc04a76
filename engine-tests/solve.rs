//! `brisance solve` and `go mate`. An interrupt of `solve` is tested in `timing/solve.rs`.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

/// Black mates in four.
const FORCED: &str = "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1";
/// Far too complex for a proof.
const OPEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn solve(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("brisance").expect("the binary is built");
    command.arg("solve").args(args);
    command
}

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("brisance-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn json(output: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(output).expect("UTF-8");
    let parse = |line| serde_json::from_str(line).expect("every line is JSON");
    text.lines().map(parse).collect()
}

#[test]
fn the_exit_code_reports_whether_a_win_is_proved() {
    solve(&[FORCED])
        .assert()
        .code(0)
        .stdout(contains("PROVED: Black wins within 4 moves").and(contains("Qe7+ Kf2")));
    solve(&[FORCED, "--within", "3"])
        .assert()
        .code(1)
        .stdout(contains(
            "DISPROVED: Black has no forced win within 3 moves",
        ));
    solve(&[OPEN, "--nodes", "5k"])
        .assert()
        .code(1)
        .stdout(contains("UNKNOWN: White may").and(contains("limit")));
    for (args, text) in [
        (&["--within", "0"][..], "0"),
        (&["--for", "green"], "green"),
        (&["--nodes", "many"], "many"),
        (&["8/8/8 w - -"], "8/8/8"),
        (&["--moves", "e2e5"], "e2e5"),
        (&["--every-move", "--for", "other"], "--for"),
        (&["--check", "x", "--nodes", "5"], "--check"),
    ] {
        solve(args).assert().code(2).stderr(contains(text));
    }
    for args in [&[FORCED, "--tree"][..], &["--check"]] {
        let args = [args, &["/there/is/none.json"]].concat();
        let failed = solve(&args).assert().code(1).stdout("");
        failed.stderr(contains("/there/is/none.json"));
    }
}

#[test]
fn a_finished_game_is_proved_for_its_winner() {
    let over = "4k3/8/8/8/8/8/8/8 w - - 0 1";
    let drawn = "7k/8/8/8/8/8/8/K7 w - - 0 1";
    for (fen, side, code, verdict) in [
        (over, "mover", 1, "disproved"),
        (over, "other", 0, "proved"),
        (over, "white", 1, "disproved"),
        (over, "black", 0, "proved"),
        (over, "either", 0, "proved"),
        (drawn, "either", 1, "disproved"),
    ] {
        let outcome = if fen == over {
            "Black wins by explosion"
        } else {
            "draw"
        };
        let done = solve(&[fen, "--for", side]).assert().code(code).stderr("");
        done.stdout(contains("game over: ").and(contains(outcome)));
        let done = solve(&[fen, "--for", side, "--json"]).assert().code(code);
        let lines = json(&done.get_output().stdout);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["verdict"], verdict, "{fen} {side}");
        let reason = lines[0]["reason"].as_str().expect("a reason");
        assert!(reason.starts_with("the game is over: "), "{reason}");
    }
}

#[test]
fn both_sides_together_take_the_limit() {
    let nodes = |side: &str, limit: &str| -> u64 {
        let done = solve(&[OPEN, "--for", side, "--nodes", limit, "--json"]);
        let lines = json(&{ done }.assert().code(1).get_output().stdout);
        let nodes = |line: &Value| line["effort"]["nodes"].as_u64().expect("nodes");
        lines.iter().map(nodes).sum()
    };
    let (one, both) = (nodes("mover", "20k"), nodes("either", "20k"));
    assert!(both <= one + one / 10, "{one} and {both}");
    assert!(both > one / 2, "{one} and {both}");
}

#[test]
fn the_attacker_and_earlier_moves_can_be_given() {
    // The same win one ply later, with the defender to move.
    solve(&[FORCED, "--moves", "Qe7+", "--for", "other"])
        .assert()
        .code(0)
        .stdout(contains("White to move").and(contains("PROVED: Black wins within 3 moves")));
    solve(&[
        FORCED, "--moves", "Qe7+", "--for", "either", "--nodes", "100k",
    ])
    .assert()
    .code(0)
    .stdout(
        contains("White has no forced win")
            .or(contains("White may"))
            .and(contains("PROVED: Black")),
    );
    solve(&[FORCED, "--variant", "nocheckatomic", "--nodes", "50k"])
        .assert()
        .code(predicate::in_iter([0, 1]));
}

#[test]
fn json_describes_the_proof() {
    let output = solve(&[FORCED, "--json"])
        .assert()
        .code(0)
        .get_output()
        .stdout
        .clone();
    let [line] = &json(&output)[..] else {
        panic!("one answer, one line")
    };
    assert_eq!(line["type"], "solution");
    assert_eq!(line["verdict"], "proved");
    assert_eq!(line["attacker"], "black");
    assert_eq!(line["proof"]["moves"], 4);
    assert_eq!(line["proof"]["line"].as_array().map(Vec::len), Some(7));
    assert_eq!(line["proof"]["line_san"][6], "Qxg5#");
    assert!(
        line["effort"]["nodes"]
            .as_u64()
            .is_some_and(|nodes| nodes > 0)
    );
    let output = solve(&[OPEN, "--json", "--nodes", "1000"])
        .assert()
        .code(1)
        .get_output()
        .stdout
        .clone();
    let line = &json(&output)[0];
    assert_eq!(
        (&line["verdict"], &line["proof"]),
        (&"unknown".into(), &Value::Null)
    );
    assert!(
        line["reason"]
            .as_str()
            .is_some_and(|why| why.contains("limit"))
    );
}

#[test]
fn all_winning_moves_are_listed() {
    let args = [FORCED, "--within", "4", "--every-move", "--json"];
    let output = solve(&args).assert().code(0).get_output().stdout.clone();
    let lines = json(&output);
    let winning: Vec<&str> = lines
        .iter()
        .filter(|line| line["verdict"] == "proved")
        .filter_map(|line| line["first_move"]["san"].as_str())
        .collect();
    assert_eq!(winning, ["Qe7+"]);
    assert!(lines.iter().all(|line| line["verdict"] != "unknown"));
    assert!(lines.len() > 15);
    let proof = &lines
        .iter()
        .find(|line| line["verdict"] == "proved")
        .unwrap()["proof"];
    assert_eq!(
        (&proof["moves"], &proof["line"][0]),
        (&4.into(), &"d8e7".into())
    );
}

#[test]
fn a_proof_file_can_be_verified_and_written_as_pgn() {
    let (tree, game) = (scratch("proof.json"), scratch("proof.pgn"));
    let (tree_name, game_name) = (tree.to_str().unwrap(), game.to_str().unwrap());
    solve(&[FORCED, "--tree", tree_name]).assert().code(0);
    solve(&["--check", tree_name])
        .assert()
        .code(0)
        .stdout(contains("the proof is valid: Black wins within 4 moves"));
    let text = std::fs::read_to_string(&tree).unwrap();
    let torn: String = text
        .lines()
        .take(4)
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(&tree, torn).unwrap();
    solve(&["--check", tree_name])
        .assert()
        .code(1)
        .stderr(contains("is invalid").and(contains("the proof has no move")));
    std::fs::write(&tree, "my notes\n").unwrap();
    solve(&["--check", tree_name])
        .assert()
        .code(1)
        .stderr(contains("line 1"));
    solve(&[FORCED, "--tree", tree_name])
        .assert()
        .code(1)
        .stderr(contains("exists; use --force to overwrite"));
    assert_eq!(std::fs::read_to_string(&tree).unwrap(), "my notes\n");
    solve(&[FORCED, "--tree", tree_name, "--force"])
        .assert()
        .code(0);
    solve(&["--check", tree_name]).assert().code(0);
    solve(&[FORCED, "--tree", game_name]).assert().code(0);
    solve(&["--check", game_name])
        .assert()
        .code(1)
        .stderr(contains("proofs in PGN are for viewers"));
    let text = std::fs::read_to_string(&game).unwrap();
    assert!(
        text.contains("[Variant \"Atomic\"]") && text.contains("(2. Kd1 Qe2+ 3. Kc1 Qc2#)"),
        "{text}"
    );
    // Without a proof no file is written.
    let none = scratch("none.json");
    solve(&[OPEN, "--nodes", "1000", "--tree", none.to_str().unwrap()])
        .assert()
        .code(1);
    assert!(!none.exists());
    let _ = (std::fs::remove_file(tree), std::fs::remove_file(game));
}

/// The output for commands sent at once; the end of the input does not stop `go mate`.
fn uci(commands: &str) -> String {
    let mut child = Process::new(env!("CARGO_BIN_EXE_brisance"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(commands.as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn go_mate_finds_proved_mates() {
    let text = uci(&format!("position fen {FORCED}\ngo mate 4\n"));
    let proof = text.lines().rev().nth(1).expect("a line with the mate");
    assert!(
        proof.contains("score mate 4 ") && proof.contains("pv d8e7 "),
        "{text}"
    );
    assert!(
        text.lines()
            .last()
            .is_some_and(|line| line.starts_with("bestmove d8e7 ponder e1")),
        "{text}"
    );
}

#[test]
fn go_mate_reports_that_there_is_none() {
    let text = uci(&format!("position fen {FORCED}\ngo mate 3\n"));
    assert!(text.contains("info string no mate in 3 proved"), "{text}");
    assert!(
        text.lines()
            .last()
            .is_some_and(|line| line.starts_with("bestmove d8e7")),
        "{text}"
    );
    // Limits that are too small for a result.
    for limit in ["nodes 20000", "movetime 200", "wtime 4000 btime 4000"] {
        let text = uci(&format!("position startpos\ngo mate 20 {limit}\n"));
        assert!(text.contains("info string no mate in 20"), "{text}");
        assert_eq!(
            text.lines()
                .filter(|line| line.starts_with("bestmove "))
                .count(),
            1,
            "{text}"
        );
    }
}

#[test]
fn go_mate_respects_searchmoves() {
    let go_mate = |moves: &str| {
        uci(&format!(
            "position fen {FORCED}\ngo mate 4 nodes 300000 searchmoves {moves}\n"
        ))
    };
    let text = go_mate("d8d7 d8e7");
    assert!(
        text.contains("score mate 4 ") && text.contains("bestmove d8e7"),
        "{text}"
    );
    let text = go_mate("d8d7 d8d6");
    assert!(
        text.contains("no mate in 4") && text.contains("bestmove d8d"),
        "{text}"
    );
}

#[test]
fn a_stop_ends_go_mate() {
    let mut child = Process::new(env!("CARGO_BIN_EXE_brisance"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("piped");
    input
        .write_all(b"position startpos\ngo mate 20\n")
        .expect("it reads");
    std::thread::sleep(Duration::from_millis(1500));
    input.write_all(b"stop\n").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("info string no mate in 20 proved"), "{text}");
    assert!(
        text.lines()
            .last()
            .is_some_and(|line| line.starts_with("bestmove ")),
        "{text}"
    );
}
