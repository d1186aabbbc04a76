//! One labelled position in 32 bytes, and files of them, which the trainer reads.
//! Invariant: a file holds exactly the counts of its header, training part first.
//!
//! A file is, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `BRISSAMP` |
//! | 4, 4 | version, bytes of a sample |
//! | 8, 8 | samples to train on, samples to validate on |
//! | 4, 4 | scale of the labels in internal units, λ of the labels, both `f32` |
//! | 32 each | the samples |

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::Labels;
use crate::rules::{Color, Piece, PieceType, Position, Setup, Square, Variant};

/// First bytes of a file of samples.
pub const MAGIC: &[u8; 8] = b"BRISSAMP";
/// Version of the format.
pub const VERSION: u32 = 3;
/// Bytes of the header.
pub const HEADER: usize = 40;
/// The label 1 as it is stored.
const LABEL_UNIT: f32 = 65_535.0;

/// A position with its labels.
///
/// | bytes | what |
/// |---|---|
/// | 8 | occupied squares, a1 the lowest bit |
/// | 16 | a nibble for each piece in the order of the squares: type, plus 8 for Black |
/// | 2 | label: expected score of the side to move in 65,535ths |
/// | 1 | result for the side to move: 0 lost, 1 drawn, 2 won |
/// | 1 | side to move: 0 White, 1 Black |
/// | 2 | ply within its game |
/// | 1 | 1 when the side not to move could explode the other's king if it were its move, else 0 |
/// | 1 | zero |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample(pub [u8; 32]);

impl Sample {
    /// Bytes of a sample.
    pub const SIZE: usize = 32;

    /// Packs a position of at most 32 pieces with its label, an expected score for the side to
    /// move, and the winner of its game.
    pub fn new(pos: &Position, label: f32, winner: Option<Color>, ply: usize) -> Sample {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&pos.occupied().0.to_le_bytes());
        for (at, square) in pos.occupied().into_iter().take(32).enumerate() {
            if let Some(piece) = pos.piece_at(square) {
                let nibble = piece.piece_type().index() as u8 | (piece.color().index() as u8) << 3;
                bytes[8 + at / 2] |= nibble << (at % 2 * 4);
            }
        }
        bytes[26] = match winner {
            None => 1,
            Some(color) if color == pos.side_to_move() => 2,
            Some(_) => 0,
        };
        bytes[27] = pos.side_to_move().index() as u8;
        let ply = u16::try_from(ply).unwrap_or(u16::MAX);
        bytes[28..30].copy_from_slice(&ply.to_le_bytes());
        bytes[30] = pos.threatens_explosion(!pos.side_to_move()).into();
        Sample(bytes).with_label(label)
    }

    /// The same position with another label.
    pub fn with_label(mut self, label: f32) -> Sample {
        let label = (label.clamp(0.0, 1.0) * LABEL_UNIT).round() as u16;
        self.0[24..26].copy_from_slice(&label.to_le_bytes());
        self
    }

    /// The pieces: type and colour as indices, and the square.
    pub fn pieces(&self) -> impl Iterator<Item = (usize, Color, Square)> + '_ {
        let occupied = u64::from_le_bytes(self.0[..8].try_into().unwrap_or_default());
        let squares = crate::rules::Bitboard(occupied).into_iter().take(32);
        squares.enumerate().map(|(at, square)| {
            let nibble = self.0[8 + at / 2] >> (at % 2 * 4) & 15;
            let color = Color::ALL[usize::from(nibble >> 3)];
            (usize::from(nibble & 7), color, square)
        })
    }

    /// The position in atomic chess, without castling rights and en-passant square; `None` if the
    /// bytes are not those of a legal position.
    pub fn position(&self) -> Option<Position> {
        let mut setup = Setup::empty(Variant::Atomic);
        for (kind, color, square) in self.pieces() {
            let piece_type = *PieceType::ALL.get(kind)?;
            setup.board[square.index()] = Some(Piece::new(color, piece_type));
        }
        setup.side_to_move = self.side_to_move();
        Position::from_setup(&setup).ok()
    }

    /// Expected score of the side to move, from 0 to 1, in steps of 1/65,535.
    pub fn label(&self) -> f32 {
        f32::from(u16::from_le_bytes([self.0[24], self.0[25]])) / LABEL_UNIT
    }

    /// Points of the side to move in its game: 0, ½ or 1.
    pub fn game_score(&self) -> f32 {
        f32::from(self.0[26]) / 2.0
    }

    /// True when the side not to move could explode the other's king if it were its move.
    pub fn is_threatened(&self) -> bool {
        self.0[30] != 0
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Color {
        Color::ALL[usize::from(self.0[27] & 1)]
    }
}

