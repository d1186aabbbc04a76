//! Whole games and lists of positions: searched on all cores, judged move by move, written
//! as annotated PGN and as a page. Never prints.
//! Invariant: what a search finds does not depend on what was searched before it or beside it.

mod annotate;
mod judge;
mod page;

pub use annotate::Annotator;
pub use judge::{Judged, Mark, Review};
pub use page::page;
