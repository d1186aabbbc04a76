//! Grows networks: reads one of fewer hidden neurons or of other king buckets as a network of this
//! architecture. New neurons have small random weights of the inputs by king bucket and zeros
//! elsewhere; a king bucket takes the mean of the old ones on its squares.
//! Invariant: a network whose king buckets stay keeps its values and its policy head.

use std::collections::BTreeSet;

use brisance::eval::nnue::{
    BUCKET_INPUTS, HIDDEN, INPUTS, KING_BUCKETS, KING_INPUTS, L2, L3, L3_INPUTS, Network,
    NetworkError, OUTPUT_BUCKETS, POLICY_ROWS, QA, from_differences, king_bucket, to_differences,
};

/// Magic bytes and version.
const HEAD_BYTES: usize = 12;
/// The versions of networks with capture inputs, without and with a policy head.
const VERSIONS: [u8; 2] = [7, 8];
/// Numbers of the shape.
const SHAPE_BYTES: usize = 20;
/// A layer stack without its weights of the second layer.
const STACK_REST: usize = 4 * L2 + 2 * L3_INPUTS * L3 + 4 * L3 + 2 * L3 + 4;
/// Bound of the random input weights of a new neuron, and its bias.
const NEW_WEIGHT: i16 = (QA / 10) as i16;

/// The ten king buckets of networks 11 to 18 by rank and file, as in `arch.rs`.
const TEN_BUCKETS: [[u8; 4]; 8] = [
    [0, 1, 2, 3],
    [4, 4, 5, 5],
    [6, 6, 7, 7],
    [6, 6, 7, 7],
    [8, 8, 9, 9],
    [8, 8, 9, 9],
    [8, 8, 9, 9],
    [8, 8, 9, 9],
];

/// Reads a network file and grows the network if it is smaller.
///
/// # Errors
/// When the data is not an intact network file that fits or can be grown.
pub fn parse(bytes: &[u8]) -> Result<Network, NetworkError> {
    match Network::parse(bytes) {
        Err(error @ NetworkError::Shape(shape)) => match grown(bytes, shape) {
            Some(grown) => Network::parse(&grown),
            None => Err(error),
        },
        other => other,
    }
}

/// The file of a smaller network as one of this architecture; `None` if it is damaged or does not
/// fit.
fn grown(bytes: &[u8], shape: [u32; 5]) -> Option<Vec<u8>> {
    let [hidden, buckets, rest @ ..] = shape.map(|number| number as usize);
    let merged = merged_buckets(buckets)?;
    let fits = (1..=HIDDEN).contains(&hidden);
    if !VERSIONS.contains(bytes.get(8)?) || !fits || rest != [OUTPUT_BUCKETS, L2, L3] {
        return None;
    }
    let (mut from, sum) = bytes.split_last_chunk()?;
    if u32::from_le_bytes(*sum) != crc32fast::hash(from) {
        return None;
    }
    let mut to = from.split_off(..HEAD_BYTES)?.to_vec();
    from.split_off(..SHAPE_BYTES)?;
    for number in [HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS, L2, L3] {
        to.extend((number as u32).to_le_bytes());
    }
    // The scale, the length of the description and its text.
    let text = usize::from(*from.get(4)?);
    to.extend(from.split_off(..5 + text)?);
    add_rows(&mut from, &mut to, hidden, &merged)?;
    add_padded(&mut from, &mut to, INPUTS - KING_INPUTS, hidden, 1)?;
    for _ in 0..OUTPUT_BUCKETS {
        add_padded(&mut from, &mut to, 2, hidden, L2)?;
        to.extend(from.split_off(..STACK_REST)?);
    }
    if !from.is_empty() {
        add_padded(&mut from, &mut to, 2 * POLICY_ROWS, hidden, 1)?;
    }
    to.extend(from);
    to.extend(crc32fast::hash(&to).to_le_bytes());
    Some(to)
}

/// Moves `rows` of weights, `width` bytes for each neuron, and gives the new neurons zeros.
fn add_padded(
    from: &mut &[u8],
    to: &mut Vec<u8>,
    rows: usize,
    hidden: usize,
    width: usize,
) -> Option<()> {
    for _ in 0..rows {
        to.extend(from.split_off(..hidden * width)?);
        to.resize(to.len() + (HIDDEN - hidden) * width, 0);
    }
    Some(())
}

/// For each king bucket those of a network with `buckets` of them on the same squares; `None` if
/// they are unknown.
fn merged_buckets(buckets: usize) -> Option<Vec<BTreeSet<usize>>> {
    if buckets == KING_BUCKETS {
        let single = |bucket| BTreeSet::from([bucket]);
        return Some((0..buckets).map(single).collect());
    }
    if buckets != 10 {
        return None;
    }
    let mut merged = vec![BTreeSet::new(); KING_BUCKETS];
    for (rank, row) in (0..).zip(TEN_BUCKETS) {
        for (file, bucket) in (0..).zip(row) {
            merged[king_bucket(file, rank)].insert(usize::from(bucket));
        }
    }
    Some(merged)
}

/// Moves the rows of the inputs and the biases; `merged` are the old buckets of each new one.
fn add_rows(
    from: &mut &[u8],
    to: &mut Vec<u8>,
    hidden: usize,
    merged: &[BTreeSet<usize>],
) -> Option<()> {
    let buckets = merged.iter().flatten().max()? + 1;
    let new = new_weights(HIDDEN - hidden);
    let differences = from.split_off(..2 * hidden * BUCKET_INPUTS * buckets)?;
    let old = from_differences(differences, hidden * BUCKET_INPUTS);
    let weight = |row: usize, neuron: usize| f32::from(old[row * hidden + neuron]);
    let mut grown = vec![];
    for bucket in merged {
        for (input, new) in new.iter().enumerate() {
            let mean = |neuron| {
                let old = bucket.iter().map(|old| weight(old * BUCKET_INPUTS + input, neuron));
                (old.sum::<f32>() / bucket.len() as f32).round_ties_even() as i16
            };
            grown.extend((0..hidden).map(mean).chain(new.iter().copied()));
        }
    }
    to.extend(to_differences(&grown, HIDDEN * BUCKET_INPUTS));
    to.extend(from.split_off(..2 * hidden)?);
    to.extend([NEW_WEIGHT; HIDDEN][hidden..].iter().flat_map(|bias| bias.to_le_bytes()));
    Some(())
}

/// Random weights of new neurons by input, which all king buckets share.
fn new_weights(neurons: usize) -> Vec<Vec<i16>> {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut row = || (0..neurons).map(|_| rng.i16(-NEW_WEIGHT..=NEW_WEIGHT)).collect();
    (0..BUCKET_INPUTS).map(|_| row()).collect()
}

#[cfg(test)]
mod tests;
