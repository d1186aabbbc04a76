//! The NNUE evaluation: network architecture, file format, accumulators and SIMD kernels.
//! Invariant: every SIMD level and every order of accumulator updates gives the same value.

mod accumulator;
mod arch;
mod features;
mod layers;
mod network;
mod pieces;
mod policy;
mod policy_head;
mod policy_threats;
mod simd;

pub use accumulator::AccumulatorStack;
pub use arch::{
    ACTIVATION_UNIT, BUCKET_INPUTS, HIDDEN, INPUTS, KING_BUCKETS, KING_INPUTS, L2, L3, L3_INPUTS,
    MAX_BIAS, MAX_CAPTURE_WEIGHT, MAX_L2_WEIGHT, MAX_L3_WEIGHT, MAX_OUTPUT_WEIGHT, OUTPUT_BUCKETS,
    QA, QL, QS, QW, king_bucket, output_bucket,
};
pub use features::{Feature, Perspective};
pub use layers::{Activations, L2Weights, L3Weights, LayerStack};
pub use network::{HiddenRow, Network, NetworkError, from_differences, to_differences};
pub use pieces::{CaptureList, PieceSets};
pub use policy::Policy;
pub use policy_head::{
    MAX_POLICY_BIAS, MAX_POLICY_WEIGHT, POLICY_ROWS, PolicyHead, PolicyRow, PolicyRows, QP,
};
pub use policy_threats::{PolicyThreats, THREAT_BIASES};
pub use simd::SimdLevel;
