//! Opening books in the Polyglot format: reading and lookup, and building from games or from a
//! searched opening tree.
//! Invariant: a book lookup returns only moves that are legal in the position.

mod book;
#[cfg(feature = "cli")]
mod games;
mod key;
#[cfg(feature = "cli")]
mod records;
#[cfg(feature = "cli")]
mod tree;

pub use book::{Book, BookChoice, BookEntry, BookError, BookMove, polyglot_move};
#[cfg(feature = "cli")]
pub(crate) use games::GameStats;
pub use key::polyglot_key;
#[cfg(feature = "cli")]
pub(crate) use records::{AnalysisRecord, AnalysisRecords, RankedMoves, RecordHeader};
#[cfg(feature = "cli")]
pub(crate) use tree::BookTree;
