//! Game files: a header, then chunks of games, each with its length, counts and checksum.
//! Invariant: a chunk is written and synced as a whole. After an abrupt end of the program the
//! file is truncated to its last complete chunk, so that at most one chunk is lost.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `BRISGAME`, once |
//! | 4 | version, once |
//! | 4 | `CHNK` |
//! | 4, 4, 4 | payload bytes, games, plies |
//! | 4 | CRC-32 of the three numbers and the payload |
//! | … | the games |

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{GameRecord, RecordError};

const MAGIC: &[u8; 8] = b"BRISGAME";
const VERSION: u32 = 1;
const CHUNK: &[u8; 4] = b"CHNK";
/// Payload bytes at which a chunk is written.
const CHUNK_SIZE: usize = 32 << 10;
/// Upper bound on payload bytes: the last game of a chunk may exceed [`CHUNK_SIZE`].
const MAX_CHUNK_SIZE: u32 = 1 << 20;

/// Why a game file cannot be read or written.
#[derive(Debug, Error)]
pub enum DataError {
    /// Reading or writing failed.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// The contents are invalid; the byte offset of the chunk or header.
    #[error("{}: corrupt at byte {}: {}", .0.display(), .1, .2)]
    Corrupt(PathBuf, u64, #[source] Corruption),
}

/// What is wrong with the contents of a game file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Corruption {
    /// The file does not start with the header of a game file.
    #[error("not a game file")]
    NotAGameFile,
    /// The version is unsupported.
    #[error("unsupported version {0}, expected {VERSION}")]
    Version(u32),
    /// The file ends within a header or chunk.
    #[error("the file ends unexpectedly")]
    Truncated,
    /// There is no chunk header.
    #[error("no chunk header")]
    NoChunk,
    /// A chunk is too long; its length in bytes.
    #[error("a chunk of {0} bytes")]
    ChunkLength(u32),
    /// The checksum of a chunk is wrong.
    #[error("wrong checksum")]
    Checksum,
    /// The counts of a chunk do not match its games.
    #[error("the counts do not match the games of the chunk")]
    Counts,
    /// A game of a chunk, counted from 1, is invalid.
    #[error("game {0} of the chunk: {1}")]
    Game(usize, #[source] RecordError),
}

/// Number of games and plies in a chunk or file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DataCounts {
    /// Number of games.
    pub games: u64,
    /// Total number of plies.
    pub plies: u64,
}

/// Reads a game file chunk by chunk.
pub struct GameReader {
    path: PathBuf,
    file: BufReader<File>,
    /// Offset of the next chunk.
    offset: u64,
}

impl GameReader {
    /// Opens a file and checks its header.
    ///
    /// # Errors
    /// When it cannot be read or is not a game file.
    pub fn open(path: &Path) -> Result<GameReader, DataError> {
        let file = File::open(path).map_err(|error| DataError::Io(path.to_owned(), error))?;
        let mut reader = GameReader {
            path: path.to_owned(),
            file: BufReader::new(file),
            offset: 0,
        };
        let mut header = [0; 12];
        reader.read_exact(&mut header)?;
        if &header[..8] != MAGIC {
            return Err(reader.corrupt(Corruption::NotAGameFile));
        }
        let version = read_u32(&header[8..]);
        if version != VERSION {
            return Err(reader.corrupt(Corruption::Version(version)));
        }
        reader.offset = 12;
        Ok(reader)
    }

    /// Byte offset of the end of the last complete chunk read.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The games of the next chunk; `None` at the end of the file.
    ///
    /// # Errors
    /// When the chunk is incomplete, its checksum is wrong, or one of its games is invalid.
    pub fn next_chunk(&mut self) -> Result<Option<Vec<GameRecord>>, DataError> {
        let Some((payload, counts)) = self.next_raw_chunk()? else {
            return Ok(None);
        };
        let mut bytes = payload.as_slice();
        let mut games = Vec::with_capacity(counts.games as usize);
        while !bytes.is_empty() {
            let game = GameRecord::decode(&mut bytes);
            games.push(
                game.map_err(|error| self.corrupt(Corruption::Game(games.len() + 1, error)))?,
            );
        }
        let plies: usize = games.iter().map(|game| game.plies.len()).sum();
        if (games.len() as u64, plies as u64) != (counts.games, counts.plies) {
            return Err(self.corrupt(Corruption::Counts));
        }
        Ok(Some(games))
    }

