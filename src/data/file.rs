//! Files of games: a header, then chunks, each with its length, counts and checksum.
//! Invariant: a chunk is written whole and synced; after a kill the file is cut back to its
//! last whole chunk, so that at most one chunk is lost.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `BRISGAME`, once |
//! | 4 | version, once |
//! | 4 | `CHNK` |
//! | 4, 4, 4 | payload bytes, games, plies |
//! | 4 | CRC-32 of the three numbers and the payload |
//! | … | the games |

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::GameRecord;

const MAGIC: &[u8; 8] = b"BRISGAME";
const VERSION: u32 = 1;
const CHUNK: &[u8; 4] = b"CHNK";
/// Payload at which a chunk is written.
const FULL: usize = 32 << 10;
/// No chunk is longer: its last game may go beyond [`FULL`].
const LONGEST: u32 = 1 << 20;

/// Why a file of games cannot be used.
#[derive(Debug)]
pub enum DataError {
    /// The system says so.
    Io(PathBuf, io::Error),
    /// The bytes at an offset are not what they should be.
    Damaged(PathBuf, u64, String),
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            DataError::Damaged(path, at, why) => {
                write!(f, "{}: damaged at byte {at}: {why}", path.display())
            }
        }
    }
}

impl std::error::Error for DataError {}

/// The counts of a chunk or a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Games.
    pub games: u64,
    /// Plies of all games.
    pub plies: u64,
}

/// Reads a file chunk by chunk.
pub struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    /// Where the next chunk begins.
    offset: u64,
}

impl Reader {
    /// Opens a file and checks its header.
    ///
    /// # Errors
    /// When it cannot be read or is no file of games.
    pub fn open(path: &Path) -> Result<Reader, DataError> {
        let file = File::open(path).map_err(|error| DataError::Io(path.to_owned(), error))?;
        let mut reader = Reader {
            path: path.to_owned(),
            file: BufReader::new(file),
            offset: 0,
        };
        let mut header = [0; 12];
        reader.fill(&mut header)?;
        if &header[..8] != MAGIC {
            return Err(reader.damaged("not a file of games".to_owned()));
        }
        let version = number(&header[8..]);
        if version != VERSION {
            return Err(reader.damaged(format!("version {version}, this program reads {VERSION}")));
        }
        reader.offset = 12;
        Ok(reader)
    }

    /// Where the last whole chunk read so far ends.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The games of the next chunk; `None` at the end of the file.
    ///
    /// # Errors
    /// When the chunk breaks off, its checksum is wrong, or a game in it does not replay.
    pub fn chunk(&mut self) -> Result<Option<Vec<GameRecord>>, DataError> {
        let Some((payload, counts)) = self.raw_chunk()? else {
            return Ok(None);
        };
        let mut bytes = payload.as_slice();
        let mut games = Vec::with_capacity(counts.games as usize);
        while !bytes.is_empty() {
            let game = GameRecord::decode(&mut bytes);
            games.push(game.map_err(|why| {
                self.damaged(format!("game {} of this chunk: {why}", games.len() + 1))
            })?);
        }
        let plies: usize = games.iter().map(|game| game.plies.len()).sum();
        if (games.len() as u64, plies as u64) != (counts.games, counts.plies) {
            return Err(self.damaged("the chunk's counts are not those of its games".to_owned()));
        }
        Ok(Some(games))
    }

