//! The fuzz target `uci_line`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(UCI_LINE);
