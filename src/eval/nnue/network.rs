//! The parameters of the network and its file format.
//! Invariant: a [`Network`] has passed every check, so that no position can overflow its output
//! layer.
//!
//! File format, all numbers little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `BRISNNUE` |
//! | 4 | version: 7 without a policy head, 8 with one; 4 and 6 the same without capture inputs |
//! | 4 each | hidden neurons, king buckets, layer stacks, neurons of the second and third layer |
//! | 4 | scale: centipawns for an output of 1 |
//! | 1 + n | length and text of the description (UTF-8) |
//! | 2 each | weights of the inputs by king bucket |
//! | 2 each | hidden biases, in units of 1/QA |
//! | 1 each | weights of the capture and blast inputs, in units of 1/QA |
//! | | the layer stacks |
//! | | the policy head |
//! | 4 | CRC-32 of everything before |
//!
//! A weight of the first kind is stored as the difference from that of the bucket before, in units of
//! 1/QA and in zigzag order (0, −1, 1, −2, …): all low bytes, then all high bytes, because they
//! compress well. Versions 4 and 6 have the weights themselves.
//!
//! A layer stack:
//!
//! | bytes | content |
//! |---|---|
//! | 1 each | weights of the second layer by activation and neuron, in units of 127/QS |
//! | 4 each | biases of the second layer, in units of 1/QS |
//! | 2 each | weights of the third layer by input and neuron, in units of 1/QW |
//! | 4 each | biases of the third layer, in units of 1/(QL·QW) |
//! | 2 each | weights of the output, in units of 1/QW |
//! | 4 | bias of the output, in units of 1/(QL·QW) |
//!
//! A policy head:
//!
//! | bytes | content |
//! |---|---|
//! | 1 each | weights by row and activation, in units of 1/QP |
//! | 4 each | biases by row, then by piece type and threats, in units of 1/(127·QP) |

use std::fmt;
use std::sync::Arc;

use once_cell::sync::Lazy;
use thiserror::Error;

use super::arch::{
    BUCKET_INPUTS, HIDDEN, INPUTS, KING_BUCKETS, KING_INPUTS, L2, L3, L3_INPUTS, MAX_BIAS,
    MAX_CAPTURE_WEIGHT, MAX_L2_WEIGHT, MAX_L3_WEIGHT, MAX_OUTPUT_WEIGHT, OUTPUT_BUCKETS, QL, QW,
    are_within,
};
use super::layers::{L2Weights, L3Weights, LayerStack};
use super::policy_head::{POLICY_ROWS, PolicyHead, PolicyRow};
use super::policy_threats::THREAT_BIASES;

const MAGIC: &[u8; 8] = b"BRISNNUE";
const VERSION: u32 = 7;
/// The version of a file with a policy head.
const POLICY_VERSION: u32 = 8;
/// The same versions of networks up to 16, which have no capture inputs.
const OLD_VERSIONS: [u32; 2] = [4, 6];
/// The architecture as the file states it.
const SHAPE: [u32; 5] =
    [HIDDEN as u32, KING_BUCKETS as u32, OUTPUT_BUCKETS as u32, L2 as u32, L3 as u32];
/// Bytes of a layer stack in the file.
const STACK_BYTES: usize = 2 * HIDDEN * L2 + 4 * L2 + 2 * L3_INPUTS * L3 + 4 * L3 + 2 * L3 + 4;

/// Bytes of a policy head in the file.
const POLICY_BYTES: usize = POLICY_ROWS * (2 * HIDDEN + 4) + THREAT_BIASES * 4;

/// The network embedded in the binary.
static EMBEDDED: Lazy<Result<Arc<Network>, NetworkError>> =
    Lazy::new(|| Network::parse(include_bytes!(env!("BRISANCE_NET"))).map(Arc::new));

/// One 16-bit integer per hidden neuron.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct HiddenRow(pub [i16; HIDDEN]);

impl HiddenRow {
    /// All zeros.
    pub const ZERO: HiddenRow = HiddenRow([0; HIDDEN]);
}

/// The weights of a capture or blast input: bytes, so that twice as many fit the processor's cache.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct CaptureRow(pub [i8; HIDDEN]);

/// A quantised network.
///
/// # Examples
///
/// ```
/// use brisance::eval::nnue::{Network, NetworkError};
///
/// let net = Network::embedded()?;
/// let bytes = net.to_bytes();
/// assert_eq!(Network::parse(&bytes)?.description(), net.description());
/// assert_eq!(Network::parse(b"text"), Err(NetworkError::NotANetwork));
/// # Ok::<(), NetworkError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    /// Name and origin of the network, for display.
    pub(super) description: String,
    /// Centipawns for an output of 1, from 1 to 10,000.
    pub(super) scale: i32,
    /// Weights of each input by king bucket; the length is [`KING_INPUTS`].
    pub(super) weights: Box<[HiddenRow]>,
    /// Weights of the other inputs.
    pub(super) captures: Box<[CaptureRow]>,
    pub(super) bias: HiddenRow,
    /// By output bucket.
    pub(super) stacks: Box<[LayerStack]>,
    policy_head: Option<PolicyHead>,
}

