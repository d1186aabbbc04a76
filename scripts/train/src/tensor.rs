//! Parameters with their gradients, AdamW moments and moving average.
//! Invariant: all arrays of a tensor have the same shape.

use std::io::{self, Read, Write};

/// Decay of the first moment.
const FIRST: f32 = 0.9;
/// Decay of the second moment.
const SECOND: f32 = 0.999;

/// Rows of parameters.
#[derive(Clone)]
pub struct Tensor<const N: usize> {
    /// The parameters.
    pub value: Vec<[f32; N]>,
    /// Gradient of the loss, summed over a batch.
    pub gradient: Vec<[f32; N]>,
    mean: Vec<[f32; N]>,
    square: Vec<[f32; N]>,
    average: Vec<[f32; N]>,
}

/// Settings of one step of the optimiser.
#[derive(Clone, Copy)]
pub struct Step {
    /// Learning rate.
    pub rate: f32,
    /// Weight decay per unit of learning rate.
    pub decay: f32,
    /// Number of this step, from 1.
    pub number: u64,
}

/// A step with everything that is the same for all parameters.
#[derive(Clone, Copy)]
pub struct Update {
    rate: f32,
    keep: f32,
    first: f32,
    second: f32,
}

impl From<Step> for Update {
    fn from(step: Step) -> Update {
        // Both powers are 0 long before the number overflows.
        let number = i32::try_from(step.number).unwrap_or(i32::MAX);
        Update {
            rate: step.rate,
            keep: 1.0 - step.rate * step.decay,
            first: 1.0 / (1.0 - FIRST.powi(number)),
            second: 1.0 / (1.0 - SECOND.powi(number)),
        }
    }
}

impl<const N: usize> Tensor<N> {
    /// Creates rows with these initial values and the same average.
    pub fn new(rows: usize, mut first: impl FnMut() -> f32) -> Tensor<N> {
        let value: Vec<[f32; N]> = (0..rows).map(|_| std::array::from_fn(|_| first())).collect();
        let zero = vec![[0.0; N]; rows];
        Tensor {
            average: value.clone(),
            value,
            gradient: zero.clone(),
            mean: zero.clone(),
            square: zero,
        }
    }

    /// Updates all rows by AdamW, clamps them to ±`bound` and zeroes the gradient.
    pub fn update(&mut self, update: Update, bound: f32) {
        for row in 0..self.value.len() {
            self.update_row(row, update, bound);
        }
    }

    /// Updates one row.
    pub fn update_row(&mut self, row: usize, update: Update, bound: f32) {
        let (value, gradient) = (&mut self.value[row], &mut self.gradient[row]);
        let (mean, square) = (&mut self.mean[row], &mut self.square[row]);
        for lane in 0..N {
            let slope = gradient[lane];
            mean[lane] = FIRST * mean[lane] + (1.0 - FIRST) * slope;
            square[lane] = SECOND * square[lane] + (1.0 - SECOND) * slope * slope;
            let root = (square[lane] * update.second).sqrt() + 1e-8;
            let change = mean[lane] * update.first / root;
            let moved = value[lane] * update.keep - update.rate * change;
            value[lane] = moved.clamp(-bound, bound);
        }
        *gradient = [0.0; N];
    }
}

/// A tensor with rows of any length.
pub trait AnyTensor: Send {
    /// Updates the average with this decay.
    fn update_average(&mut self, decay: f32);

    /// Exchanges the values and their average.
    fn swap_average(&mut self);

    /// Prepares for a new run: sets the values to the average and the moments to zero.
    fn restart(&mut self);

    /// Writes everything but the gradient.
    fn save(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Reads a saved tensor of the same shape.
    fn load(&mut self, from: &mut dyn Read) -> io::Result<()>;
}

impl<const N: usize> AnyTensor for Tensor<N> {
    fn update_average(&mut self, decay: f32) {
        for (average, value) in self.average.iter_mut().zip(&self.value) {
            for lane in 0..N {
                average[lane] = value[lane] + decay * (average[lane] - value[lane]);
            }
        }
    }

    fn swap_average(&mut self) {
        std::mem::swap(&mut self.value, &mut self.average);
    }

    fn restart(&mut self) {
        self.value.clone_from(&self.average);
        self.mean.fill([0.0; N]);
        self.square.fill([0.0; N]);
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        for rows in [&self.value, &self.mean, &self.square, &self.average] {
            for number in rows.as_flattened() {
                out.write_all(&number.to_le_bytes())?;
            }
        }
        Ok(())
    }

    fn load(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let parts = [&mut self.value, &mut self.mean, &mut self.square, &mut self.average];
        for rows in parts {
            for number in rows.as_flattened_mut() {
                let mut bytes = [0; 4];
                from.read_exact(&mut bytes)?;
                *number = f32::from_le_bytes(bytes);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_are_those_computed_by_hand() {
        let mut tensor = Tensor::<1>::new(1, || 0.5);
        let mut step = |number, slope| {
            tensor.gradient[0][0] = slope;
            let step = Step { rate: 0.1, decay: 0.2, number };
            tensor.update(step.into(), 1.0);
            assert_eq!(tensor.gradient[0][0], 0.0);
            tensor.value[0][0]
        };
        // The first step has the length of the rate for any gradient: 0.5 · 0.98 − 0.1.
        assert!((step(1, 3.0) - 0.39).abs() < 1e-6);
        // mean 0.9 · 0.3 − 0.1 = 0.17, over 0.19; square 0.999 · 0.009 + 0.001 = 0.009991, over
        // 0.001999: 0.39 · 0.98 − 0.1 · 0.894737 / 2.235619 = 0.342178.
        assert!((step(2, -1.0) - 0.342_178).abs() < 1e-5);
    }

    #[test]
    fn the_average_is_updated() {
        let mut tensor = Tensor::<2>::new(1, || 1.0);
        tensor.value[0] = [3.0, 5.0];
        tensor.update_average(0.75);
        tensor.swap_average();
        assert_eq!(tensor.value[0], [1.5, 2.0]);
        tensor.swap_average();
        assert_eq!(tensor.value[0], [3.0, 5.0]);
    }
}
