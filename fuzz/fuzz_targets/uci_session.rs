//! The fuzz target `uci_session`; `engine-tests/fuzz/targets` describes it.
#![no_main]

brisance_fuzz::fuzz!(UCI_SESSION);