/// Why a network cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum NetworkError {
    #[error("not a network file of this engine")]
    NotANetwork,
    #[error("unsupported network version {0}, expected 4, 6, {VERSION} or {POLICY_VERSION}")]
    Version(u32),
    /// The architecture differs: hidden neurons, king buckets, layer stacks, neurons of the second
    /// and third layer of the file.
    #[error(
        "unsupported network architecture: hidden neurons, king buckets, layer stacks, neurons of \
         the second and third layer are {0:?}; expected {SHAPE:?}"
    )]
    Shape([u32; 5]),
    /// The length is wrong: actual and expected number of bytes or input rows.
    #[error("wrong length {0}, expected {1}")]
    Length(usize, usize),
    #[error("the file is corrupt: wrong checksum")]
    Checksum,
    #[error("{0} is out of range")]
    Range(&'static str),
}

impl Network {
    /// The network embedded in the binary. It is parsed once; later calls share it.
    ///
    /// # Errors
    /// When the binary was built with an invalid network file.
    pub fn embedded() -> Result<Arc<Network>, NetworkError> {
        EMBEDDED.clone()
    }

    /// A network from its parameters: description (at most 255 bytes), centipawns for an output
    /// of 1, [`INPUTS`] rows of input weights, hidden biases and [`OUTPUT_BUCKETS`] layer stacks.
    ///
    /// # Errors
    /// When a parameter is out of range or the number of rows or stacks is wrong.
    pub fn new(
        description: &str,
        scale: i32,
        mut weights: Vec<HiddenRow>,
        bias: HiddenRow,
        stacks: Vec<LayerStack>,
    ) -> Result<Network, NetworkError> {
        if weights.len() != INPUTS {
            return Err(NetworkError::Length(weights.len(), INPUTS));
        }
        if stacks.len() != OUTPUT_BUCKETS {
            return Err(NetworkError::Length(stacks.len(), OUTPUT_BUCKETS));
        }
        if !(1..=10_000).contains(&scale) {
            return Err(NetworkError::Range("the scale"));
        }
        if description.len() > 255 {
            return Err(NetworkError::Range("the length of the description"));
        }
        let captures = weights.split_off(KING_INPUTS);
        if !captures.iter().all(|row| are_within(&row.0, MAX_CAPTURE_WEIGHT)) {
            return Err(NetworkError::Range("a weight of a capture input"));
        }
        let bytes = |row: HiddenRow| CaptureRow(row.0.map(|weight| weight as i8));
        for stack in &stacks {
            check_stack(stack)?;
        }
        Ok(Network {
            description: description.to_owned(),
            scale,
            weights: weights.into(),
            captures: captures.into_iter().map(bytes).collect(),
            bias,
            stacks: stacks.into(),
            policy_head: None,
        })
    }

    /// The network with this policy head in place of its own.
    #[must_use]
    pub fn with_policy_head(self, policy_head: Option<PolicyHead>) -> Network {
        Network { policy_head, ..self }
    }

    /// The policy head, if the network has one.
    pub fn policy_head(&self) -> Option<&PolicyHead> {
        self.policy_head.as_ref()
    }

    /// Name and origin of the network, for display.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Centipawns for an output of 1.
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// The weights of an input.
    ///
    /// # Panics
    /// When `input` is not below [`INPUTS`].
    pub fn input(&self, input: usize) -> HiddenRow {
        match input.checked_sub(KING_INPUTS) {
            None => self.weights[input].clone(),
            Some(capture) => HiddenRow(self.captures[capture].0.map(i16::from)),
        }
    }

    /// The biases of the hidden layer.
    pub fn bias(&self) -> &HiddenRow {
        &self.bias
    }

    /// The layer stack of an output bucket.
    ///
    /// # Panics
    /// When `bucket` is not below [`OUTPUT_BUCKETS`].
    pub fn stack(&self, bucket: usize) -> &LayerStack {
        &self.stacks[bucket]
    }

    /// The value in centipawns of an output in units of 1/(QL·QW).
    pub(super) fn value(&self, output: i64) -> i32 {
        // At most (2^31 + 2^23 * 2^8) * 10,000 / 2^23 in magnitude, which fits in 32 bits. The
        // caller clamps the value.
        (output * i64::from(self.scale) / i64::from(QL * QW)) as i32
    }

