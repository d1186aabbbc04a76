//! From the two hidden rows to a value: squared clipped activations, one output.
//! Invariant: integers only, so that the value does not depend on the order of the sums.

use super::arch::{ACTIVE, ACTIVE_WEIGHT};
use super::network::{Network, Row};
use super::simd::{self, Path};

/// Centipawns from the view that `us` belongs to.
pub(super) fn forward(path: Path, net: &Network, us: &Row, them: &Row, bucket: usize) -> i32 {
    let [own, other] = &net.output_weights[bucket];
    let sum = simd::dot(path, us, own) + simd::dot(path, them, other);
    let (active, weight) = (i64::from(ACTIVE), i64::from(ACTIVE_WEIGHT));
    let output = sum / active + i64::from(net.output_bias[bucket]);
    // At most 2 * HIDDEN * 255 * 127 * 10,000 / (255 * 256) before the division's own
    // shrinking: far inside 32 bits after it, and clamped by the caller.
    (output * i64::from(net.scale) / (active * weight)) as i32
}
