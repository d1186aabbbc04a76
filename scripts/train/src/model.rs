//! The network in floating point, cut into slices of hidden neurons: each slice is worked on
//! by one thread at a time, so that the sums do not depend on the number of threads.
//! Invariant: the weight of an input is that of its man (shared by all king buckets) plus
//! that of its bucket; the two become one number on export.

use brisance::eval::nnue::{
    HIDDEN, HiddenRow, INPUTS, KING_BUCKETS, MAX_OUTPUT_WEIGHT, Network, OUTPUT_BUCKETS, QA, QB,
};
use rayon::prelude::*;

use crate::batch::{Example, sigmoid};

/// Hidden neurons of a slice.
pub const LANES: usize = 64;
const _: () = assert!(HIDDEN.is_multiple_of(LANES));
const SHARED: usize = INPUTS / KING_BUCKETS;
/// Positions whose hidden layers are kept at a time: a slice's share fits the cache.
const PART: usize = 1024;
/// Bound of the two parts of an input weight: 32 men cannot overflow 16 bits when quantised.
const INPUT_BOUND: f32 = 1.0;
/// Bound of an output weight, as the engine's file wants it.
const OUTPUT_BOUND: f32 = MAX_OUTPUT_WEIGHT as f32 / QB as f32;

/// Numbers of one kind for the neurons of a slice.
pub type Lane = [f32; LANES];
const ZERO: Lane = [0.0; LANES];

/// Rows of parameters with their gradients and the moments of the optimiser.
#[derive(Clone)]
struct Tensor {
    value: Vec<Lane>,
    gradient: Vec<Lane>,
    mean: Vec<Lane>,
    square: Vec<Lane>,
}

/// One step of the optimiser.
#[derive(Clone, Copy)]
pub struct Step {
    /// Learning rate.
    pub rate: f32,
    /// Weight decay per unit of learning rate.
    pub decay: f32,
    /// Number of this step, from 1.
    pub number: i32,
}

impl Tensor {
    fn new(rows: usize, mut first: impl FnMut() -> f32) -> Tensor {
        let value = (0..rows)
            .map(|_| std::array::from_fn(|_| first()))
            .collect();
        let zero = vec![ZERO; rows];
        Tensor {
            value,
            gradient: zero.clone(),
            mean: zero.clone(),
            square: zero,
        }
    }

    /// AdamW, and the gradient is empty again.
    fn step(&mut self, step: Step, bound: f32) {
        let rows = self.value.iter_mut().zip(&mut self.gradient);
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((value, gradient), (mean, square)) in rows.zip(moments) {
            adam(value, gradient, mean, square, step, bound);
            *gradient = ZERO;
        }
    }
}

fn adam(
    value: &mut Lane,
    gradient: &Lane,
    mean: &mut Lane,
    square: &mut Lane,
    step: Step,
    bound: f32,
) {
    const FIRST: f32 = 0.9;
    const SECOND: f32 = 0.999;
    let first = 1.0 - FIRST.powi(step.number);
    let second = 1.0 - SECOND.powi(step.number);
    for lane in 0..LANES {
        let slope = gradient[lane];
        mean[lane] = FIRST * mean[lane] + (1.0 - FIRST) * slope;
        square[lane] = SECOND * square[lane] + (1.0 - SECOND) * slope * slope;
        let change = (mean[lane] / first) / ((square[lane] / second).sqrt() + 1e-8);
        let kept = value[lane] * (1.0 - step.rate * step.decay);
        value[lane] = (kept - step.rate * change).clamp(-bound, bound);
    }
}

struct Slice {
    /// Per man, shared by the buckets; then per bucket and man.
    shared: Tensor,
    own: Tensor,
    /// Shared plus own.
    inputs: Vec<Lane>,
    bias: Tensor,
    /// Own half and other half for each output.
    outputs: Tensor,
    /// Hidden sums of both views for the positions of a part.
    hidden: Vec<[Lane; 2]>,
    /// This slice's share of the outputs of a part.
    shares: Vec<f32>,
}

impl Slice {
    fn new(rng: &mut fastrand::Rng) -> Slice {
        let mut uniform = |bound: f32| (rng.f32() * 2.0 - 1.0) * bound;
        let mut slice = Slice {
            shared: Tensor::new(SHARED, || uniform(0.1)),
            own: Tensor::new(INPUTS, || 0.0),
            inputs: vec![ZERO; INPUTS],
            bias: Tensor::new(1, || 0.1),
            outputs: Tensor::new(2 * OUTPUT_BUCKETS, || {
                uniform(1.0 / (2.0 * HIDDEN as f32).sqrt())
            }),
            hidden: vec![[ZERO; 2]; PART],
            shares: vec![0.0; PART],
        };
        slice.join();
        slice
    }

