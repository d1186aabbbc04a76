//! The fuzz target `fen`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(FEN);
