//! The NNUE evaluation: network architecture, file format, accumulators and SIMD kernels.
//! Invariant: every SIMD level and every order of accumulator updates gives the same value.

mod accumulator;
mod arch;
mod features;
mod forward;
mod network;
mod simd;

pub use accumulator::AccumulatorStack;
pub use arch::{
    HIDDEN, INPUTS, KING_BUCKETS, MAX_OUTPUT_WEIGHT, OUTPUT_BUCKETS, QA, QB, output_bucket,
};
pub use features::{Feature, Perspective};
pub use network::{HiddenRow, Network, NetworkError};
pub use simd::SimdLevel;