    fn join(&mut self) {
        for (at, row) in self.inputs.iter_mut().enumerate() {
            let (own, shared) = (&self.own.value[at], &self.shared.value[at % SHARED]);
            *row = std::array::from_fn(|lane| own[lane] + shared[lane]);
        }
    }

    fn forward(&mut self, part: &[Example]) {
        for (at, example) in part.iter().enumerate() {
            let mut share = ZERO;
            for view in 0..2 {
                let mut sums = self.bias.value[0];
                for &input in example.inputs(view) {
                    let row = &self.inputs[usize::from(input)];
                    for lane in 0..LANES {
                        sums[lane] += row[lane];
                    }
                }
                let weights = &self.outputs.value[usize::from(example.bucket) * 2 + view];
                for lane in 0..LANES {
                    let active = sums[lane].clamp(0.0, 1.0);
                    share[lane] += active * active * weights[lane];
                }
                self.hidden[at][view] = sums;
            }
            self.shares[at] = share.iter().sum();
        }
    }

    /// Adds to the gradients, given the slope of the loss at each output.
    fn backward(&mut self, part: &[Example], slopes: &[f32]) {
        for ((example, hidden), &slope) in part.iter().zip(&self.hidden).zip(slopes) {
            for (view, sums) in hidden.iter().enumerate() {
                let output = usize::from(example.bucket) * 2 + view;
                let weights = &self.outputs.value[output];
                let gradient = &mut self.outputs.gradient[output];
                let mut delta = ZERO;
                for lane in 0..LANES {
                    let active = sums[lane].clamp(0.0, 1.0);
                    gradient[lane] += slope * active * active;
                    let open = active == sums[lane];
                    let through = slope * weights[lane] * 2.0 * active;
                    delta[lane] = if open { through } else { 0.0 };
                }
                add(&mut self.bias.gradient[0], &delta);
                for &input in example.inputs(view) {
                    add(&mut self.own.gradient[usize::from(input)], &delta);
                }
            }
        }
    }

    fn step(&mut self, step: Step) {
        for (at, gradient) in self.own.gradient.iter().enumerate() {
            add(&mut self.shared.gradient[at % SHARED], gradient);
        }
        self.own.step(step, INPUT_BOUND);
        self.shared.step(step, INPUT_BOUND);
        self.bias.step(step, INPUT_BOUND);
        self.outputs.step(step, OUTPUT_BOUND);
        self.join();
    }
}

fn add(sums: &mut Lane, row: &Lane) {
    for lane in 0..LANES {
        sums[lane] += row[lane];
    }
}

/// The network.
pub struct Model {
    slices: Vec<Slice>,
    bias: [f32; OUTPUT_BUCKETS],
    bias_gradient: [f32; OUTPUT_BUCKETS],
    bias_moments: [[f32; 2]; OUTPUT_BUCKETS],
}

impl Model {
    /// A network of small random numbers.
    pub fn new(rng: &mut fastrand::Rng) -> Model {
        Model {
            slices: (0..HIDDEN / LANES).map(|_| Slice::new(rng)).collect(),
            bias: [0.0; OUTPUT_BUCKETS],
            bias_gradient: [0.0; OUTPUT_BUCKETS],
            bias_moments: [[0.0; 2]; OUTPUT_BUCKETS],
        }
    }

    /// The numbers of a network that was trained before, to go on from, or the mean of several
    /// by their weights. All of an input weight becomes its bucket's own part.
    pub fn from_networks(nets: &[(Network, f32)]) -> Model {
        let mut model = Model::new(&mut fastrand::Rng::with_seed(0));
        let total: f32 = nets.iter().map(|(_, weight)| weight).sum();
        let mean = |value: &dyn Fn(&Network) -> f32| -> f32 {
            let sum: f32 = nets.iter().map(|(net, weight)| value(net) * weight).sum();
            sum / total
        };
        let lane = |slice: usize, unit: i32, row: &dyn Fn(&Network) -> &HiddenRow| -> Lane {
            let mut lane = ZERO;
            for (net, weight) in nets {
                let row = row(net);
                for (at, value) in lane.iter_mut().enumerate() {
                    let share = weight / total / unit as f32;
                    *value += f32::from(row.0[slice * LANES + at]) * share;
                }
            }
            lane
        };
        for (at, slice) in model.slices.iter_mut().enumerate() {
            slice.shared.value.fill(ZERO);
            for (input, row) in slice.own.value.iter_mut().enumerate() {
                *row = lane(at, QA, &|net| net.input_weights(input));
            }
            slice.bias.value[0] = lane(at, QA, &|net| net.hidden_bias());
            for (place, row) in slice.outputs.value.iter_mut().enumerate() {
                *row = lane(at, QB, &|net| net.output_weights(place / 2, place % 2));
            }
            slice.join();
        }
        let unit = (QA * QB) as f32;
        model.bias =
            std::array::from_fn(|output| mean(&|net| net.output_bias(output) as f32) / unit);
        model
    }

