//! The fuzz target `pgn`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(PGN);
