//! Game files as a whole: games are read back, damage is found, written files stay readable.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::file::{ChunkKind, MAGIC, VERSION};
use super::{
    Corruption, DataCounts, DataError, GameReader, GameRecord, GameWriter, PlyRecord, RawChunk,
    SegmentHeader,
};
use crate::notation::{coord, fen};
use crate::rules::{GameResult, Position, Variant, chess960};
use crate::walk::shredder;

const FEW_PIECES: [&str; 6] = [
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "8/8/4k3/8/2pP4/8/8/4K2R b K d3 0 40",
    "r3k3/8/8/8/8/8/8/4K2R b Kq - 37 65535",
    "8/1P4k1/8/8/8/8/6p1/K7 w - - 12 300",
    "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1",
    "4k3/8/8/8/8/8/8/8 w - - 0 1",
];

/// The game of these moves and values from a position.
pub fn game(start: &str, moves: &[(&str, i16)], result: GameResult) -> GameRecord {
    let start = fen::parse(start, Variant::Atomic).unwrap();
    let mut pos = start.clone();
    let plies = moves.iter().map(|&(text, value)| {
        let mv = coord::parse(&pos, text).unwrap();
        pos.make(mv);
        PlyRecord { mv, value, random: false }
    });
    GameRecord { plies: plies.collect(), start, result }
}

/// An empty file for one test, which is removed at its end.
pub fn scratch() -> TempPath {
    NamedTempFile::new().unwrap().into_temp_path()
}

fn play(pos: &mut Position, count: usize, rng: &mut fastrand::Rng) -> Vec<PlyRecord> {
    let (mut plies, mut value) = (vec![], 0i16);
    while plies.len() < count
        && let Some(mv) = rng.choice(pos.legal_moves())
    {
        pos.make(mv);
        value = match rng.u8(..40) {
            0 => rng.i16(..),
            1 => 32_000 - rng.i16(0..500),
            _ => value.saturating_neg().saturating_add(rng.i16(-90..90)),
        };
        let random = rng.u8(..30) == 0;
        plies.push(PlyRecord { mv, value, random });
    }
    plies
}

/// A random game of either variant: from an array with an opening, or from another position.
fn random_game(seed: u64, plies: usize) -> GameRecord {
    let mut rng = fastrand::Rng::with_seed(seed);
    let variant = Variant::ALL[rng.usize(..Variant::ALL.len())];
    let mut start = match rng.u8(..4) {
        0 => fen::parse(rng.choice(FEW_PIECES).unwrap(), variant).unwrap(),
        1 => chess960::start_position(rng.u16(..960), variant),
        _ => Position::startpos(variant),
    };
    let opening = rng.usize(..12);
    play(&mut start, opening, &mut rng);
    if rng.bool() {
        start = start.without_history();
    }
    let mut pos = start.clone();
    let plies = play(&mut pos, plies, &mut rng);
    GameRecord { start, plies, result: GameResult::ALL[rng.usize(..3)] }
}

fn moves_before(start: &Position) -> Vec<u16> {
    let mut pos = start.clone();
    let last = || {
        let mv = pos.last_move()?;
        pos.unmake();
        Some(mv.code())
    };
    std::iter::from_fn(last).collect()
}

/// Asserts that `read` is `written` apart from the rounding of values.
fn assert_same_game(written: &GameRecord, read: &GameRecord) {
    assert_eq!(read.start.variant(), written.start.variant());
    assert_eq!(shredder(&read.start), shredder(&written.start));
    assert_eq!(moves_before(&read.start), moves_before(&written.start));
    assert_eq!(read.result, written.result);
    assert_eq!(read.plies.len(), written.plies.len());
    for (read, written) in read.plies.iter().zip(&written.plies) {
        assert_eq!((read.mv, read.random), (written.mv, written.random));
        let (read, written) = (i32::from(read.value), i32::from(written.value));
        let is_exact = written.abs() <= 80 || written.abs() >= 31_507;
        let error = (read - written).abs();
        let bound = if is_exact { 0 } else { written.abs() / 80 };
        assert!(error <= bound || written == -32_768, "{written} {read}");
    }
}

/// The games of the intact chunks of a file, and why it ends after them.
fn read_chunks(path: &Path) -> (Vec<GameRecord>, Result<(), DataError>) {
    let mut games = vec![];
    let read = GameReader::open(path).and_then(|mut reader| {
        while let Some(chunk) = reader.next_chunk()? {
            games.extend(chunk);
        }
        Ok(())
    });
    (games, read)
}

fn read_all(path: &Path) -> Result<Vec<GameRecord>, DataError> {
    let (games, read) = read_chunks(path);
    read.map(|()| games)
}

fn written(path: &Path, games: &[GameRecord]) {
    let mut writer = GameWriter::append(path).unwrap();
    writer.begin_segment(SegmentHeader::default().with("nodes", 400)).unwrap();
    for game in games {
        writer.add(game).unwrap();
    }
    writer.flush().unwrap();
}

#[test]
fn random_games_are_read_back() {
    let file = scratch();
    let games: Vec<_> = (0..300).map(|seed| random_game(seed, 120)).collect();
    written(&file, &games);
    let read = read_all(&file).unwrap();
    assert_eq!(read.len(), games.len());
    for (written, read) in games.iter().zip(&read) {
        assert_same_game(written, read);
    }
    // A second conversion changes nothing more.
    let again = scratch();
    written(&again, &read);
    assert!(fs::read(&file).unwrap() == fs::read(&again).unwrap());
}

