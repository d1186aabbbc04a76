//! The fuzz target `network`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(NETWORK);
