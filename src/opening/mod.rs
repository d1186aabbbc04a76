//! Opening books in the Polyglot format: reading and lookup, and building from games or from a
//! searched opening tree.
//! Invariant: a book lookup returns only moves that are legal in the position.

mod book;
mod games;
mod key;
mod records;
mod tree;

pub use book::{Book, BookChoice, BookEntry, BookError, BookMove, polyglot_move};
pub use games::GameStats;
pub use key::polyglot_key;
pub use records::{
    AnalysisLineError, AnalysisRecord, AnalysisRecords, AnalysisRecordsError, PositionAnalysis,
    RecordHeader,
};
pub use tree::{BookTree, PendingPosition, TreeSettings};
