//! The command line: exit codes, error messages, and output as text and as JSON.

mod grammar; // numbers, times, variants and positions in the options of all commands
mod help; // texts made from the definition of the commands
mod openings; // suites of openings

use std::process::Command;

use brisance::eval::nnue::SimdLevel;
use serde_json::Value;

use crate::program::{CHECKMATE, EXPLODED, Ended, WIN, check, command, run, stdout};
use crate::table::rows;

#[test]
fn the_version_names_the_package_and_the_commit() {
    let origin = if cfg!(debug_assertions) {
        " (development build)".to_owned()
    } else {
        let mut git = Command::new("git");
        let git = git.args(["rev-parse", "--short=10", "HEAD"]).output();
        let commit = git.ok().filter(|output| output.status.success());
        let commit = commit.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        let is_changed = stdout("--version").contains("+)");
        commit.map_or_else(String::new, |commit| {
            format!(" ({commit}{})", if is_changed { "+" } else { "" })
        })
    };
    let version = format!("brisance {}{origin}\n", env!("CARGO_PKG_VERSION"));
    for flag in ["--version", "-V"] {
        assert_eq!(stdout(flag), version);
    }
}

#[test]
fn answers_and_errors() {
    check(
        r#"
        # UCI commands as arguments.
        0 uci quit | uciok
        0 isready | readyok
        0 d quit | rnbqkbnr
        0 'go depth 1' uci | bestmove
        2 ucy
        2 isreadi quit
        # An error names the text.
        2 explode ! explode
        2 analyse --depth 0 ! 0
        2 analyse --multipv 0 ! 0
        2 analyse --hash 0 ! 0
        2 analyse --threads 100000 ! 100000
        2 analyse --moves e4 Ke7 ! Ke7
        2 analyse --moves e2e5 ! e2e5
        2 perft ! DEPTH
        2 perft 1 --moves e4 Ke7 ! Ke7
        2 bench --depth -3 ! -3
        2 bench --simd mmx ! scalar
        # Counts.
        0 perft 4 | nodes 197326
        0 perft 4 --threads 2 | nodes 197326
        0 perft 1 --variant atomic '4k3/8/8/8/8/8/P7/K3r3 w - - 0 1' | nodes 1
        0 perft 1 --variant NoCheckAtomic '4k3/8/8/8/8/8/P7/K3r3 w - - 0 1' | nodes 4
        # Castling is written as king takes rook in Chess960.
        0 perft 1 --divide '4k3/8/8/8/8/8/8/4K2R w K - 0 1' | e1g1: 1
        0 perft 1 --divide '4k3/8/8/8/8/8/8/4K2R w K - 0 1' --chess960 | e1h1: 1
        0 perft 1 --divide '4k3/8/8/8/8/8/8/1K4R1 w G - 0 1' | b1g1: 1
        # Searches end at their limits.
        0 analyse --time 100ms | best move
        0 analyse --nodes 5k | best move
        0 analyse --depth 3 | best move
        0 analyse --depth 4 --moves e4 | line      1... |  2.
        0 analyse WIN --depth 3 | best move Qxd7# (d3d7) | #1
        # Evaluations.
        0 eval | a b c d e f g h | White's view
        0 eval --moves e4 e7e5 | rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
        1 eval EXPLODED ! explosion
        "#,
    );
}

#[test]
fn a_bad_fen_exits_with_2_and_names_the_field() {
    let table = "
        8/8 w - - | piece placement
        4k3/8/8/8/8/8/8/4K3 x - - | side to move
        startpos x | number of fields
        startpos moves e2e4 | give them with --moves
        8/8/8/8/8/8/8/8 w - - | neither side has a king";
    for [fen, field] in rows(table) {
        for command in ["analyse", "eval", "perft 1"] {
            check(&format!("2 {command} '{fen}' ! bad FEN ! {field}"));
        }
    }
}

#[test]
fn what_is_ignored_in_a_fen_is_a_warning() {
    let table = "
        4k3/8/8/8/8/8/8/4K3 w K - | castling
        4k3/8/8/8/8/8/8/4K3 w - e9 | en passant
        4k3/8/8/8/8/8/8/4K3 w - - x 1 | half-move clock
        4k3/8/8/8/8/8/8/4K3 | number of fields";
    for [fen, field] in rows(table) {
        for command in ["show", "eval", "perft 1"] {
            check(&format!("0 {command} '{fen}' ! warning: FEN,  ! {field}"));
        }
    }
}

/// The first line of `perft`: the number of nodes.
fn nodes(words: &str) -> String {
    let text = stdout(&format!("perft {words}"));
    text.lines().next().expect("a line").to_owned()
}

#[test]
fn a_position_can_be_given_in_several_ways() {
    let fen = "4k3/4r3/8/8/8/8/4R3/4K3 w - - 3 40";
    for end in ["", " 3", " 3 40"] {
        let fen = fen.replace(" 3 40", end);
        assert_eq!(nodes(&format!("2 {fen}")), nodes(&format!("2 '{fen}'")));
    }
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    assert_eq!(nodes("2 --moves e4 e7e5"), nodes(&format!("2 '{fen}'")));
    assert_eq!(nodes("0"), "nodes 1");
}

#[test]
fn perft_does_not_depend_on_the_threads() {
    let divided = |words: &str| {
        let text = stdout(&format!("perft {words} --divide"));
        let moves = text.lines().filter(|line| line.contains(": "));
        moves.map(str::to_owned).collect::<Vec<String>>()
    };
    let one = divided("3 --threads 1");
    assert_eq!(one.len(), 20);
    assert!(one.contains(&"e2e4: 600".to_owned()), "{one:?}");
    assert_eq!(one, divided("3 --threads 2"));
    // Threads that cannot be started would be an error.
    assert_eq!(divided("2 --threads 1024"), divided("2 --threads 1"));
    assert_eq!(nodes("3 --threads 1024 EXPLODED"), "nodes 0");
}