    /// Reads the contents of a network file.
    ///
    /// # Errors
    /// When the data is not a supported and intact network file.
    pub fn parse(bytes: &[u8]) -> Result<Network, NetworkError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(NetworkError::NotANetwork)?;
        let version = read_u32(&mut rest).ok_or(NetworkError::NotANetwork)?;
        let has_captures = !OLD_VERSIONS.contains(&version);
        let has_policy = [POLICY_VERSION, OLD_VERSIONS[1]].contains(&version);
        if has_captures && ![VERSION, POLICY_VERSION].contains(&version) {
            return Err(NetworkError::Version(version));
        }
        let mut shape = [0; SHAPE.len()];
        for slot in &mut shape {
            *slot = read_u32(&mut rest).ok_or(NetworkError::NotANetwork)?;
        }
        if shape != SHAPE {
            return Err(NetworkError::Shape(shape));
        }
        let scale = read_u32(&mut rest).ok_or(NetworkError::NotANetwork)?;
        let (&length, text) = rest.split_first().ok_or(NetworkError::NotANetwork)?;
        let parameters = (KING_INPUTS + 1) * HIDDEN * 2
            + usize::from(has_captures) * (INPUTS - KING_INPUTS) * HIDDEN
            + OUTPUT_BUCKETS * STACK_BYTES
            + usize::from(has_policy) * POLICY_BYTES;
        let header = MAGIC.len() + (2 + SHAPE.len()) * 4 + 1;
        let total = header + usize::from(length) + parameters + 4;
        if bytes.len() != total {
            return Err(NetworkError::Length(bytes.len(), total));
        }
        let (body, mut sum) = bytes.split_at(total - 4);
        if read_u32(&mut sum) != Some(crc32fast::hash(body)) {
            return Err(NetworkError::Checksum);
        }
        let (text, mut rest) = text.split_at(usize::from(length));
        let description = std::str::from_utf8(text);
        let description =
            description.map_err(|_| NetworkError::Range("the encoding of the description"))?;
        let row = |rest: &mut &[u8]| HiddenRow(read(rest, i16::from_le_bytes));
        let mut weights: Vec<HiddenRow> = if has_captures {
            let (differences, after) = rest.split_at(KING_INPUTS * HIDDEN * 2);
            rest = after;
            let weights = from_differences(differences, BUCKET_INPUTS * HIDDEN);
            weights.as_chunks().0.iter().copied().map(HiddenRow).collect()
        } else {
            (0..KING_INPUTS).map(|_| row(&mut rest)).collect()
        };
        let bias = row(&mut rest);
        weights.resize_with(INPUTS, || {
            if has_captures {
                HiddenRow(read(&mut rest, |byte| i8::from_le_bytes(byte).into()))
            } else {
                HiddenRow::ZERO
            }
        });
        let stacks = (0..OUTPUT_BUCKETS).map(|_| read_stack(&mut rest)).collect();
        let scale = i32::try_from(scale).map_err(|_| NetworkError::Range("the scale"))?;
        let network = Network::new(description, scale, weights, bias, stacks)?;
        if !has_policy {
            return Ok(network);
        }
        let weights = (0..POLICY_ROWS).map(|_| PolicyRow(read(&mut rest, i8::from_le_bytes)));
        let weights = weights.collect();
        let bias = read::<_, _, POLICY_ROWS>(&mut rest, i32::from_le_bytes).to_vec();
        let threat_bias = read::<_, _, THREAT_BIASES>(&mut rest, i32::from_le_bytes).to_vec();
        let policy_head = PolicyHead::new(weights, bias, threat_bias);
        let policy_head = policy_head.ok_or(NetworkError::Range("a policy weight or bias"))?;
        Ok(network.with_policy_head(Some(policy_head)))
    }

    /// The CRC-32 that ends the network file in its current version.
    pub fn checksum(&self) -> u32 {
        let bytes = self.to_bytes();
        let checksum = bytes.last_chunk();
        checksum.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// The contents of the network file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let version = match self.policy_head {
            Some(_) => POLICY_VERSION,
            None => VERSION,
        };
        for number in [version].into_iter().chain(SHAPE) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.scale.to_le_bytes());
        bytes.push(self.description.len() as u8);
        bytes.extend(self.description.as_bytes());
        let weights: Vec<i16> = self.weights.iter().flat_map(|row| row.0).collect();
        bytes.extend(to_differences(&weights, BUCKET_INPUTS * HIDDEN));
        bytes.extend(self.bias.0.map(i16::to_le_bytes).as_flattened());
        for row in &self.captures {
            bytes.extend(row.0.map(|weight| weight as u8));
        }
        for stack in &self.stacks {
            write_stack(&mut bytes, stack);
        }
        if let Some(head) = &self.policy_head {
            for row in &head.weights {
                bytes.extend(row.0.map(i8::to_le_bytes).as_flattened());
            }
            let biases = head.bias.iter().chain(&head.threat_bias);
            bytes.extend(biases.flat_map(|bias| bias.to_le_bytes()));
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network({:?})", self.description)
    }
}

