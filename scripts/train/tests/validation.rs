//! Tests of the program that makes validation sets.
//! Invariant: the test writes only to a temporary folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use brisance::data::sample::SampleReader;
use brisance::data::{GameRecord, GameWriter, PlyRecord};
use brisance::rules::{GameResult, Position, Variant};

/// Writes a file of random games in which every search value is 100.
fn games(path: &Path) {
    let mut writer = GameWriter::append(path).unwrap();
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..5 {
        let start = Position::startpos(Variant::Atomic);
        let (mut pos, mut plies) = (start.clone(), vec![]);
        while plies.len() < 30
            && pos.outcome().is_none()
            && let Some(mv) = rng.choice(pos.legal_moves())
        {
            pos.make(mv);
            plies.push(PlyRecord { mv, value: 100, random: false });
        }
        let result = GameResult::Draw;
        let game = GameRecord { start, plies, result };
        writer.add(&game).unwrap();
    }
    writer.flush().unwrap();
}

#[test]
fn an_interrupted_run_gives_the_same_set() {
    let name = format!("brisance-validation-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    fs::create_dir_all(&folder).unwrap();
    games(&folder.join("games"));
    let make = |out: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_validation"));
        command.current_dir(&folder).args([out, "games"]);
        command.args(["--positions", "30", "--nodes", "300"]);
        command.args(more).output().unwrap()
    };
    let output = make("a", &["--threads", "2"]);
    assert!(output.status.success());
    let bytes = fs::read(folder.join("a")).unwrap();
    let checksum = format!("CRC-32 {:08x}\n", crc32fast::hash(&bytes));
    assert!(String::from_utf8(output.stdout).unwrap().ends_with(&checksum));
    let mut reader = SampleReader::open(&folder.join("a")).unwrap();
    assert_eq!((reader.train, reader.validate), (0, 30));
    let samples = reader.validation().unwrap();
    assert!(samples.iter().any(|sample| sample.label() != samples[0].label()));

    // As after a kill: the last value is incomplete and the set does not exist.
    let values = fs::read_to_string(folder.join("a.values")).unwrap();
    assert_eq!(values.lines().count(), 31);
    fs::remove_file(folder.join("a")).unwrap();
    fs::write(folder.join("a.values"), &values[..values.len() / 2]).unwrap();
    assert!(make("a", &["--threads", "1"]).status.success());
    assert_eq!(fs::read_to_string(folder.join("a.values")).unwrap(), values);
    assert!(fs::read(folder.join("a")).unwrap() == bytes);
    assert!(!make("a", &["--seed", "2"]).status.success());
    let games = fs::read(folder.join("games")).unwrap();
    assert!(!make("games", &["--force"]).status.success());
    assert!(fs::read(folder.join("games")).unwrap() == games);
    fs::remove_dir_all(folder).unwrap();
}
