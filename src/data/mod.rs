//! Training data: game files with about four bytes per ply in chunks that survive an abrupt
//! end of the program, and files of labelled positions (samples) for the trainer.
//! Invariant: a game file is a header followed by complete chunks; an incomplete chunk at the
//! end is discarded.

mod file;
mod filter;
mod label;
mod record;
pub mod sample;
#[cfg(feature = "cli")]
mod shuffle;

pub use file::{Corruption, DataCounts, DataError, GameReader, GameWriter};
pub use filter::{FilterCounts, FilterSettings, SampleFilter};
pub use label::{Labels, expected_score};
pub use record::{GamePositions, GameRecord, PlyRecord, RecordError};
pub use sample::Sample;
#[cfg(feature = "cli")]
pub(crate) use shuffle::{Shuffler, Split};
