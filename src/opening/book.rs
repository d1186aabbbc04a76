//! A Polyglot book in memory: entries of 16 bytes, big-endian, sorted by key as in the file.
//! Invariant: the entries are sorted by key; a lookup returns only legal moves.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::polyglot_key;
use crate::rules::{Move, Position, Variant};
use crate::util;

/// In a book made by a search, a move that is worse than the best one by this many internal units
/// has half of its weight.
pub const WEIGHT_HALVING: f64 = 10.0;
/// Size of an entry in bytes.
const ENTRY_SIZE: usize = 16;
/// The largest book file in bytes: 64 million entries.
const MAX_FILE_SIZE: u64 = 1 << 30;

/// An entry of a book file: one move of one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookEntry {
    /// [Polyglot key](polyglot_key) of the position.
    pub key: u64,
    /// [Polyglot code](polyglot_move) of the move.
    pub code: u16,
    /// Relative frequency of the move; 0 means never.
    pub weight: u16,
    /// Learning data of other programs; books built here contain 0.
    pub learn: u32,
}

impl BookEntry {
    fn read(bytes: &[u8; ENTRY_SIZE]) -> BookEntry {
        let [a, b, c, d, e, f, g, h, m, n, v, w, i, j, k, l] = *bytes;
        BookEntry {
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

/// The Polyglot code of a move: target square in bits 0 to 5, origin square in bits 6 to 11,
/// promotion in bits 12 to 14 (1 for a knight to 4 for a queen). Castling is encoded as king
/// takes rook.
pub fn polyglot_move(mv: Move) -> u16 {
    let promotion = mv.promotion().map_or(0, |piece| piece.index() as u16);
    mv.to().index() as u16 | (mv.from().index() as u16) << 6 | promotion << 12
}

/// A legal book move of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// Relative frequency among the moves of the position; 0 means never.
    pub weight: u16,
    /// Learning data of the entry.
    pub learn: u32,
}

/// How a book move is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BookChoice {
    /// The move with the highest weight; the first one of several.
    Best,
    /// A random move, with probabilities proportional to the weights.
    Weighted,
}

/// Why a book cannot be read.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum BookError {
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    #[error("{}: {}", .0.display(), .1)]
    Invalid(PathBuf, #[source] Box<BookError>),
    #[error("the book is empty")]
    Empty,
    #[error(
        "not a Polyglot book, or truncated: the length, {0} bytes, is not a multiple of {ENTRY_SIZE}"
    )]
    Length(usize),
    /// The entries are not sorted: number of the first entry with a smaller key than the one
    /// before, counted from 1, and number of entries.
    #[error("not a Polyglot book: entry {0} of {1} has a smaller key than the entry before")]
    Unsorted(usize, usize),
}

/// A Polyglot opening book.
///
/// # Examples
///
/// ```
/// use brisance::notation::coord;
/// use brisance::opening::{Book, BookEntry, polyglot_key, polyglot_move};
/// use brisance::rules::{Position, Variant};
///
/// let pos = Position::startpos(Variant::Atomic);
/// let entry = |text, weight| BookEntry {
///     key: polyglot_key(&pos),
///     code: polyglot_move(coord::parse(&pos, text).expect("a legal move")),
///     weight,
///     learn: 0,
/// };
/// let book = Book::new(vec![entry("e2e4", 1), entry("g1f3", 3)]);
/// let moves = book.moves(&pos);
/// assert_eq!(coord::write(moves[0].mv, false), "g1f3");
/// assert_eq!(moves[1].weight, 1);
/// assert_eq!(Book::parse(&book.to_bytes())?, book);
/// # Ok::<(), brisance::opening::BookError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book {
    entries: Vec<BookEntry>,
}

/// The size.
impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves = util::count(self.entries.len(), "move");
        let positions = util::count(self.positions(), "position");
        write!(f, "{moves} in {positions}")
    }
}

impl Book {
    /// A book of the given entries, in any order. The moves of each position are sorted by
    /// decreasing weight.
    pub fn new(mut entries: Vec<BookEntry>) -> Book {
        entries.sort_by_key(|entry| (entry.key, u16::MAX - entry.weight, entry.code));
        Book { entries }
    }

    /// The book of all moves of several books. The weights of a move are added; if one exceeds
    /// 65,535, all weights of the position are scaled down. A move with a weight keeps one.
    pub fn merge(books: &[Book]) -> Book {
        let mut sums: BTreeMap<(u64, u16), (u64, u32)> = BTreeMap::new();
        for entry in books.iter().flat_map(|book| &book.entries) {
            let (weight, learn) = sums.entry((entry.key, entry.code)).or_default();
            *weight += u64::from(entry.weight);
            *learn = entry.learn.max(*learn);
        }
        Book::scaled(sums)
    }

