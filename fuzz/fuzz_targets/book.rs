//! The fuzz target `book`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(BOOK);