fn read_u32(bytes: &mut &[u8]) -> Option<u32> {
    let (head, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*head))
}

/// Takes numbers from the front of `bytes`, whose length has been checked.
fn read<T, const BYTES: usize, const COUNT: usize>(
    bytes: &mut &[u8],
    number: fn([u8; BYTES]) -> T,
) -> [T; COUNT] {
    let (head, rest) = bytes.split_at(BYTES * COUNT);
    *bytes = rest;
    let numbers = head.as_chunks().0;
    std::array::from_fn(|index| number(numbers[index]))
}

/// The weights of inputs by king bucket from their differences as a file has them; a bucket has
/// `bucket` weights.
pub fn from_differences(bytes: &[u8], bucket: usize) -> Vec<i16> {
    let (low, high) = bytes.split_at(bytes.len() / 2);
    let difference = |(low, high): (&u8, &u8)| {
        let zigzag = u16::from_le_bytes([*low, *high]);
        (zigzag >> 1) as i16 ^ -((zigzag & 1) as i16)
    };
    let mut weights: Vec<i16> = low.iter().zip(high).map(difference).collect();
    let mut before: &[i16] = &[];
    for weights in weights.chunks_mut(bucket) {
        for (weight, before) in weights.iter_mut().zip(before) {
            *weight = weight.wrapping_add(*before);
        }
        before = weights;
    }
    weights
}

/// The inverse of [`from_differences`].
pub fn to_differences(weights: &[i16], bucket: usize) -> Vec<u8> {
    let before = std::iter::repeat_n(&0, bucket).chain(weights);
    let numbers = weights.iter().zip(before).map(|(weight, before)| {
        let difference = weight.wrapping_sub(*before);
        (difference << 1 ^ difference >> 15).to_le_bytes()
    });
    let (mut low, high): (Vec<u8>, Vec<u8>) = numbers.map(|[low, high]| (low, high)).unzip();
    low.extend(high);
    low
}

/// Takes a layer stack from the front of `bytes`, whose length has been checked.
fn read_stack(bytes: &mut &[u8]) -> LayerStack {
    let mut l2_weights = [[0; L2]; 2 * HIDDEN];
    l2_weights.fill_with(|| read(bytes, i8::from_le_bytes));
    let l2_bias = read(bytes, i32::from_le_bytes);
    let l3_weights = std::array::from_fn(|_| read(bytes, i16::from_le_bytes));
    let l3_bias = read(bytes, i32::from_le_bytes);
    let output_weights = read(bytes, i16::from_le_bytes);
    let [output_bias] = read(bytes, i32::from_le_bytes);
    LayerStack {
        l2_weights: L2Weights::new(&l2_weights),
        l2_bias,
        l3_weights: L3Weights::new(&l3_weights),
        l3_bias,
        output_weights,
        output_bias,
    }
}

fn write_stack(bytes: &mut Vec<u8>, stack: &LayerStack) {
    for activation in 0..2 * HIDDEN {
        let weight = |neuron| stack.l2_weights.get(activation, neuron);
        bytes.extend((0..L2).flat_map(|neuron| weight(neuron).to_le_bytes()));
    }
    bytes.extend(stack.l2_bias.map(i32::to_le_bytes).as_flattened());
    for input in 0..L3_INPUTS {
        let weight = |neuron| stack.l3_weights.get(input, neuron);
        bytes.extend((0..L3).flat_map(|neuron| weight(neuron).to_le_bytes()));
    }
    bytes.extend(stack.l3_bias.map(i32::to_le_bytes).as_flattened());
    bytes.extend(stack.output_weights.map(i16::to_le_bytes).as_flattened());
    bytes.extend(stack.output_bias.to_le_bytes());
}

/// An error if a parameter could overflow a sum.
fn check_stack(stack: &LayerStack) -> Result<(), NetworkError> {
    let second = stack.l2_weights.0.as_flattened();
    let third = stack.l3_weights.0.as_flattened();
    let biases = [&stack.l2_bias[..], &stack.l3_bias, &[stack.output_bias]];
    let checks = [
        (are_within(second, MAX_L2_WEIGHT), "a weight of the second layer"),
        (are_within(third, MAX_L3_WEIGHT), "a weight of the third layer"),
        (are_within(&stack.output_weights, MAX_OUTPUT_WEIGHT), "an output weight"),
        (biases.iter().all(|biases| are_within(biases, MAX_BIAS)), "a bias"),
    ];
    match checks.into_iter().find(|(is_valid, _)| !is_valid) {
        Some((_, what)) => Err(NetworkError::Range(what)),
        None => Ok(()),
    }
}
