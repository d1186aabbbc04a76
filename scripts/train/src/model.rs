//! The network in floating point, split into slices of hidden neurons. One thread at a time works on
//! a slice, so that the sums do not depend on the number of threads.
//! Invariant: an input weight is the sum of a weight shared by all king buckets and one of its
//! bucket; the export writes the sum.

use std::io::{self, Read, Write};

use brisance::eval::nnue::{
    ACTIVATION_UNIT, BUCKET_INPUTS, HIDDEN, HiddenRow, INPUTS, KING_BUCKETS, KING_INPUTS, L2,
    L2Weights, LayerStack, MAX_CAPTURE_WEIGHT, MAX_L2_WEIGHT, Network, OUTPUT_BUCKETS, QA, QS,
};
use rayon::prelude::*;

use crate::batch::Batch;
use crate::dense::Dense;
use brisance_train::tensor::{AnyTensor, Step, Tensor, Update};

/// Hidden neurons per slice; weights and gradients of one king bucket fit the cache.
pub const LANES: usize = 64;
const _: () = assert!(HIDDEN.is_multiple_of(LANES) && LANES.is_power_of_two());
const SHARED: usize = BUCKET_INPUTS;
/// Bound of the two parts of an input weight: 32 pieces cannot overflow 16 bits when quantised.
const INPUT_BOUND: f32 = 1.0;
/// Bound of the weight of a capture or blast input.
const CAPTURE_BOUND: f32 = MAX_CAPTURE_WEIGHT as f32 / QA as f32;
/// The integer that stands for a weight of 1 of the second layer.
const L2_UNIT: f32 = QS as f32 / ACTIVATION_UNIT as f32;
/// Bound of a weight of the second layer in the engine's file.
const L2_BOUND: f32 = MAX_L2_WEIGHT as f32 / L2_UNIT;

/// One value for each neuron of a slice.
type Lane = [f32; LANES];
const ZERO: Lane = [0.0; LANES];

struct Slice {
    /// Per piece, shared by the buckets; then per bucket and piece, and the capture and blast inputs.
    shared: Tensor<LANES>,
    own: Tensor<LANES>,
    /// Shared plus own.
    inputs: Vec<Lane>,
    bias: Tensor<LANES>,
    /// Weights of the second layer by output bucket, perspective and neuron.
    l2_weights: Tensor<LANES>,
    /// The same by output bucket, perspective and lane.
    l2_columns: Vec<[[f32; L2]; LANES]>,
    /// Hidden sums of the perspectives of a batch, in its order.
    hidden: Vec<Lane>,
    /// Contribution of this slice to the neurons of the second layer, for the perspectives of each
    /// position.
    shares: Vec<[f32; L2]>,
}

impl Slice {
    fn new(rng: &mut fastrand::Rng) -> Slice {
        let mut uniform = |bound: f32| (rng.f32() * 2.0 - 1.0) * bound;
        let mut slice = Slice {
            shared: Tensor::new(SHARED, || uniform(0.1)),
            own: Tensor::new(INPUTS, || 0.0),
            inputs: vec![ZERO; INPUTS],
            bias: Tensor::new(1, || 0.1),
            l2_weights: Tensor::new(2 * OUTPUT_BUCKETS * L2, || {
                uniform(1.0 / (2.0 * HIDDEN as f32).sqrt())
            }),
            l2_columns: vec![[[0.0; L2]; LANES]; 2 * OUTPUT_BUCKETS],
            hidden: vec![],
            shares: vec![],
        };
        slice.join();
        slice
    }

    fn tensors(&mut self) -> [&mut dyn AnyTensor; 4] {
        [&mut self.shared, &mut self.own, &mut self.bias, &mut self.l2_weights]
    }

    /// Computes what depends on the weights.
    fn join(&mut self) {
        for row in 0..INPUTS {
            self.join_row(row);
        }
        self.transpose();
    }

    fn transpose(&mut self) {
        let weights = self.l2_weights.value.as_chunks::<L2>().0;
        for (columns, weights) in self.l2_columns.iter_mut().zip(weights) {
            for (lane, column) in columns.iter_mut().enumerate() {
                *column = weights.map(|row| row[lane]);
            }
        }
    }