    /// The payload and counts of the next chunk, with verified checksum but without decoding the
    /// games; `None` at the end of the file.
    ///
    /// # Errors
    /// When the chunk is incomplete or its checksum is wrong.
    pub fn next_raw_chunk(&mut self) -> Result<Option<(Vec<u8>, DataCounts)>, DataError> {
        let mut header = [0; 20];
        let read = self.read_up_to(&mut header)?;
        if read == 0 {
            return Ok(None);
        }
        if read < header.len() || &header[..4] != CHUNK {
            return Err(self.corrupt(Corruption::NoChunk));
        }
        let length = read_u32(&header[4..]);
        if length > MAX_CHUNK_SIZE {
            return Err(self.corrupt(Corruption::ChunkLength(length)));
        }
        let mut payload = vec![0; length as usize];
        self.read_exact(&mut payload)?;
        if checksum(&header[4..16], &payload) != read_u32(&header[16..]) {
            return Err(self.corrupt(Corruption::Checksum));
        }
        self.offset += 20 + u64::from(length);
        let counts = DataCounts {
            games: read_u32(&header[8..]).into(),
            plies: read_u32(&header[12..]).into(),
        };
        Ok(Some((payload, counts)))
    }

    fn read_up_to(&mut self, bytes: &mut [u8]) -> Result<usize, DataError> {
        let mut read = 0;
        while read < bytes.len() {
            match self.file.read(&mut bytes[read..]) {
                Ok(0) => break,
                Ok(count) => read += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(DataError::Io(self.path.clone(), error)),
            }
        }
        Ok(read)
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), DataError> {
        if self.read_up_to(bytes)? < bytes.len() {
            return Err(self.corrupt(Corruption::Truncated));
        }
        Ok(())
    }

    fn corrupt(&self, corruption: Corruption) -> DataError {
        DataError::Corrupt(self.path.clone(), self.offset, corruption)
    }
}