#[test]
fn impossible_games_are_refused_and_leave_the_file_intact() {
    let file = scratch();
    let good = random_game(1, 60);
    let mut bad = random_game(2, 60);
    bad.plies[20] = bad.plies[21];
    let mut writer = GameWriter::append(&file).unwrap();
    writer.add(&good).unwrap();
    let error = writer.add(&bad).unwrap_err().to_string();
    assert!(error.contains("the move of ply 21 is illegal"), "{error}");
    writer.add(&good).unwrap();
    writer.flush().unwrap();
    let games = read_all(&file).unwrap();
    assert_eq!(games.len(), 2);
    assert_same_game(&good, &games[1]);
}

#[test]
fn a_file_cut_off_anywhere_keeps_its_complete_chunks() {
    let file = scratch();
    let games: Vec<_> = (0..4).map(|seed| random_game(seed, 25)).collect();
    let mut ends = vec![];
    let mut writer = GameWriter::append(&file).unwrap();
    for (number, game) in games.iter().enumerate() {
        let header = SegmentHeader::default().with("number", number / 2);
        writer.begin_segment(header).unwrap();
        writer.add(game).unwrap();
        writer.flush().unwrap();
        ends.push(fs::metadata(&file).unwrap().len() as usize);
    }
    drop(writer);
    let whole = fs::read(&file).unwrap();
    for length in 0..whole.len() {
        fs::write(&file, &whole[..length]).unwrap();
        let complete = ends.iter().filter(|&&end| end <= length).count();
        let (read, end) = read_chunks(&file);
        assert_eq!(read.len(), complete, "{length}");
        if let Err(error) = end {
            let is_cut = matches!(error, DataError::Corrupt(_, _, Corruption::Truncated));
            assert!(is_cut, "{length}: {error}");
        }
        let mut writer = GameWriter::append(&file).unwrap();
        assert_eq!(writer.written().games, complete as u64, "{length}");
        writer.add(&games[0]).unwrap();
        writer.flush().unwrap();
        drop(writer);
        assert_eq!(read_all(&file).unwrap().len(), complete + 1, "{length}");
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let file = scratch();
    written(&file, &[random_game(7, 12), random_game(8, 12)]);
    let whole = fs::read(&file).unwrap();
    for at in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        fs::write(&file, &bytes).unwrap();
        assert!(read_all(&file).is_err(), "bit {at}");
    }
}

#[test]
fn damage_before_an_intact_chunk_is_not_cut_off() {
    let file = scratch();
    let mut writer = GameWriter::append(&file).unwrap();
    for seed in 0..3 {
        writer.add(&random_game(seed, 20)).unwrap();
        writer.flush().unwrap();
    }
    drop(writer);
    let whole = fs::read(&file).unwrap();
    // The kind, the length and the payload of the first chunk.
    for (at, bit) in [(12, 1), (17, 1), (18, 1), (20, 0x40), (40, 1)] {
        let mut bytes = whole.clone();
        bytes[at] ^= bit;
        fs::write(&file, &bytes).unwrap();
        let error = GameWriter::append(&file).map(drop).unwrap_err();
        let DataError::Corrupt(_, 12, corruption) = error else {
            panic!("{error}");
        };
        assert_ne!(corruption, Corruption::Truncated, "byte {at}");
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
    fs::write(&file, "some notes of mine\n").unwrap();
    assert!(GameWriter::append(&file).is_err());
    assert_eq!(fs::read(&file).unwrap(), b"some notes of mine\n");
}

#[test]
fn counts_above_those_of_a_chunk_are_an_error() {
    let file = scratch();
    for [games, plies] in [[u32::MAX, 0], [1, u32::MAX], [u32::MAX; 2], [16_000, 1]] {
        let chunk = RawChunk {
            kind: ChunkKind::Games,
            payload: vec![0; 8],
            counts: DataCounts { games: games.into(), plies: plies.into() },
        };
        let header = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
        fs::write(&file, [header, chunk.to_bytes()].concat()).unwrap();
        assert!(read_all(&file).is_err(), "{games} games, {plies} plies");
    }
}

#[test]
fn segments_keep_their_settings() {
    let file = scratch();
    let header = |nodes: u32| SegmentHeader::default().with("nodes", nodes);
    for nodes in [400, 400, 1200, 400] {
        let mut writer = GameWriter::append(&file).unwrap();
        writer.begin_segment(header(800)).unwrap();
        writer.begin_segment(header(nodes)).unwrap();
        writer.add(&random_game(nodes.into(), 20)).unwrap();
        writer.flush().unwrap();
    }
    let mut reader = GameReader::open(&file).unwrap();
    let mut nodes = vec![];
    while reader.next_chunk().unwrap().is_some() {
        let header = reader.segment().expect("settings");
        nodes.push(header.get("nodes").map(str::to_owned));
    }
    let nodes: Vec<_> = nodes.iter().flatten().collect();
    assert_eq!(nodes, ["400", "400", "1200", "400"]);
    let bytes = fs::read(&file).unwrap();
    let parts = bytes.windows(4).filter(|window| window == b"PART").count();
    assert_eq!(parts, 3);
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("engine-tests/data/version2.games")
}

/// A file as a program wrote it; no change of the program may change what it means.
#[test]
fn files_of_version_2_never_change_their_meaning() {
    let games = read_all(&fixture()).unwrap();
    let mut text = String::new();
    for game in &games {
        text += &shredder(&game.start);
        text += &format!("{:?} {:?}\n", moves_before(&game.start), game.result);
        for ply in &game.plies {
            text += &format!("{} {} {}\n", ply.mv.code(), ply.value, ply.random);
        }
    }
    let random = games.iter().flat_map(|game| &game.plies).filter(|ply| ply.random);
    assert!(random.count() > 10);
    assert_eq!((games.len(), crc32fast::hash(text.as_bytes())), (20, 0xbda5_d2ea));
    let file = scratch();
    written(&file, &games);
    assert!(fs::read(&file).unwrap() == fs::read(fixture()).unwrap());
}
