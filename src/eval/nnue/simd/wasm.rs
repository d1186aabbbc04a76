//! The kernels with the 128-bit vectors of WebAssembly.
//! Invariant: rows are aligned to the vector size and their length is a multiple of it.

use std::arch::wasm32::*;

use super::super::arch::{HIDDEN, QA};
use super::{Feature, HiddenRow};

/// 16-bit elements of a vector.
const LANES: usize = 8;
/// Vectors kept in registers while weight rows are added to them.
const REGISTERS: usize = 8;
const _: () = assert!(HIDDEN.is_multiple_of(LANES * REGISTERS));

pub(super) fn update(
    before: &HiddenRow,
    after: &mut HiddenRow,
    weights: &[HiddenRow],
    added: &[Feature],
    removed: &[Feature],
) {
    for start in (0..HIDDEN).step_by(LANES * REGISTERS) {
        let at = |vector: usize| start + vector * LANES;
        let mut sums: [v128; REGISTERS] = std::array::from_fn(|vector| load(before, at(vector)));
        for feature in added {
            let row = &weights[feature.index()];
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = i16x8_add(*sum, load(row, at(vector)));
            }
        }
        for feature in removed {
            let row = &weights[feature.index()];
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = i16x8_sub(*sum, load(row, at(vector)));
            }
        }
        for (vector, sum) in sums.into_iter().enumerate() {
            let slice = &mut after.0[at(vector)..][..LANES];
            // SAFETY: `slice` is one vector long; the store needs no alignment.
            unsafe { v128_store(slice.as_mut_ptr().cast(), sum) };
        }
    }
}

pub(super) fn dot(rows: [&HiddenRow; 2], weights: &[HiddenRow; 2]) -> i64 {
    let (zero, qa) = (i16x8_splat(0), i16x8_splat(QA as i16));
    let mut sums = [zero; 4];
    for (row, weights) in rows.into_iter().zip(weights) {
        for start in (0..HIDDEN).step_by(LANES * sums.len()) {
            for (vector, sum) in sums.iter_mut().enumerate() {
                let at = start + vector * LANES;
                let activation = i16x8_max(i16x8_min(load(row, at), qa), zero);
                let product = i16x8_mul(activation, load(weights, at));
                *sum = i32x4_add(*sum, i32x4_dot_i16x8(product, activation));
            }
        }
    }
    let [a, b, c, d] = sums;
    let sum = i32x4_add(i32x4_add(a, b), i32x4_add(c, d));
    let lanes = [
        i32x4_extract_lane::<0>(sum),
        i32x4_extract_lane::<1>(sum),
        i32x4_extract_lane::<2>(sum),
        i32x4_extract_lane::<3>(sum),
    ];
    lanes.iter().map(|&lane| i64::from(lane)).sum()
}

#[inline]
fn load(row: &HiddenRow, at: usize) -> v128 {
    let slice = &row.0[at..][..LANES];
    // SAFETY: `slice` is one vector long; the load needs no alignment.
    unsafe { v128_load(slice.as_ptr().cast()) }
}
