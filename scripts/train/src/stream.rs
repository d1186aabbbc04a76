//! Reads samples from disk in a new random order in each epoch, without holding the file in memory.
//! Invariant: the order depends only on seed, epoch, batch size and number of samples, so that a
//! resumed run continues with the next batch.

use std::io;
use std::ops::Range;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use brisance::data::Sample;
use brisance::data::sample::SampleReader;

/// Batches per block, a range of samples in the file.
const BLOCK: u64 = 16;
/// Blocks per window; the samples of a window are shuffled together.
const WINDOW: usize = 16;

/// Determines the order of the samples.
#[derive(Clone, Copy)]
pub struct Order {
    /// Number of training samples.
    pub samples: u64,
    /// Samples per batch.
    pub batch: usize,
    /// Seed of the order.
    pub seed: u64,
}

impl Order {
    /// Batches per epoch; at most one is incomplete.
    pub fn batches(self) -> u64 {
        self.samples.div_ceil(self.batch as u64)
    }

    /// The windows of an epoch (from 0), as ranges of samples in the file.
    fn windows(self, epoch: u64) -> Vec<Vec<Range<u64>>> {
        let block = BLOCK * self.batch as u64;
        let starts = (0..self.samples).step_by(block as usize);
        let mut blocks: Vec<Range<u64>> =
            starts.map(|start| start..self.samples.min(start + block)).collect();
        self.rng(epoch, 0).shuffle(&mut blocks);
        blocks.chunks(WINDOW).map(<[_]>::to_vec).collect()
    }

    /// A generator for the order of the blocks (number 0) or for a window of an epoch.
    fn rng(self, epoch: u64, number: u64) -> fastrand::Rng {
        let mut seed = fastrand::Rng::with_seed(self.seed);
        let mut rng = fastrand::Rng::with_seed(seed.u64(..) ^ epoch);
        fastrand::Rng::with_seed(rng.u64(..) ^ number)
    }
}

/// Reads the batches of several epochs on a separate thread.
pub struct Batches {
    windows: Receiver<io::Result<Vec<Sample>>>,
    window: Vec<Sample>,
    used: usize,
    batch: usize,
}

impl Batches {
    /// Reads the batches of `epochs` epochs except the first `skip`.
    pub fn new(mut reader: SampleReader, order: Order, epochs: u64, skip: u64) -> Batches {
        let (send, windows) = sync_channel(1);
        thread::spawn(move || {
            let mut skip = skip;
            for epoch in 0..epochs {
                for (number, blocks) in (1..).zip(order.windows(epoch)) {
                    let length: u64 = blocks.iter().map(|block| block.end - block.start).sum();
                    let batches = length.div_ceil(order.batch as u64);
                    if skip >= batches {
                        skip -= batches;
                        continue;
                    }
                    let window = window(&mut reader, &blocks, order.rng(epoch, number));
                    let first = std::mem::take(&mut skip) as usize * order.batch;
                    let rest = window.map(|mut window| window.split_off(first));
                    // The receiver is dropped when the training ends or fails.
                    if send.send(rest).is_err() {
                        return;
                    }
                }
            }
        });
        Batches { windows, window: vec![], used: 0, batch: order.batch }
    }

    /// The next batch; empty after the last.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn next(&mut self) -> io::Result<&[Sample]> {
        if self.used == self.window.len() {
            self.window = self.windows.recv().unwrap_or_else(|_| Ok(vec![]))?;
            self.used = 0;
        }
        let first = self.used;
        self.used = self.window.len().min(first + self.batch);
        Ok(&self.window[first..self.used])
    }
}

fn window(
    reader: &mut SampleReader,
    blocks: &[Range<u64>],
    mut rng: fastrand::Rng,
) -> io::Result<Vec<Sample>> {
    let mut samples = vec![];
    for block in blocks {
        reader.read(block.start, block.end - block.start, &mut samples)?;
    }
    rng.shuffle(&mut samples);
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brisance::data::{Labels, sample::SampleWriter};

    const SAMPLES: u32 = 30_011;
    const ORDER: Order = Order { samples: SAMPLES as u64, batch: 50, seed: 3 };

    /// The numbers of the samples in each batch.
    fn numbers(epochs: u64, skip: u64) -> Vec<Vec<u32>> {
        let name = format!("brisance-stream-{}-{epochs}-{skip}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let sample = |n: u32| {
            let mut bytes = [0; Sample::SIZE];
            bytes[..4].copy_from_slice(&n.to_le_bytes());
            Sample(bytes)
        };
        let samples: Vec<Sample> = (0..SAMPLES).map(sample).collect();
        let mut writer = SampleWriter::create(&path, Labels::default()).unwrap();
        writer.train(&samples).unwrap();
        writer.finish(&samples[..5]).unwrap();
        let mut batches = Batches::new(SampleReader::open(&path).unwrap(), ORDER, epochs, skip);
        std::fs::remove_file(&path).unwrap();
        let mut all = vec![];
        loop {
            let batch = batches.next().unwrap();
            if batch.is_empty() {
                return all;
            }
            let number = |sample: &Sample| u32::from_le_bytes(sample.0[..4].try_into().unwrap());
            all.push(batch.iter().map(number).collect());
        }
    }

    #[test]
    fn each_epoch_has_every_sample_once_in_another_order() {
        let batches = numbers(2, 0);
        let epoch = ORDER.batches() as usize;
        assert_eq!(batches.len(), 2 * epoch);
        let [first, second] = [&batches[..epoch], &batches[epoch..]].map(<[_]>::concat);
        assert!(first != second);
        for mut epoch in [first, second] {
            epoch.sort_unstable();
            assert!(epoch.into_iter().eq(0..SAMPLES));
        }
        // The samples of a batch come from many blocks.
        let blocks = |batch: &Vec<u32>| {
            let mut blocks: Vec<u32> = batch.iter().map(|n| n / (50 * BLOCK as u32)).collect();
            blocks.sort_unstable();
            blocks.dedup();
            blocks.len()
        };
        assert!(batches[..epoch - 1].iter().all(|batch| blocks(batch) >= 5));
    }

    #[test]
    fn a_resumed_run_continues_with_the_next_batch() {
        let all = numbers(2, 0);
        for skip in [1, 255, 256, 300, 600, 601, 1150] {
            assert!(numbers(2, skip as u64) == all[skip..], "{skip}");
        }
    }
}
