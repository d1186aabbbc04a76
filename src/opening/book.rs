//! A book in memory: sixteen bytes an entry, sorted by key, big-endian as in the file.
//! Invariant: the entries are sorted by key; what is looked up is legal.

use std::path::Path;

use super::key;
use crate::rules::{Move, PieceType, Position, Variant};

/// Bytes of an entry in a file.
const SIZE: usize = 16;

/// One line of a book, as it stands in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Key of the position.
    pub key: u64,
    /// The move in the format's code; see [`code_of`].
    pub code: u16,
    /// How often to play it; 0 for never.
    pub weight: u16,
    /// What programs that learn keep here; we write 0.
    pub learn: u32,
}

impl Entry {
    fn read(bytes: &[u8; SIZE]) -> Entry {
        let [a, b, c, d, e, f, g, h, m, n, v, w, i, j, k, l] = *bytes;
        Entry {
            key: u64::from_be_bytes([a, b, c, d, e, f, g, h]),
            code: u16::from_be_bytes([m, n]),
            weight: u16::from_be_bytes([v, w]),
            learn: u32::from_be_bytes([i, j, k, l]),
        }
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.key.to_be_bytes());
        bytes.extend(self.code.to_be_bytes());
        bytes.extend(self.weight.to_be_bytes());
        bytes.extend(self.learn.to_be_bytes());
    }
}

/// The code of a move in a book: target in bits 0 to 5, origin in 6 to 11, in 12 to 14 the
/// piece promoted to, 1 for a knight to 4 for a queen. Castling is king takes rook.
pub fn code_of(mv: Move) -> u16 {
    let promotion = match mv.promotion() {
        Some(PieceType::Knight) => 1,
        Some(PieceType::Bishop) => 2,
        Some(PieceType::Rook) => 3,
        Some(PieceType::Queen) => 4,
        _ => 0,
    };
    mv.to().index() as u16 | (mv.from().index() as u16) << 6 | promotion << 12
}

/// A legal move that a book has for a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// How often to play it beside the position's other moves; 0 for never.
    pub weight: u16,
    /// The entry's learning field.
    pub learn: u32,
}

/// How one of several moves is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// The one with the greatest weight, the first of equals.
    Best,
    /// By chance, each as often as its weight says.
    Weighted,
}

/// A book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book {
    entries: Vec<Entry>,
}

impl Book {
    /// A book of these entries, in any order. The moves of a position will stand in the order
    /// of their weights.
    pub fn new(mut entries: Vec<Entry>) -> Book {
        entries.sort_by_key(|entry| (entry.key, u16::MAX - entry.weight, entry.code));
        Book { entries }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A message that names the file and says why it is no book.
    pub fn open(path: &Path) -> Result<Book, String> {
        let named = |error: String| format!("{}: {error}", path.display());
        let found = std::fs::metadata(path).map_err(|error| named(error.to_string()))?;
        // Devices and pipes may never end.
        if !found.is_file() {
            return Err(named("not a file".to_owned()));
        }
        let bytes = std::fs::read(path).map_err(|error| named(error.to_string()))?;
        Book::parse(&bytes).map_err(named)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Why they are no book: none at all, a torn last entry, or keys that do not ascend.
    pub fn parse(bytes: &[u8]) -> Result<Book, String> {
        let (whole, rest) = bytes.as_chunks::<SIZE>();
        if !rest.is_empty() {
            return Err(format!(
                "no Polyglot book, or one cut off: {} bytes are no multiple of {SIZE}",
                bytes.len()
            ));
        }
        if whole.is_empty() {
            return Err("an empty book".to_owned());
        }
        let entries: Vec<Entry> = whole.iter().map(Entry::read).collect();
        match entries
            .windows(2)
            .position(|pair| pair[0].key > pair[1].key)
        {
            Some(at) => Err(format!(
                "no Polyglot book: entry {} of {} has a smaller key than the one before",
                at + 2,
                entries.len()
            )),
            None => Ok(Book { entries }),
        }
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.entries.len() * SIZE);
        for entry in &self.entries {
            entry.write(&mut bytes);
        }
        bytes
    }

    /// All entries, by key.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Number of different positions.
    pub fn positions(&self) -> usize {
        self.entries.chunk_by(|a, b| a.key == b.key).count()
    }

    /// The entries of a key.
    fn of_key(&self, key: u64) -> &[Entry] {
        let start = self.entries.partition_point(|entry| entry.key < key);
        let length = self.entries[start..].partition_point(|entry| entry.key == key);
        &self.entries[start..start + length]
    }

    /// The legal moves that the book has for a position, in its order; of a move that stands
    /// there twice the first. Books say nothing of variants: they are taken to be of `atomic`,
    /// and there are no moves under other rules.
    pub fn moves(&self, pos: &Position) -> Vec<BookMove> {
        if pos.variant() != Variant::Atomic {
            return Vec::new();
        }
        let legal = pos.legal_moves();
        let mut moves: Vec<BookMove> = Vec::new();
        for entry in self.of_key(key(pos)) {
            let named = legal.iter().find(|&&mv| code_of(mv) == entry.code);
            if let Some(&mv) = named
                && moves.iter().all(|other| other.mv != mv)
            {
                moves.push(BookMove {
                    mv,
                    weight: entry.weight,
                    learn: entry.learn,
                });
            }
        }
        moves
    }

    /// A move to play, if the book has one; chance comes from `rng` alone.
    pub fn choose(
        &self,
        pos: &Position,
        choice: Choice,
        rng: &mut fastrand::Rng,
    ) -> Option<BookMove> {
        let mut moves = self.moves(pos);
        moves.retain(|found| found.weight > 0);
        // The first of equals: `max_by_key` would give the last.
        let best = moves.iter().rev().max_by_key(|found| found.weight)?;
        if choice == Choice::Best {
            return Some(*best);
        }
        let sum: u64 = moves.iter().map(|found| u64::from(found.weight)).sum();
        let mut ticket = rng.u64(0..sum);
        moves.into_iter().find(|found| {
            let weight = u64::from(found.weight);
            let drawn = ticket < weight;
            ticket = ticket.saturating_sub(weight);
            drawn
        })
    }
}
