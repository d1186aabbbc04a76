//! The kernels with the 128-bit vectors of 64-bit ARM processors (NEON).
//! Invariant: rows are aligned to the vector size and their length is a multiple of it.

use std::arch::aarch64::*;

use super::super::arch::{ACTIVATION_SHIFT, HIDDEN, L2, L3, L3_INPUTS, QA};
use super::super::layers::{self, Activations, L2Weights, L3Weights, LayerStack};
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
#[target_feature(enable = "neon")]
fn l2_sums(rows: [&HiddenRow; 2], weights: &L2Weights) -> [i32; L2] {
    let activations = activate(rows);
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
    let mut result = [0; L2];
    for ([low, high], result) in sums.into_iter().zip(result.as_chunks_mut::<4>().0) {
        // SAFETY: the array is one vector long.
        unsafe { vst1q_s32(result.as_mut_ptr(), vpaddq_s32(low, high)) };
    }
    result
}

/// The sums of the third layer.
#[inline]
#[target_feature(enable = "neon")]
fn l3_sums(inputs: &[i16; L3_INPUTS], weights: &L3Weights, bias: &[i32; L3]) -> [i32; L3] {
    let mut sums = [vdupq_n_s32(0); L3 / 4];
    for (sum, bias) in sums.iter_mut().zip(bias.as_chunks::<4>().0) {
        // SAFETY: the array is one vector long.
        *sum = unsafe { vld1q_s32(bias.as_ptr()) };
    }
    for (pair, weights) in inputs.as_chunks().0.iter().zip(&weights.0) {
        let pair = vreinterpretq_s16_s32(vdupq_n_s32(layers::pair(*pair)));
        for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<LANES>().0) {
            // SAFETY: the array is one vector long.
            let weights = unsafe { vld1q_s16(weights.as_ptr()) };
            let low = vmull_s16(vget_low_s16(pair), vget_low_s16(weights));
            let high = vmull_high_s16(pair, weights);
            *sum = vaddq_s32(*sum, vpaddq_s32(low, high));
        }
    }
    let mut result = [0; L3];
    for (sum, result) in sums.into_iter().zip(result.as_chunks_mut::<4>().0) {
        // SAFETY: the array is one vector long.
        unsafe { vst1q_s32(result.as_mut_ptr(), sum) };
    }
    result
}

/// The activations of two rows.
#[inline]
#[target_feature(enable = "neon")]
fn activate(rows: [&HiddenRow; 2]) -> Activations {
    let (zero, qa) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
    let half = vdupq_n_u16(1 << (ACTIVATION_SHIFT - 1));
    let mut activations = Activations::ZERO;
    for (row, activations) in rows.into_iter().zip(&mut activations.0) {
        for (at, activations) in activations
            .as_chunks_mut::<LANES>()
            .0
            .iter_mut()
            .enumerate()
        {
            let clipped = vmaxq_s16(vminq_s16(load(row, at * LANES), qa), zero);
            let square = vreinterpretq_u16_s16(vmulq_s16(clipped, clipped));
            let square = vshrq_n_u16::<{ ACTIVATION_SHIFT as i32 }>(vaddq_u16(square, half));
            // SAFETY: the array is one vector of 64 bits long.
            unsafe { vst1_u8(activations.as_mut_ptr(), vmovn_u16(square)) };
        }
    }
    activations
}

#[inline]
#[target_feature(enable = "neon")]
fn load(row: &HiddenRow, at: usize) -> int16x8_t {
    let slice = &row.0[at..][..LANES];
    // SAFETY: `slice` is one vector long.
    unsafe { vld1q_s16(slice.as_ptr()) }
}
