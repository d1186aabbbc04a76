//! The output layer: squared clipped ReLU (SCReLU) of both hidden rows, then one output.
//! Invariant: integer arithmetic only, so that the value does not depend on the order of the
//! additions.

use super::arch::{QA, QB};
use super::network::{HiddenRow, Network};
use super::simd::{self, SimdLevel};

/// The value in centipawns from the perspective of the row `us`.
pub(super) fn forward(
    simd: SimdLevel,
    net: &Network,
    us: &HiddenRow,
    them: &HiddenRow,
    bucket: usize,
) -> i32 {
    let [us_weights, them_weights] = &net.output_weights[bucket];
    let sum = simd::screlu_dot(simd, us, us_weights) + simd::screlu_dot(simd, them, them_weights);
    let (qa, qb) = (i64::from(QA), i64::from(QB));
    let output = sum / qa + i64::from(net.output_bias[bucket]);
    // At most 2 * HIDDEN * 255 * 127 * 10,000 / (255 * 256) in magnitude, which fits in 32 bits.
    // The caller clamps the value.
    (output * i64::from(net.scale) / (qa * qb)) as i32
}
