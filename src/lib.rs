//! Brisance: an engine for atomic chess.
//!
//! Rooms, each of which may use only those further down this list:
//! [`uci`], [`engine`], [`search`], [`eval`], [`notation`], [`rules`].

pub mod engine;
pub mod eval;
pub mod notation;
pub mod rules;
pub mod search;
pub mod uci;
