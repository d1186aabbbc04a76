//! The command line: exit codes, error messages, and output as text and as JSON.

mod help; // texts made from the definition of the commands
mod openings; // suites of openings

use std::process::{Command as Process, Stdio};

use assert_cmd::Command;
use brisance::eval::nnue::SimdLevel;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

/// White wins in one: the queen captures on d7, beside the king on e8.
const MATE_IN_ONE: &str = "rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4";
/// The white king has exploded.
const EXPLODED: &str = "4k3/8/8/8/8/8/8/8 w - - 0 1";
/// Black is in check from both rooks and cannot move.
const CHECKMATE: &str = "R3k3/7R/8/8/8/8/8/4K3 b - - 0 1";

fn brisance(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("brisance").expect("the binary is built");
    command.args(args).env("TERM", "xterm-256color");
    command
}

fn stdout(args: &[&str]) -> String {
    let output = brisance(args).assert().success().get_output().clone();
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

fn json_lines(args: &[&str]) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).expect("every line is JSON");
    stdout(args).lines().map(parse).collect()
}

fn result(args: &[&str]) -> Value {
    let lines = json_lines(args);
    let (last, before) = lines.split_last().expect("there is a result");
    assert!(before.iter().all(|line| line["type"] == "info"));
    assert_eq!(last["type"], "result");
    last.clone()
}

#[test]
fn the_version_names_the_package_and_the_commit() {
    let origin = if cfg!(debug_assertions) {
        " (development build)".to_owned()
    } else {
        let git = Process::new("git")
            .args(["rev-parse", "--short=10", "HEAD"])
            .output();
        let commit = git.ok().filter(|output| output.status.success());
        let commit = commit.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        let is_changed = stdout(&["--version"]).contains("+)");
        commit.map_or_else(String::new, |commit| {
            format!(" ({commit}{})", if is_changed { "+" } else { "" })
        })
    };
    let version = format!("brisance {}{origin}\n", env!("CARGO_PKG_VERSION"));
    for flag in ["--version", "-V"] {
        assert_eq!(stdout(&[flag]), version);
    }
}

#[test]
fn arguments_can_be_uci_commands() {
    for (lines, part) in [
        (&["uci", "quit"][..], "uciok"),
        (&["isready"], "readyok"),
        (&["d", "quit"], "rnbqkbnr"),
        (&["go depth 1", "uci"], "bestmove"),
    ] {
        brisance(lines).assert().success().stdout(contains(part));
    }
    for words in [&["ucy"][..], &["isreadi", "quit"]] {
        brisance(words).assert().code(2);
    }
}

#[test]
fn wrong_arguments_exit_with_2_and_name_the_text() {
    let cases: [(&[&str], &str); 15] = [
        (&["explode"], "explode"),
        (&["analyse", "--depth", "0"], "0"),
        (&["analyse", "--depth", "deep"], "deep"),
        (&["analyse", "--time", "5x"], "5x"),
        (&["analyse", "--nodes", "10q"], "10q"),
        (&["analyse", "--multipv", "0"], "0"),
        (&["analyse", "--hash", "0"], "0"),
        (&["analyse", "--threads", "100000"], "100000"),
        (&["analyse", "--variant", "chess"], "chess"),
        (&["analyse", "--moves", "e4", "Ke7"], "Ke7"),
        (&["analyse", "--moves", "e2e5"], "e2e5"),
        (&["perft", "four"], "four"),
        (&["perft"], "DEPTH"),
        (&["bench", "--depth", "-3"], "-3"),
        (&["bench", "--simd", "mmx"], "scalar"),
    ];
    for (args, text) in cases {
        brisance(args)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(text));
    }
}

