//! Game files: a header, then chunks, each with its length, counts and checksum.
//! Invariant: a chunk is written and synced as a whole. A file that was cut off ends with an
//! incomplete chunk, and only that chunk is lost.
//!
//! All numbers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `BRISGAME`, once |
//! | 4 | version, once |
//! | 4 | kind of the chunk: `CHNK` games, `PART` header of a segment |
//! | 4, 4, 4 | payload bytes, games, plies |
//! | 4 | CRC-32 of the chunk without these four bytes |
//! | … | the payload |
//!
//! A `PART` chunk holds lines of name, tab and value: the settings of the games that follow, up to
//! the next such chunk.
//!
//! The games of a chunk are one stream of adaptive bits of a range coder
//! (`constriction`, words of 32 bits, probabilities of 15 bits); models begin anew with each chunk.
//! For each game:
//!
//! - variant; the position before the opening as the number of a Chess960 array, or square by
//!   square with side, castling rooks, en passant and clocks; number and moves of the opening;
//! - number of plies; for each its move, whether it was random, and its value;
//! - the result.
//!
//! A move is coded by one bit for each legal move in the order of [`super::order`]: whether it is
//! the one. A value is rounded to a step of [`super::value_steps`] and coded as the distance in steps from
//! the negated value of the ply before.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::codec::GameCodec;
use super::coder::BitReader;
use super::record::{GameRecord, MAX_PLIES, RecordError};
use super::segment::SegmentHeader;
use crate::util::count;

pub const MAGIC: &[u8; 8] = b"BRISGAME";
/// The version of the format.
pub const VERSION: u32 = 2;
pub const FILE_HEADER: usize = 12;
const CHUNK_HEADER: usize = 20;
/// Plies at which a chunk is written. Larger chunks take less space, but more is lost when a run is
/// killed.
pub const CHUNK_PLIES: u64 = 16_384;
/// Upper bound on payload bytes.
pub const MAX_CHUNK_SIZE: u32 = 1 << 20;

/// Why a game file cannot be read or written.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum DataError {
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// The contents are invalid; the byte offset of the chunk or header.
    #[error("{}: corrupt at byte {}: {}", .0.display(), .1, .2)]
    Corrupt(PathBuf, u64, #[source] Corruption),
    #[error("{}: a game cannot be written: {}", .0.display(), .1)]
    Game(PathBuf, #[source] RecordError),
}

/// What is wrong with the contents of a game file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum Corruption {
    #[error("not a game file")]
    NotAGameFile,
    #[error("unsupported version {0}, expected {VERSION}")]
    Version(u32),
    #[error("the file ends unexpectedly")]
    Truncated,
    #[error("no chunk header")]
    NoChunk,
    #[error("a chunk of {0} bytes")]
    ChunkLength(u32),
    #[error("wrong checksum")]
    Checksum,
    #[error("the counts do not match the games of the chunk")]
    Counts,
    #[error("the settings are not text")]
    Settings,
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

impl fmt::Display for DataCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (games, plies) = (count(self.games, "game"), count(self.plies, "position"));
        write!(f, "{games}, {plies}")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChunkKind {
    Games,
    Segment,
}

impl ChunkKind {
    fn magic(self) -> &'static [u8; 4] {
        match self {
            ChunkKind::Games => b"CHNK",
            ChunkKind::Segment => b"PART",
        }
    }
}

/// A chunk whose checksum is right, and whose games are not decoded.
pub struct RawChunk {
    pub(super) kind: ChunkKind,
    pub(super) payload: Vec<u8>,
    pub(super) counts: DataCounts,
}

