//! The fuzz target `epd`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(EPD);
