//! The layers behind the hidden one: squared clipped activations, the second and third layer and the
//! output.
//! Invariant: integer arithmetic without overflow, so that the value does not depend on the order of
//! the additions.

use super::arch::{ACTIVATION_SHIFT, HIDDEN, L2, L3, L3_INPUTS, QA, QL, QS, QW};

/// The shift from the unit of the sums of the second layer to that of the third.
pub const QS_BITS: u32 = (QS / QL).ilog2();
/// The shift from the unit of the squares of activations to that of the activations.
pub const QL_BITS: u32 = QL.ilog2();
/// The shift from the unit of the sums of the third layer to that of its activations.
pub const QW_BITS: u32 = QW.ilog2();
/// The factor by which the first sum of the second layer counts in the output.
pub const DIRECT: i32 = QW * QL / QS;

/// Activations whose weights lie side by side.
pub const GROUP: usize = 4;
/// Groups of activations of both perspectives.
pub const GROUPS: usize = 2 * HIDDEN / GROUP;
const _: () = assert!(HIDDEN.is_multiple_of(GROUP));

/// The activations of both perspectives, the side to move's first, from 0 to
/// [`ACTIVATION_UNIT`](super::arch::ACTIVATION_UNIT).
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Activations(pub [[u8; HIDDEN]; 2]);

impl Activations {
    pub(super) const ZERO: Activations = Activations([[0; HIDDEN]; 2]);

    #[inline]
    pub(super) fn groups(&self) -> &[[u8; GROUP]] {
        self.0.as_flattened().as_chunks().0
    }
}

/// Weights of the second layer, by group of activations, neuron and activation, in units of
/// 127/[`QS`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct L2Weights(pub(super) [[i8; L2 * GROUP]; GROUPS]);

impl L2Weights {
    /// From weights by activation, the side to move's first, then by neuron.
    pub fn new(weights: &[[i8; L2]; 2 * HIDDEN]) -> L2Weights {
        L2Weights(std::array::from_fn(|group| {
            std::array::from_fn(|at| weights[group * GROUP + at % GROUP][at / GROUP])
        }))
    }

    /// The weight of an activation for a neuron.
    ///
    /// # Panics
    /// When there is no such activation or neuron.
    pub fn get(&self, activation: usize, neuron: usize) -> i8 {
        self.0[activation / GROUP][neuron * GROUP + activation % GROUP]
    }
}

/// Weights of the third layer, by pair of inputs, neuron and input, in units of 1/[`QW`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct L3Weights(pub(super) [[i16; 2 * L3]; L3_INPUTS / 2]);

impl L3Weights {
    /// From weights by input, then by neuron.
    pub fn new(weights: &[[i16; L3]; L3_INPUTS]) -> L3Weights {
        L3Weights(std::array::from_fn(|pair| {
            std::array::from_fn(|at| weights[pair * 2 + at % 2][at / 2])
        }))
    }

    /// The weight of an input for a neuron.
    ///
    /// # Panics
    /// When there is no such input or neuron.
    pub fn get(&self, input: usize, neuron: usize) -> i16 {
        self.0[input / 2][neuron * 2 + input % 2]
    }
}

/// The parameters of the layers behind the hidden one, for one output bucket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayerStack {
    /// Weights of the second layer.
    pub l2_weights: L2Weights,
    /// Biases of the second layer in units of 1/[`QS`].
    pub l2_bias: [i32; L2],
    /// Weights of the third layer.
    pub l3_weights: L3Weights,
    /// Biases of the third layer in units of 1/([`QL`]·[`QW`]).
    pub l3_bias: [i32; L3],
    /// Weights of the output in units of 1/[`QW`].
    pub output_weights: [i16; L3],
    /// Bias of the output in units of 1/([`QL`]·[`QW`]).
    pub output_bias: i32,
}

impl LayerStack {
    /// The inputs of the third layer for the sums of the second without biases.
    #[inline]
    pub(super) fn l3_inputs(&self, sums: &[i32; L2]) -> [i16; L3_INPUTS] {
        let mut inputs = [0; L3_INPUTS];
        for neuron in 0..L2 {
            let sum = sums[neuron] + self.l2_bias[neuron];
            let active = (sum >> QS_BITS).clamp(0, QL);
            inputs[neuron] = ((active * active) >> QL_BITS) as i16;
            inputs[L2 + neuron] = active as i16;
        }
        inputs
    }

    /// The output in units of 1/([`QL`]·[`QW`]) for the sums of the second layer without biases and
    /// those of the third.
    #[inline]
    pub(super) fn output(&self, second: &[i32; L2], third: &[i32; L3]) -> i64 {
        let mut output = self.output_bias;
        for (sum, weight) in third.iter().zip(&self.output_weights) {
            let active = (sum >> QW_BITS).clamp(0, QL);
            output += ((active * active) >> QL_BITS) * i32::from(*weight);
        }
        // The first neuron of the second layer also counts directly.
        i64::from(output) + i64::from(second[0]) * i64::from(DIRECT)
    }
}

/// Two inputs of the third layer as one number, as they lie in memory.
#[inline(always)]
pub fn pair(inputs: [i16; 2]) -> i32 {
    let [[a, b], [c, d]] = inputs.map(i16::to_le_bytes);
    i32::from_le_bytes([a, b, c, d])
}

/// The squared clipped activation of a hidden neuron, from 0 to 127.
#[inline]
pub fn activation(value: i16) -> u8 {
    let clipped = i32::from(value).clamp(0, QA);
    ((clipped * clipped + (1 << (ACTIVATION_SHIFT - 1))) >> ACTIVATION_SHIFT) as u8
}
