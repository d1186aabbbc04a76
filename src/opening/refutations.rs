//! The refutation book: opening positions in which the side to move wins by force, each with a
//! proof, which is one move of the winner in every position that can arise.
//! Invariant: a refutation that is found has been replayed against every reply with the rules
//! alone, so that a damaged book gives no refutation instead of a wrong one.

use std::borrow::Cow;
use std::cell::RefCell;
#[cfg(feature = "cli")]
use std::collections::BTreeMap;
use std::collections::HashMap;

use once_cell::sync::Lazy;
use thiserror::Error;

use super::{polyglot_key, polyglot_move};
use crate::proof::{VerifiedProof, verify};
use crate::rules::{Move, MoveList, Position, Variant};

const MAGIC: &[u8; 8] = b"BRISREF1";
/// The bytes of a key.
const KEY: usize = 5;
/// The bytes of the length of a proof.
const LENGTH: usize = 2;

static EMBEDDED: Lazy<Refutations> = Lazy::new(|| {
    let bytes: &[u8] = include_bytes!("../../book/refutations.bin");
    Refutations::parse(bytes).unwrap_or_default()
});

/// A refutation book in memory.
///
/// The file begins with `BRISREF1` and the number of positions, four bytes. Then come the first
/// five bytes of the [`polyglot_key`] of each position, sorted, then the lengths of the proofs,
/// two bytes each, then the proofs. All numbers are big-endian.
///
/// A proof has one byte for each position with the winner to move, except where a capture explodes
/// the enemy king: the index of its move among the legal moves, sorted by [`polyglot_move`]. After
/// it come the positions after that move, and so on, depth first; after a position with the loser
/// to move those after all of its legal moves, sorted likewise. A position that was there before
/// in this proof has no bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Refutations {
    bytes: Cow<'static, [u8]>,
    /// Where each proof ends in `bytes`.
    ends: Vec<usize>,
}

/// Why the bytes are not a refutation book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum RefutationsError {
    /// The file begins otherwise.
    #[error("not a refutation book")]
    Magic,
    /// The length does not agree with the number of positions and their proofs.
    #[error("the refutation book has the wrong length")]
    Length,
    /// The keys do not rise.
    #[error("the refutation book is not sorted")]
    Order,
}

/// A forced win of the side to move.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// What the verifier says of the proof.
    pub verified: VerifiedProof,
    replies: HashMap<u64, Move>,
}

impl Refutation {
    /// Replays a win of the side to move, whose moves `next` gives in positions in which none ends
    /// the game at once; `None` if it is no win.
    fn replay(pos: &Position, next: impl FnMut(&Position) -> Option<Move>) -> Option<Refutation> {
        let (replies, next) = (RefCell::new(HashMap::new()), RefCell::new(next));
        let strategy = |pos: &Position| {
            let known = replies.borrow().get(&pos.key()).copied();
            let mv = known.or_else(|| pos.win_in_one()).or_else(|| next.borrow_mut()(pos))?;
            replies.borrow_mut().insert(pos.key(), mv);
            Some(mv)
        };
        let verified = verify(&pos.without_history(), pos.side_to_move(), &strategy).ok()?;
        Some(Refutation { verified, replies: replies.into_inner() })
    }

    /// The winner's move in a position of the proof.
    pub fn reply(&self, pos: &Position) -> Option<Move> {
        self.replies.get(&pos.key()).copied()
    }

    /// The moves of the winner to the end against the longest resistance.
    pub fn moves(&self) -> usize {
        self.verified.plies.div_ceil(2)
    }
}

