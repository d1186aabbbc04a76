//! Tablebases in the binary: UCI options and messages, `analyse`, `datagen`, `match`.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use super::folder;

fn brisance(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("brisance").expect("the binary is built");
    command.args(args);
    command
}

/// The output of the engine for these lines.
fn session(lines: &[&str]) -> String {
    let mut input = lines.join("\n");
    // At the end of the input, the engine waits for searches with a limit.
    input.push('\n');
    let output = brisance(&[]).write_stdin(input).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8")
}

fn path(folder: &Path) -> &str {
    folder.to_str().expect("UTF-8")
}

#[test]
fn syzygy_path_loads_tables_and_reports_them() {
    let Some(folder) = folder() else {
        return;
    };
    let option = format!("setoption name syzygypath value {}", path(&folder));
    let output = session(&[
        &option,
        "position fen 8/8/8/3k4/8/8/8/KQ6 w - - 0 1",
        "d",
        "isready",
        "go depth 3",
        "setoption name SyzygyPath value <empty>",
        "position fen 8/8/8/3k4/8/8/8/KQ6 w - - 0 1",
        "d",
    ]);
    let found = "info string found 35 WDL and 35 DTZ tables of up to 4 pieces";
    assert!(output.starts_with(found), "{output}");
    assert_eq!(
        output.matches("Tablebases: WDL 2, DTZ ").count(),
        1,
        "{output}"
    );
    assert_eq!(output.matches("info string").count(), 1, "{output}");
    let line = output
        .lines()
        .find(|line| line.contains(" depth 3 "))
        .expect("a line");
    assert!(!line.contains("tbhits 0 "), "{line}");
}

#[test]
fn bad_paths_and_numbers_are_errors() {
    let output = session(&[
        "setoption name SyzygyPath value /no/such/folder",
        "setoption name SyzygyProbeDepth value 0",
        "setoption name SyzygyProbeLimit value 8",
        "setoption name Syzygy50MoveRule value maybe",
        "go depth 1",
    ]);
    let errors: Vec<&str> = output
        .lines()
        .filter(|line| line.contains("error"))
        .collect();
    assert_eq!(errors.len(), 4, "{output}");
    assert!(
        errors[0].contains("cannot read /no/such/folder"),
        "{output}"
    );
    assert!(output.contains("bestmove"), "{output}");
}

#[test]
fn a_damaged_table_is_a_message() {
    let Some(folder) = folder() else {
        return;
    };
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tables note");
    fs::create_dir_all(&place).expect("a folder can be made");
    for (name, keep) in [("KQvK.atbw", 80), ("KRvK.atbw", 79), ("KRvK.atbz", 4000)] {
        let bytes = fs::read(folder.join(name)).expect("readable");
        let kept = &bytes[..bytes.len().min(keep)];
        fs::write(place.join(name), kept).expect("written");
    }
    let option = format!("setoption name SyzygyPath value {}", path(&place));
    let search = "position fen 8/8/8/3k4/8/8/8/KQ6 w - - 0 1";
    let output = session(&[
        &option,
        search,
        "go depth 2",
        "isready",
        search,
        "go depth 2",
    ]);
    for (part, count) in [
        (
            "info string found 1 WDL and 1 DTZ tables of up to 3 pieces",
            1,
        ),
        ("KRvK.atbw is cut off or damaged", 1),
        ("KQvK.atbw is cut off or damaged", 1),
        ("bestmove", 1),
        ("error", 0),
    ] {
        let least = output.matches(part).count();
        assert!(
            least >= count && (count > 0 || least == 0),
            "{part}: {output}"
        );
    }
    let fen = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";
    brisance(&["analyse", fen, "--depth", "2", "--syzygy", path(&place)])
        .assert()
        .success()
        .stderr(contains("warning: Syzygy table").and(contains("KQvK.atbw")));
    let _ = fs::remove_dir_all(&place);
}

#[test]
fn analyse_probes_the_tables() {
    let Some(folder) = folder() else {
        return;
    };
    let fen = "8/8/3k4/8/8/8/P7/KN6 w - - 0 1";
    let args = ["analyse", fen, "--depth", "6", "--syzygy", path(&folder)];
    let output = brisance(&[&args[..], &["--json"]].concat())
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert!(
        lines[0]["tbhits"].as_u64().is_some_and(|hits| hits > 0),
        "{text}"
    );
    let score = &lines.last().expect("a result")["score"];
    assert!(score["cp"] == 20_000 || score["mate"].is_number(), "{text}");
    brisance(&args)
        .assert()
        .success()
        .stdout(contains("tables of up to 4 pieces"));
}

#[test]
fn folders_without_tables_are_argument_errors() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tables games");
    let games = path(&place);
    for args in [
        &["analyse", "--syzygy", "/no/such/folder"][..],
        &[
            "datagen",
            games,
            "--positions",
            "9",
            "--syzygy",
            "/no/such/folder",
        ],
        &[
            "match",
            "--engine",
            "self",
            "--engine",
            "self name=B",
            "--nodes",
            "1",
            "--syzygy",
            "/no/such/folder",
        ],
    ] {
        brisance(args)
            .assert()
            .code(1)
            .stderr(contains("cannot read /no/such/folder"));
    }
    let _ = fs::remove_file(&place);
}

#[test]
fn datagen_accepts_tables() {
    let Some(folder) = folder() else {
        return;
    };
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tables datagen");
    let _ = fs::remove_file(&place);
    let args = [
        "datagen",
        path(&place),
        "--positions",
        "300",
        "--nodes",
        "100",
        "--threads",
        "1",
    ];
    brisance(&[&args[..], &["--syzygy", path(&folder)]].concat())
        .assert()
        .success()
        .stdout(contains("positions"));
    let _ = fs::remove_file(&place);
}
