//! The kernels with 256-bit vectors.
//! Invariant: rows are aligned to the vector size and their length is a multiple of it.

use std::arch::x86_64::*;

use super::super::arch::{HIDDEN, QA};
use super::{Feature, HiddenRow};

/// 16-bit elements of a vector.
const LANES: usize = 16;
/// Vectors kept in registers while weight rows are added to them.
const REGISTERS: usize = 8;
const _: () = assert!(HIDDEN.is_multiple_of(LANES * REGISTERS));

#[target_feature(enable = "avx2")]
pub(super) fn update(
    before: &HiddenRow,
    after: &mut HiddenRow,
    weights: &[HiddenRow],
    added: &[Feature],
    removed: &[Feature],
) {
    for start in (0..HIDDEN).step_by(LANES * REGISTERS) {
        let at = |vector: usize| start + vector * LANES;
        let mut sums: [__m256i; REGISTERS] = std::array::from_fn(|vector| load(before, at(vector)));
        for feature in added {
            let row = &weights[feature.index()];
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = _mm256_add_epi16(*sum, load(row, at(vector)));
            }
        }
        for feature in removed {
            let row = &weights[feature.index()];
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = _mm256_sub_epi16(*sum, load(row, at(vector)));
            }
        }
        for (vector, sum) in sums.into_iter().enumerate() {
            let slice = &mut after.0[at(vector)..][..LANES];
            // SAFETY: `slice` is one vector long; rows are aligned to 64 bytes and `at`
            // steps in whole vectors.
            unsafe { _mm256_store_si256(slice.as_mut_ptr().cast(), sum) };
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn dot(rows: [&HiddenRow; 2], weights: &[HiddenRow; 2]) -> i64 {
    let (zero, qa) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let mut sums = [zero; 4];
    for (row, weights) in rows.into_iter().zip(weights) {
        for start in (0..HIDDEN).step_by(LANES * sums.len()) {
            for (vector, sum) in sums.iter_mut().enumerate() {
                let at = start + vector * LANES;
                let activation = _mm256_max_epi16(_mm256_min_epi16(load(row, at), qa), zero);
                let product = _mm256_mullo_epi16(activation, load(weights, at));
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(product, activation));
            }
        }
    }
    let [a, b, c, d] = sums;
    let sum = _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d));
    let mut lanes = [0i32; LANES / 2];
    // SAFETY: the array is one vector long; the store needs no alignment.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sum) };
    lanes.iter().map(|&lane| i64::from(lane)).sum()
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(row: &HiddenRow, at: usize) -> __m256i {
    let slice = &row.0[at..][..LANES];
    // SAFETY: `slice` is one vector long; rows are aligned to 64 bytes and callers step
    // in whole vectors.
    unsafe { _mm256_load_si256(slice.as_ptr().cast()) }
}
