//! Brisance, an engine for atomic chess: the library behind the program `brisance`.
//!
//! In atomic chess a capture is an explosion that removes the captured piece, the capturing piece
//! and every piece around them that is not a pawn. Exploding the enemy king wins the game.
//!
//! # Playing by the rules
//! [`rules::Position`] generates and makes legal moves and detects the end of a game; [`notation`]
//! reads and writes FEN, EPD, SAN, coordinate notation and PGN.
//! ```
//! use brisance::notation::{fen, san};
//! use brisance::rules::{Color, GameResult, Position, Variant};
//!
//! let mut pos = Position::startpos(Variant::Atomic);
//! for text in ["Nf3", "a6", "Ng5", "a5", "Nxf7"] {
//!     let mv = san::parse(&pos, text)?;
//!     pos.make(mv);
//! }
//! // The knight, the pawn, the black king, the bishop on f8 and the knight on g8 have exploded.
//! assert_eq!(
//!     fen::write(&pos, Default::default()),
//!     "rnbq3r/1pppp1pp/8/p7/8/8/PPPPPPPP/RNBQKB1R b KQ - 0 3"
//! );
//! let outcome = pos.outcome().expect("the game is over");
//! assert_eq!(outcome.result, GameResult::Win(Color::White));
//! # Ok::<(), san::SanError>(())
//! ```
//!
//! # Searching
//! [`engine::Engine`] owns a position, the settings, the hash table and the search threads.
//! ```
//! use brisance::engine::{Engine, Settings};
//! use brisance::notation::{fen, san};
//! use brisance::rules::Variant;
//! use brisance::search::{Limits, NullListener};
//!
//! let settings = Settings { hash: 4, ..Settings::default() };
//! let mut engine = Engine::with_settings(settings)?;
//! let text = "rnbqkbnr/1ppppppp/8/p5N1/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3";
//! engine.set_position(fen::parse(text, Variant::Atomic)?);
//!
//! let limits = Limits { nodes: Some(1_000), ..Limits::default() };
//! let summary = engine.go(&limits, &NullListener);
//! let best_move = summary.best_move().expect("a legal move");
//! assert_eq!(san::write(engine.position(), best_move), "Nxf7#");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//! | module | content |
//! |---|---|
//! | [`rules`] | board, move generation, legality, outcomes, both variants |
//! | [`notation`] | FEN, EPD, SAN, coordinate notation, PGN |
//! | [`eval`] | static evaluation by the NNUE network or by handcrafted terms |
//! | [`tablebase`] | Syzygy tablebases |
//! | [`opening`] | opening books in the Polyglot format |
//! | [`picture`] | boards as SVG |
//! | [`data`] | files of training games |
//! | [`search`] | alpha-beta search with a transposition table, on one or more threads |
//! | [`proof`] | proof-number search for forced wins, and its verifier |
//! | [`engine`] | everything together: settings, levels, searches, benchmark |
//! | [`arena`] | matches, and how their engines are specified |
//! | [`uci`] | the UCI protocol |
//! | [`cli`] | the commands of the program |
//!
//! Without the feature `cli`, which is on by default, the library has no `cli` and needs fewer
//! crates; `uci` then needs the feature `uci`.
//!
//! The modules form layers, and each imports only lower ones; `docs/architecture.md` lists them.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]
#![deny(clippy::disallowed_methods)]

#[cfg(feature = "cli")]
pub mod arena;
#[cfg(feature = "cli")]
pub mod cli;
pub mod data;
pub mod engine;
pub mod eval;
#[cfg(feature = "cli")]
mod files;
mod host;
pub mod notation;
pub mod opening;
pub mod picture;
pub mod proof;
#[cfg(feature = "cli")]
mod puzzle;
#[cfg(feature = "cli")]
mod review;
pub mod rules;
pub mod search;
#[cfg(feature = "cli")]
mod selfplay;
pub mod tablebase;
#[cfg(feature = "uci")]
pub mod uci;
mod util;

// What unit tests and engine-tests share.
#[cfg(test)]
extern crate self as brisance;
#[cfg(test)]
#[path = "../engine-tests/random.rs"]
mod random;
#[cfg(test)]
#[path = "../engine-tests/table.rs"]
mod table;
#[cfg(test)]
#[path = "../engine-tests/walk.rs"]
mod walk;