    /// The outputs (1 is one scale's worth of centipawns) of some examples.
    pub fn outputs(&mut self, examples: &[Example]) -> Vec<f32> {
        let mut outputs = Vec::with_capacity(examples.len());
        for part in examples.chunks(PART) {
            outputs.extend(self.part(part));
        }
        outputs
    }

    fn part(&mut self, part: &[Example]) -> Vec<f32> {
        self.slices
            .par_iter_mut()
            .for_each(|slice| slice.forward(part));
        let output = |(at, example): (usize, &Example)| {
            let shares: f32 = self.slices.iter().map(|slice| slice.shares[at]).sum();
            shares + self.bias[usize::from(example.bucket)]
        };
        part.iter().enumerate().map(output).collect()
    }

    /// Learns from a batch; the mean squared error before.
    pub fn learn(&mut self, batch: &[Example], step: Step) -> f64 {
        let mut loss = 0.0;
        for part in batch.chunks(PART) {
            let outputs = self.part(part);
            let mut slopes = Vec::with_capacity(part.len());
            for (example, output) in part.iter().zip(outputs) {
                let chance = sigmoid(output);
                let error = chance - example.target;
                loss += f64::from(error * error);
                let slope = 2.0 * error * chance * (1.0 - chance) / batch.len() as f32;
                self.bias_gradient[usize::from(example.bucket)] += slope;
                slopes.push(slope);
            }
            let slices = self.slices.par_iter_mut();
            slices.for_each(|slice| slice.backward(part, &slopes));
        }
        self.slices
            .par_iter_mut()
            .for_each(|slice| slice.step(step));
        self.step_bias(step);
        loss / batch.len() as f64
    }

    fn step_bias(&mut self, step: Step) {
        for output in 0..OUTPUT_BUCKETS {
            let row = |value: f32| std::array::from_fn(|lane| if lane == 0 { value } else { 0.0 });
            let [mean, square] = self.bias_moments[output];
            let (mut value, mut mean, mut square) =
                (row(self.bias[output]), row(mean), row(square));
            let gradient = row(self.bias_gradient[output]);
            adam(&mut value, &gradient, &mut mean, &mut square, step, 10.0);
            self.bias[output] = value[0];
            self.bias_moments[output] = [mean[0], square[0]];
            self.bias_gradient[output] = 0.0;
        }
    }

    /// The input weights of one neuron's place in row `input`.
    pub fn input(&self, input: usize, neuron: usize) -> f32 {
        self.slices[neuron / LANES].inputs[input][neuron % LANES]
    }

    /// The bias of a neuron.
    pub fn bias(&self, neuron: usize) -> f32 {
        self.slices[neuron / LANES].bias.value[0][neuron % LANES]
    }

    /// An output weight: own half is view 0.
    pub fn output(&self, output: usize, view: usize, neuron: usize) -> f32 {
        self.slices[neuron / LANES].outputs.value[output * 2 + view][neuron % LANES]
    }

    /// The bias of an output.
    pub fn output_bias(&self, output: usize) -> f32 {
        self.bias[output]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Blend, examples};
    use brisance::data::Sample;
    use brisance::rules::{Color, Position, Variant};

    const STEP: Step = Step {
        rate: 0.001,
        decay: 0.01,
        number: 1,
    };

