//! The kernels with 256-bit vectors.
//! Invariant: rows are aligned for whole vectors and made of a whole number of them.

use std::arch::x86_64::*;

use super::super::arch::{ACTIVE, HIDDEN};
use super::{Feature, Row};

/// Numbers in a vector.
const LANES: usize = 16;
/// Vectors kept in registers while rows are added to them.
const KEPT: usize = 8;
const _: () = assert!(HIDDEN.is_multiple_of(LANES * KEPT));

#[target_feature(enable = "avx2")]
pub(super) fn update(
    before: &Row,
    after: &mut Row,
    weights: &[Row],
    added: &[Feature],
    removed: &[Feature],
) {
    for start in (0..HIDDEN).step_by(LANES * KEPT) {
        let at = |vector: usize| start + vector * LANES;
        let mut sums: [__m256i; KEPT] = std::array::from_fn(|vector| load(before, at(vector)));
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
            let numbers = &mut after.0[at(vector)..][..LANES];
            // SAFETY: `numbers` is one vector long; rows are aligned to 64 bytes and `at`
            // steps in whole vectors.
            unsafe { _mm256_store_si256(numbers.as_mut_ptr().cast(), sum) };
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn dot(row: &Row, weights: &Row) -> i64 {
    let (zero, full) = (_mm256_setzero_si256(), _mm256_set1_epi16(ACTIVE as i16));
    let mut sums = [zero; 4];
    for start in (0..HIDDEN).step_by(LANES * sums.len()) {
        for (vector, sum) in sums.iter_mut().enumerate() {
            let at = start + vector * LANES;
            let active = _mm256_max_epi16(_mm256_min_epi16(load(row, at), full), zero);
            let product = _mm256_mullo_epi16(active, load(weights, at));
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(product, active));
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
fn load(row: &Row, at: usize) -> __m256i {
    let numbers = &row.0[at..][..LANES];
    // SAFETY: `numbers` is one vector long; rows are aligned to 64 bytes and callers step
    // in whole vectors.
    unsafe { _mm256_load_si256(numbers.as_ptr().cast()) }
}