/// Writes a file of samples.
pub struct SampleWriter {
    out: BufWriter<File>,
    labels: Labels,
    counts: [u64; 2],
}

impl SampleWriter {
    /// Creates or replaces a file for samples with labels of this kind.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path, labels: Labels) -> io::Result<SampleWriter> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        // The file is invalid until the header is written.
        out.write_all(&[0; HEADER])?;
        Ok(SampleWriter { out, labels, counts: [0; 2] })
    }

    /// Appends training samples.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn train(&mut self, samples: &[Sample]) -> io::Result<()> {
        self.append(0, samples)
    }

    /// Appends the validation samples and completes the file; returns the number of training
    /// samples.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self, validate: &[Sample]) -> io::Result<u64> {
        self.append(1, validate)?;
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(MAGIC)?;
        self.out.write_all(&VERSION.to_le_bytes())?;
        self.out.write_all(&(Sample::SIZE as u32).to_le_bytes())?;
        self.out.write_all(&self.counts[0].to_le_bytes())?;
        self.out.write_all(&self.counts[1].to_le_bytes())?;
        self.out.write_all(&self.labels.scale.to_le_bytes())?;
        self.out.write_all(&self.labels.lambda.to_le_bytes())?;
        self.out.flush()?;
        Ok(self.counts[0])
    }

    fn append(&mut self, part: usize, samples: &[Sample]) -> io::Result<()> {
        self.counts[part] += samples.len() as u64;
        for sample in samples {
            self.out.write_all(&sample.0)?;
        }
        Ok(())
    }
}

/// Reads any range of a file of samples.
pub struct SampleReader {
    file: File,
    /// How the labels were made.
    pub labels: Labels,
    /// Number of training samples, the first part of the file.
    pub train: u64,
    /// Number of validation samples, the rest.
    pub validate: u64,
}

impl SampleReader {
    /// Opens a file of samples.
    ///
    /// # Errors
    /// When it cannot be read or is not a complete file of samples.
    pub fn open(path: &Path) -> io::Result<SampleReader> {
        let bad = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        if length < HEADER as u64 {
            return Err(bad("not a file of samples"));
        }
        let mut header = [0; HEADER];
        file.read_exact(&mut header)?;
        let word =
            |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
        let float =
            |at: usize| f32::from_le_bytes(header[at..at + 4].try_into().unwrap_or_default());
        if &header[..8] != MAGIC || word(8) != u64::from(VERSION) | (Sample::SIZE as u64) << 32 {
            return Err(bad("not a file of samples of this version"));
        }
        let (train, validate) = (word(16), word(24));
        let bytes = train
            .checked_add(validate)
            .and_then(|samples| samples.checked_mul(Sample::SIZE as u64));
        if bytes != Some(length - HEADER as u64) {
            return Err(bad("the length of the file differs from its header"));
        }
        let labels = Labels { scale: float(32), lambda: float(36) };
        Ok(SampleReader { file, labels, train, validate })
    }

