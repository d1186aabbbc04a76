//! Tests of the distillation program.
//! Invariant: the tests write only to temporary folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use brisance::data::sample::{SampleReader, SampleWriter};
use brisance::data::{Labels, Sample, expected_score};
use brisance::eval::nnue::{AccumulatorStack, INPUTS, Network, OUTPUT_BUCKETS};
use brisance::rules::{Position, Variant};

const SCALE: f32 = 400.0;

/// The embedded network and one with other values, the teachers of the tests.
fn teachers() -> [Network; 2] {
    let net = Network::embedded().unwrap();
    let rows = (0..INPUTS).map(|input| net.input(input).clone()).collect();
    let stacks = (0..OUTPUT_BUCKETS).map(|bucket| {
        let mut stack = net.stack(bucket).clone();
        stack.output_bias += 1 << 22;
        stack
    });
    let stacks = stacks.collect();
    let other = Network::new("other", net.scale(), rows, net.bias().clone(), stacks);
    [Network::clone(&net), other.unwrap()]
}

/// A folder with the teachers and with samples of random games, all labelled 0.25.
fn folder(name: &str) -> (PathBuf, Vec<Position>) {
    let name = format!("brisance-distill-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    fs::create_dir_all(&folder).unwrap();
    for (name, net) in ["net.nnue", "other.nnue"].iter().zip(teachers()) {
        fs::write(folder.join(name), net.to_bytes()).unwrap();
    }
    let mut rng = fastrand::Rng::with_seed(1);
    let mut positions = vec![];
    while positions.len() < 200 {
        let mut pos = Position::startpos(Variant::Atomic);
        while pos.outcome().is_none() {
            positions.push(pos.clone());
            pos.make(rng.choice(pos.legal_moves()).unwrap());
        }
    }
    let sample = |pos| Sample::new(pos, 0.25, None, 0);
    let samples: Vec<Sample> = positions.iter().map(sample).collect();
    let (train, validate) = samples.split_at(150);
    let labels = Labels { scale: SCALE, ..Labels::default() };
    let mut writer = SampleWriter::create(&folder.join("samples"), labels).unwrap();
    writer.train(train).unwrap();
    writer.finish(validate).unwrap();
    (folder, positions)
}

fn distill(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_distill"));
    command.current_dir(folder).args(args).output().unwrap()
}

fn read(path: &Path) -> (Vec<Sample>, Vec<Sample>) {
    let mut reader = SampleReader::open(path).unwrap();
    let mut train = vec![];
    reader.read(0, reader.train, &mut train).unwrap();
    (train, reader.validation().unwrap())
}

#[test]
fn labels_are_mixed_with_the_values_of_the_teachers() {
    let (folder, positions) = folder("labels");
    let teachers = teachers();
    let (_, old_validation) = read(&folder.join("samples"));
    for share in [0.0, 0.5, 1.0] {
        let share_text = share.to_string();
        let networks = ["--teacher", "net.nnue", "--teacher", "other.nnue"];
        let settings = ["samples", "out", "--force", "--share", &share_text];
        let output = distill(&folder, &[&settings[..], &networks].concat());
        assert!(output.status.success(), "{output:?}");
        let (train, validation) = read(&folder.join("out"));
        assert_eq!((train.len(), &validation), (150, &old_validation));
        for (sample, pos) in train.iter().zip(&positions) {
            let scores = teachers.each_ref().map(|net| {
                let mut accumulators = AccumulatorStack::default();
                accumulators.reset(pos);
                expected_score(accumulators.evaluate(net, pos) as f32 / SCALE)
            });
            assert!(scores[1] > scores[0], "{pos:?}");
            let expected = 0.25 + share * ((scores[0] + scores[1]) / 2.0 - 0.25);
            assert!((sample.label() - expected).abs() < 2e-5, "{pos:?}");
            assert_eq!(*sample, Sample::new(pos, sample.label(), None, 0));
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn appended_samples_keep_their_labels() {
    let (folder, _) = folder("append");
    let (old, old_validation) = read(&folder.join("samples"));
    let teacher = ["--teacher", "net.nnue"];
    let settings = ["samples", "out", "--append", "samples"];
    let output = distill(&folder, &[settings.as_slice(), &teacher].concat());
    assert!(output.status.success(), "{output:?}");
    distill(&folder, &[["samples", "mixed"].as_slice(), &teacher].concat());
    let (mixed, _) = read(&folder.join("mixed"));
    assert_ne!(mixed, old);
    let again = distill(&folder, &[settings.as_slice(), &teacher].concat());
    assert!(!again.status.success(), "an existing file is kept");
    let (train, validation) = read(&folder.join("out"));
    assert_eq!(train, [mixed, old].concat());
    assert_eq!(validation, [old_validation.clone(), old_validation].concat());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_wrong_is_named() {
    let (folder, _) = folder("errors");
    let other = Labels { lambda: 0.5, scale: SCALE };
    let writer = SampleWriter::create(&folder.join("lambda"), other).unwrap();
    writer.finish(&[]).unwrap();
    let cases: [(&[&str], &str); 7] = [
        (&["samples", "samples", "--teacher", "net.nnue"], "samples: it is an input"),
        (
            &["samples", "lambda", "--teacher", "net.nnue", "--append", "lambda"],
            "lambda: it is an input",
        ),
        (
            &["samples", "out", "--teacher", "net.nnue", "--append", "lambda"],
            "lambda: its labels have λ 0.5",
        ),
        (&["samples", "out", "--teacher", "none.nnue"], "none.nnue: "),
        (&["samples", "out", "--teacher", "samples"], "samples: "),
        (&["net.nnue", "out", "--teacher", "net.nnue"], "net.nnue: not a file of samples"),
        (&["samples", "out", "--teacher", "net.nnue", "--share", "2"], "--share 2"),
    ];
    let before = fs::read(folder.join("samples")).unwrap();
    for (args, expected) in cases {
        let output = distill(&folder, args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(expected), "{args:?}: {text}");
        assert!(!folder.join("out").exists());
    }
    assert_eq!(fs::read(folder.join("samples")).unwrap(), before);
    fs::remove_dir_all(folder).unwrap();
}