    /// The bytes and counts of the next chunk, its checksum verified but no game replayed.
    ///
    /// # Errors
    /// When the chunk breaks off or its checksum is wrong.
    pub fn raw_chunk(&mut self) -> Result<Option<(Vec<u8>, Counts)>, DataError> {
        let mut header = [0; 20];
        let read = self.read_up_to(&mut header)?;
        if read == 0 {
            return Ok(None);
        }
        if read < header.len() || &header[..4] != CHUNK {
            return Err(self.damaged("no chunk begins here".to_owned()));
        }
        let length = number(&header[4..]);
        if length > LONGEST {
            return Err(self.damaged(format!("a chunk of {length} bytes")));
        }
        let mut payload = vec![0; length as usize];
        self.fill(&mut payload)?;
        if checksum(&header[4..16], &payload) != number(&header[16..]) {
            return Err(self.damaged("wrong checksum".to_owned()));
        }
        self.offset += 20 + u64::from(length);
        let counts = Counts {
            games: number(&header[8..]).into(),
            plies: number(&header[12..]).into(),
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

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), DataError> {
        if self.read_up_to(bytes)? < bytes.len() {
            return Err(self.damaged("the file breaks off".to_owned()));
        }
        Ok(())
    }

    fn damaged(&self, why: String) -> DataError {
        DataError::Damaged(self.path.clone(), self.offset, why)
    }
}

fn number(bytes: &[u8]) -> u32 {
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

/// Appends games to a file.
pub struct Writer {
    path: PathBuf,
    file: File,
    payload: Vec<u8>,
    pending: Counts,
    written: Counts,
}

impl Writer {
    /// Opens a file for appending, or makes it. What follows its last whole chunk, if it was
    /// cut off, is removed.
    ///
    /// # Errors
    /// When it cannot be read and written, or is no file of games.
    pub fn append(path: &Path) -> Result<Writer, DataError> {
        let io = |error| DataError::Io(path.to_owned(), error);
        let mut written = Counts::default();
        let exists = path.metadata().is_ok_and(|data| data.len() > 0);
        let mut end = 12;
        if exists {
            let mut reader = Reader::open(path)?;
            let length = path.metadata().map_err(io)?.len();
            loop {
                match reader.raw_chunk() {
                    Ok(Some((_, counts))) => {
                        written.games += counts.games;
                        written.plies += counts.plies;
                    }
                    Ok(None) => break,
                    // Damage in the last chunk is the mark of a kill; further up it is not
                    // ours to cut away.
                    Err(DataError::Damaged(..))
                        if length - reader.offset() <= u64::from(LONGEST) =>
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
        Ok(Writer {
            path: path.to_owned(),
            file,
            payload: Vec::new(),
            pending: Counts::default(),
            written,
        })
    }

    /// Games and plies safely in the file.
    pub fn written(&self) -> Counts {
        self.written
    }

    /// Adds a game; a full chunk goes to the disk.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), DataError> {
        game.encode(&mut self.payload);
        self.pending.games += 1;
        self.pending.plies += game.plies.len() as u64;
        if self.payload.len() >= FULL {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes what is pending as a chunk and waits until the disk has it.
    ///
    /// # Errors
    /// When the disk does not take it.
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
        self.pending = Counts::default();
        self.payload.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{PlyRecord, Result as GameResult};
    use crate::rules::{Position, Variant};
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
            plies.push(PlyRecord { mv, value: 12 });
        }
        GameRecord {
            start,
            plies,
            result: GameResult::Drawn,
        }
    }

    fn read_all(path: &Path) -> Result<Vec<usize>, DataError> {
        let mut reader = Reader::open(path)?;
        let mut lengths = vec![];
        while let Some(games) = reader.chunk()? {
            lengths.extend(games.iter().map(|game| game.plies.len()));
        }
        Ok(lengths)
    }

    #[test]
    fn what_was_written_is_read_and_a_torn_end_is_cut() {
        let path = scratch("torn.games");
        let mut writer = Writer::append(&path).unwrap();
        let mut expected = vec![];
        for seed in 0..700 {
            let game = game(seed);
            expected.push(game.plies.len());
            writer.add(&game).unwrap();
        }
        // Two chunks are full by now; the rest was never written.
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
                matches!(read_all(&path), Err(DataError::Damaged(_, at, _)) if at == whole.len() as u64)
            );
            let mut writer = Writer::append(&path).unwrap();
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
    fn damage_is_found_and_foreign_files_are_refused() {
        let path = scratch("damaged.games");
        let mut writer = Writer::append(&path).unwrap();
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
        assert!(Writer::append(&path).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"some notes of mine\n");
        let _ = fs::remove_file(path);
    }
}
