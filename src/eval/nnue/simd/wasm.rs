//! The kernels with the 128-bit vectors of WebAssembly.
//! Invariant: rows are aligned to the vector size and their length is a multiple of it.

use std::arch::wasm32::*;

use super::super::arch::{ACTIVATION_SHIFT, HIDDEN, L2, L3, L3_INPUTS, QA};
use super::super::layers::{self, Activations, L2Weights, L3Weights, LayerStack};
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
fn l2_sums(rows: [&HiddenRow; 2], weights: &L2Weights) -> [i32; L2] {
    let activations = activate(rows);
    // For four neurons at a time, two sums for each of two neurons.
    let mut sums = [[i32x4_splat(0); 2]; L2 / 4];
    for (group, weights) in activations.groups().iter().zip(&weights.0) {
        let group = i16x8_extend_low_i8x16(i32x4_splat(i32::from_le_bytes(*group)));
        for ([low, high], weights) in sums.iter_mut().zip(weights.as_chunks::<16>().0) {
            // SAFETY: the array is one vector long; the load needs no alignment.
            let weights = unsafe { v128_load(weights.as_ptr().cast()) };
            let products = i32x4_dot_i16x8(group, i16x8_extend_low_i8x16(weights));
            *low = i32x4_add(*low, products);
            let products = i32x4_dot_i16x8(group, i16x8_extend_high_i8x16(weights));
            *high = i32x4_add(*high, products);
        }
    }
    let mut result = [0; L2];
    for ([low, high], result) in sums.into_iter().zip(result.as_chunks_mut::<4>().0) {
        let even = i32x4_shuffle::<0, 2, 4, 6>(low, high);
        let odd = i32x4_shuffle::<1, 3, 5, 7>(low, high);
        // SAFETY: the array is one vector long; the store needs no alignment.
        unsafe { v128_store(result.as_mut_ptr().cast(), i32x4_add(even, odd)) };
    }
    result
}

/// The sums of the third layer.
#[inline]
fn l3_sums(inputs: &[i16; L3_INPUTS], weights: &L3Weights, bias: &[i32; L3]) -> [i32; L3] {
    let mut sums = [i32x4_splat(0); L3 / 4];
    for (sum, bias) in sums.iter_mut().zip(bias.as_chunks::<4>().0) {
        // SAFETY: the array is one vector long; the load needs no alignment.
        *sum = unsafe { v128_load(bias.as_ptr().cast()) };
    }
    for (pair, weights) in inputs.as_chunks().0.iter().zip(&weights.0) {
        let pair = i32x4_splat(layers::pair(*pair));
        for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<LANES>().0) {
            // SAFETY: the array is one vector long; the load needs no alignment.
            let weights = unsafe { v128_load(weights.as_ptr().cast()) };
            *sum = i32x4_add(*sum, i32x4_dot_i16x8(pair, weights));
        }
    }
    let mut result = [0; L3];
    for (sum, result) in sums.into_iter().zip(result.as_chunks_mut::<4>().0) {
        // SAFETY: the array is one vector long; the store needs no alignment.
        unsafe { v128_store(result.as_mut_ptr().cast(), sum) };
    }
    result
}

/// The activations of two rows.
#[inline]
fn activate(rows: [&HiddenRow; 2]) -> Activations {
    let (zero, qa) = (i16x8_splat(0), i16x8_splat(QA as i16));
    let half = i16x8_splat(1 << (ACTIVATION_SHIFT - 1));
    let mut activations = Activations::ZERO;
    for (row, activations) in rows.into_iter().zip(&mut activations.0) {
        for (at, activations) in activations.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let [low, high] = [0, LANES].map(|next| {
                let clipped = i16x8_max(i16x8_min(load(row, at * 16 + next), qa), zero);
                u16x8_shr(
                    i16x8_add(i16x8_mul(clipped, clipped), half),
                    ACTIVATION_SHIFT,
                )
            });
            // SAFETY: the array is one vector long; the store needs no alignment.
            unsafe {
                v128_store(
                    activations.as_mut_ptr().cast(),
                    u8x16_narrow_i16x8(low, high),
                )
            };
        }
    }
    activations
}

#[inline]
fn load(row: &HiddenRow, at: usize) -> v128 {
    let slice = &row.0[at..][..LANES];
    // SAFETY: `slice` is one vector long; the load needs no alignment.
    unsafe { v128_load(slice.as_ptr().cast()) }
}
