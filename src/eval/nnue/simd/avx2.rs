//! The kernels with 256-bit vectors.
//! Invariant: rows are aligned to the vector size and their length is a multiple of it.

use std::arch::x86_64::*;

use super::super::arch::{ACTIVATION_SHIFT, HIDDEN, L2, L3, L3_INPUTS, QA};
use super::super::layers::{self, Activations, L2Weights, L3Weights, LayerStack};
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
pub(super) fn forward(rows: [&HiddenRow; 2], stack: &LayerStack) -> i64 {
    let second = l2_sums(rows, &stack.l2_weights);
    let inputs = stack.l3_inputs(&second);
    stack.output(
        &second,
        &l3_sums(&inputs, &stack.l3_weights, &stack.l3_bias),
    )
}

/// The sums of the second layer without biases.
#[inline]
#[target_feature(enable = "avx2")]
fn l2_sums(rows: [&HiddenRow; 2], weights: &L2Weights) -> [i32; L2] {
    let activations = activate(rows);
    let ones = _mm256_set1_epi16(1);
    // Two sets of sums, so that an addition does not wait for the one before.
    let mut sums = [[_mm256_setzero_si256(); 2]; 2];
    let pairs = activations.groups().as_chunks::<2>().0.iter();
    for (groups, weights) in pairs.zip(weights.0.as_chunks::<2>().0) {
        for ((sums, group), weights) in sums.iter_mut().zip(groups).zip(weights) {
            let group = _mm256_set1_epi32(i32::from_le_bytes(*group));
            for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<32>().0) {
                // SAFETY: the array is one vector long; the load needs no alignment.
                let weights = unsafe { _mm256_loadu_si256(weights.as_ptr().cast()) };
                let products = _mm256_madd_epi16(_mm256_maddubs_epi16(group, weights), ones);
                *sum = _mm256_add_epi32(*sum, products);
            }
        }
    }
    let mut result = [0; L2];
    for (vector, result) in result.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let sum = _mm256_add_epi32(sums[0][vector], sums[1][vector]);
        // SAFETY: the array is one vector long; the store needs no alignment.
        unsafe { _mm256_storeu_si256(result.as_mut_ptr().cast(), sum) };
    }
    result
}

/// The sums of the third layer.
#[inline]
#[target_feature(enable = "avx2")]
fn l3_sums(inputs: &[i16; L3_INPUTS], weights: &L3Weights, bias: &[i32; L3]) -> [i32; L3] {
    let mut sums = [_mm256_setzero_si256(); L3 / 8];
    for (sum, bias) in sums.iter_mut().zip(bias.as_chunks::<8>().0) {
        // SAFETY: the array is one vector long; the load needs no alignment.
        *sum = unsafe { _mm256_loadu_si256(bias.as_ptr().cast()) };
    }
    for (pair, weights) in inputs.as_chunks().0.iter().zip(&weights.0) {
        let pair = _mm256_set1_epi32(layers::pair(*pair));
        for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<LANES>().0) {
            // SAFETY: the array is one vector long; the load needs no alignment.
            let weights = unsafe { _mm256_loadu_si256(weights.as_ptr().cast()) };
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pair, weights));
        }
    }
    let mut result = [0; L3];
    for (sum, result) in sums.into_iter().zip(result.as_chunks_mut::<8>().0) {
        // SAFETY: the array is one vector long; the store needs no alignment.
        unsafe { _mm256_storeu_si256(result.as_mut_ptr().cast(), sum) };
    }
    result
}

/// The activations of two rows.
#[inline]
#[target_feature(enable = "avx2")]
fn activate(rows: [&HiddenRow; 2]) -> Activations {
    let (zero, qa) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let half = _mm256_set1_epi16(1 << (ACTIVATION_SHIFT - 1));
    let mut activations = Activations::ZERO;
    for (row, activations) in rows.into_iter().zip(&mut activations.0) {
        for (at, activations) in activations.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            let [low, high] = [0, LANES].map(|next| {
                let clipped =
                    _mm256_max_epi16(_mm256_min_epi16(load(row, at * 32 + next), qa), zero);
                let square = _mm256_add_epi16(_mm256_mullo_epi16(clipped, clipped), half);
                _mm256_srli_epi16::<{ ACTIVATION_SHIFT as i32 }>(square)
            });
            // Packing works on halves of the vectors; the permutation restores the order.
            let packed = _mm256_packus_epi16(low, high);
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
            // SAFETY: the array is one vector long; the store needs no alignment.
            unsafe { _mm256_storeu_si256(activations.as_mut_ptr().cast(), packed) };
        }
    }
    activations
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(row: &HiddenRow, at: usize) -> __m256i {
    let slice = &row.0[at..][..LANES];
    // SAFETY: `slice` is one vector long; rows are aligned to 64 bytes and callers step
    // in whole vectors.
    unsafe { _mm256_load_si256(slice.as_ptr().cast()) }
}
