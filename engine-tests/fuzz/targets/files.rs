//! Fuzz targets for files: networks, books, files of training games, proofs.
//! Invariant: a file that is accepted is usable, and is written back as it was read.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use brisance::data::{
    DataError, FilterSettings, GameReader, GameWriter, Labels, PlyRecord, SampleFilter,
};
use brisance::eval::nnue::{AccumulatorStack, Network};
use brisance::opening::{Book, BookChoice, BookEntry, polyglot_key, polyglot_move};
use brisance::proof::file::ProofFile;
use brisance::rules::{GameResult, Position, Variant};

use super::{position, positions};
use crate::walk::shredder;

/// Inputs that start with `P` change bytes of the embedded network, whose checksum is then made
/// valid; others are the whole file.
pub fn network(data: &[u8]) {
    let Some(changes) = data.strip_prefix(b"P") else {
        if let Ok(net) = Network::parse(data) {
            use_network(&net);
        }
        return;
    };
    let mut bytes = embedded_network().to_vec();
    let end = bytes.len() - 4;
    for change in changes.chunks_exact(5) {
        let offset = u32::from_le_bytes([change[0], change[1], change[2], change[3]]);
        bytes[offset as usize % end] = change[4];
    }
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    if let Ok(net) = Network::parse(&bytes) {
        // The current version is written back as it was read.
        if bytes[8] == 3 {
            assert!(net.to_bytes() == bytes, "the network changes");
        }
        use_network(&net);
    }
}

fn embedded_network() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| Network::embedded().expect("a valid network").to_bytes())
}

fn use_network(net: &Network) {
    let mut accumulators = AccumulatorStack::default();
    for known in positions().iter().step_by(20) {
        accumulators.reset(&known.pos);
        accumulators.evaluate(net, &known.pos);
    }
}

/// Inputs that start with `E` describe entries for known positions; others are the whole file.
pub fn book(data: &[u8]) {
    let book = match data.strip_prefix(b"E") {
        Some(entries) => Book::new(entries.chunks_exact(6).map(book_entry).collect()),
        None => match Book::parse(data) {
            Ok(book) => book,
            Err(_) => return,
        },
    };
    let bytes = book.to_bytes();
    if !data.starts_with(b"E") {
        assert_eq!(bytes, data);
    }
    if !book.entries().is_empty() {
        assert_eq!(Book::parse(&bytes).expect("a written book is valid"), book);
    }
    assert!(book.positions() <= book.entries().len());
    let startpos = Position::startpos(Variant::Atomic);
    let selected = data.iter().take(4).map(|&byte| &position(byte).pos);
    for pos in selected.chain([&startpos]) {
        use_book(&book, pos);
    }
}

fn book_entry(bytes: &[u8]) -> BookEntry {
    let pos = &position(bytes[0]).pos;
    let legal = pos.legal_moves();
    let code = if bytes[1] < 128 && !legal.is_empty() {
        polyglot_move(legal[usize::from(bytes[1]) % legal.len()])
    } else {
        u16::from_le_bytes([bytes[2], bytes[3]])
    };
    BookEntry {
        key: polyglot_key(pos),
        code,
        weight: u16::from_le_bytes([bytes[4], bytes[5]]),
        learn: 0,
    }
}

fn use_book(book: &Book, pos: &Position) {
    let moves = book.moves(pos);
    assert!(moves.iter().all(|entry| pos.is_legal(entry.mv)));
    let has_weight = moves.iter().any(|entry| entry.weight > 0);
    for choice in [BookChoice::Best, BookChoice::Weighted] {
        let mut rng = fastrand::Rng::with_seed(7);
        let chosen = book.choose(pos, choice, &mut rng);
        assert_eq!(chosen.is_some(), has_weight);
        assert!(chosen.is_none_or(|entry| entry.weight > 0 && moves.contains(&entry)));
    }
}

/// Inputs that start with `2` are the payload of one chunk, after its two counts; others are the
/// whole file. Opening the file for appending keeps every intact chunk.
pub fn game_file(data: &[u8]) {
    let bytes = match data {
        [b'2', games, plies, payload @ ..] => {
            game_file_bytes([*games, *plies].map(u32::from), payload)
        }
        _ => data.to_vec(),
    };
    let path = scratch_file();
    fs::write(&path, &bytes).expect("the file is written");
    let before = read_games(&path);
    if GameWriter::append(&path).is_ok() {
        assert!(before == read_games(&path), "appending changes the games");
    } else {
        let after = fs::read(&path).expect("a file");
        assert!(after == bytes, "a refused file changes");
    }
}

/// A game file with one chunk.
fn game_file_bytes(counts: [u32; 2], payload: &[u8]) -> Vec<u8> {
    let mut header = b"CHNK".to_vec();
    for number in [payload.len() as u32].into_iter().chain(counts) {
        header.extend(number.to_le_bytes());
    }
    let checksum = crc32fast::hash(&[&header, payload].concat());
    let mut bytes = b"BRISGAME".to_vec();
    bytes.extend(2u32.to_le_bytes());
    bytes.extend(header);
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(payload);
    bytes
}

/// The path of a file that only this process uses, in memory if the system has such a folder.
pub fn scratch_file() -> PathBuf {
    let memory = Some(PathBuf::from("/dev/shm")).filter(|folder| folder.is_dir());
    let folder = memory.unwrap_or_else(env::temp_dir);
    folder.join(format!("brisance-fuzz-{}.games", std::process::id()))
}

/// Start, plies and result of a game.
type GameParts = (String, Vec<PlyRecord>, GameResult);

/// The games up to the first chunk that is not intact.
fn read_games(path: &Path) -> Vec<GameParts> {
    let mut games = Vec::new();
    let Ok(mut reader) = GameReader::open(path) else {
        return games;
    };
    let mut filter = SampleFilter::new(FilterSettings::default(), Labels::default());
    loop {
        match reader.next_chunk() {
            Ok(Some(chunk)) => games.extend(chunk.iter().map(|game| {
                assert_eq!(game.positions().count(), game.plies.len());
                filter.add_game(game, |_, sample| {
                    assert!((0.0..=1.0).contains(&sample.label()));
                });
                (shredder(&game.start), game.plies.clone(), game.result)
            })),
            Ok(None) => return games,
            Err(error) => {
                assert!(matches!(error, DataError::Corrupt(..)), "{error}");
                return games;
            }
        }
    }
}

/// A proof file; what is read is verified.
pub fn proof(data: &[u8]) {
    if let Ok(proof) = ProofFile::read(data)
        && let Ok(verified) = proof.verify()
    {
        assert!(verified.positions <= proof.len() + verified.replies + 1);
    }
}
