//! The fuzz target `game_file`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(GAME_FILE);
