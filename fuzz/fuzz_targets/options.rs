//! The fuzz target `options`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(OPTIONS);
