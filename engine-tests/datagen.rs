//! Training games: a killed run loses nothing that was written and continues; exports and filters.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::Command;
use brisance::data::sample::SampleReader;
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
fn exports_are_deterministic_and_filters_optional() {
    let folder = scratch("export");
    let file = folder.join("games");
    let (name, samples) = (file.to_str().unwrap(), folder.join("samples"));
    assert!(generate(&file, "4000").status().unwrap().success());
    let (_, positions) = counts(name);
    let output = samples.to_str().unwrap();
    let export = |more: &[&str]| {
        let mut args = vec!["data", "export", output, name];
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
    brisance(&["data", "export", output, name, "--cap=-1"])
        .assert()
        .code(1)
        .stderr(contains("no position passed the filters"));
    brisance(&["data", "export", output, name, "--validation", "2"])
        .assert()
        .code(2)
        .stderr(contains("--validation 2"));
    brisance(&["data", "export", output, name, "--lambda", "1.5"])
        .assert()
        .code(2)
        .stderr(contains("--lambda 1.5"));
    fs::remove_dir_all(folder).unwrap();
}
