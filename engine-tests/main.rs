//! The integration tests.

mod uci;
