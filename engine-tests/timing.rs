//! Tests that measure time. They are ignored, and run one at a time on an idle machine:
//! `cargo test --release --test engine -- --ignored --test-threads 1 timing::`

mod interface; // response times, an interface that goes away, many threads
mod matches; // losses on time, engines that do not answer
mod search; // stop, ponderhit, move time, levels
