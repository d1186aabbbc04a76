//! Opening books in the Polyglot format: read, looked up, made from games or from a searched
//! tree. Invariant: a book never names a move that is not legal in the position asked about.

mod book;
mod games;
mod judged;
mod key;
mod tree;

pub use book::{Book, BookMove, Choice, Entry, code_of};
pub use games::Tally;
pub use judged::{Head, Judgement, Record, Records};
pub use key::key;
pub use tree::{Plan, Tree, Wanted};
