//! The network: what it looks like, its file, and its fast evaluation.
//! Invariant: every processor path and every order of updates gives the same value.

mod accumulator;
mod arch;
mod features;
mod forward;
mod network;
mod simd;

pub use accumulator::Accumulators;
pub use arch::{
    ACTIVE, ACTIVE_WEIGHT, HIDDEN, INPUTS, KING_BUCKETS, MAX_OUTPUT_WEIGHT, OUTPUTS, output_bucket,
};
pub use features::{Feature, View};
pub use network::{NetError, Network, Row};
pub use simd::Path;
