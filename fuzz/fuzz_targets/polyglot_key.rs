//! The fuzz target `polyglot_key`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(POLYGLOT_KEY);
