//! One labelled position in 32 bytes, and files of them: what a trainer reads.
//! Invariant: a file holds exactly the counts of its header, training part first.
//!
//! A file is, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `BRISSAMP` |
//! | 4, 4 | version, bytes of a sample |
//! | 8, 8 | samples to train on, samples to validate on |
//! | 32 each | the samples |

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::rules::{Color, Position, Square};

/// First bytes of a file of samples.
pub const MAGIC: &[u8; 8] = b"BRISSAMP";
/// Version of the format.
pub const VERSION: u32 = 2;
/// Bytes of the header.
pub const HEADER: usize = 32;

/// A position with its labels.
///
/// | bytes | what |
/// |---|---|
/// | 8 | occupied squares, a1 the lowest bit |
/// | 16 | a nibble for each man in the order of the squares: type, plus 8 for Black |
/// | 2 | value in internal units for the side to move |
/// | 1 | result for the side to move: 0 lost, 1 drawn, 2 won |
/// | 1 | side to move: 0 White, 1 Black |
/// | 2 | ply within its game |
/// | 1 | 1 when the side not to move could explode the other's king if it were its move, else 0 |
/// | 1 | nothing |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample(pub [u8; 32]);

impl Sample {
    /// Bytes of a sample.
    pub const SIZE: usize = 32;

    /// Packs a position of at most 32 men with its labels; `result` is the winner.
    pub fn new(pos: &Position, value: i16, winner: Option<Color>, ply: usize) -> Sample {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&pos.occupied().0.to_le_bytes());
        for (at, square) in pos.occupied().into_iter().take(32).enumerate() {
            if let Some(piece) = pos.piece_at(square) {
                let nibble = piece.piece_type().index() as u8 | (piece.color().index() as u8) << 3;
                bytes[8 + at / 2] |= nibble << (at % 2 * 4);
            }
        }
        bytes[24..26].copy_from_slice(&value.to_le_bytes());
        bytes[26] = match winner {
            None => 1,
            Some(color) if color == pos.side_to_move() => 2,
            Some(_) => 0,
        };
        bytes[27] = pos.side_to_move().index() as u8;
        let ply = u16::try_from(ply).unwrap_or(u16::MAX);
        bytes[28..30].copy_from_slice(&ply.to_le_bytes());
        bytes[30] = pos.threatens_explosion(!pos.side_to_move()).into();
        Sample(bytes)
    }

    /// The men: type and colour as indices, and the square.
    pub fn pieces(&self) -> impl Iterator<Item = (usize, Color, Square)> + '_ {
        let occupied = u64::from_le_bytes(self.0[..8].try_into().unwrap_or_default());
        let squares = crate::rules::Bitboard(occupied).into_iter().take(32);
        squares.enumerate().map(|(at, square)| {
            let nibble = self.0[8 + at / 2] >> (at % 2 * 4) & 15;
            let color = Color::ALL[usize::from(nibble >> 3)];
            (usize::from(nibble & 7), color, square)
        })
    }

    /// Centipawns for the side to move.
    pub fn value(&self) -> i16 {
        i16::from_le_bytes([self.0[24], self.0[25]])
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
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, train: &[Sample], validate: &[Sample]) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&(Sample::SIZE as u32).to_le_bytes())?;
    out.write_all(&(train.len() as u64).to_le_bytes())?;
    out.write_all(&(validate.len() as u64).to_le_bytes())?;
    for sample in train.iter().chain(validate) {
        out.write_all(&sample.0)?;
    }
    out.flush()
}

/// Reads a file of samples: those to train on, those to validate on.
///
/// # Errors
/// When it cannot be read or is no such file.
pub fn read(path: &Path) -> io::Result<(Vec<Sample>, Vec<Sample>)> {
    let bad = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
    let bytes = std::fs::read(path)?;
    let (header, body) = bytes
        .split_at_checked(HEADER)
        .ok_or_else(|| bad("not a file of samples"))?;
    let word = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
    if &header[..8] != MAGIC || word(8) != u64::from(VERSION) | (Sample::SIZE as u64) << 32 {
        return Err(bad("not a file of samples of this version"));
    }
    let (train, validate) = (word(16), word(24));
    let samples: &[[u8; Sample::SIZE]] = body.as_chunks().0;
    if body.len() % Sample::SIZE != 0 || samples.len() as u64 != train.saturating_add(validate) {
        return Err(bad("the file is not as long as its header says"));
    }
    let (first, second) = samples.split_at(train as usize);
    let unpack = |part: &[[u8; 32]]| part.iter().map(|&bytes| Sample(bytes)).collect();
    Ok((unpack(first), unpack(second)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::Variant;

    #[test]
    fn samples_hold_what_they_were_made_of() {
        const WHITE: Option<Color> = Some(Color::White);
        for (text, winner, points, threatened) in [
            ("startpos", None, 0.5, false),
            (
                "7k/8/8/2nnn3/2nrn3/2nnnN2/8/K7 w - - 0 1",
                WHITE,
                1.0,
                false,
            ),
            (
                "7k/8/8/2nnn3/2nrn3/2nnnN2/8/K7 b - - 0 1",
                WHITE,
                0.0,
                false,
            ),
            ("6k1/6p1/8/8/8/8/8/K5R1 b - - 0 1", None, 0.5, true),
            ("6k1/6p1/8/8/8/8/8/K5R1 w - - 0 1", None, 0.5, false),
        ] {
            let pos = fen::parse(text, Variant::Atomic).unwrap();
            let sample = Sample::new(&pos, -321, winner, 7);
            assert_eq!((sample.value(), sample.game_score()), (-321, points));
            assert_eq!(
                (sample.side_to_move(), sample.is_threatened()),
                (pos.side_to_move(), threatened)
            );
            let men: Vec<_> = sample.pieces().collect();
            assert_eq!(men.len(), pos.occupied().count() as usize);
            for (kind, color, square) in men {
                let piece = pos.piece_at(square).unwrap();
                assert_eq!((piece.piece_type().index(), piece.color()), (kind, color));
            }
        }
    }

    #[test]
    fn files_are_read_back_and_torn_ones_refused() {
        let pos = Position::startpos(Variant::Atomic);
        let all: Vec<_> = (0..5).map(|n| Sample::new(&pos, n, None, 0)).collect();
        let path = std::env::temp_dir().join(format!("brisance-samples-{}", std::process::id()));
        write(&path, &all[..3], &all[3..]).unwrap();
        assert_eq!(read(&path).unwrap(), (all[..3].to_vec(), all[3..].to_vec()));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(read(&path).is_err());
        std::fs::write(&path, &bytes[..20]).unwrap();
        assert!(read(&path).is_err());
        std::fs::remove_file(&path).unwrap();
    }
}
