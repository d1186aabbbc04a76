//! Tests that measure time. They are a binary of their own and run one at a time, so that no
//! other test delays them: every test here has the attribute `#[serial]`.
//! `cargo test --release --test timing`

#[path = "../export.rs"]
#[allow(dead_code)] // Some parts are for the other tests.
mod export;
mod interface; // an interface that goes away, large settings, many threads
mod levels; // move time, analysis without a limit
mod matches; // losses on time, engines that do not answer
#[path = "../program.rs"]
#[allow(dead_code)]
mod program;
mod search; // stop, ponderhit, move time
mod uci; // response times of the protocol