#[test]
fn the_uci_command_and_the_subcommand_print_one_evaluation() {
    let uci = stdout("'position startpos moves e2e4' eval quit");
    let start = uci.find("  White").expect("the table");
    let start = uci[..start].rfind('\n').map_or(0, |at| at + 1);
    let text = stdout("eval --moves e4");
    assert!(text.ends_with(&uci[start..]), "{text}\n{uci}");
}

#[test]
fn instruction_sets_are_listed() {
    for level in SimdLevel::supported() {
        for line in ["bench --help", "completions bash", "man"] {
            check(&format!("0 {line} | {}", level.name()));
        }
    }
}

#[test]
fn json_analysis_has_the_documented_fields() {
    let lines = run("analyse --json --depth 4 --multipv 2").code(0).json();
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
    assert_eq!(last["type"], "result");
    assert_eq!(last["depth"], 4);
    assert_eq!(last["bestmove"]["san"], last["pv_san"][0]);

    let result = run("analyse --json --depth 2 --moves e4 e7e5").result();
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    assert_eq!(result["variant"], "atomic");
    assert_eq!(result["fen"], fen);
    assert!(result["bestmove"]["uci"].is_string());
    assert!(result["bestmove"]["san"].is_string());
    assert!(result["outcome"].is_null());
    assert_score(&result["score"]);

    let result = run("analyse WIN --json --depth 3").result();
    assert_eq!(result["bestmove"]["uci"], "d3d7");
    assert_eq!(result["bestmove"]["san"], "Qxd7#");
    assert_eq!(result["score"]["mate"], 1);

    let lines = run("eval --json").code(0).json();
    assert_eq!(lines.len(), 1);
    assert!(lines[0]["total"].is_i64() && lines[0]["terms"].is_array());
}

fn assert_score(score: &Value) {
    let score = score.as_object().expect("a score is an object");
    assert_eq!(score.len(), 1);
    assert!(score.keys().all(|key| key == "cp" || key == "mate"));
    assert!(score.values().all(Value::is_i64));
}

#[test]
fn a_finished_game_is_reported_as_success() {
    for (fen, sentence, score) in [
        (EXPLODED, "Black wins by explosion", "0-1"),
        (CHECKMATE, "White wins by checkmate", "1-0"),
        ("7k/8/8/8/8/8/8/K7 w - -", "insufficient", "1/2-1/2"),
        ("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", "stalemate", "1/2-1/2"),
        ("4k3/8/8/8/8/8/8/Q3K3 w - - 100 90", "fifty-move", "1/2-1/2"),
    ] {
        check(&format!("0 analyse '{fen}' | {sentence}"));
        let result = run(&format!("analyse '{fen}' --json")).result();
        assert_eq!(result["outcome"]["result"], score, "{fen}");
        assert!(result["bestmove"].is_null());
    }
}

#[test]
fn bench_is_deterministic_at_every_instruction_set_level() {
    let signature = |level: &str| {
        let text = stdout(&format!("bench --depth 4 --simd {level}"));
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
    for line in ["analyse --depth 3", "eval", "show", "--help"] {
        assert!(!stdout(line).contains('\u{1b}'), "{line}");
        let ended = Ended::of(command(line).env("NO_COLOR", "1")).code(0);
        assert!(!(ended.out + &ended.err).contains('\u{1b}'), "{line}");
    }
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let lines = "perft 3 --divide, eval, analyse --time 1m, bench --depth 1";
    for line in lines.split(", ") {
        let mut child = command(line).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(Ended::waited(child).code(0).err, "", "{line}");
    }
}

#[test]
fn scores_can_be_white_s() {
    let black = WIN.replace(" w ", " b ");
    let score = |rest: &str| run(&format!("analyse --json --depth 3 '{black}' {rest}")).result();
    let (mover, white) = (score(""), score("--white"));
    let number = |result: &Value| {
        let score = &result["score"];
        let number = score["cp"].as_i64().or(score["mate"].as_i64());
        number.expect("a score")
    };
    assert_eq!(number(&mover), -number(&white));
    assert!(mover["perspective"].is_null() && white["perspective"] == "white");
    let line = format!("analyse --depth 2 --white '{black}'");
    check(&format!("0 {line} | scores    from White: "));
}

#[test]
fn a_long_argument_is_not_repeated_as_a_whole() {
    let long = "x".repeat(100_000);
    let table = "
        analyse NAME.pgn     | 1
        openings NAME        | 1
        book show NAME       | 1
        solve --check NAME   | 1
        analyse --depth NAME | 2
        perft NAME           | 2
        eval NAME            | 2
        NAME                 | 2";
    for [line, code] in rows(table) {
        let ended = run(&line.replace("NAME", &long));
        assert!(ended.err.len() < 9000, "{line}");
        ended.code(code.parse().expect("a number"));
    }
}

#[test]
fn the_first_engine_of_a_gauntlet_plays_all_others() {
    let players = "--engine 'self name=a' --engine 'self name=b' --engine 'self name=c'";
    let line = format!("match --nodes 50 --games 2 --gauntlet --json {players}");
    let found = run(&line).code(0).result();
    let pairings = found["pairings"].as_array().expect("pairings").iter();
    let names = pairings.map(|pairing| [pairing["first"].clone(), pairing["second"].clone()]);
    assert_eq!(names.collect::<Vec<_>>(), [["a", "b"], ["a", "c"]]);
    assert_eq!(found["games"], 4);
}
