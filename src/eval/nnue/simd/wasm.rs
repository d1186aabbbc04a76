//! The kernels with the 128-bit vectors of WebAssembly.
//! Invariant: the length of a row is a multiple of that of a vector.

use std::arch::wasm32::*;

use super::super::arch::{ACTIVATION_SHIFT, HIDDEN, L2, L3, QA, QL};
use super::super::layers::{
    self, Activations, DIRECT, L2Weights, LayerStack, QL_BITS, QS_BITS, QW_BITS,
};
pub use super::scalar::products;
use super::{CaptureRow, Feature, HiddenRow, KING_INPUTS, row_kernels};

const LANES: usize = 8;
const REGISTERS: usize = 8;

row_kernels!(v128, i16x8_add, i16x8_sub);

pub fn forward(activations: &Activations, stack: &LayerStack) -> i64 {
    let second = l2_sums(activations, &stack.l2_weights);
    let inputs = l3_inputs(&second, stack);
    let pairs = inputs.as_flattened().as_chunks().0.iter();
    let mut third: [v128; L3 / 4] = load_i32(&stack.l3_bias);
    for (pair, weights) in pairs.zip(&stack.l3_weights.0) {
        let pair = i32x4_splat(layers::pair(*pair));
        for (sum, weights) in third.iter_mut().zip(weights.as_chunks::<LANES>().0) {
            *sum = i32x4_add(*sum, i32x4_dot_i16x8(pair, load(weights)));
        }
    }
    output(&second, &third, stack)
}

#[inline]
fn l2_sums(activations: &Activations, weights: &L2Weights) -> [v128; L2 / 4] {
    // For four neurons at a time, two sums for each of two neurons.
    let mut sums = [[i32x4_splat(0); 2]; L2 / 4];
    for (group, weights) in activations.groups().iter().zip(&weights.0) {
        let group = i16x8_extend_low_i8x16(i32x4_splat(i32::from_le_bytes(*group)));
        for ([low, high], weights) in sums.iter_mut().zip(weights.as_chunks::<16>().0) {
            let weights = load(weights);
            let products = i32x4_dot_i16x8(group, i16x8_extend_low_i8x16(weights));
            *low = i32x4_add(*low, products);
            let products = i32x4_dot_i16x8(group, i16x8_extend_high_i8x16(weights));
            *high = i32x4_add(*high, products);
        }
    }
    sums.map(|[low, high]| {
        let even = i32x4_shuffle::<0, 2, 4, 6>(low, high);
        let odd = i32x4_shuffle::<1, 3, 5, 7>(low, high);
        i32x4_add(even, odd)
    })
}

#[inline]
fn l3_inputs(sums: &[v128; L2 / 4], stack: &LayerStack) -> [[i16; L2]; 2] {
    let bias: [v128; L2 / 4] = load_i32(&stack.l2_bias);
    let active: [v128; L2 / 4] =
        std::array::from_fn(|at| clipped(i32x4_shr(i32x4_add(sums[at], bias[at]), QS_BITS)));
    let mut inputs = [[0; L2]; 2];
    for (inputs, numbers) in inputs.iter_mut().zip([active.map(squared), active]) {
        let vectors = inputs.as_chunks_mut::<LANES>().0.iter_mut();
        for (inputs, [low, high]) in vectors.zip(numbers.as_chunks().0) {
            store(inputs, i16x8_narrow_i32x4(*low, *high));
        }
    }
    inputs
}

#[inline]
fn output(second: &[v128; L2 / 4], third: &[v128; L3 / 4], stack: &LayerStack) -> i64 {
    let mut total = i32x4_splat(0);
    let weights = stack.output_weights.as_chunks::<LANES>().0;
    for ([low, high], weights) in third.as_chunks().0.iter().zip(weights) {
        let [low, high] = [*low, *high].map(|sum| squared(clipped(i32x4_shr(sum, QW_BITS))));
        let products = i32x4_dot_i16x8(i16x8_narrow_i32x4(low, high), load(weights));
        total = i32x4_add(total, products);
    }
    let output = stack.output_bias
        + i32x4_extract_lane::<0>(total)
        + i32x4_extract_lane::<1>(total)
        + i32x4_extract_lane::<2>(total)
        + i32x4_extract_lane::<3>(total);
    let direct = i32x4_extract_lane::<0>(second[0]);
    i64::from(output) + i64::from(direct) * i64::from(DIRECT)
}

#[inline]
fn clipped(numbers: v128) -> v128 {
    i32x4_max(i32x4_min(numbers, i32x4_splat(QL)), i32x4_splat(0))
}

#[inline]
fn squared(active: v128) -> v128 {
    i32x4_shr(i32x4_mul(active, active), QL_BITS)
}

#[inline]
fn store_activations(sums: [v128; REGISTERS], activations: &mut [u8; LANES * REGISTERS]) {
    let (zero, qa) = (i16x8_splat(0), i16x8_splat(QA as i16));
    let half = i16x8_splat(1 << (ACTIVATION_SHIFT - 1));
    let activations = activations.as_chunks_mut::<16>().0;
    for (pair, activations) in sums.as_chunks::<2>().0.iter().zip(activations) {
        let [low, high] = pair.map(|sum| {
            let clipped = i16x8_max(i16x8_min(sum, qa), zero);
            u16x8_shr(i16x8_add(i16x8_mul(clipped, clipped), half), ACTIVATION_SHIFT)
        });
        store(activations, u8x16_narrow_i16x8(low, high));
    }
}

/// A vector of numbers of any size.
#[inline]
fn load<T: Into<i32>, const N: usize>(numbers: &[T; N]) -> v128 {
    const { assert!(size_of::<[T; N]>() == size_of::<v128>()) };
    // SAFETY: the array is one vector long; the load needs no alignment.
    unsafe { v128_load(numbers.as_ptr().cast()) }
}

/// Bytes as a vector of 16-bit numbers.
#[inline]
fn load_bytes(bytes: &[i8; LANES]) -> v128 {
    // SAFETY: the array is half a vector long; the load needs no alignment.
    unsafe { i16x8_load_extend_i8x8(bytes.as_ptr()) }
}

/// Stores a vector as numbers of any size.
#[inline]
fn store<T: From<u8>, const N: usize>(numbers: &mut [T; N], vector: v128) {
    const { assert!(size_of::<[T; N]>() == size_of::<v128>()) };
    // SAFETY: the array is one vector long; the store needs no alignment.
    unsafe { v128_store(numbers.as_mut_ptr().cast(), vector) };
}

#[inline]
fn load_i32<const N: usize, const VECTORS: usize>(numbers: &[i32; N]) -> [v128; VECTORS] {
    const { assert!(N == 4 * VECTORS) };
    let chunks = numbers.as_chunks::<4>().0;
    std::array::from_fn(|vector| load(&chunks[vector]))
}
