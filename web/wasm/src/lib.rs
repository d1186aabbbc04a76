//! The engine as a WebAssembly module without threads and files. It has two independent parts:
//! a UCI session, and [`Core`], which answers questions about positions and games in JSON.
//! Invariant: no request panics; a wrong one gets `{"error": "…"}` that names what is wrong.

mod core;
#[cfg(target_family = "wasm")]
mod exports;
mod game;
mod openings;
mod position;
mod request;
mod tools;

pub use crate::core::Core;
