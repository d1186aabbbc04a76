//! The kernels in plain Rust: the reference that the vector paths must equal.

use super::super::arch::{ACTIVE, HIDDEN};
use super::{Feature, Row};

/// Numbers worked on at a time, so that a compiler can keep them in registers.
const BLOCK: usize = 64;
const _: () = assert!(HIDDEN.is_multiple_of(BLOCK));

pub(super) fn update(
    before: &Row,
    after: &mut Row,
    weights: &[Row],
    added: &[Feature],
    removed: &[Feature],
) {
    let blocks = before.0.as_chunks::<BLOCK>().0.iter();
    let results = after.0.as_chunks_mut::<BLOCK>().0;
    for (at, (block, result)) in blocks.zip(results).enumerate() {
        let mut sums = *block;
        let part = |feature: &Feature| &weights[feature.index()].0.as_chunks::<BLOCK>().0[at];
        for feature in added {
            for (sum, weight) in sums.iter_mut().zip(part(feature)) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        for feature in removed {
            for (sum, weight) in sums.iter_mut().zip(part(feature)) {
                *sum = sum.wrapping_sub(*weight);
            }
        }
        *result = sums;
    }
}

pub(super) fn dot(row: &Row, weights: &Row) -> i64 {
    let terms = row.0.iter().zip(&weights.0).map(|(&number, &weight)| {
        let active = number.clamp(0, ACTIVE as i16);
        i64::from(active.wrapping_mul(weight)) * i64::from(active)
    });
    terms.sum()
}
