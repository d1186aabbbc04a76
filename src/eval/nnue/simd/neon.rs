//! The kernels with the 128-bit vectors of 64-bit ARM processors (NEON).
//! Invariant: the length of a row is a multiple of that of a vector.

use std::arch::aarch64::*;

use super::super::arch::{ACTIVATION_SHIFT, HIDDEN, L2, L3, QA, QL};
use super::super::layers::{
    self, Activations, DIRECT, L2Weights, LayerStack, QL_BITS, QS_BITS, QW_BITS,
};
pub use super::scalar::products;
use super::{CaptureRow, Feature, HiddenRow, KING_INPUTS, row_kernels};

const LANES: usize = 8;
const REGISTERS: usize = 16;

row_kernels!(
    #[target_feature(enable = "neon")]
    int16x8_t,
    vaddq_s16,
    vsubq_s16
);

#[target_feature(enable = "neon")]
pub fn forward(activations: &Activations, stack: &LayerStack) -> i64 {
    let second = l2_sums(activations, &stack.l2_weights);
    let inputs = l3_inputs(&second, stack);
    let pairs = inputs.as_flattened().as_chunks().0.iter();
    let mut third: [int32x4_t; L3 / 4] = load_i32(&stack.l3_bias);
    for (pair, weights) in pairs.zip(&stack.l3_weights.0) {
        let pair = vreinterpretq_s16_s32(vdupq_n_s32(layers::pair(*pair)));
        for (sum, weights) in third.iter_mut().zip(weights.as_chunks().0) {
            let weights = load(weights);
            let low = vmull_s16(vget_low_s16(pair), vget_low_s16(weights));
            let high = vmull_high_s16(pair, weights);
            *sum = vaddq_s32(*sum, vpaddq_s32(low, high));
        }
    }
    output(&second, &third, stack)
}

#[inline]
#[target_feature(enable = "neon")]
fn l2_sums(activations: &Activations, weights: &L2Weights) -> [int32x4_t; L2 / 4] {
    // For four neurons at a time, two sums for each of two neurons.
    let mut sums = [[vdupq_n_s32(0); 2]; L2 / 4];
    for (group, weights) in activations.groups().iter().zip(&weights.0) {
        let group = vreinterpretq_s8_s32(vdupq_n_s32(i32::from_le_bytes(*group)));
        for ([low, high], weights) in sums.iter_mut().zip(weights.as_chunks::<16>().0) {
            // SAFETY: the array is one vector long.
            let weights = unsafe { vld1q_s8(weights.as_ptr()) };
            let products = vmull_s8(vget_low_s8(group), vget_low_s8(weights));
            *low = vpadalq_s16(*low, products);
            *high = vpadalq_s16(*high, vmull_high_s8(group, weights));
        }
    }
    sums.map(|[low, high]| vpaddq_s32(low, high))
}

#[inline]
#[target_feature(enable = "neon")]
fn l3_inputs(sums: &[int32x4_t; L2 / 4], stack: &LayerStack) -> [[i16; L2]; 2] {
    let bias: [int32x4_t; L2 / 4] = load_i32(&stack.l2_bias);
    let mut inputs = [[0; L2]; 2];
    let [squares, actives] = inputs.each_mut().map(|row| row.as_chunks_mut::<4>().0);
    for (at, (squares, actives)) in squares.iter_mut().zip(actives).enumerate() {
        let sum = vaddq_s32(sums[at], bias[at]);
        let active = clipped(vshrq_n_s32::<{ QS_BITS as i32 }>(sum));
        // SAFETY: the arrays are one vector of 64 bits long.
        unsafe {
            vst1_s16(squares.as_mut_ptr(), vmovn_s32(squared(active)));
            vst1_s16(actives.as_mut_ptr(), vmovn_s32(active));
        }
    }
    inputs
}

#[inline]
#[target_feature(enable = "neon")]
fn output(second: &[int32x4_t; L2 / 4], third: &[int32x4_t; L3 / 4], stack: &LayerStack) -> i64 {
    let mut total = vdupq_n_s32(0);
    let weights = stack.output_weights.as_chunks::<4>().0;
    for (sum, weights) in third.iter().zip(weights) {
        let active = squared(clipped(vshrq_n_s32::<{ QW_BITS as i32 }>(*sum)));
        // SAFETY: the array is one vector of 64 bits long.
        let weights = unsafe { vld1_s16(weights.as_ptr()) };
        total = vmlal_s16(total, vmovn_s32(active), weights);
    }
    let output = stack.output_bias + vaddvq_s32(total);
    let direct = vgetq_lane_s32::<0>(second[0]);
    i64::from(output) + i64::from(direct) * i64::from(DIRECT)
}

#[inline]
#[target_feature(enable = "neon")]
fn clipped(numbers: int32x4_t) -> int32x4_t {
    vmaxq_s32(vminq_s32(numbers, vdupq_n_s32(QL)), vdupq_n_s32(0))
}

#[inline]
#[target_feature(enable = "neon")]
fn squared(active: int32x4_t) -> int32x4_t {
    vshrq_n_s32::<{ QL_BITS as i32 }>(vmulq_s32(active, active))
}

#[inline]
#[target_feature(enable = "neon")]
fn store_activations(sums: [int16x8_t; REGISTERS], activations: &mut [u8; LANES * REGISTERS]) {
    let (zero, qa) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
    let half = vdupq_n_u16(1 << (ACTIVATION_SHIFT - 1));
    let activations = activations.as_chunks_mut::<LANES>().0;
    for (sum, activations) in sums.into_iter().zip(activations) {
        let clipped = vmaxq_s16(vminq_s16(sum, qa), zero);
        let square = vreinterpretq_u16_s16(vmulq_s16(clipped, clipped));
        let square = vshrq_n_u16::<{ ACTIVATION_SHIFT as i32 }>(vaddq_u16(square, half));
        // SAFETY: the array is one vector of 64 bits long.
        unsafe { vst1_u8(activations.as_mut_ptr(), vmovn_u16(square)) };
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn load(numbers: &[i16; LANES]) -> int16x8_t {
    // SAFETY: the array is one vector long.
    unsafe { vld1q_s16(numbers.as_ptr()) }
}

/// Bytes as a vector of 16-bit numbers.
#[inline]
#[target_feature(enable = "neon")]
fn load_bytes(bytes: &[i8; LANES]) -> int16x8_t {
    // SAFETY: the array is half a vector long.
    vmovl_s8(unsafe { vld1_s8(bytes.as_ptr()) })
}

#[inline]
#[target_feature(enable = "neon")]
fn store(numbers: &mut [i16; LANES], vector: int16x8_t) {
    // SAFETY: the array is one vector long.
    unsafe { vst1q_s16(numbers.as_mut_ptr(), vector) };
}

#[inline]
#[target_feature(enable = "neon")]
fn load_i32<const N: usize, const VECTORS: usize>(numbers: &[i32; N]) -> [int32x4_t; VECTORS] {
    const { assert!(N == 4 * VECTORS) };
    let chunks = numbers.as_chunks::<4>().0;
    // SAFETY: the array is one vector long.
    std::array::from_fn(|vector| unsafe { vld1q_s32(chunks[vector].as_ptr()) })
}
