//! The output layer: squared clipped ReLU (SCReLU) of both hidden rows, then one output.
//! Invariant: integer arithmetic only, so that the value does not depend on the order of the
//! additions.

use super::arch::{QA, QB};
use super::network::{HiddenRow, Network};
use super::simd::{self, SimdLevel};

/// The value in centipawns from the perspective of the first row; the second is the other side's.
pub(super) fn forward(simd: SimdLevel, net: &Network, rows: [&HiddenRow; 2], bucket: usize) -> i32 {
    let sum = simd::screlu_dot(simd, rows, &net.output_weights[bucket]);
    let (qa, qb) = (i64::from(QA), i64::from(QB));
    let output = sum / qa + i64::from(net.output_bias[bucket]);
    // At most 2 * HIDDEN * 255 * 127 * 10,000 / (255 * 256) in magnitude, which fits in 32 bits.
    // The caller clamps the value.
    (output * i64::from(net.scale) / (qa * qb)) as i32
}
