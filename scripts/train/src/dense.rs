//! The layers behind the second one, for each output bucket: its activations, the third layer and
//! the output.
//! Invariant: a gradient is the sum of those of chunks of fixed size, so that it does not depend on
//! the number of threads.

use brisance::data::expected_score;
use brisance::eval::nnue::{
    L2, L2Weights, L3, L3_INPUTS, L3Weights, LayerStack, MAX_L3_WEIGHT, MAX_OUTPUT_WEIGHT,
    OUTPUT_BUCKETS, QL, QS, QW,
};
use rayon::prelude::*;

use crate::batch::Batch;
use brisance_train::tensor::{AnyTensor, Tensor, Update};

/// Bound of a weight of the third layer in the engine's file.
const L3_BOUND: f32 = MAX_L3_WEIGHT as f32 / QW as f32;
/// Bound of an output weight in the engine's file.
const OUTPUT_BOUND: f32 = MAX_OUTPUT_WEIGHT as f32 / QW as f32;
/// Bound of a bias; the engine's file allows more.
const BIAS_BOUND: f32 = 10.0;
/// First bias of the neurons of the second and third layer, so that they are active.
const FIRST_BIAS: f32 = 0.3;
/// Positions whose gradients one thread sums.
const CHUNK: usize = 1024;

/// The parameters, by output bucket.
pub struct Dense {
    l2_bias: Tensor<L2>,
    /// By bucket and input.
    l3_weights: Tensor<L3>,
    l3_bias: Tensor<L3>,
    output_weights: Tensor<L3>,
    output_bias: Tensor<1>,
}

/// What is computed for a position.
struct Forward {
    /// Inputs of the third layer.
    inputs: [f32; L3_INPUTS],
    /// Sums of the third layer.
    third: [f32; L3],
    output: f32,
}

/// The gradients of some positions, and the sum of their squared errors.
struct Gradients {
    l2_bias: Vec<[f32; L2]>,
    l3_weights: Vec<[f32; L3]>,
    l3_bias: Vec<[f32; L3]>,
    output_weights: Vec<[f32; L3]>,
    output_bias: Vec<[f32; 1]>,
    loss: f64,
}

impl Dense {
    /// Creates layers with small random weights.
    pub fn new(rng: &mut fastrand::Rng) -> Dense {
        let mut uniform = |bound: f32| (rng.f32() * 2.0 - 1.0) * bound;
        Dense {
            l2_bias: Tensor::new(OUTPUT_BUCKETS, || FIRST_BIAS),
            l3_weights: Tensor::new(OUTPUT_BUCKETS * L3_INPUTS, || {
                uniform(1.0 / (L3_INPUTS as f32).sqrt())
            }),
            l3_bias: Tensor::new(OUTPUT_BUCKETS, || FIRST_BIAS),
            output_weights: Tensor::new(OUTPUT_BUCKETS, || uniform(1.0 / (L3 as f32).sqrt())),
            output_bias: Tensor::new(OUTPUT_BUCKETS, || 0.0),
        }
    }

    /// The output in units of the scale, for the sums of the second layer without biases.
    pub fn output(&self, bucket: usize, sums: &[f32; L2]) -> f32 {
        self.forward(bucket, sums).output
    }

    fn forward(&self, bucket: usize, sums: &[f32; L2]) -> Forward {
        let mut inputs = [0.0; L3_INPUTS];
        for at in 0..L2 {
            let active = (sums[at] + self.l2_bias.value[bucket][at]).clamp(0.0, 1.0);
            (inputs[at], inputs[L2 + at]) = (active * active, active);
        }
        let mut third = self.l3_bias.value[bucket];
        let weights = &self.l3_weights.value[bucket * L3_INPUTS..][..L3_INPUTS];
        for (input, weights) in inputs.iter().zip(weights) {
            for at in 0..L3 {
                third[at] += input * weights[at];
            }
        }
        // The first neuron of the second layer also counts directly.
        let mut output = self.output_bias.value[bucket][0] + sums[0];
        for (sum, weight) in third.iter().zip(&self.output_weights.value[bucket]) {
            let active = sum.clamp(0.0, 1.0);
            output += active * active * weight;
        }
        Forward { inputs, third, output }
    }