    fn join_row(&mut self, row: usize) {
        let (own, shared) = match row {
            ..KING_INPUTS => (&self.own.value[row], &self.shared.value[row % SHARED]),
            _ => (&self.own.value[row], &ZERO),
        };
        self.inputs[row] = std::array::from_fn(|lane| own[lane] + shared[lane]);
    }

    /// Sets the weights to those of the neurons of a network from `first` on.
    fn set(&mut self, net: &Network, first: usize) {
        let lane = |row: &HiddenRow| -> Lane {
            std::array::from_fn(|lane| f32::from(row.0[first + lane]) / QA as f32)
        };
        for piece in 0..SHARED {
            let mut sum = ZERO;
            for row in (piece..KING_INPUTS).step_by(SHARED) {
                self.own.value[row] = lane(&net.input(row));
                add(&mut sum, &self.own.value[row]);
            }
            let shared = sum.map(|sum| sum / (KING_BUCKETS + 1) as f32);
            self.shared.value[piece] = shared;
            for row in (piece..KING_INPUTS).step_by(SHARED) {
                add(&mut self.own.value[row], &shared.map(|weight| -weight));
            }
        }
        for row in KING_INPUTS..INPUTS {
            self.own.value[row] = lane(&net.input(row));
        }
        self.bias.value[0] = lane(net.bias());
        for bucket in 0..OUTPUT_BUCKETS {
            let weights = &net.stack(bucket).l2_weights;
            for (row, perspective) in [(2 * bucket, 0), (2 * bucket + 1, 1)] {
                for (neuron, row) in self.l2_weights.value[row * L2..][..L2].iter_mut().enumerate()
                {
                    *row = std::array::from_fn(|lane| {
                        let activation = perspective * HIDDEN + first + lane;
                        f32::from(weights.get(activation, neuron)) / L2_UNIT
                    });
                }
            }
        }
        self.join();
    }

    fn forward(&mut self, batch: &Batch) {
        self.hidden.resize(2 * batch.len(), ZERO);
        self.shares.resize(2 * batch.len(), [0.0; L2]);
        for ((place, inputs), hidden) in batch.perspectives().zip(&mut self.hidden) {
            let mut sums = self.bias.value[0];
            for &input in inputs {
                add(&mut sums, &self.inputs[usize::from(input)]);
            }
            let output = usize::from(batch.buckets[place / 2]) * 2 + place % 2;
            let mut squared = ZERO;
            for lane in 0..LANES {
                let active = sums[lane].clamp(0.0, 1.0);
                squared[lane] = active * active;
            }
            *hidden = sums;
            self.shares[place] = weighted_sum(&squared, &self.l2_columns[output]);
        }
    }

    /// Adds to the gradients, given the derivative of the loss by each output.
    fn backward(&mut self, batch: &Batch, slopes: &[[f32; L2]]) {
        for ((place, inputs), sums) in batch.perspectives().zip(&self.hidden) {
            let output = usize::from(batch.buckets[place / 2]) * 2 + place % 2;
            let weights = &self.l2_weights.value.as_chunks::<L2>().0[output];
            let gradients = &mut self.l2_weights.gradient[output * L2..][..L2];
            let slopes = &slopes[place / 2];
            let (mut active, mut squared) = (ZERO, ZERO);
            for lane in 0..LANES {
                active[lane] = sums[lane].clamp(0.0, 1.0);
                squared[lane] = active[lane] * active[lane];
            }
            for (slope, gradient) in slopes.iter().zip(gradients) {
                for lane in 0..LANES {
                    gradient[lane] = multiply_add(*slope, squared[lane], gradient[lane]);
                }
            }
            let mut delta = weighted_sum(slopes, weights);
            for lane in 0..LANES {
                let through = delta[lane] * 2.0 * active[lane];
                delta[lane] = if active[lane] == sums[lane] { through } else { 0.0 };
            }
            add(&mut self.bias.gradient[0], &delta);
            for &input in inputs {
                add(&mut self.own.gradient[usize::from(input)], &delta);
            }
        }
    }

