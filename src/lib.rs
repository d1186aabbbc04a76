//! Brisance: an engine for atomic chess.
//!
//! Rooms, each of which may use only those further down this list:
//! [`cli`], [`review`], [`arena`], [`uci`], [`engine`], [`search`], [`proof`], [`opening`], [`data`],
//! [`tablebase`], [`eval`], [`picture`], [`notation`], [`rules`].

pub mod arena;
pub mod cli;
pub mod data;
pub mod engine;
pub mod eval;
pub mod notation;
pub mod opening;
pub mod picture;
pub mod proof;
pub mod review;
pub mod rules;
pub mod search;
pub mod tablebase;
pub mod uci;
