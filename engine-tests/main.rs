//! The integration tests, one binary.

mod cli;