impl Refutations {
    /// The book inside the program, made by the commands in `docs/openings.md`.
    pub fn embedded() -> &'static Refutations {
        &EMBEDDED
    }

    /// Reads a book.
    ///
    /// # Errors
    /// If the structure is damaged. Proofs are checked when they are looked up.
    pub fn parse(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Refutations, RefutationsError> {
        use RefutationsError::{Length, Magic, Order};
        let bytes = bytes.into();
        let rest = bytes.strip_prefix(MAGIC).ok_or(Magic)?;
        let (count, rest) = rest.split_first_chunk().ok_or(Length)?;
        let count = u32::from_be_bytes(*count) as usize;
        let size = count.checked_mul(KEY).ok_or(Length)?;
        let (keys, rest) = rest.split_at_checked(size).ok_or(Length)?;
        let (lengths, _) = rest.split_at_checked(count * LENGTH).ok_or(Length)?;
        if !keys.as_chunks::<KEY>().0.is_sorted_by(|a, b| a < b) {
            return Err(Order);
        }
        let mut end = MAGIC.len() + 4 + count * (KEY + LENGTH);
        let ends = lengths.as_chunks::<LENGTH>().0.iter().map(|&length| {
            end += usize::from(u16::from_be_bytes(length));
            end
        });
        let ends: Vec<usize> = ends.collect();
        if end != bytes.len() {
            return Err(Length);
        }
        Ok(Refutations { bytes, ends })
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if the book has no positions.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The forced win of the side to move: that of the book, or a move that ends the game at once.
    pub fn find(&self, pos: &Position) -> Option<Refutation> {
        if pos.variant() != Variant::Atomic {
            return None;
        }
        let mut bytes = self.proof(pos).unwrap_or_default().iter();
        Refutation::replay(pos, |pos| {
            let index = usize::from(*bytes.next()?);
            sorted_moves(pos).get(index).copied()
        })
    }

    /// The bytes of the proof of a position.
    fn proof(&self, pos: &Position) -> Option<&[u8]> {
        let keys = &self.bytes.get(MAGIC.len() + 4..)?[..KEY * self.len()];
        let index = keys.as_chunks().0.binary_search(&short_key(pos)).ok()?;
        let first = MAGIC.len() + 4 + self.len() * (KEY + LENGTH);
        let begin = index.checked_sub(1).map_or(first, |last| self.ends[last]);
        Some(&self.bytes[begin..self.ends[index]])
    }
}

fn sorted_moves(pos: &Position) -> MoveList {
    let mut moves = pos.legal_moves();
    moves.sort_unstable_by_key(|&mv| polyglot_move(mv));
    moves
}

fn short_key(pos: &Position) -> [u8; KEY] {
    let [a, b, c, d, e, ..] = polyglot_key(pos).to_be_bytes();
    [a, b, c, d, e]
}

/// A refutation book that is being made.
#[cfg(feature = "cli")]
#[derive(Clone, Debug, Default)]
pub struct RefutationsBuilder(BTreeMap<[u8; KEY], Vec<u8>>);

#[cfg(feature = "cli")]
impl RefutationsBuilder {
    /// The bytes of a proof that the side to move wins, by its move in each position that can
    /// arise; `None` if it does not win so, or the proof is too long for the book.
    pub fn encode(pos: &Position, reply: &dyn Fn(&Position) -> Option<Move>) -> Option<Vec<u8>> {
        let mut proof = Vec::new();
        Refutation::replay(pos, |pos| {
            let mv = reply(pos)?;
            let index = sorted_moves(pos).iter().position(|&legal| legal == mv)?;
            proof.push(u8::try_from(index).ok()?);
            Some(mv)
        })?;
        u16::try_from(proof.len()).is_ok().then_some(proof)
    }

    /// Adds a position with the bytes of its proof. A position without bytes needs no book.
    pub fn insert(&mut self, pos: &Position, proof: Vec<u8>) {
        if !proof.is_empty() {
            self.0.entry(short_key(pos)).or_insert(proof);
        }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let lengths = self.0.values().map(|proof| proof.len() as u16);
        let mut bytes = MAGIC.to_vec();
        bytes.extend((self.len() as u32).to_be_bytes());
        bytes.extend(self.0.keys().flatten());
        bytes.extend(lengths.flat_map(u16::to_be_bytes));
        bytes.extend(self.0.values().flatten());
        bytes
    }
}