#[test]
fn a_bad_fen_exits_with_2_and_names_the_field() {
    let cases = [
        ("8/8 w - -", "piece placement"),
        ("4k3/8/8/8/8/8/8/4K3 x - -", "side to move"),
        ("startpos x", "number of fields"),
        ("startpos moves e2e4", "give them with --moves"),
        ("8/8/8/8/8/8/8/8 w - -", "neither side has a king"),
    ];
    for (fen, field) in cases {
        for command in [&["analyse"][..], &["eval"], &["perft", "1"]] {
            brisance(command)
                .arg(fen)
                .assert()
                .code(2)
                .stdout("")
                .stderr(contains("bad FEN").and(contains(field)));
        }
    }
}

#[test]
fn what_is_ignored_in_a_fen_is_a_warning() {
    let cases = [
        ("4k3/8/8/8/8/8/8/4K3 w K -", "castling"),
        ("4k3/8/8/8/8/8/8/4K3 w - e9", "en passant"),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "half-move clock"),
        ("4k3/8/8/8/8/8/8/4K3", "number of fields"),
    ];
    for (fen, field) in cases {
        for command in [&["show"][..], &["eval"], &["perft", "1"]] {
            brisance(command)
                .arg(fen)
                .assert()
                .code(0)
                .stderr(contains("warning: FEN, ").and(contains(field)));
        }
    }
}

#[test]
fn a_fen_can_be_quoted_or_not() {
    let fen = "4k3/4r3/8/8/8/8/4R3/4K3 w - - 3 40";
    for words in [4, 5, 6] {
        let unquoted: Vec<&str> = fen.split(' ').take(words).collect();
        let mut args = vec!["perft", "2"];
        args.extend(&unquoted);
        let quoted = unquoted.join(" ");
        let count = |text: String| text.lines().next().map(str::to_owned);
        assert_eq!(
            count(stdout(&args)),
            count(stdout(&["perft", "2", &quoted]))
        );
    }
}

#[test]
fn perft_counts() {
    brisance(&["perft", "4"])
        .assert()
        .success()
        .stdout(contains("nodes 197326\n"));
    brisance(&["perft", "4", "--threads", "2"])
        .assert()
        .success()
        .stdout(contains("nodes 197326\n"));
    brisance(&["perft", "0"])
        .assert()
        .success()
        .stdout(contains("nodes 1\n"));
}

#[test]
fn perft_does_not_depend_on_the_threads() {
    let divided = |threads| {
        let text = stdout(&["perft", "3", "--divide", "--threads", threads]);
        let moves = text.lines().filter(|line| line.contains(": "));
        moves.map(str::to_owned).collect::<Vec<String>>()
    };
    let one = divided("1");
    assert_eq!(one.len(), 20);
    assert!(one.contains(&"e2e4: 600".to_owned()), "{one:?}");
    assert_eq!(one, divided("2"));
}

#[test]
fn chess960_castling_is_written_as_king_takes_rook() {
    let divide = |args: &[&str]| stdout(&[&["perft", "1", "--divide"], args].concat());
    let usual = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    assert!(divide(&[usual]).contains("e1g1: 1"));
    assert!(divide(&[usual, "--chess960"]).contains("e1h1: 1"));
    assert!(divide(&["4k3/8/8/8/8/8/8/1K4R1 w G - 0 1"]).contains("b1g1: 1"));
}

#[test]
fn the_variants_differ() {
    // In atomic chess only evasions are legal.
    let fen = "4k3/8/8/8/8/8/P7/K3r3 w - - 0 1";
    let count = |variant| {
        let text = stdout(&["perft", "1", "--variant", variant, fen]);
        text.lines().next().map(str::to_owned)
    };
    assert_eq!(count("atomic"), Some("nodes 1".to_owned()));
    assert_eq!(count("NoCheckAtomic"), Some("nodes 4".to_owned()));
}

