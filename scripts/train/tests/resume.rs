//! Tests of the trainer as a program: resuming a killed run, and starting from the weights of another
//! run.
//! Invariant: the tests write only to temporary folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use brisance::data::sample::SampleWriter;
use brisance::data::{Labels, Sample, expected_score};
use brisance::rules::{Color, Position, Variant};

/// Creates a folder with samples of random games that are labelled by material.
fn folder(name: &str, samples: usize) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("brisance-train-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let mut rng = fastrand::Rng::with_seed(1);
    let mut all = vec![];
    while all.len() < samples {
        let mut pos = Position::startpos(Variant::Atomic);
        for ply in 0..30 {
            let pieces = |color| pos.by_color(color).count() as i16;
            let value = 1.5 * f32::from(pieces(pos.side_to_move()) - pieces(!pos.side_to_move()));
            all.push(Sample::new(&pos, expected_score(value), None, ply));
            let Some(mv) = rng.choice(pos.legal_moves()) else {
                break;
            };
            pos.make(mv);
            if Color::ALL.iter().any(|&color| pos.king(color).is_none()) {
                break;
            }
        }
    }
    all.truncate(samples);
    let (validate, train) = all.split_at(samples / 10);
    let mut writer = SampleWriter::create(&folder.join("samples"), Labels::default()).unwrap();
    writer.train(train).unwrap();
    writer.finish(validate).unwrap();
    folder
}

/// The trainer with the samples of the folder.
fn trainer(folder: &Path, out: &str, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brisance-train"));
    command.current_dir(folder);
    command.args(["samples", "--out", out, "--batch", "200", "--ema", "0.9"]);
    command.args(more);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn a_killed_run_gives_the_same_network_when_it_is_resumed() {
    let folder = folder("resume", 6000);
    let usual = ["--epochs", "3", "--checkpoint", "20"];
    assert!(trainer(&folder, "a.nnue", &usual).status().unwrap().success());
    let mut run = trainer(&folder, "b.nnue", &usual).spawn().unwrap();
    let start = Instant::now();
    while !folder.join("b.checkpoint").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no checkpoint");
        sleep(Duration::from_millis(1));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(!folder.join("b.nnue").exists(), "killed too late");
    let other = [&usual[..], &["--resume", "--seed", "2"]].concat();
    assert!(!trainer(&folder, "b.nnue", &other).status().unwrap().success());
    let same = [&usual[..], &["--resume", "--threads", "1"]].concat();
    assert!(trainer(&folder, "b.nnue", &same).status().unwrap().success());
    for name in ["nnue", "checkpoint", "csv", "svg"] {
        let read = |stem: &str| fs::read(folder.join(format!("{stem}.{name}"))).unwrap();
        assert!(read("a") == read("b"), "{name}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_run_starts_from_the_weights_of_another() {
    let folder = folder("from", 2000);
    let run = |out, more: &[&str]| trainer(&folder, out, more).status().unwrap().success();
    assert!(run("a.nnue", &["--epochs", "1"]));
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    assert!(run("b.nnue", &["--from", "a.checkpoint", "--epochs", "0"]));
    assert!(read("a.nnue") == read("b.nnue"));
    let again = ["--from", "a.checkpoint", "--epochs", "1"];
    assert!(!run("b.nnue", &again), "a network is replaced");
    assert!(!run("a.nnue", &[&again[..], &["--force"]].concat()), "its own start");
    assert!(run("b.nnue", &[&again[..], &["--force"]].concat()));
    assert!(read("b.nnue") != read("a.nnue"));
    assert!(run("c.nnue", &["--from", "a.nnue", "--epochs", "0"]));
    assert!(read("a.nnue") == read("c.nnue"));
    assert!(run("c.nnue", &["--from", "a.nnue", "--epochs", "1", "--force"]));
    assert!(read("c.nnue") != read("a.nnue"));
    assert!(!run("d.nnue", &["--from", "samples", "--epochs", "1"]));
    let whole = read("a.checkpoint");
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    fs::write(folder.join("a.checkpoint"), damaged).unwrap();
    assert!(!run("e.nnue", &["--from", "a.checkpoint", "--epochs", "0"]));
    fs::remove_dir_all(folder).unwrap();
}