    /// Positions of random games with values that follow the material.
    fn batch(count: usize, seed: u64) -> Vec<Example> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut samples = Vec::new();
        while samples.len() < count {
            let mut pos = Position::startpos(Variant::Atomic);
            for ply in 0..40 {
                let Some(mv) = rng.choice(pos.legal_moves()) else {
                    break;
                };
                pos.make(mv);
                if Color::ALL.iter().any(|&color| pos.king(color).is_none()) {
                    break;
                }
                let men = |color| pos.by_color(color).count() as i16;
                let value = 600 * (men(pos.side_to_move()) - men(!pos.side_to_move()));
                samples.push(Sample::new(&pos, value, None, ply));
            }
        }
        samples.truncate(count);
        let blend = Blend {
            scale: 400.0,
            result: 0.0,
        };
        examples(&samples, blend)
    }

    fn loss(model: &mut Model, batch: &[Example]) -> f64 {
        let outputs = model.outputs(batch);
        let error = |(output, example): (f32, &Example)| {
            f64::from(sigmoid(output) - example.target).powi(2)
        };
        outputs.into_iter().zip(batch).map(error).sum::<f64>() / batch.len() as f64
    }

    #[test]
    fn slopes_are_those_of_the_loss() {
        let batch = batch(64, 3);
        let mut model = Model::new(&mut fastrand::Rng::with_seed(1));
        let outputs = model.part(&batch);
        let slopes: Vec<f32> = outputs
            .iter()
            .zip(&batch)
            .map(|(&output, example)| {
                let chance = sigmoid(output);
                2.0 * (chance - example.target) * chance * (1.0 - chance) / batch.len() as f32
            })
            .collect();
        model.slices[0].backward(&batch, &slopes);
        let input = usize::from(batch[0].inputs(0)[2]);
        let output = usize::from(batch[0].bucket) * 2;
        let mut compared = 0;
        let (mut apart, mut all) = ([0.0; 3], [0.0; 3]);
        for lane in 0..LANES {
            let numeric = |model: &mut Model, nudge: &dyn Fn(&mut Slice, f32)| {
                const SMALL: f32 = 2e-3;
                nudge(&mut model.slices[0], SMALL);
                let up = loss(model, &batch);
                nudge(&mut model.slices[0], -2.0 * SMALL);
                let down = loss(model, &batch);
                nudge(&mut model.slices[0], SMALL);
                (up - down) / f64::from(2.0 * SMALL)
            };
            let slice = &model.slices[0];
            let analytic = [
                slice.own.gradient[input][lane],
                slice.outputs.gradient[output][lane],
                slice.bias.gradient[0][lane],
            ];
            let measured = [
                numeric(&mut model, &|slice, by| slice.inputs[input][lane] += by),
                numeric(&mut model, &|slice, by| {
                    slice.outputs.value[output][lane] += by
                }),
                numeric(&mut model, &|slice, by| slice.bias.value[0][lane] += by),
            ];
            for (kind, (analytic, measured)) in analytic.into_iter().zip(measured).enumerate() {
                let analytic = f64::from(analytic);
                apart[kind] += (analytic - measured).abs();
                all[kind] += measured.abs();
                compared += usize::from(analytic.abs() > 1e-5);
            }
        }
        // Not each by itself: where a neuron just opens or closes, the two differ.
        for (apart, all) in apart.into_iter().zip(all) {
            assert!(apart < 0.05 * all, "{apart} of {all}");
        }
        assert!(compared > 30, "{compared}");
    }

    #[test]
    fn it_learns_the_same_whatever_the_number_of_threads() {
        let (seen, held) = (batch(20_000, 5), batch(1000, 6));
        let learnt = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| {
                let mut model = Model::new(&mut fastrand::Rng::with_seed(1));
                let before = loss(&mut model, &held);
                for (number, batch) in (1..).zip(seen.chunks(1000).cycle().take(200)) {
                    let step = Step {
                        rate: 0.005,
                        number,
                        ..STEP
                    };
                    model.learn(batch, step);
                }
                (before, loss(&mut model, &held))
            })
        };
        let (before, after) = learnt(1);
        assert!(after < before / 2.0, "{before} {after}");
        assert_eq!(learnt(3), (before, after));
    }

    #[test]
    fn a_written_network_is_gone_on_from() {
        let held = batch(500, 7);
        let mut model = Model::new(&mut fastrand::Rng::with_seed(1));
        model.learn(&batch(2000, 8), STEP);
        let net = crate::export::network(&model, 400, "").unwrap();
        let mut again = Model::from_networks(&[(net.clone(), 3.0)]);
        let (first, second) = (loss(&mut model, &held), loss(&mut again, &held));
        assert!((first - second).abs() < first * 0.02, "{first} {second}");
        assert!(crate::export::network(&again, 400, "").unwrap() == net);
    }

    #[test]
    fn a_mean_lies_between_its_networks() {
        let net = |seed| {
            let model = Model::new(&mut fastrand::Rng::with_seed(seed));
            crate::export::network(&model, 400, "").unwrap()
        };
        let (one, other) = (net(1), net(2));
        let mean = Model::from_networks(&[(one.clone(), 3.0), (other.clone(), 1.0)]);
        let mean = crate::export::network(&mean, 400, "").unwrap();
        for input in [0, 77, INPUTS - 1] {
            for neuron in [0, 100, HIDDEN - 1] {
                let [a, b, m] = [&one, &other, &mean].map(|net| net.input_weights(input).0[neuron]);
                let expected = (3.0 * f32::from(a) + f32::from(b)) / 4.0;
                assert!((f32::from(m) - expected).abs() <= 0.51, "{a} {b} {m}");
            }
        }
    }
}
