//! What makes training games and openings: self-play, balanced random openings, files of openings,
//! and the tuning of search parameters by games.
//! Invariant: equal seeds and settings give equal games and openings.

mod datagen;
mod genfens;
mod opening_generator;
pub mod openings;
#[cfg(feature = "tune")]
pub mod spsa;

pub use datagen::Datagen;
pub use genfens::genfens;
pub use opening_generator::{OpeningCriteria, OpeningGenerator, OpeningSource};
