//! Appends games to a game file.
//! Invariant: only one process writes a file, and what it wrote before stays as it is, except for an
//! incomplete chunk at the end.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::codec::GameCodec;
use super::coder::BitWriter;
use super::file::{
    CHUNK_PLIES, ChunkKind, Corruption, DataCounts, DataError, FILE_HEADER, GameReader, MAGIC,
    RawChunk, VERSION,
};
use super::record::GameRecord;
use super::segment::SegmentHeader;
use crate::util;

/// Appends games to a game file.
///
/// # Examples
/// ```
/// use brisance::data::{GameReader, GameRecord, GameWriter, SegmentHeader, PlyRecord};
/// use brisance::notation::coord;
/// use brisance::rules::{GameResult, Position, Variant};
///
/// let start = Position::startpos(Variant::Atomic);
/// let mv = coord::parse(&start, "g1f3").expect("a legal move");
/// let game = GameRecord {
///     start,
///     plies: vec![PlyRecord { mv, value: 42, random: false }],
///     result: GameResult::Draw,
/// };
/// # let path = std::env::temp_dir().join(format!("brisance-doc-{}.games", std::process::id()));
/// # let _ = std::fs::remove_file(&path);
/// let mut writer = GameWriter::append(&path)?;
/// writer.begin_segment(SegmentHeader::default().with("nodes", 400))?;
/// writer.add(&game)?;
/// writer.flush()?;
///
/// let mut reader = GameReader::open(&path)?;
/// let games = reader.next_chunk()?.expect("a chunk");
/// assert_eq!(games[0].plies, game.plies);
/// assert_eq!(reader.segment().and_then(|header| header.get("nodes")), Some("400"));
/// # let _ = std::fs::remove_file(&path);
/// # Ok::<(), brisance::data::DataError>(())
/// ```
pub struct GameWriter {
    path: PathBuf,
    file: File,
    codec: GameCodec<BitWriter>,
    pending: DataCounts,
    written: DataCounts,
    /// The header of the last segment in the file.
    segment: Option<SegmentHeader>,
    /// The header of the segment of the next game.
    next_segment: Option<SegmentHeader>,
}

impl GameWriter {
    /// Opens a file for appending, or creates it, and locks it. An incomplete chunk at the end is
    /// removed.
    ///
    /// # Errors
    /// When it cannot be read and written, another process writes it, or it is not an intact game
    /// file.
    pub fn append(path: &Path) -> Result<GameWriter, DataError> {
        let io = |error| DataError::Io(path.to_owned(), error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(io)?;
        util::lock_file(&file).map_err(io)?;
        let mut writer = GameWriter {
            path: path.to_owned(),
            codec: GameCodec::new(BitWriter::default()),
            pending: DataCounts::default(),
            written: DataCounts::default(),
            segment: None,
            next_segment: None,
            file,
        };
        let end = writer.read_existing()?;
        writer.file.set_len(end).map_err(io)?;
        writer.file.seek(SeekFrom::End(0)).map_err(io)?;
        if end == 0 {
            let header = [MAGIC.as_slice(), &VERSION.to_le_bytes()].concat();
            writer.write(&header)?;
        }
        Ok(writer)
    }

    /// Counts the games in the file; returns where its last complete chunk ends, or 0 if it has no
    /// complete header.
    fn read_existing(&mut self) -> Result<u64, DataError> {
        let file = self.file.try_clone();
        let file = file.map_err(|error| DataError::Io(self.path.clone(), error))?;
        let mut reader = match GameReader::new(&self.path, file) {
            Err(DataError::Corrupt(_, 0, Corruption::Truncated)) => return Ok(0),
            reader => reader?,
        };
        loop {
            match reader.next_raw_chunk() {
                Ok(Some(chunk)) => {
                    self.written.games += chunk.counts.games;
                    self.written.plies += chunk.counts.plies;
                }
                Ok(None) | Err(DataError::Corrupt(_, _, Corruption::Truncated)) => break,
                Err(error) => return Err(error),
            }
        }
        self.segment = reader.segment().cloned();
        self.next_segment = self.segment.clone();
        Ok(reader.offset().max(FILE_HEADER as u64))
    }

    /// Games and plies written to the file.
    pub fn written(&self) -> DataCounts {
        self.written
    }

    /// The settings of the last games in the file; `None` if it does not have them.
    pub fn segment(&self) -> Option<&SegmentHeader> {
        self.segment.as_ref()
    }

    /// Sets the settings that the following games were made with. Nothing changes if they are
    /// those of the last games in the file.
    ///
    /// # Errors
    /// When writing the pending games fails.
    pub fn begin_segment(&mut self, header: SegmentHeader) -> Result<(), DataError> {
        if self.next_segment.as_ref() != Some(&header) {
            self.flush()?;
            self.next_segment = Some(header);
        }
        Ok(())
    }

    /// Adds a game, and writes the pending chunk when it is full.
    ///
    /// # Errors
    /// When the game has an illegal move or more than 65,535 plies, or writing fails.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), DataError> {
        let added = self.codec.game(Some(game));
        added.map_err(|error| DataError::Game(self.path.clone(), error))?;
        self.pending.games += 1;
        self.pending.plies += game.plies.len() as u64;
        if self.pending.plies >= CHUNK_PLIES || self.pending.games >= CHUNK_PLIES {
            self.flush()?;
        }
        Ok(())
    }

    /// Adds a chunk of games of another file.
    ///
    /// # Errors
    /// When writing fails.
    pub fn add_chunk(&mut self, chunk: &RawChunk) -> Result<(), DataError> {
        self.flush()?;
        self.write_chunk(chunk)
    }

    /// Writes the pending games as a chunk and waits until they are on disk.
    ///
    /// # Errors
    /// When writing fails.
    pub fn flush(&mut self) -> Result<(), DataError> {
        if self.pending.games == 0 {
            return Ok(());
        }
        let codec = GameCodec::new(BitWriter::default());
        let full = std::mem::replace(&mut self.codec, codec);
        let chunk = RawChunk {
            kind: ChunkKind::Games,
            payload: full.into_coder().finish(),
            counts: std::mem::take(&mut self.pending),
        };
        self.write_chunk(&chunk)
    }

    fn write_chunk(&mut self, chunk: &RawChunk) -> Result<(), DataError> {
        let mut bytes = Vec::new();
        if let Some(header) = &self.next_segment
            && self.segment != self.next_segment
        {
            let header = RawChunk {
                kind: ChunkKind::Segment,
                payload: header.to_text().into_bytes(),
                counts: DataCounts::default(),
            };
            bytes.extend(header.to_bytes());
        }
        bytes.extend(chunk.to_bytes());
        self.write(&bytes)?;
        self.segment = self.next_segment.clone();
        self.written.games += chunk.counts.games;
        self.written.plies += chunk.counts.plies;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        let written = self.file.write_all(bytes);
        let written = written.and_then(|()| self.file.sync_data());
        written.map_err(|error: io::Error| DataError::Io(self.path.clone(), error))
    }
}