    fn update(&mut self, update: Update) {
        // All rows of a piece in turn, so that their shared row stays in the cache.
        for piece in 0..SHARED {
            for row in (piece..KING_INPUTS).step_by(SHARED) {
                add(&mut self.shared.gradient[piece], &self.own.gradient[row]);
            }
            self.shared.update_row(piece, update, INPUT_BOUND);
            for row in (piece..KING_INPUTS).step_by(SHARED) {
                self.own.update_row(row, update, INPUT_BOUND);
                self.join_row(row);
            }
        }
        for row in KING_INPUTS..INPUTS {
            self.own.update_row(row, update, CAPTURE_BOUND);
            self.join_row(row);
        }
        self.bias.update(update, INPUT_BOUND);
        self.l2_weights.update(update, L2_BOUND);
        self.transpose();
    }
}

fn add(sums: &mut Lane, row: &Lane) {
    for lane in 0..LANES {
        sums[lane] += row[lane];
    }
}

/// The sum of the rows, each with its factor.
///
/// The elements are summed in blocks, so that the sums stay in registers, and in four parts, so that
/// an addition does not wait for the one before.
fn weighted_sum<const ROWS: usize, const N: usize>(
    factors: &[f32; ROWS],
    rows: &[[f32; N]; ROWS],
) -> [f32; N] {
    const BLOCK: usize = 16;
    const { assert!(N.is_multiple_of(BLOCK) && ROWS.is_multiple_of(4)) };
    let mut result = [0.0; N];
    for (block, result) in result.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
        let mut sums = [[0.0; BLOCK]; 4];
        let pairs = factors.as_chunks::<4>().0.iter().zip(rows.as_chunks::<4>().0);
        for (factors, rows) in pairs {
            for ((sums, factor), row) in sums.iter_mut().zip(factors).zip(rows) {
                for (sum, element) in sums.iter_mut().zip(&row.as_chunks::<BLOCK>().0[block]) {
                    *sum = multiply_add(*factor, *element, *sum);
                }
            }
        }
        let [a, b, c, d] = sums;
        for (at, result) in result.iter_mut().enumerate() {
            *result = (a[at] + b[at]) + (c[at] + d[at]);
        }
    }
    result
}

/// `a * b + c`, rounded once where the processor does that as quickly.
#[inline(always)]
fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(target_feature = "fma") { a.mul_add(b, c) } else { a * b + c }
}

/// The network.
pub struct Model {
    slices: Vec<Slice>,
    dense: Dense,
}

impl Model {
    /// Creates a network with small random weights.
    pub fn new(rng: &mut fastrand::Rng) -> Model {
        Model {
            slices: (0..HIDDEN / LANES).map(|_| Slice::new(rng)).collect(),
            dense: Dense::new(rng),
        }
    }

    /// Creates a model with the mean of the weights of networks.
    ///
    /// A network has only the sum of the two parts of an input weight. The shared part becomes the
    /// one for which the sum of the squares of all parts is smallest.
    pub fn from_networks(nets: &[Network]) -> Model {
        let mut model = Model::new(&mut fastrand::Rng::with_seed(0));
        for (number, net) in nets.iter().enumerate() {
            for (at, slice) in model.slices.iter_mut().enumerate() {
                slice.set(net, at * LANES);
            }
            for bucket in 0..OUTPUT_BUCKETS {
                model.dense.set(bucket, net.stack(bucket));
            }
            model.update_average(number as f32 / (number + 1) as f32);
        }
        model.restart();
        model
    }

    /// Sums of the neurons of the second layer, without biases, for each position of a batch.
    fn second_layer(&mut self, batch: &Batch) -> Vec<[f32; L2]> {
        self.slices.par_iter_mut().for_each(|slice| slice.forward(batch));
        let sums = |at: usize| {
            let mut sums = [0.0; L2];
            for slice in &self.slices {
                for share in &slice.shares[2 * at..][..2] {
                    for (sum, share) in sums.iter_mut().zip(share) {
                        *sum += share;
                    }
                }
            }
            sums
        };
        (0..batch.len()).into_par_iter().map(sums).collect()
    }

