//! Brisance: an engine for atomic chess.
//!
//! Rooms, each of which may use only those above it in this list: [`rules`].

pub mod rules;
