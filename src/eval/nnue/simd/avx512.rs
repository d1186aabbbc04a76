//! The kernels with 512-bit vectors.
//! Invariant: rows are aligned to the vector size and their length is a multiple of it.

use std::arch::x86_64::*;

use super::super::arch::{ACTIVATION_SHIFT, HIDDEN, L2, L3, L3_INPUTS, QA};
use super::super::layers::{self, Activations, GROUP, L2Weights, L3Weights, LayerStack};
use super::{Feature, HiddenRow};

/// 16-bit elements of a vector.
const LANES: usize = 32;
/// Vectors kept in registers while weight rows are added to them.
const REGISTERS: usize = 8;
const _: () = assert!(HIDDEN.is_multiple_of(LANES * REGISTERS));
/// Independent sums, so that an addition does not wait for the one before.
const CHAINS: usize = 4;
// The weights of a group of activations are one vector.
const _: () = assert!(L2 * GROUP == 64);

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn update(
    before: &HiddenRow,
    after: &mut HiddenRow,
    weights: &[HiddenRow],
    added: &[Feature],
    removed: &[Feature],
) {
    for start in (0..HIDDEN).step_by(LANES * REGISTERS) {
        let at = |vector: usize| start + vector * LANES;
        let mut sums: [__m512i; REGISTERS] = std::array::from_fn(|vector| load(before, at(vector)));
        for feature in added {
            let row = &weights[feature.index()];
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_add_epi16(*sum, load(row, at(vector)));
            }
        }
        for feature in removed {
            let row = &weights[feature.index()];
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_sub_epi16(*sum, load(row, at(vector)));
            }
        }
        for (vector, sum) in sums.into_iter().enumerate() {
            let slice = &mut after.0[at(vector)..][..LANES];
            // SAFETY: `slice` is one vector long; rows are aligned to 64 bytes and `at`
            // steps in whole vectors.
            unsafe { _mm512_store_si512(slice.as_mut_ptr().cast(), sum) };
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
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
#[target_feature(enable = "avx512f,avx512bw")]
fn l2_sums(rows: [&HiddenRow; 2], weights: &L2Weights) -> [i32; L2] {
    let activations = activate(rows);
    let ones = _mm512_set1_epi16(1);
    let mut sums = [_mm512_setzero_si512(); CHAINS];
    let chunks = activations.groups().as_chunks::<CHAINS>().0.iter();
    for (groups, weights) in chunks.zip(weights.0.as_chunks::<CHAINS>().0) {
        for ((sum, group), weights) in sums.iter_mut().zip(groups).zip(weights) {
            let group = _mm512_set1_epi32(i32::from_le_bytes(*group));
            let products = _mm512_maddubs_epi16(group, load_weights(weights));
            *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(products, ones));
        }
    }
    total(sums)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn forward_vnni(rows: [&HiddenRow; 2], stack: &LayerStack) -> i64 {
    let second = l2_sums_vnni(rows, &stack.l2_weights);
    let inputs = stack.l3_inputs(&second);
    stack.output(
        &second,
        &l3_sums(&inputs, &stack.l3_weights, &stack.l3_bias),
    )
}

/// The sums of the second layer without biases, by VNNI.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn l2_sums_vnni(rows: [&HiddenRow; 2], weights: &L2Weights) -> [i32; L2] {
    let activations = activate(rows);
    let mut sums = [_mm512_setzero_si512(); CHAINS];
    let chunks = activations.groups().as_chunks::<CHAINS>().0.iter();
    for (groups, weights) in chunks.zip(weights.0.as_chunks::<CHAINS>().0) {
        for ((sum, group), weights) in sums.iter_mut().zip(groups).zip(weights) {
            let group = _mm512_set1_epi32(i32::from_le_bytes(*group));
            *sum = _mm512_dpbusd_epi32(*sum, group, load_weights(weights));
        }
    }
    total(sums)
}

/// The sums of the third layer.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn l3_sums(inputs: &[i16; L3_INPUTS], weights: &L3Weights, bias: &[i32; L3]) -> [i32; L3] {
    let mut sums = [_mm512_setzero_si512(); L3 / 16];
    for (sum, bias) in sums.iter_mut().zip(bias.as_chunks::<16>().0) {
        // SAFETY: the array is one vector long; the load needs no alignment.
        *sum = unsafe { _mm512_loadu_si512(bias.as_ptr().cast()) };
    }
    for (pair, weights) in inputs.as_chunks().0.iter().zip(&weights.0) {
        let pair = _mm512_set1_epi32(layers::pair(*pair));
        for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<LANES>().0) {
            // SAFETY: the array is one vector long; the load needs no alignment.
            let weights = unsafe { _mm512_loadu_si512(weights.as_ptr().cast()) };
            *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(pair, weights));
        }
    }
    let mut result = [0; L3];
    for (sum, result) in sums.into_iter().zip(result.as_chunks_mut::<16>().0) {
        // SAFETY: the array is one vector long; the store needs no alignment.
        unsafe { _mm512_storeu_si512(result.as_mut_ptr().cast(), sum) };
    }
    result
}

/// The activations of two rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn activate(rows: [&HiddenRow; 2]) -> Activations {
    let (zero, qa) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let half = _mm512_set1_epi16(1 << (ACTIVATION_SHIFT - 1));
    let mut activations = Activations::ZERO;
    for (row, activations) in rows.into_iter().zip(&mut activations.0) {
        for (at, activations) in activations
            .as_chunks_mut::<LANES>()
            .0
            .iter_mut()
            .enumerate()
        {
            let clipped = _mm512_max_epi16(_mm512_min_epi16(load(row, at * LANES), qa), zero);
            let square = _mm512_add_epi16(_mm512_mullo_epi16(clipped, clipped), half);
            let bytes = _mm512_cvtepi16_epi8(_mm512_srli_epi16::<ACTIVATION_SHIFT>(square));
            // SAFETY: the array is one vector of 256 bits long; the store needs no alignment.
            unsafe { _mm256_storeu_si256(activations.as_mut_ptr().cast(), bytes) };
        }
    }
    activations
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn total([a, b, c, d]: [__m512i; CHAINS]) -> [i32; L2] {
    let sum = _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d));
    let mut result = [0; L2];
    // SAFETY: the array is one vector long; the store needs no alignment.
    unsafe { _mm512_storeu_si512(result.as_mut_ptr().cast(), sum) };
    result
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_weights(weights: &[i8; L2 * GROUP]) -> __m512i {
    // SAFETY: the array is one vector long; the load needs no alignment.
    unsafe { _mm512_loadu_si512(weights.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(row: &HiddenRow, at: usize) -> __m512i {
    let slice = &row.0[at..][..LANES];
    // SAFETY: `slice` is one vector long; rows are aligned to 64 bytes and callers step
    // in whole vectors.
    unsafe { _mm512_load_si512(slice.as_ptr().cast()) }
}