impl RawChunk {
    /// The bytes of the chunk in a file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.kind.magic().to_vec();
        let counts = [self.counts.games, self.counts.plies];
        for number in [self.payload.len() as u64].into_iter().chain(counts) {
            bytes.extend((number as u32).to_le_bytes());
        }
        bytes.extend(checksum(&bytes, &self.payload).to_le_bytes());
        bytes.extend(&self.payload);
        bytes
    }

    /// Takes a chunk from the front of `bytes`.
    fn parse(bytes: &[u8]) -> Result<RawChunk, Corruption> {
        let (header, rest) = bytes.split_at_checked(CHUNK_HEADER).ok_or(Corruption::Truncated)?;
        let (kind, length) = chunk_start(header)?;
        let payload = rest.get(..length as usize).ok_or(Corruption::Truncated)?;
        if checksum(&header[..16], payload) != read_u32(&header[16..]) {
            return Err(Corruption::Checksum);
        }
        Ok(RawChunk {
            kind,
            payload: payload.to_vec(),
            counts: DataCounts {
                games: read_u32(&header[8..]).into(),
                plies: read_u32(&header[12..]).into(),
            },
        })
    }

    fn games(&self) -> Result<Vec<GameRecord>, Corruption> {
        // A payload of a few bytes can decode to any number of games.
        if self.counts.games > CHUNK_PLIES || self.counts.plies > CHUNK_PLIES + MAX_PLIES as u64 {
            return Err(Corruption::Counts);
        }
        let mut games: Vec<GameRecord> = Vec::new();
        let mut codec = GameCodec::new(BitReader::new(&self.payload));
        let mut missing = self.counts.plies;
        for number in 1..=self.counts.games as usize {
            let game = codec.game(None);
            let game = game.map_err(|error| Corruption::Game(number, error))?;
            missing = missing.checked_sub(game.plies.len() as u64).ok_or(Corruption::Counts)?;
            games.push(game);
        }
        match missing {
            0 => Ok(games),
            _ => Err(Corruption::Counts),
        }
    }
}

/// The kind of a chunk and the length of its payload, by its header.
fn chunk_start(header: &[u8]) -> Result<(ChunkKind, u32), Corruption> {
    let mut kinds = [ChunkKind::Games, ChunkKind::Segment].into_iter();
    let kind = kinds.find(|kind| &header[..4] == kind.magic());
    let kind = kind.ok_or(Corruption::NoChunk)?;
    let length = read_u32(&header[4..]);
    if length > MAX_CHUNK_SIZE {
        return Err(Corruption::ChunkLength(length));
    }
    Ok((kind, length))
}

fn checksum(header: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(payload);
    hasher.finalize()
}

fn read_u32(bytes: &[u8]) -> u32 {
    let bytes = bytes.first_chunk();
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// Bytes at the start of a file that show what it is.
#[cfg(feature = "cli")]
const START: u64 = 512;

/// True if a file begins like a game file, or like no text and has the ending of one: a damaged
/// file is not taken for text.
#[cfg(feature = "cli")]
pub(crate) fn is_game_file(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(START).read_to_end(&mut start)?;
    let is_named = path.extension().is_some_and(|name| name == "games");
    let is_cut_off = !start.is_empty() && MAGIC.starts_with(&start);
    Ok(start.starts_with(MAGIC) || is_cut_off || is_named && is_binary(&start))
}

/// Checks that a source is text, such as PGN, and returns it whole.
///
/// # Errors
/// The source cannot be read, or it begins like a game file or another binary file.
#[cfg(feature = "cli")]
pub(crate) fn expect_text<R: Read>(mut source: R) -> io::Result<impl Read> {
    let mut start = Vec::new();
    source.by_ref().take(START).read_to_end(&mut start)?;
    let text = match &start[..] {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "text in UTF-16 instead of UTF-8",
        start if start.starts_with(MAGIC) => "training games instead of text",
        start if is_binary(start) => "binary data instead of text, perhaps a damaged file",
        _ => return Ok(io::Cursor::new(start).chain(source)),
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, text))
}

/// True if the start of a file has zeros as no text has them.
#[cfg(feature = "cli")]
fn is_binary(start: &[u8]) -> bool {
    start.iter().filter(|&&byte| byte == 0).count() > 2
}