    /// Adds the gradients of a batch, given the sums of the second layer. Returns the derivative of
    /// the loss by each of these sums, and the sum of the squared errors.
    pub fn learn(&mut self, batch: &Batch, mut sums: Vec<[f32; L2]>) -> (Vec<[f32; L2]>, f64) {
        let chunks = sums.par_chunks_mut(CHUNK).enumerate();
        let parts: Vec<Gradients> = chunks
            .map(|(chunk, sums)| {
                let mut gradients = self.gradients();
                for (at, sums) in sums.iter_mut().enumerate() {
                    self.backward(batch, chunk * CHUNK + at, sums, &mut gradients);
                }
                gradients
            })
            .collect();
        let mut loss = 0.0;
        for part in parts {
            loss += part.loss;
            add(&mut self.l2_bias.gradient, &part.l2_bias);
            add(&mut self.l3_weights.gradient, &part.l3_weights);
            add(&mut self.l3_bias.gradient, &part.l3_bias);
            add(&mut self.output_weights.gradient, &part.output_weights);
            add(&mut self.output_bias.gradient, &part.output_bias);
        }
        (sums, loss)
    }

    fn gradients(&self) -> Gradients {
        Gradients {
            l2_bias: vec![[0.0; L2]; OUTPUT_BUCKETS],
            l3_weights: vec![[0.0; L3]; OUTPUT_BUCKETS * L3_INPUTS],
            l3_bias: vec![[0.0; L3]; OUTPUT_BUCKETS],
            output_weights: vec![[0.0; L3]; OUTPUT_BUCKETS],
            output_bias: vec![[0.0; 1]; OUTPUT_BUCKETS],
            loss: 0.0,
        }
    }

    /// Adds the gradients of a position and replaces the sums by the derivatives of the loss.
    fn backward(&self, batch: &Batch, at: usize, sums: &mut [f32; L2], gradients: &mut Gradients) {
        let bucket = usize::from(batch.buckets[at]);
        let forward = self.forward(bucket, sums);
        let score = expected_score(forward.output);
        let error = score - batch.targets[at];
        gradients.loss += f64::from(error * error);
        let slope = 2.0 * error * score * (1.0 - score) / batch.len() as f32;
        gradients.output_bias[bucket][0] += slope;
        let mut third = forward.third;
        for (at, sum) in third.iter_mut().enumerate() {
            let active = sum.clamp(0.0, 1.0);
            gradients.output_weights[bucket][at] += slope * active * active;
            let through = slope * self.output_weights.value[bucket][at] * 2.0 * active;
            *sum = if active == *sum { through } else { 0.0 };
            gradients.l3_bias[bucket][at] += *sum;
        }
        let mut inputs = [0.0; L3_INPUTS];
        let weights = &self.l3_weights.value[bucket * L3_INPUTS..][..L3_INPUTS];
        let rows = &mut gradients.l3_weights[bucket * L3_INPUTS..][..L3_INPUTS];
        for input in 0..L3_INPUTS {
            let mut parts = [0.0; L3];
            for at in 0..L3 {
                rows[input][at] += forward.inputs[input] * third[at];
                parts[at] = weights[input][at] * third[at];
            }
            inputs[input] = parts.iter().sum();
        }
        for neuron in 0..L2 {
            let sum = sums[neuron] + self.l2_bias.value[bucket][neuron];
            let active = sum.clamp(0.0, 1.0);
            let through = inputs[neuron] * 2.0 * active + inputs[L2 + neuron];
            let inner = if active == sum { through } else { 0.0 };
            gradients.l2_bias[bucket][neuron] += inner;
            sums[neuron] = inner + if neuron == 0 { slope } else { 0.0 };
        }
    }

    /// Updates all parameters.
    pub fn update(&mut self, update: Update) {
        self.l2_bias.update(update, BIAS_BOUND);
        self.l3_weights.update(update, L3_BOUND);
        self.l3_bias.update(update, BIAS_BOUND);
        self.output_weights.update(update, OUTPUT_BOUND);
        self.output_bias.update(update, BIAS_BOUND);
    }

    /// All parameters.
    pub fn tensors(&mut self) -> [&mut dyn AnyTensor; 5] {
        [
            &mut self.l2_bias,
            &mut self.l3_weights,
            &mut self.l3_bias,
            &mut self.output_weights,
            &mut self.output_bias,
        ]
    }

    /// Sets the parameters of an output bucket to those of a quantised stack.
    pub fn set(&mut self, bucket: usize, stack: &LayerStack) {
        let weight = |weight: i16| f32::from(weight) / QW as f32;
        let bias = |bias: i32| bias as f32 / (QL * QW) as f32;
        let l3_weights = &mut self.l3_weights.value[bucket * L3_INPUTS..][..L3_INPUTS];
        for (input, row) in l3_weights.iter_mut().enumerate() {
            *row = std::array::from_fn(|neuron| weight(stack.l3_weights.get(input, neuron)));
        }
        self.l2_bias.value[bucket] = stack.l2_bias.map(|bias| bias as f32 / QS as f32);
        self.l3_bias.value[bucket] = stack.l3_bias.map(bias);
        self.output_weights.value[bucket] = stack.output_weights.map(weight);
        self.output_bias.value[bucket] = [bias(stack.output_bias)];
    }