fn read_u32(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn checksum(counts: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(counts);
    hasher.update(payload);
    hasher.finalize()
}

/// Appends games to a game file.
pub struct GameWriter {
    path: PathBuf,
    file: File,
    payload: Vec<u8>,
    pending: DataCounts,
    written: DataCounts,
}

impl GameWriter {
    /// Opens a file for appending, or creates it. An incomplete chunk at the end is removed.
    ///
    /// # Errors
    /// When it cannot be read and written, or is not a game file.
    pub fn append(path: &Path) -> Result<GameWriter, DataError> {
        let io = |error| DataError::Io(path.to_owned(), error);
        let mut written = DataCounts::default();
        let exists = path.metadata().is_ok_and(|data| data.len() > 0);
        let mut end = 12;
        if exists {
            let mut reader = GameReader::open(path)?;
            let length = path.metadata().map_err(io)?.len();
            loop {
                match reader.next_raw_chunk() {
                    Ok(Some((_, counts))) => {
                        written.games += counts.games;
                        written.plies += counts.plies;
                    }
                    Ok(None) => break,
                    // A corrupt last chunk was interrupted while being written. Any other
                    // corruption is an error, because truncating would lose intact chunks.
                    Err(DataError::Corrupt(..))
                        if length - reader.offset() <= u64::from(MAX_CHUNK_SIZE) =>
                    {
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            end = reader.offset();
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io)?;
        if !exists {
            file.write_all(MAGIC)
                .and_then(|()| file.write_all(&VERSION.to_le_bytes()))
                .map_err(io)?;
        }
        file.set_len(end).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        Ok(GameWriter {
            path: path.to_owned(),
            file,
            payload: Vec::new(),
            pending: DataCounts::default(),
            written,
        })
    }

    /// Games and plies written to the file.
    pub fn written(&self) -> DataCounts {
        self.written
    }

    /// Adds a game, and writes the pending chunk when it is full.
    ///
    /// # Errors
    /// When writing fails.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), DataError> {
        game.encode(&mut self.payload);
        self.pending.games += 1;
        self.pending.plies += game.plies.len() as u64;
        if self.payload.len() >= CHUNK_SIZE {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes the pending games as a chunk and waits until they are on disk.
    ///
    /// # Errors
    /// When writing fails.
    pub fn flush(&mut self) -> Result<(), DataError> {
        if self.payload.is_empty() {
            return Ok(());
        }
        let numbers = [
            self.payload.len() as u64,
            self.pending.games,
            self.pending.plies,
        ]
        .map(|n| n as u32);
        let mut counts = Vec::new();
        numbers
            .iter()
            .for_each(|number| counts.extend(number.to_le_bytes()));
        let mut chunk = CHUNK.to_vec();
        chunk.extend(&counts);
        chunk.extend(checksum(&counts, &self.payload).to_le_bytes());
        chunk.extend(&self.payload);
        self.file
            .write_all(&chunk)
            .and_then(|()| self.file.sync_data())
            .map_err(|error| DataError::Io(self.path.clone(), error))?;
        self.written.games += self.pending.games;
        self.written.plies += self.pending.plies;
        self.pending = DataCounts::default();
        self.payload.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::PlyRecord;
    use crate::rules::{GameResult, Position, Variant};
    use std::fs;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("brisance-{}-{name}", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    fn game(seed: u64) -> GameRecord {
        let mut rng = fastrand::Rng::with_seed(seed);
        let start = Position::startpos(Variant::Atomic);
        let mut pos = start.clone();
        let mut plies = vec![];
        while plies.len() < 80
            && let Some(mv) = rng.choice(pos.legal_moves())
        {
            pos.make(mv);
            plies.push(PlyRecord {
                mv,
                value: 12,
                random: false,
            });
        }
        GameRecord {
            start,
            plies,
            result: GameResult::Draw,
        }
    }

    fn read_all(path: &Path) -> Result<Vec<usize>, DataError> {
        let mut reader = GameReader::open(path)?;
        let mut lengths = vec![];
        while let Some(games) = reader.next_chunk()? {
            lengths.extend(games.iter().map(|game| game.plies.len()));
        }
        Ok(lengths)
    }

    #[test]
    fn written_games_are_read_back_and_an_incomplete_end_is_removed() {
        let path = scratch("torn.games");
        let mut writer = GameWriter::append(&path).unwrap();
        let mut expected = vec![];
        for seed in 0..700 {
            let game = game(seed);
            expected.push(game.plies.len());
            writer.add(&game).unwrap();
        }
        // Full chunks are written; the pending games are not.
        let safe = writer.written();
        assert!(safe.games > 300 && safe.games < 700);
        drop(writer);
        expected.truncate(safe.games as usize);
        assert_eq!(read_all(&path).unwrap(), expected);

        let whole = fs::read(&path).unwrap();
        for torn in [1, 19, 20, 20_000] {
            let mut bytes = whole.clone();
            bytes.extend(&whole[12..12 + torn]);
            fs::write(&path, &bytes).unwrap();
            assert!(
                matches!(read_all(&path), Err(DataError::Corrupt(_, at, _)) if at == whole.len() as u64)
            );
            let mut writer = GameWriter::append(&path).unwrap();
            assert_eq!(writer.written(), safe);
            assert_eq!(fs::metadata(&path).unwrap().len(), whole.len() as u64);
            writer.add(&game(9)).unwrap();
            writer.flush().unwrap();
            assert_eq!(read_all(&path).unwrap().len(), expected.len() + 1);
            fs::write(&path, &whole).unwrap();
        }
        let _ = fs::remove_file(path);
    }

    #[test]
    fn corruption_is_detected_and_other_files_are_rejected() {
        let path = scratch("damaged.games");
        let mut writer = GameWriter::append(&path).unwrap();
        writer.add(&game(1)).unwrap();
        writer.flush().unwrap();
        drop(writer);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            fs::write(&path, &bytes).unwrap();
            assert!(read_all(&path).is_err(), "{at}");
        }
        fs::write(&path, "some notes of mine\n").unwrap();
        assert!(GameWriter::append(&path).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"some notes of mine\n");
        let _ = fs::remove_file(path);
    }
}