#[test]
fn json_analysis_has_the_documented_fields() {
    let lines = json_lines(&["analyse", "--json", "--depth", "4", "--multipv", "2"]);
    let (last, infos) = lines.split_last().unwrap();
    assert!(!infos.is_empty());
    for info in infos {
        assert_eq!(info["type"], "info");
        for field in ["depth", "seldepth", "multipv", "nodes", "nps", "time_ms"] {
            assert!(info[field].is_u64(), "{field} in {info}");
        }
        assert_score(&info["score"]);
        assert!(["exact", "lower", "upper"].contains(&info["bound"].as_str().unwrap()));
        let (uci, san) = (info["pv"].as_array(), info["pv_san"].as_array());
        assert_eq!(uci.unwrap().len(), san.unwrap().len());
    }
    assert!(infos.iter().any(|info| info["multipv"] == 2));
    assert_eq!(last["depth"], 4);
    assert_eq!(last["bestmove"]["uci"], last["pv"][0]);
    assert_eq!(last["bestmove"]["san"], last["pv_san"][0]);
}

#[test]
fn json_results_have_the_documented_fields() {
    let result = result(&["analyse", "--json", "--depth", "2", "--moves", "e4", "e7e5"]);
    assert_eq!(result["variant"], "atomic");
    assert_eq!(
        result["fen"],
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    );
    assert!(result["bestmove"]["uci"].is_string());
    assert!(result["bestmove"]["san"].is_string());
    assert!(result["outcome"].is_null());
    assert_score(&result["score"]);
}

fn assert_score(score: &Value) {
    let score = score.as_object().expect("a score is an object");
    assert_eq!(score.len(), 1);
    assert!(score.keys().all(|key| key == "cp" || key == "mate"));
    assert!(score.values().all(Value::is_i64));
}

#[test]
fn analysis_finds_the_explosion() {
    let result = result(&["analyse", MATE_IN_ONE, "--json", "--depth", "3"]);
    assert_eq!(result["bestmove"]["uci"], "d3d7");
    assert_eq!(result["bestmove"]["san"], "Qxd7#");
    assert_eq!(result["score"]["mate"], 1);
    brisance(&["analyse", MATE_IN_ONE, "--depth", "3"])
        .assert()
        .success()
        .stdout(contains("best move Qxd7# (d3d7)").and(contains("#1")));
}

#[test]
fn analysis_ends_at_its_limit() {
    for limit in [["--time", "100ms"], ["--nodes", "5k"], ["--depth", "3"]] {
        let mut command = brisance(&["analyse"]);
        command
            .args(limit)
            .timeout(std::time::Duration::from_secs(60));
        command.assert().success().stdout(contains("best move"));
    }
}

#[test]
fn a_finished_game_is_reported_as_success() {
    let cases = [
        (EXPLODED, "Black wins by explosion", "0-1"),
        (CHECKMATE, "White wins by checkmate", "1-0"),
        (
            "7k/8/8/8/8/8/8/K7 w - -",
            "insufficient material",
            "1/2-1/2",
        ),
        ("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", "stalemate", "1/2-1/2"),
        ("4k3/8/8/8/8/8/8/Q3K3 w - - 100 90", "fifty-move", "1/2-1/2"),
    ];
    for (fen, sentence, score) in cases {
        brisance(&["analyse", fen])
            .assert()
            .success()
            .stdout(contains(sentence));
        let result = result(&["analyse", fen, "--json"]);
        assert_eq!(result["outcome"]["result"], score, "{fen}");
        assert!(result["bestmove"].is_null());
    }
}

#[test]
fn eval_has_a_total_in_text_and_json() {
    brisance(&["eval"])
        .assert()
        .success()
        .stdout(contains("a b c d e f g h").and(contains("White's view")));
    let lines = json_lines(&["eval", "--json"]);
    assert_eq!(lines.len(), 1);
    assert!(lines[0]["total"].is_i64() && lines[0]["terms"].is_array());
    brisance(&["eval", EXPLODED])
        .assert()
        .code(1)
        .stderr(contains("explosion"));
}

