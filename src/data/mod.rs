//! Training data: games in about four bytes a ply, in chunked files that survive a kill.
//! Invariant: a file is a header and whole chunks; what follows the last whole chunk is
//! nobody's.

mod file;
mod record;

pub use file::{Counts, DataError, Reader, Writer};
pub use record::{GameRecord, PlyRecord, Positions, Result};
