//! Training data: games in about four bytes a ply, in chunked files that survive a kill, and
//! the labelled positions that a trainer reads.
//! Invariant: a file of games is a header and whole chunks; what follows the last whole chunk
//! is nobody's.

mod file;
mod filter;
mod record;
pub mod sample;

pub use file::{Counts, DataError, Reader, Writer};
pub use filter::{Filter, Sieve, Sieved};
pub use record::{GameRecord, PlyRecord, Positions, Result};
pub use sample::Sample;