    /// The book of moves, by key and code, with weights of any size and learning data.
    pub(super) fn scaled(moves: BTreeMap<(u64, u16), (u64, u32)>) -> Book {
        let limit = u64::from(u16::MAX);
        let mut largest: BTreeMap<u64, u64> = BTreeMap::new();
        for (&(key, _), &(weight, _)) in &moves {
            let max = largest.entry(key).or_insert(limit);
            *max = weight.max(*max);
        }
        let entries = moves.into_iter().map(|((key, code), (weight, learn))| {
            let scaled = u128::from(weight) * u128::from(limit) / u128::from(largest[&key]);
            let scaled = u16::try_from(scaled).unwrap_or(u16::MAX);
            BookEntry { key, code, weight: scaled.max(u16::from(weight > 0)), learn }
        });
        Book::new(entries.collect())
    }

    /// Reads a book file.
    ///
    /// # Errors
    /// The file cannot be read or is not a valid book. The message contains the path.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let bytes = util::read_file(path, MAX_FILE_SIZE)
            .map_err(|error| BookError::Io(path.to_owned(), error))?;
        Book::parse(&bytes).map_err(|error| BookError::Invalid(path.to_owned(), Box::new(error)))
    }

    /// Reads the contents of a book file.
    ///
    /// # Errors
    /// The book is empty, the last entry is incomplete, or the keys are not sorted.
    pub fn parse(bytes: &[u8]) -> Result<Book, BookError> {
        let (entries, rest) = bytes.as_chunks::<ENTRY_SIZE>();
        if !rest.is_empty() {
            return Err(BookError::Length(bytes.len()));
        }
        if entries.is_empty() {
            return Err(BookError::Empty);
        }
        let entries: Vec<BookEntry> = entries.iter().map(BookEntry::read).collect();
        let mut pairs = entries.windows(2);
        match pairs.position(|pair| pair[0].key > pair[1].key) {
            Some(index) => Err(BookError::Unsorted(index + 2, entries.len())),
            None => Ok(Book { entries }),
        }
    }

    /// The contents of the book file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.entries.len() * ENTRY_SIZE);
        for entry in &self.entries {
            entry.write(&mut bytes);
        }
        bytes
    }

    /// All entries, sorted by key.
    pub fn entries(&self) -> &[BookEntry] {
        &self.entries
    }

    /// Number of distinct positions.
    pub fn positions(&self) -> usize {
        self.entries.chunk_by(|a, b| a.key == b.key).count()
    }

    /// The legal book moves of a position, in the order of the book; only the first entry of each
    /// move counts. The format does not record a variant, so books apply to [`Variant::Atomic`]
    /// only; other variants have no book moves.
    pub fn moves(&self, pos: &Position) -> Vec<BookMove> {
        if pos.variant() != Variant::Atomic {
            return Vec::new();
        }
        let key = polyglot_key(pos);
        let first = self.entries.partition_point(|entry| entry.key < key);
        let entries = self.entries[first..].iter();
        let legal = pos.legal_moves();
        let mut moves: Vec<BookMove> = Vec::new();
        for entry in entries.take_while(|entry| entry.key == key) {
            let mv = legal.iter().find(|&&mv| polyglot_move(mv) == entry.code);
            if let Some(&mv) = mv
                && moves.iter().all(|other| other.mv != mv)
            {
                moves.push(BookMove { mv, weight: entry.weight, learn: entry.learn });
            }
        }
        moves
    }

    /// Chooses a book move with a weight above 0, if there is one. `rng` is the only source of
    /// randomness.
    pub fn choose(
        &self,
        pos: &Position,
        choice: BookChoice,
        rng: &mut fastrand::Rng,
    ) -> Option<BookMove> {
        let mut moves = self.moves(pos);
        moves.retain(|found| found.weight > 0);
        if choice == BookChoice::Best {
            // `max_by_key` returns the last maximum; reversed it is the first.
            return moves.into_iter().rev().max_by_key(|found| found.weight);
        }
        let sum: u64 = moves.iter().map(|found| u64::from(found.weight)).sum();
        let mut remaining = (sum > 0).then(|| rng.u64(0..sum))?;
        moves.into_iter().find(|found| {
            let weight = u64::from(found.weight);
            let chosen = remaining < weight;
            remaining = remaining.saturating_sub(weight);
            chosen
        })
    }
}
