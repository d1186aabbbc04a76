//! Training games: a killed run loses nothing that was written and continues; merging, exports and
//! filters.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::Command;
use brisance::data::sample::SampleReader;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("brisance-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn brisance(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("brisance").expect("the binary is built");
    command.args(args);
    command
}

fn stdout(args: &[&str]) -> String {
    let output = brisance(args).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

/// The numbers of games and positions of a file, by `data verify`.
fn counts(file: &str) -> (u64, u64) {
    let text = stdout(&["data", "verify", file]);
    let numbers: Vec<u64> = text
        .split_once(": ")
        .expect("the file's name first")
        .1
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    (numbers[0], numbers[1])
}

fn generate(file: &Path, positions: &str) -> Process {
    let mut process = Process::new(env!("CARGO_BIN_EXE_brisance"));
    process
        .args([
            "datagen",
            "--positions",
            positions,
            "--nodes",
            "40",
            "--threads",
            "1",
        ])
        .arg(file)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    process
}

#[test]
fn a_killed_run_continues_after_its_last_chunk() {
    let folder = scratch("datagen");
    let file = folder.join("games");
    let name = file.to_str().unwrap();
    let mut written = 0;
    for _ in 0..2 {
        let mut run = generate(&file, "1000000000").spawn().unwrap();
        let start = Instant::now();
        let size = || fs::metadata(&file).map_or(0, |data| data.len());
        // More than the header of the file.
        while size() < written + 1000 {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "no chunk appears"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        run.kill().unwrap();
        run.wait().unwrap();
        written = size();
    }
    // An incomplete chunk, as a kill leaves it.
    let mut truncated = fs::read(&file).unwrap();
    truncated.extend_from_slice(b"CHNK\x10\x00");
    fs::write(&file, truncated).unwrap();
    assert!(generate(&file, "5000").status().unwrap().success());
    let (games, positions) = counts(name);
    assert!(
        games > 50 && positions >= 10_000,
        "{games} games, {positions} positions"
    );
    assert!(fs::metadata(&file).unwrap().len() >= written);
    fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_reports_it_and_keeps_its_games() {
    let folder = scratch("interrupted");
    let file = folder.join("games");
    let mut run = generate(&file, "1000000000");
    let run = run.stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while fs::metadata(&file).map_or(0, |data| data.len()) < 1000 {
        assert!(start.elapsed() < Duration::from_secs(60), "no chunk");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = nix::unistd::Pid::from_raw(run.id() as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let (games, positions) = counts(file.to_str().unwrap());
    assert!(games > 0);
    let error = String::from_utf8(output.stderr).unwrap();
    let message = format!("interrupted after {positions} of 1000000000 positions");
    assert!(error.contains(&message), "{error}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn two_runs_cannot_write_one_file() {
    let folder = scratch("locked");
    let file = folder.join("games");
    let name = file.to_str().unwrap();
    let mut first = generate(&file, "1000000000").spawn().unwrap();
    let start = Instant::now();
    while fs::metadata(&file).map_or(0, |data| data.len()) < 12 {
        assert!(start.elapsed() < Duration::from_secs(60), "no file appears");
        std::thread::sleep(Duration::from_millis(5));
    }
    brisance(&["datagen", name, "--positions", "100", "--nodes", "40"])
        .assert()
        .code(1)
        .stderr(contains(name).and(contains("another process is writing to it")));
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(generate(&file, "100").status().unwrap().success());
    fs::remove_dir_all(folder).unwrap();
}

/// The fixture of the format, 20 games, without the header of its only segment.
fn bare_games() -> Vec<u8> {
    let mut bytes = include_bytes!("data/version2.games").to_vec();
    assert!(bytes[12..].starts_with(b"PART"));
    let length = u32::from_le_bytes(bytes[16..20].try_into().unwrap());
    bytes.drain(12..32 + length as usize);
    bytes
}

#[test]
fn merged_files_keep_the_settings_of_each_segment() {
    let folder = scratch("merge");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (bare, generated, merged) = (path("bare"), path("generated"), path("merged"));
    fs::write(&bare, bare_games()).unwrap();
    assert!(
        generate(Path::new(&generated), "300")
            .args(["--random-moves", "0.1"])
            .status()
            .unwrap()
            .success()
    );
    let merge = ["data", "merge", &merged, &generated, &bare];
    stdout(&merge);
    brisance(&merge).assert().code(1).stderr(contains("exists"));
    let [old, new, all] = [&bare, &generated, &merged].map(|file| counts(file));
    assert_eq!((old.0, all), (20, (old.0 + new.0, old.1 + new.1)));
    let info = stdout(&["data", "info", &merged, &bare]);
    let segments: Vec<_> = info.split("  part ").collect();
    assert_eq!(segments.len(), 4);
    for (segment, expected) in [
        (1, "nodes          40\n"),
        (1, "seed           1\n"),
        (1, "variant        atomic\n"),
        (1, ", CRC-32 "),
        (1, "random moves   0.1\n"),
        (2, "source         bare\n"),
        (2, "nocheckatomic  "),
        (3, "does not have the settings"),
    ] {
        assert!(segments[segment].contains(expected), "{expected}: {info}");
    }
    brisance(&["data", "show", &bare, "0"])
        .assert()
        .code(2)
        .stderr(contains("at least 1"));
    brisance(&["data", "show", &bare, "21"])
        .assert()
        .code(1)
        .stderr(contains("bare has only 20 games"));
    assert_eq!(stdout(&["data", "show", &bare, "1"]).lines().count(), 8);
    let names = fs::read_dir(&folder).unwrap();
    assert_eq!(names.count(), 3, "no temporary file is left");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_incomplete_chunk_is_skipped_and_another_version_refused() {
    let folder = scratch("incomplete");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (whole, cut) = (path("whole"), path("cut"));
    let mut bytes = bare_games();
    fs::write(&whole, &bytes).unwrap();
    let chunk = bytes[12..].to_vec();
    bytes.extend(&chunk[..chunk.len() / 2]);
    fs::write(&cut, &bytes).unwrap();
    let samples = |file: &str| {
        let output = path("samples");
        let export = [
            "data",
            "export",
            "--force",
            &output,
            file,
            "--validation",
            "0",
        ];
        let assert = brisance(&export).assert().success();
        let warning = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert_eq!(file == cut, warning.contains("is skipped"), "{warning}");
        fs::read(output).unwrap()
    };
    assert!(samples(&whole) == samples(&cut));
    bytes[8] = 1;
    fs::write(&cut, &bytes).unwrap();
    for command in [&["datagen", &cut][..], &["data", "verify", &cut]] {
        brisance(command)
            .assert()
            .code(1)
            .stderr(contains("unsupported version 1, expected 2"));
    }
    assert!(fs::read(&cut).unwrap() == bytes);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn limits_that_no_opening_meets_end_the_run() {
    let folder = scratch("limits");
    let file = folder.join("games");
    let run = [
        "datagen",
        "--nodes",
        "1",
        "--balance=-1",
        "--positions",
        "9",
        "--threads",
        "1",
    ];
    brisance(&run)
        .arg(&file)
        .assert()
        .code(1)
        .stdout("0 games, 0 positions\n")
        .stderr(contains(
            "only 0 of 9 positions: 10000 openings in a row were discarded (--balance, ",
        ));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn cut_nodes_go_to_a_file_of_their_own() {
    let folder = scratch("cut-nodes");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (games, plain, nodes) = (path("games"), path("plain"), path("nodes"));
    for (file, more) in [
        (&plain, vec![]),
        (
            &games,
            vec!["--cut-nodes", &nodes, "--cut-node-divisor", "1"],
        ),
    ] {
        let mut command = generate(Path::new(file), "2000");
        assert!(command.args(more).status().unwrap().success());
    }
    assert_eq!(counts(&games), counts(&plain));
    let (count, positions) = counts(&nodes);
    assert!(count > 50 && count == positions, "{count} {positions}");
    assert!(stdout(&["data", "info", &nodes]).contains("contents       cut nodes\n"));
    stdout(&["data", "merge", &path("merged"), &games, &nodes]);
    for file in [&nodes, &path("merged")] {
        brisance(&["data", "export", &path("samples"), file])
            .assert()
            .code(1)
            .stderr(contains("cut nodes are only for the training"));
    }
    // One file for both would be of no use afterwards.
    for (line, text) in [
        (&["datagen", &nodes][..], "holds cut nodes, not games"),
        (
            &["datagen", &games, "--cut-nodes", &plain],
            "holds games, not cut nodes",
        ),
    ] {
        let few = ["--positions", "1", "--threads", "1"];
        brisance(&[line, &few].concat())
            .assert()
            .code(1)
            .stderr(contains(text));
    }
    brisance(&["datagen", &games, "--cut-nodes", &games])
        .assert()
        .code(2)
        .stderr(contains("FILE and --cut-nodes both name"));
    brisance(&["datagen", &games, "--cut-node-divisor", "3"])
        .assert()
        .code(2)
        .stderr(contains("--cut-nodes"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn exports_are_deterministic_and_filters_optional() {
    let folder = scratch("export");
    let file = folder.join("games");
    let (name, samples) = (file.to_str().unwrap(), folder.join("samples"));
    assert!(generate(&file, "4000").status().unwrap().success());
    let (_, positions) = counts(name);
    let output = samples.to_str().unwrap();
    let export = |more: &[&str]| {
        let mut args = vec!["data", "export", "--force", output, name];
        args.extend(more);
        stdout(&args);
        let samples = SampleReader::open(&samples).unwrap();
        (samples.train, samples.validate)
    };
    let everything = [
        "--keep-captures",
        "--keep-promotions",
        "--keep-wins",
        "--keep-duplicates",
    ];
    let mut all = everything.to_vec();
    all.extend(["--cap", "32000", "--validation", "0.3"]);
    let (train, validate) = export(&all);
    assert_eq!(train + validate, positions);
    assert!(validate > positions / 10 && validate < positions / 2);
    let first = fs::read(&samples).unwrap();
    assert_eq!(export(&all), (train, validate));
    assert!(
        first == fs::read(&samples).unwrap(),
        "the seed determines the split"
    );
    let total = |more: &[&str]| {
        let (train, validate) = export(more);
        train + validate
    };
    let usual = total(&[]);
    assert!(usual < positions * 9 / 10, "{usual} of {positions}");
    for more in ["--keep-captures", "--keep-duplicates"] {
        assert!(total(&[more]) > usual, "{more}");
    }
    assert!(total(&["--drop-checks"]) < usual);
    assert!(total(&["--early", "10"]) < usual);
    assert!(total(&["--cap", "100"]) < usual);
    let before = fs::read(&samples).unwrap();
    brisance(&["data", "export", "--force", output, name, "--cap=-1"])
        .assert()
        .code(1)
        .stderr(contains("no position passed the filters"));
    assert!(fs::read(&samples).unwrap() == before, "nothing replaces it");
    brisance(&["data", "export", output, name, "--validation", "2"])
        .assert()
        .code(2)
        .stderr(contains("'2' for '--validation"));
    brisance(&["data", "export", output, name, "--lambda", "1.5"])
        .assert()
        .code(2)
        .stderr(contains("'1.5' for '--lambda"));
    fs::remove_dir_all(folder).unwrap();
}