/// Reads a game file chunk by chunk.
pub struct GameReader {
    path: PathBuf,
    file: BufReader<File>,
    segment: Option<SegmentHeader>,
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
        GameReader::new(path, file)
    }

    /// Reads an open file from its beginning.
    pub(super) fn new(path: &Path, file: File) -> Result<GameReader, DataError> {
        let mut reader = GameReader {
            path: path.to_owned(),
            file: BufReader::new(file),
            segment: None,
            offset: 0,
        };
        let header = reader.read_up_to(FILE_HEADER)?;
        let start = header.len().min(MAGIC.len());
        if header[..start] != MAGIC[..start] {
            return Err(reader.corrupt(Corruption::NotAGameFile));
        }
        if header.len() < FILE_HEADER {
            return Err(reader.corrupt(Corruption::Truncated));
        }
        match read_u32(&header[8..]) {
            VERSION => reader.offset = FILE_HEADER as u64,
            other => return Err(reader.corrupt(Corruption::Version(other))),
        }
        Ok(reader)
    }

    /// Byte offset of the end of the last complete chunk read.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The settings of the games read last; `None` if the file does not have them.
    pub fn segment(&self) -> Option<&SegmentHeader> {
        self.segment.as_ref()
    }

    /// The games of the next chunk; `None` at the end of the file.
    ///
    /// # Errors
    /// When the chunk is incomplete, its checksum is wrong, or one of its games is invalid. An
    /// incomplete chunk at the end of a file that was cut off is [`Corruption::Truncated`].
    pub fn next_chunk(&mut self) -> Result<Option<Vec<GameRecord>>, DataError> {
        let start = self.offset;
        let Some(chunk) = self.next_raw_chunk()? else {
            return Ok(None);
        };
        let games = chunk.games();
        let games = games.map_err(|error| DataError::Corrupt(self.path.clone(), start, error))?;
        Ok(Some(games))
    }

    /// The next chunk of games, with verified checksum but without decoding the games; `None` at
    /// the end of the file.
    ///
    /// # Errors
    /// When the chunk is incomplete or its checksum is wrong.
    pub fn next_raw_chunk(&mut self) -> Result<Option<RawChunk>, DataError> {
        loop {
            let mut bytes = self.read_up_to(CHUNK_HEADER)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            if bytes.len() == CHUNK_HEADER
                && let Ok((_, length)) = chunk_start(&bytes)
            {
                bytes.extend(self.read_up_to(length as usize)?);
            }
            let chunk = match RawChunk::parse(&bytes) {
                Ok(chunk) => chunk,
                Err(corruption) => return Err(self.explain(bytes, corruption)),
            };
            self.offset += bytes.len() as u64;
            if chunk.kind == ChunkKind::Games {
                return Ok(Some(chunk));
            }
            let text = String::from_utf8(chunk.payload).ok();
            let segment = text.and_then(|text| SegmentHeader::parse(&text));
            self.segment = Some(segment.ok_or_else(|| self.corrupt(Corruption::Settings))?);
        }
    }

    /// The error for a chunk that cannot be read. It counts as cut off if it reaches the end of the
    /// file and no complete chunk follows within it: a damaged length would otherwise hide them.
    fn explain(&mut self, mut bytes: Vec<u8>, corruption: Corruption) -> DataError {
        let limit = MAX_CHUNK_SIZE as usize + CHUNK_HEADER + 1;
        match self.read_up_to(limit.saturating_sub(bytes.len())) {
            Ok(rest) => bytes.extend(rest),
            Err(error) => return error,
        }
        let is_blank = bytes.iter().all(|&byte| byte == 0);
        let reaches_end = match corruption {
            Corruption::Checksum => bytes.len() == CHUNK_HEADER + read_u32(&bytes[4..]) as usize,
            _ => corruption == Corruption::Truncated || is_blank,
        };
        let hides_a_chunk = (1..bytes.len()).any(|at| RawChunk::parse(&bytes[at..]).is_ok());
        self.corrupt(match corruption {
            _ if reaches_end && !hides_a_chunk && bytes.len() < limit => Corruption::Truncated,
            Corruption::Truncated => Corruption::ChunkLength(read_u32(&bytes[4..])),
            other => other,
        })
    }

    fn read_up_to(&mut self, length: usize) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::with_capacity(length);
        let read = (&mut self.file).take(length as u64).read_to_end(&mut bytes);
        read.map_err(|error| DataError::Io(self.path.clone(), error))?;
        Ok(bytes)
    }

    fn corrupt(&self, corruption: Corruption) -> DataError {
        DataError::Corrupt(self.path.clone(), self.offset, corruption)
    }
}
