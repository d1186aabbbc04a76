//! The kernels in portable Rust: the reference implementation for the vectorised ones.

use super::super::arch::{HIDDEN, QA};
use super::{Feature, HiddenRow};

/// Elements processed at a time, few enough for the compiler to keep them in registers.
const BLOCK: usize = 64;
const _: () = assert!(HIDDEN.is_multiple_of(BLOCK));

pub(super) fn update(
    before: &HiddenRow,
    after: &mut HiddenRow,
    weights: &[HiddenRow],
    added: &[Feature],
    removed: &[Feature],
) {
    let blocks = before.0.as_chunks::<BLOCK>().0.iter();
    let results = after.0.as_chunks_mut::<BLOCK>().0;
    for (index, (block, result)) in blocks.zip(results).enumerate() {
        let mut sums = *block;
        let weight_block =
            |feature: &Feature| &weights[feature.index()].0.as_chunks::<BLOCK>().0[index];
        for feature in added {
            for (sum, weight) in sums.iter_mut().zip(weight_block(feature)) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        for feature in removed {
            for (sum, weight) in sums.iter_mut().zip(weight_block(feature)) {
                *sum = sum.wrapping_sub(*weight);
            }
        }
        *result = sums;
    }
}

pub(super) fn dot(rows: [&HiddenRow; 2], weights: &[HiddenRow; 2]) -> i64 {
    let pairs = rows
        .into_iter()
        .zip(weights)
        .flat_map(|(row, weights)| row.0.iter().zip(&weights.0));
    let terms = pairs.map(|(&value, &weight)| {
        let activation = value.clamp(0, QA as i16);
        i64::from(activation.wrapping_mul(weight)) * i64::from(activation)
    });
    terms.sum()
}
