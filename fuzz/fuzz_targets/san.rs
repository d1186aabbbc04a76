//! The fuzz target `san`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(SAN);
