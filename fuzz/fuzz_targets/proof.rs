//! The fuzz target `proof`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(PROOF);