#[test]
fn bench_is_deterministic_at_every_instruction_set_level() {
    let signature = |level: &str| {
        let text = stdout(&["bench", "--depth", "4", "--simd", level]);
        let words: Vec<&str> = text.lines().last().unwrap().split(' ').collect();
        assert_eq!((words.len(), words[1], words[3]), (4, "nodes", "nps"));
        assert!(words[2].parse::<u64>().is_ok());
        words[0].parse::<u64>().unwrap()
    };
    let nodes = signature("scalar");
    assert!(nodes > 0);
    for level in SimdLevel::supported() {
        assert_eq!(nodes, signature(level.name()), "{}", level.name());
    }
}

#[test]
fn piped_output_has_no_escape_codes() {
    let clean = || contains('\u{1b}').not();
    for args in [
        &["analyse", "--depth", "3"][..],
        &["eval"],
        &["show"],
        &["--help"],
    ] {
        brisance(args).assert().success().stdout(clean());
        brisance(args)
            .env("NO_COLOR", "1")
            .assert()
            .success()
            .stdout(clean())
            .stderr(clean());
    }
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    for args in [
        &["perft", "3", "--divide"][..],
        &["eval"],
        &["analyse", "--time", "1m"],
        &["bench", "--depth", "1"],
    ] {
        let mut child = Process::new(env!("CARGO_BIN_EXE_brisance"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{args:?}: {:?}", output.status);
        assert_eq!(stderr, "", "{args:?}");
    }
}

#[test]
fn scores_can_be_white_s() {
    let fen = "rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4";
    let black = fen.replace(" w ", " b ");
    let score =
        |rest: &[&str]| result(&[&["analyse", "--json", "--depth", "3", &black], rest].concat());
    let (mover, white) = (score(&[]), score(&["--white"]));
    let number = |result: &Value| {
        let score = &result["score"];
        score["cp"]
            .as_i64()
            .or(score["mate"].as_i64())
            .expect("a score")
    };
    assert_eq!(number(&mover), -number(&white));
    assert!(mover["perspective"].is_null() && white["perspective"] == "white");
    let text = stdout(&["analyse", "--depth", "2", "--white", &black]);
    assert!(text.contains("scores    from White: "), "{text}");
}

#[test]
fn lines_have_move_numbers() {
    let text = stdout(&["analyse", "--depth", "4", "--moves", "e4"]);
    let line = text.lines().last().expect("a line");
    assert!(line.starts_with("line      1... "), "{line}");
    assert!(line.contains(" 2. "), "{line}");
}

#[test]
fn a_finished_game_has_no_side_to_move() {
    let text = stdout(&["show", "--ascii", "4k3/8/8/8/8/8/8/8 w - - 0 1"]);
    assert!(
        text.contains("game over") && !text.contains("to move"),
        "{text}"
    );
}

#[test]
fn a_long_argument_is_not_repeated_as_a_whole() {
    let long = "x".repeat(100_000);
    for args in [
        &["analyse", &format!("{long}.pgn")][..],
        &["analyse", "--depth", &long],
        &["book", "show", &long],
        &["openings", &long],
    ] {
        let output = brisance(args).assert().failure().get_output().clone();
        assert!(output.stderr.len() < 9000, "{:?}", args[0]);
    }
}

#[test]
fn the_first_engine_of_a_gauntlet_plays_all_others() {
    let engines = ["a", "b", "c"].map(|name| format!("self name={name}"));
    let mut args = vec![
        "match",
        "--nodes",
        "50",
        "--games",
        "2",
        "--gauntlet",
        "--json",
    ];
    for engine in &engines {
        args.extend(["--engine", engine]);
    }
    let found: Value = serde_json::from_str(&stdout(&args)).expect("JSON");
    let pairings = found["pairings"].as_array().expect("pairings").iter();
    let names: Vec<_> = pairings
        .map(|pairing| (&pairing["first"], &pairing["second"]))
        .collect();
    assert_eq!(
        names,
        [
            (&Value::from("a"), &Value::from("b")),
            (&Value::from("a"), &Value::from("c"))
        ]
    );
    assert_eq!(found["games"], 4);
}
