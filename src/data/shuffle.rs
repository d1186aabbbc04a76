//! Shuffles samples without holding all of them in memory: they are scattered over buckets in a
//! scratch file, then each bucket is read, duplicates are dropped and the rest is shuffled.
//! Invariant: samples of one position are in the same bucket in input order unless duplicates are
//! kept, and the output depends only on the samples and the seed.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::Sample;

/// Number of buckets. With 300 million samples, a bucket has about 2.3 million, or 100 MB.
const BUCKETS: usize = 128;
/// Bytes of a sample in the scratch file: key of the position, split, sample.
const RECORD: usize = 8 + 1 + Sample::SIZE;
/// Bytes of a bucket that are buffered before they are written.
const PAGE: usize = 4096 * RECORD;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Split {
    Train,
    Validation,
}

#[derive(Default)]
struct Bucket {
    /// Records not yet written.
    pending: Vec<u8>,
    /// Offsets of whole pages in the scratch file.
    pages: Vec<u64>,
}

/// Collects samples and returns them in random order.
pub(crate) struct Shuffler {
    scratch: File,
    end: u64,
    buckets: Vec<Bucket>,
    duplicates: bool,
    rng: fastrand::Rng,
}

impl Shuffler {
    /// Creates a shuffler with an empty file, open for reading and writing, as scratch memory. With
    /// `duplicates` it keeps every sample, otherwise only the first of each position.
    pub(crate) fn new(scratch: File, duplicates: bool, seed: u64) -> Shuffler {
        Shuffler {
            scratch,
            end: 0,
            buckets: (0..BUCKETS).map(|_| Bucket::default()).collect(),
            duplicates,
            rng: fastrand::Rng::with_seed(seed),
        }
    }

    pub(crate) fn add(&mut self, split: Split, key: u64, sample: Sample) -> io::Result<()> {
        // Copies of a common position in one bucket would make that bucket too large.
        let at = if self.duplicates {
            self.rng.usize(..BUCKETS)
        } else {
            (key % BUCKETS as u64) as usize
        };
        let bucket = &mut self.buckets[at];
        bucket.pending.extend(key.to_le_bytes());
        bucket.pending.push((split == Split::Validation).into());
        bucket.pending.extend(sample.0);
        if bucket.pending.len() >= PAGE {
            self.scratch.write_all(&bucket.pending)?;
            bucket.pages.push(self.end);
            self.end += bucket.pending.len() as u64;
            bucket.pending.clear();
        }
        Ok(())
    }

    /// Calls `train` with the training samples of each bucket in random order, and returns the
    /// validation samples, also in random order, with the number of duplicates dropped.
    ///
    /// # Errors
    /// When the scratch file cannot be read, and the errors of `train`.
    pub(crate) fn finish(
        mut self,
        mut train: impl FnMut(&[Sample]) -> io::Result<()>,
    ) -> io::Result<(Vec<Sample>, u64)> {
        let (mut validate, mut duplicates) = (vec![], 0);
        let mut buckets = std::mem::take(&mut self.buckets);
        self.rng.shuffle(&mut buckets);
        let (mut records, mut seen) = (vec![], HashSet::new());
        for bucket in buckets {
            self.read(bucket, &mut records)?;
            seen.clear();
            let mut samples = vec![];
            for record in records.as_chunks::<RECORD>().0 {
                let (split, key, sample) = unpack(record);
                if !self.duplicates && !seen.insert(key) {
                    duplicates += 1;
                } else if split == Split::Train {
                    samples.push(sample);
                } else {
                    validate.push(sample);
                }
            }
            self.rng.shuffle(&mut samples);
            train(&samples)?;
        }
        self.rng.shuffle(&mut validate);
        Ok((validate, duplicates))
    }

    fn read(&mut self, bucket: Bucket, records: &mut Vec<u8>) -> io::Result<()> {
        records.clear();
        for page in bucket.pages {
            self.scratch.seek(SeekFrom::Start(page))?;
            let start = records.len();
            records.resize(start + PAGE, 0);
            self.scratch.read_exact(&mut records[start..])?;
        }
        records.extend(bucket.pending);
        Ok(())
    }
}

fn unpack(record: &[u8; RECORD]) -> (Split, u64, Sample) {
    let (key, rest) = record.split_first_chunk().unwrap_or((&[0; 8], &[]));
    let (&[is_validation], rest) = rest.split_first_chunk().unwrap_or((&[0; 1], &[]));
    let split = if is_validation == 0 { Split::Train } else { Split::Validation };
    let bytes = rest.first_chunk().copied().unwrap_or([0; Sample::SIZE]);
    (split, u64::from_le_bytes(*key), Sample(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample that holds the number `n` instead of a position.
    fn sample(n: u32) -> Sample {
        let mut bytes = [0; Sample::SIZE];
        bytes[..4].copy_from_slice(&n.to_le_bytes());
        Sample(bytes)
    }

    fn number(sample: &Sample) -> u32 {
        u32::from_le_bytes(sample.0[..4].try_into().unwrap())
    }

    /// Samples 0 to `count`; every tenth is for validation, and those from `distinct` on repeat
    /// the positions of the first ones.
    fn shuffled(count: u32, distinct: u32, keep: bool, seed: u64) -> (Vec<u32>, Vec<u32>, u64) {
        let mut shuffler = Shuffler::new(tempfile::tempfile().unwrap(), keep, seed);
        for n in 0..count {
            let split = [Split::Train, Split::Validation][usize::from(n % 10 == 0)];
            let key = u64::from(n % distinct).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            shuffler.add(split, key ^ key >> 32, sample(n)).unwrap();
        }
        let mut train = vec![];
        let take = |samples: &[Sample]| {
            train.extend(samples.iter().map(number));
            Ok(())
        };
        let (validate, dropped) = shuffler.finish(take).unwrap();
        (train, validate.iter().map(number).collect(), dropped)
    }

    #[test]
    fn each_sample_appears_once_in_an_order_set_by_the_seed() {
        // Enough for several pages per bucket.
        const COUNT: u32 = 700_000;
        let (mut train, mut validate, dropped) = shuffled(COUNT, u32::MAX, true, 1);
        assert_eq!((train.len() as u32, dropped), (COUNT / 10 * 9, 0));
        assert_eq!(train, shuffled(COUNT, u32::MAX, true, 1).0);
        // The mean distance of two random numbers of a range is a third of the range.
        let apart = |pair: &[u32]| f64::from(pair[0].abs_diff(pair[1]));
        let mean = train.windows(2).map(apart).sum::<f64>() / train.len() as f64;
        assert!((mean / f64::from(COUNT) - 1.0 / 3.0).abs() < 0.01, "{mean}");
        // Each part of the output has as many early as late samples.
        for stretch in train.chunks_exact(10_000) {
            let late = stretch.iter().filter(|&&n| n >= COUNT / 2).count();
            assert!((4_700..5_300).contains(&late), "{late}");
        }
        train.sort_unstable();
        validate.sort_unstable();
        assert!(validate.iter().copied().eq((0..COUNT).step_by(10)));
        train.extend(validate);
        train.sort_unstable();
        assert!(train.into_iter().eq(0..COUNT));
    }

    #[test]
    fn the_first_sample_of_a_position_is_kept() {
        let (mut train, validate, dropped) = shuffled(9_000, 3_001, false, 2);
        assert_eq!(dropped, 9_000 - 3_001);
        train.extend(validate);
        train.sort_unstable();
        assert!(train.into_iter().eq(0..3_001));
    }
}