    /// Returns the outputs of a batch, in units of the scale.
    pub fn outputs(&mut self, batch: &Batch) -> Vec<f32> {
        let sums = self.second_layer(batch);
        let dense = &self.dense;
        let outputs = sums.par_iter().zip(&batch.buckets);
        outputs.map(|(sums, &bucket)| dense.output(usize::from(bucket), sums)).collect()
    }

    /// Trains on a batch and returns the mean squared error before the step.
    pub fn learn(&mut self, batch: &Batch, step: Step) -> f64 {
        let sums = self.second_layer(batch);
        let (slopes, loss) = self.dense.learn(batch, sums);
        let update = Update::from(step);
        self.slices.par_iter_mut().for_each(|slice| {
            slice.backward(batch, &slopes);
            slice.update(update);
        });
        self.dense.update(update);
        loss / batch.len().max(1) as f64
    }

    /// Updates the average of the weights with this decay.
    pub fn update_average(&mut self, decay: f32) {
        self.slices.par_iter_mut().for_each(|slice| {
            for tensor in slice.tensors() {
                tensor.update_average(decay);
            }
        });
        for tensor in self.dense.tensors() {
            tensor.update_average(decay);
        }
    }

    /// Exchanges the weights and their average.
    pub fn swap_average(&mut self) {
        self.slices.par_iter_mut().for_each(|slice| {
            for tensor in slice.tensors() {
                tensor.swap_average();
            }
            slice.join();
        });
        for tensor in self.dense.tensors() {
            tensor.swap_average();
        }
    }

    /// Prepares for a new run: sets the weights to their average and the moments to zero.
    pub fn restart(&mut self) {
        for slice in &mut self.slices {
            for tensor in slice.tensors() {
                tensor.restart();
            }
            slice.join();
        }
        for tensor in self.dense.tensors() {
            tensor.restart();
        }
    }

    /// Writes weights, moments and average.
    pub fn save(&mut self, out: &mut impl Write) -> io::Result<()> {
        for slice in &mut self.slices {
            for tensor in slice.tensors() {
                tensor.save(out)?;
            }
        }
        for tensor in self.dense.tensors() {
            tensor.save(out)?;
        }
        Ok(())
    }

    /// Reads a saved model of the same architecture.
    pub fn load(from: &mut impl Read) -> io::Result<Model> {
        let mut model = Model::new(&mut fastrand::Rng::with_seed(0));
        for slice in &mut model.slices {
            for tensor in slice.tensors() {
                tensor.load(from)?;
            }
            slice.join();
        }
        for tensor in model.dense.tensors() {
            tensor.load(from)?;
        }
        Ok(model)
    }

    /// The quantised weights of an input.
    pub fn input(&self, input: usize) -> HiddenRow {
        self.row(|slice| &slice.inputs[input])
    }

    /// The quantised biases of the hidden layer.
    pub fn bias(&self) -> HiddenRow {
        self.row(|slice| &slice.bias.value[0])
    }

    fn row(&self, lane: impl Fn(&Slice) -> &Lane) -> HiddenRow {
        let quantised = |value: f32| (value * QA as f32).round_ties_even() as i16;
        HiddenRow(std::array::from_fn(|neuron| {
            quantised(lane(&self.slices[neuron / LANES])[neuron % LANES])
        }))
    }

    /// The quantised layers of an output bucket.
    pub fn stack(&self, bucket: usize) -> LayerStack {
        let weight = |activation: usize, neuron: usize| {
            let (perspective, hidden) = (activation / HIDDEN, activation % HIDDEN);
            let weights = &self.slices[hidden / LANES].l2_weights.value;
            let row = &weights[(2 * bucket + perspective) * L2 + neuron];
            (row[hidden % LANES].clamp(-L2_BOUND, L2_BOUND) * L2_UNIT).round_ties_even() as i8
        };
        let weights = std::array::from_fn(|activation| {
            std::array::from_fn(|neuron| weight(activation, neuron))
        });
        self.dense.quantised(bucket, L2Weights::new(&weights))
    }
}

#[cfg(test)]
mod tests;
