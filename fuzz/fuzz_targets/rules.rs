//! The fuzz target `rules`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(RULES);