    /// Appends `count` samples from number `first` on to `samples`.
    ///
    /// # Errors
    /// When they cannot be read or the file is too short.
    pub fn read(&mut self, first: u64, count: u64, samples: &mut Vec<Sample>) -> io::Result<()> {
        let start = HEADER as u64 + first * Sample::SIZE as u64;
        self.file.seek(SeekFrom::Start(start))?;
        let mut file = BufReader::with_capacity(1 << 20, &self.file);
        for _ in 0..count {
            let mut bytes = [0; Sample::SIZE];
            file.read_exact(&mut bytes)?;
            samples.push(Sample(bytes));
        }
        Ok(())
    }

    /// Reads the validation samples.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn validation(&mut self) -> io::Result<Vec<Sample>> {
        let mut samples = vec![];
        self.read(self.train, self.validate, &mut samples)?;
        Ok(samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tests::scratch;
    use crate::notation::fen::{self, CastlingStyle};
    use crate::walk::position;

    #[test]
    fn samples_hold_position_and_labels() {
        let crowded = "7k/8/8/2nnn3/2nrn3/2nnnN2/8/K7";
        let [white, black] = ["w", "b"].map(|side| format!("{crowded} {side} - - 0 1"));
        let winner = Some(Color::White);
        for (text, winner, points, threatened) in [
            ("startpos", None, 0.5, false),
            (&white, winner, 1.0, false),
            (&black, winner, 0.0, false),
            ("6k1/6p1/8/8/8/8/8/K5R1 b - - 0 1", None, 0.5, true),
            ("6k1/6p1/8/8/8/8/8/K5R1 w - - 0 1", None, 0.5, false),
        ] {
            let pos = position(text);
            let sample = Sample::new(&pos, 0.3, winner, 7);
            assert!((sample.label() - 0.3).abs() < 1e-5);
            assert_eq!(sample.game_score(), points);
            assert_eq!(
                (sample.side_to_move(), sample.is_threatened()),
                (pos.side_to_move(), threatened)
            );
            let pieces: Vec<_> = sample.pieces().collect();
            assert_eq!(pieces.len(), pos.occupied().count() as usize);
            for (kind, color, square) in pieces {
                let piece = pos.piece_at(square).unwrap();
                assert_eq!((piece.piece_type().index(), piece.color()), (kind, color));
            }
            let placement = |pos| fen::write(pos, CastlingStyle::XFen).replace("KQkq", "-");
            let unpacked = sample.position().unwrap();
            assert_eq!(placement(&unpacked), placement(&pos));
            let mut damaged = sample;
            damaged.0[8] |= 7;
            assert!(damaged.position().is_none());
        }
    }

    #[test]
    fn files_are_read_back_and_truncated_ones_rejected() {
        let pos = Position::startpos(Variant::Atomic);
        let all: Vec<_> =
            (0..5u8).map(|n| Sample::new(&pos, f32::from(n) / 4.0, None, 0)).collect();
        assert_eq!((all[0].label(), all[4].label()), (0.0, 1.0));
        let labels = Labels { scale: 270.0, lambda: 0.5 };
        let path = &scratch();
        let mut writer = SampleWriter::create(path, labels).unwrap();
        writer.train(&all[..1]).unwrap();
        assert!(SampleReader::open(path).is_err());
        writer.train(&all[1..3]).unwrap();
        assert_eq!(writer.finish(&all[3..]).unwrap(), 3);
        let mut reader = SampleReader::open(path).unwrap();
        assert_eq!(reader.labels, labels);
        assert_eq!((reader.train, reader.validate), (3, 2));
        assert_eq!(reader.validation().unwrap(), all[3..]);
        let mut middle = vec![];
        reader.read(1, 2, &mut middle).unwrap();
        assert_eq!(middle, all[1..3]);
        assert!(reader.read(4, 2, &mut middle).is_err());
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(SampleReader::open(path).is_err());
        std::fs::write(path, &bytes[..20]).unwrap();
        assert!(SampleReader::open(path).is_err());
    }
}
