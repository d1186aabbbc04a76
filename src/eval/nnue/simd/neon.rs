//! The kernels with the 128-bit vectors of 64-bit ARM processors (NEON).
//! Invariant: rows are aligned to the vector size and their length is a multiple of it.

use std::arch::aarch64::*;

use super::super::arch::{HIDDEN, QA};
use super::{Feature, HiddenRow};

/// 16-bit elements of a vector.
const LANES: usize = 8;
/// Vectors kept in registers while weight rows are added to them.
const REGISTERS: usize = 16;
const _: () = assert!(HIDDEN.is_multiple_of(LANES * REGISTERS));

#[target_feature(enable = "neon")]
pub(super) fn update(
    before: &HiddenRow,
    after: &mut HiddenRow,
    weights: &[HiddenRow],
    added: &[Feature],
    removed: &[Feature],
) {
    for start in (0..HIDDEN).step_by(LANES * REGISTERS) {
        let at = |vector: usize| start + vector * LANES;
        let mut sums: [int16x8_t; REGISTERS] =
            std::array::from_fn(|vector| load(before, at(vector)));
        for feature in added {
            let row = &weights[feature.index()];
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = vaddq_s16(*sum, load(row, at(vector)));
            }
        }
        for feature in removed {
            let row = &weights[feature.index()];
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = vsubq_s16(*sum, load(row, at(vector)));
            }
        }
        for (vector, sum) in sums.into_iter().enumerate() {
            let slice = &mut after.0[at(vector)..][..LANES];
            // SAFETY: `slice` is one vector long.
            unsafe { vst1q_s16(slice.as_mut_ptr(), sum) };
        }
    }
}

#[target_feature(enable = "neon")]
pub(super) fn dot(rows: [&HiddenRow; 2], weights: &[HiddenRow; 2]) -> i64 {
    let (zero, qa) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
    let mut sums = [vdupq_n_s32(0); 4];
    for (row, weights) in rows.into_iter().zip(weights) {
        for start in (0..HIDDEN).step_by(LANES * sums.len()) {
            for (vector, sum) in sums.iter_mut().enumerate() {
                let at = start + vector * LANES;
                let activation = vmaxq_s16(vminq_s16(load(row, at), qa), zero);
                let product = vmulq_s16(activation, load(weights, at));
                *sum = vmlal_s16(*sum, vget_low_s16(product), vget_low_s16(activation));
                *sum = vmlal_high_s16(*sum, product, activation);
            }
        }
    }
    let [a, b, c, d] = sums;
    vaddlvq_s32(vaddq_s32(vaddq_s32(a, b), vaddq_s32(c, d)))
}

#[inline]
#[target_feature(enable = "neon")]
fn load(row: &HiddenRow, at: usize) -> int16x8_t {
    let slice = &row.0[at..][..LANES];
    // SAFETY: `slice` is one vector long.
    unsafe { vld1q_s16(slice.as_ptr()) }
}
