//! The policy head in floating point, its training step and its losses.
//! Invariant: gradients are summed in a fixed order.

use std::fmt;

use arrayvec::ArrayVec;
use brisance::eval::nnue::{
    ACTIVATION_UNIT, AccumulatorStack, Activations, HIDDEN, MAX_POLICY_BIAS, MAX_POLICY_WEIGHT,
    Network, POLICY_ROWS, PolicyHead, PolicyRow, PolicyThreats, QP, THREAT_BIASES,
};
use brisance::rules::{CheckInfo, MAX_MOVES};
use brisance_train::tensor::{Step, Tensor, Update};
use rayon::prelude::*;

use crate::examples::{Example, Input};

/// Activations of both perspectives.
const INPUTS: usize = 2 * HIDDEN;
/// Parts of a batch with separate gradients.
const PARTS: usize = 8;
/// Bound of a weight.
const WEIGHT_BOUND: f32 = MAX_POLICY_WEIGHT as f32 / QP as f32;
/// The integer that stands for a logit of 1.
const UNIT: f32 = (QP * ACTIVATION_UNIT) as f32;
/// Bound of a bias.
const BIAS_BOUND: f32 = MAX_POLICY_BIAS as f32 / UNIT;

/// The slopes of the loss of some examples, by row.
struct Gradient {
    weights: Vec<[f32; INPUTS]>,
    bias: Vec<f32>,
    threat_bias: Vec<f32>,
    /// The sum of the losses.
    loss: f64,
}

/// The parameters, by row, with the moments of the optimiser.
pub struct Head {
    weights: Tensor<INPUTS>,
    bias: Tensor<1>,
    threat_bias: Tensor<1>,
    steps: u64,
}

impl Head {
    pub fn new() -> Head {
        Head {
            weights: Tensor::new(POLICY_ROWS, || 0.0),
            bias: Tensor::new(POLICY_ROWS, || 0.0),
            threat_bias: Tensor::new(THREAT_BIASES, || 0.0),
            steps: 0,
        }
    }

    /// The parameters of the head of a network.
    pub fn of(policy_head: &PolicyHead) -> Head {
        let mut head = Head::new();
        for (row, weights) in head.weights.value.iter_mut().enumerate() {
            *weights = policy_head.row(row).0.map(|weight| f32::from(weight) / QP as f32);
            head.bias.value[row] = [policy_head.bias(row) as f32 / UNIT];
        }
        for (index, bias) in head.threat_bias.value.iter_mut().enumerate() {
            *bias = [policy_head.threat_bias(index) as f32 / UNIT];
        }
        head
    }

    /// The logit of each move.
    pub fn logits(&self, input: &Input, logits: &mut Vec<f32>) {
        let activations = scaled(&input.activations);
        self.logits_of(input, &activations, logits);
    }

    fn logits_of(&self, input: &Input, activations: &[f32], logits: &mut Vec<f32>) {
        logits.clear();
        let of_moves = input.rows.iter().zip(&input.threats);
        logits.extend(of_moves.map(|(rows, threats)| {
            let sums = rows.map(|row| {
                product(&self.weights.value[row], activations) + self.bias.value[row][0]
            });
            sums.iter().sum::<f32>() + self.threat_bias.value[*threats][0]
        }));
    }

    /// A step of the optimiser. Returns the sum of the losses before it.
    pub fn step(&mut self, net: &Network, batch: &[Example], rate: f32) -> Result<f64, String> {
        let size = batch.len().div_ceil(PARTS);
        let parts: Result<Vec<Gradient>, String> =
            batch.par_chunks(size).map(|part| self.gradient(net, part)).collect();
        let (share, mut loss) = (1.0 / batch.len() as f32, 0.0);
        for part in parts? {
            let sums = self.weights.gradient.as_flattened_mut().iter_mut();
            for (sum, slope) in sums.zip(part.weights.as_flattened()) {
                *sum += slope * share;
            }
            for (tensor, slopes) in
                [(&mut self.bias, &part.bias), (&mut self.threat_bias, &part.threat_bias)]
            {
                let sums = tensor.gradient.as_flattened_mut().iter_mut();
                for (sum, slope) in sums.zip(slopes) {
                    *sum += slope * share;
                }
            }
            loss += part.loss;
        }
        self.steps += 1;
        let update = Update::from(Step { rate, decay: 0.0, number: self.steps });
        self.weights.update(update, WEIGHT_BOUND);
        self.bias.update(update, BIAS_BOUND);
        self.threat_bias.update(update, BIAS_BOUND);
        Ok(loss)
    }

