//! Training games: a killed run loses nothing that was written and continues; conversion, exports
//! and filters.

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

const VERSION_1: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/engine-tests/data/version1.games"
);

#[test]
fn imported_and_merged_files_keep_the_settings_of_each_part() {
    let folder = scratch("import");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (imported, generated, merged) = (path("imported"), path("generated"), path("merged"));
    let import = [
        "data",
        "import",
        &imported,
        VERSION_1,
        "--set",
        "nodes=1500",
    ];
    assert!(stdout(&import).contains("8 games, 281 positions"));
    brisance(&import)
        .assert()
        .code(1)
        .stderr(contains("exists"));
    let again = ["data", "import", &merged, &imported, "--set", "nodes=7"];
    brisance(&again).assert().code(1).stderr(contains(
        "imported is of version 2 already and needs no conversion; `brisance data merge` joins files",
    ));
    assert!(!Path::new(&merged).exists());
    brisance(&["data", "import", &merged, VERSION_1, "--set", "nodes"])
        .assert()
        .code(2)
        .stderr(contains("NAME=VALUE"));
    brisance(&["datagen", VERSION_1])
        .assert()
        .code(1)
        .stderr(contains("version 1 is only read"));
    assert!(
        generate(Path::new(&generated), "300")
            .args(["--random-moves", "0.1"])
            .status()
            .unwrap()
            .success()
    );
    let (games, positions) = counts(&generated);
    stdout(&["data", "merge", &merged, &generated, &imported]);
    assert_eq!(counts(&merged), (games + 8, positions + 281));
    let info = stdout(&["data", "info", &merged, VERSION_1]);
    let parts: Vec<_> = info.split("  part ").collect();
    assert_eq!(parts.len(), 4);
    for (part, expected) in [
        (1, "nodes          40\n"),
        (1, "seed           1\n"),
        (1, "variant        atomic\n"),
        (1, ", CRC-32 "),
        (1, "random moves   0.1\n"),
        (2, "source         version1.games\n"),
        (2, "nodes          1500\n"),
        (2, "nocheckatomic  1 game\n"),
        (3, "does not have the settings"),
    ] {
        assert!(parts[part].contains(expected), "{expected}: {info}");
    }
    brisance(&["data", "show", &imported, "0"])
        .assert()
        .code(2)
        .stderr(contains("at least 1"));
    brisance(&["data", "show", &imported, "9"])
        .assert()
        .code(1)
        .stderr(contains("imported has only 8 games"));
    let shown = |file: &str| stdout(&["data", "show", file, "1"]);
    assert_eq!(shown(VERSION_1).lines().count(), 8);
    assert_eq!(shown(&imported).lines().count(), 8);
    let names = fs::read_dir(&folder).unwrap();
    assert_eq!(names.count(), 3, "no temporary file is left");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_converted_file_gives_the_same_samples_within_the_rounding_of_values() {
    let folder = scratch("converted");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let imported = path("imported");
    stdout(&["data", "import", &imported, VERSION_1]);
    // The rest of a chunk, as a file that was cut off has it, is skipped.
    let mut bytes = fs::read(&imported).unwrap();
    let chunk = bytes[12..].to_vec();
    bytes.extend(&chunk[..chunk.len() / 2]);
    fs::write(&imported, bytes).unwrap();
    let samples = |file: &str| {
        let output = path("samples");
        let more = ["--cap", "31999", "--keep-captures", "--keep-duplicates"];
        let export = ["data", "export", "--force", &output, file];
        let mut command = brisance(&[&export[..], &["--validation", "0"]].concat());
        let warned = command.args(more).assert().success();
        let warning = String::from_utf8_lossy(&warned.get_output().stderr).into_owned();
        assert_eq!(
            file == imported,
            warning.contains("is skipped"),
            "{warning}"
        );
        let mut reader = SampleReader::open(Path::new(&output)).unwrap();
        let (mut samples, train) = (vec![], reader.train);
        reader.read(0, train, &mut samples).unwrap();
        samples
    };
    let (before, after) = (samples(VERSION_1), samples(&imported));
    assert!(before.len() > 200 && before.len() == after.len());
    for (before, after) in before.iter().zip(&after) {
        // 1.25 % of a value changes an expected score by at most 0.0028.
        assert!((before.label() - after.label()).abs() < 0.0029);
        assert_eq!(before.0[..24], after.0[..24]);
        assert_eq!(before.0[26..], after.0[26..]);
    }
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
