//! Opening books in the Polyglot format: reading and lookup, and building from games or from a
//! searched opening tree; and the book of refutations.
//! Invariant: a book lookup returns only moves that are legal in the position.

mod book;
#[cfg(feature = "cli")]
mod games;
mod key;
#[cfg(feature = "cli")]
mod records;
mod refutations;
#[cfg(feature = "cli")]
mod tree;

pub use book::{Book, BookChoice, BookEntry, BookError, BookMove, WEIGHT_HALVING, polyglot_move};
#[cfg(feature = "cli")]
pub(crate) use games::GameStats;
pub use key::polyglot_key;
#[cfg(feature = "cli")]
pub(crate) use records::{
    AnalysisRecord, AnalysisRecords, RankedMoves, RecordHeader, TriedPosition,
};
#[cfg(feature = "cli")]
pub(crate) use refutations::RefutationsBuilder;
pub use refutations::{Refutation, Refutations, RefutationsError};
#[cfg(feature = "cli")]
pub(crate) use tree::BookTree;
