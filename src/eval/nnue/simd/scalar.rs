//! The kernels in portable Rust: the reference implementation for the vectorised ones.

use super::super::arch::{HIDDEN, L2, L3, L3_INPUTS};
use super::super::layers::{self, Activations, GROUP, L2Weights, L3Weights, LayerStack};
use super::{CaptureRow, Feature, HiddenRow, KING_INPUTS, PolicyRow, ProductList};

/// Elements processed at a time, few enough for the compiler to keep them in registers.
const BLOCK: usize = 64;
const _: () = assert!(HIDDEN.is_multiple_of(BLOCK));

pub fn update(
    before: &HiddenRow,
    after: &mut HiddenRow,
    weights: &[HiddenRow],
    added: &[Feature],
    removed: &[Feature],
) {
    let blocks = before.0.as_chunks::<BLOCK>().0.iter();
    let results = after.0.as_chunks_mut::<BLOCK>().0;
    for (index, (block, result)) in blocks.zip(results).enumerate() {
        let mut sums = *block;
        let weight_block =
            |feature: &Feature| &weights[feature.index()].0.as_chunks::<BLOCK>().0[index];
        for feature in added {
            for (sum, weight) in sums.iter_mut().zip(weight_block(feature)) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        for feature in removed {
            for (sum, weight) in sums.iter_mut().zip(weight_block(feature)) {
                *sum = sum.wrapping_sub(*weight);
            }
        }
        *result = sums;
    }
}

pub fn forward(activations: &Activations, stack: &LayerStack) -> i64 {
    let second = l2_sums(activations, &stack.l2_weights);
    let inputs = stack.l3_inputs(&second);
    stack.output(&second, &l3_sums(&inputs, &stack.l3_weights, &stack.l3_bias))
}

/// Sets `activations` to those of two rows with the weights of capture and blast inputs.
pub fn activate(
    rows: [&HiddenRow; 2],
    weights: &[CaptureRow],
    captures: [&[Feature]; 2],
    activations: &mut Activations,
) {
    for ((row, captures), activations) in rows.into_iter().zip(captures).zip(&mut activations.0) {
        let mut sums = row.clone();
        for feature in captures {
            let weights = &weights[feature.index() - KING_INPUTS];
            for (sum, weight) in sums.0.iter_mut().zip(weights.0) {
                *sum = sum.wrapping_add(weight.into());
            }
        }
        *activations = sums.0.map(layers::activation);
    }
}

/// The products of the activations and the rows with these indices.
pub fn products(
    activations: &Activations,
    weights: &[PolicyRow],
    rows: &[u16],
    sums: &mut ProductList,
) {
    for row in rows {
        let weights = &weights[usize::from(*row)].0;
        let pairs = activations.0.as_flattened().iter().zip(weights);
        let products =
            pairs.map(|(activation, weight)| i32::from(*activation) * i32::from(*weight));
        sums.push(products.sum());
    }
}

/// The sums of the second layer without biases.
#[inline]
fn l2_sums(activations: &Activations, weights: &L2Weights) -> [i32; L2] {
    let mut sums = [0; L2];
    for (group, weights) in activations.groups().iter().zip(&weights.0) {
        for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<GROUP>().0) {
            for (activation, weight) in group.iter().zip(weights) {
                *sum += i32::from(*activation) * i32::from(*weight);
            }
        }
    }
    sums
}

/// The sums of the third layer.
fn l3_sums(inputs: &[i16; L3_INPUTS], weights: &L3Weights, bias: &[i32; L3]) -> [i32; L3] {
    let mut sums = *bias;
    for (pair, weights) in inputs.as_chunks::<2>().0.iter().zip(&weights.0) {
        for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<2>().0) {
            for (input, weight) in pair.iter().zip(weights) {
                *sum += i32::from(*input) * i32::from(*weight);
            }
        }
    }
    sums
}