    /// The quantised layers of an output bucket behind these weights of the second layer.
    pub fn quantised(&self, bucket: usize, l2_weights: L2Weights) -> LayerStack {
        let whole = |value: f32, unit: i32| (value * unit as f32).round_ties_even();
        let weight = |value: f32| whole(value, QW) as i16;
        let bias = |value: f32| whole(value, QL * QW) as i32;
        let l3_weights = &self.l3_weights.value[bucket * L3_INPUTS..];
        LayerStack {
            l2_weights,
            l2_bias: self.l2_bias.value[bucket].map(|value| whole(value, QS) as i32),
            l3_weights: L3Weights::new(&std::array::from_fn(|input| l3_weights[input].map(weight))),
            l3_bias: self.l3_bias.value[bucket].map(bias),
            output_weights: self.output_weights.value[bucket].map(weight),
            output_bias: bias(self.output_bias.value[bucket][0]),
        }
    }
}

fn add<const N: usize>(sums: &mut [[f32; N]], others: &[[f32; N]]) {
    for (sums, others) in sums.iter_mut().zip(others) {
        for at in 0..N {
            sums[at] += others[at];
        }
    }
}

#[cfg(test)]
mod tests {
    use brisance::data::Sample;
    use brisance::rules::{Position, Variant};

    use super::*;
    use crate::batch::Blend;

    /// Positions of two output buckets.
    fn batch() -> Batch {
        let mut rng = fastrand::Rng::with_seed(2);
        let mut samples = vec![];
        let mut pos = Position::startpos(Variant::Atomic);
        for ply in 0..64 {
            samples.push(Sample::new(&pos, rng.f32(), None, ply));
            if ply == 31 {
                let text = "4k3/8/8/3n4/8/8/8/R3K3 w - - 0 1";
                pos = brisance::notation::fen::parse(text, Variant::Atomic).unwrap();
            }
        }
        Batch::new(&samples, Blend(0.0))
    }

    fn loss(dense: &Dense, batch: &Batch, sums: &[[f32; L2]]) -> f64 {
        let error = |(at, sums): (usize, &[f32; L2])| {
            let output = dense.output(usize::from(batch.buckets[at]), sums);
            f64::from(expected_score(output) - batch.targets[at]).powi(2)
        };
        sums.iter().enumerate().map(error).sum::<f64>() / batch.len() as f64
    }

    /// The derivatives of the loss by `count` numbers: `change` adds to one of them and returns the
    /// new loss.
    fn measured(change: &mut dyn FnMut(usize, f32) -> f64, count: usize) -> Vec<f64> {
        const SMALL: f32 = 1e-3;
        let slope = |at| {
            let up = change(at, SMALL);
            let down = change(at, -2.0 * SMALL);
            change(at, SMALL);
            (up - down) / f64::from(2.0 * SMALL)
        };
        (0..count).map(slope).collect()
    }

    fn assert_close(name: &str, gradient: &[f32], measured: &[f64]) {
        let pairs = gradient.iter().zip(measured);
        let error: f64 = pairs.map(|(one, other)| (f64::from(*one) - other).abs()).sum();
        let all: f64 = measured.iter().map(|slope| slope.abs()).sum();
        assert!(all > 1e-3 && error < 0.02 * all, "{name}: {error} of {all}");
    }

    #[test]
    fn gradients_are_those_of_the_loss() {
        let batch = batch();
        let mut rng = fastrand::Rng::with_seed(1);
        let mut dense = Dense::new(&mut rng);
        let mut sums = vec![[0.0; L2]; batch.len()];
        sums.as_flattened_mut().fill_with(|| rng.f32() - 0.3);
        let (slopes, _) = dense.learn(&batch, sums.clone());
        macro_rules! check {
            ($tensor:ident) => {
                let gradient = dense.$tensor.gradient.as_flattened().to_vec();
                let mut change = |at: usize, by: f32| {
                    dense.$tensor.value.as_flattened_mut()[at] += by;
                    loss(&dense, &batch, &sums)
                };
                let measured = measured(&mut change, gradient.len());
                assert_close(stringify!($tensor), &gradient, &measured);
            };
        }
        check!(l2_bias);
        check!(l3_weights);
        check!(l3_bias);
        check!(output_weights);
        check!(output_bias);
        let mut change = |at: usize, by: f32| {
            sums.as_flattened_mut()[at] += by;
            loss(&dense, &batch, &sums)
        };
        let measured = measured(&mut change, slopes.as_flattened().len());
        assert_close("sums", slopes.as_flattened(), &measured);
    }
}