    fn gradient(&self, net: &Network, examples: &[Example]) -> Result<Gradient, String> {
        let mut gradient = Gradient {
            weights: vec![[0.0; INPUTS]; POLICY_ROWS],
            bias: vec![0.0; POLICY_ROWS],
            threat_bias: vec![0.0; THREAT_BIASES],
            loss: 0.0,
        };
        let (mut accumulators, mut shares) = (AccumulatorStack::default(), vec![]);
        for example in examples {
            let input = Input::new(example, net, &mut accumulators).ok_or(INVALID)?;
            let activations = scaled(&input.activations);
            self.logits_of(&input, &activations, &mut shares);
            softmax(&mut shares);
            gradient.loss += loss(shares[input.chosen]);
            shares[input.chosen] -= 1.0;
            for (index, slope) in input.threats.iter().zip(&shares) {
                gradient.threat_bias[*index] += slope;
            }
            for (rows, slope) in input.rows.iter().zip(&shares) {
                for row in rows {
                    let weights = gradient.weights[*row].iter_mut();
                    for (weight, activation) in weights.zip(&activations) {
                        *weight += slope * activation;
                    }
                    gradient.bias[*row] += slope;
                }
            }
        }
        Ok(gradient)
    }

    /// The head of a network.
    pub fn quantised(&self) -> Result<PolicyHead, String> {
        let weights =
            self.weights.value.iter().map(|row| {
                PolicyRow(std::array::from_fn(|at| (row[at] * QP as f32).round() as i8))
            });
        let [bias, threat_bias] = [&self.bias, &self.threat_bias].map(|tensor| {
            let biases = tensor.value.as_flattened().iter();
            biases.map(|bias| (bias * UNIT).round() as i32).collect()
        });
        let head = PolicyHead::new(weights.collect(), bias, threat_bias);
        head.ok_or_else(|| "a parameter of the head is out of range".to_owned())
    }
}

const INVALID: &str = "an example is not a position with a quiet move";

fn scaled(activations: &Activations) -> Vec<f32> {
    let numbers = activations.0.as_flattened().iter();
    let unit = ACTIVATION_UNIT as f32;
    numbers.map(|&number| f32::from(number) / unit).collect()
}

/// The weights times the activations.
fn product(weights: &[f32; INPUTS], activations: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0; LANES];
    let chunks = weights.as_chunks::<LANES>().0.iter();
    for (weights, activations) in chunks.zip(activations.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += weights[lane] * activations[lane];
        }
    }
    sums.iter().sum()
}

/// Replaces logits by probabilities.
fn softmax(numbers: &mut [f32]) {
    let most = numbers.iter().copied().fold(f32::MIN, f32::max);
    for number in &mut *numbers {
        *number = (*number - most).exp();
    }
    let sum: f32 = numbers.iter().sum();
    for number in numbers {
        *number /= sum;
    }
}

/// The cross-entropy of the probability of the chosen move, in nats.
fn loss(probability: f32) -> f64 {
    -f64::from(probability.max(1e-9)).ln()
}

/// How well a head predicts the chosen moves.
pub struct Losses {
    /// Mean cross-entropy in nats.
    loss: f64,
    /// Share of examples in which the chosen move has the highest logit.
    first: f64,
    /// Share of examples in which the chosen move is among the best three.
    first_three: f64,
}

impl Losses {
    /// The losses of the head of a network.
    pub fn of_network(net: &Network, examples: &[Example]) -> Result<Losses, String> {
        Losses::of(net, examples, |input, logits| {
            let mut accumulators = AccumulatorStack::default();
            accumulators.reset(&input.position);
            accumulators.activations(net, &input.position);
            logits.clear();
            let check_info = CheckInfo::new(&input.position);
            let threats = PolicyThreats::new(&input.position, &check_info);
            let policy = accumulators.policy(net, &input.position);
            if let Some((policy, threats)) = policy.zip(threats) {
                let mut numbers = ArrayVec::<i32, MAX_MOVES>::new();
                policy.logits(&input.position, &threats, &input.moves, &mut numbers);
                logits.extend(numbers.iter().map(|&number| number as f32 / UNIT));
            }
        })
    }

    /// The losses of the logits that a function computes.
    pub fn of(
        net: &Network,
        examples: &[Example],
        logits: impl Fn(&Input, &mut Vec<f32>) + Sync,
    ) -> Result<Losses, String> {
        const CHUNK: usize = 1024;
        let sums: Result<Vec<[f64; 3]>, String> = examples
            .par_chunks(CHUNK)
            .map(|examples| {
                let (mut sums, mut shares) = ([0.0; 3], vec![]);
                let mut accumulators = AccumulatorStack::default();
                for example in examples {
                    let input = Input::new(example, net, &mut accumulators).ok_or(INVALID)?;
                    logits(&input, &mut shares);
                    let chosen = shares[input.chosen];
                    let better = shares.iter().filter(|&&share| share > chosen).count();
                    softmax(&mut shares);
                    sums[0] += loss(shares[input.chosen]);
                    sums[1] += f64::from(u8::from(better == 0));
                    sums[2] += f64::from(u8::from(better < 3));
                }
                Ok(sums)
            })
            .collect();
        let [loss, first, first_three] = [0, 1, 2].map(|at| {
            let total: f64 = sums.iter().flatten().map(|sums| sums[at]).sum();
            total / examples.len() as f64
        });
        sums?;
        Ok(Losses { loss, first, first_three })
    }
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "validation {:.4}, the chosen move is first in {:.1} % and among the first three in {:.1} %",
            self.loss,
            self.first * 100.0,
            self.first_three * 100.0
        )
    }
}
