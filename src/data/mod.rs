//! Training data: game files with about one and a half bytes per ply in chunks that survive an
//! abrupt end of the program, and files of labelled positions (samples) for the trainer.
//! Invariant: a game file is a header followed by complete chunks; an incomplete chunk at the
//! end is discarded.

mod codec;
mod coder;
mod file;
mod filter;
mod label;
mod order;
mod record;
pub mod sample;
mod segment;
#[cfg(feature = "cli")]
mod shuffle;
mod start;
mod value_steps;
mod writer;

pub use file::{Corruption, DataCounts, DataError, GameReader, RawChunk, VERSION};
#[cfg(feature = "cli")]
pub(crate) use file::{expect_text, is_game_file};
pub use filter::{FilterCounts, FilterSettings, SampleFilter};
pub use label::{Labels, expected_score};
pub use record::{GameRecord, PlyRecord, RecordError};
pub use sample::Sample;
pub use segment::{CUT_NODES, SegmentHeader};
#[cfg(feature = "cli")]
pub(crate) use shuffle::{Shuffler, Split};
pub use writer::GameWriter;

#[cfg(test)]
mod tests;
