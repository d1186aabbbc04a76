//! The parameters of the network and its file format.
//! Invariant: a [`Network`] has passed every check, so that no position can overflow its output
//! layer.
//!
//! File format, all numbers little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `BRISNNUE` |
//! | 4 | version: 3; 2 without separate outputs for threatened positions; 1 also without ring inputs, whose weights are then 0 |
//! | 4, 4, 4 | hidden neurons, king buckets, outputs |
//! | 4 | scale: centipawns for an output of 1 |
//! | 1 + n | length and text of the description (UTF-8) |
//! | 2 each | input weights by input, then hidden biases, in units of 1/QA |
//! | 2 each | output weights by output: side to move, opponent, in units of 1/QB |
//! | 4 each | output biases in units of 1/(QA·QB) |
//! | 4 | CRC-32 of everything before |

use std::fmt;
use std::sync::Arc;

use once_cell::sync::Lazy;

use super::arch::{
    BUCKET_INPUTS, HIDDEN, INPUTS, KING_BUCKETS, MAX_OUTPUT_WEIGHT, OUTPUT_BUCKETS,
    PIECE_COUNT_BUCKETS, PIECE_INPUTS,
};

const MAGIC: &[u8; 8] = b"BRISNNUE";
const VERSION: u32 = 3;
/// The version with the same outputs for threatened and other positions.
const VERSION_WITHOUT_THREAT_OUTPUTS: u32 = 2;
/// The version that also has no ring inputs.
const VERSION_WITHOUT_RING_INPUTS: u32 = 1;

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
    /// Weights of each input; the length is [`INPUTS`].
    pub(super) weights: Box<[HiddenRow]>,
    pub(super) bias: HiddenRow,
    /// By output, then by perspective: side to move, opponent.
    pub(super) output_weights: [[HiddenRow; 2]; OUTPUT_BUCKETS],
    pub(super) output_bias: [i32; OUTPUT_BUCKETS],
}

/// Why a network cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetworkError {
    /// The data does not start with the header of a network file.
    NotANetwork,
    /// The version is unsupported.
    Version(u32),
    /// The architecture differs: hidden neurons, king buckets, outputs of the file.
    Shape([u32; 3]),
    /// The length is wrong: actual and expected number of bytes or input rows.
    Length(usize, usize),
    /// The checksum is wrong.
    Checksum,
    /// A parameter is out of range; its name.
    Range(&'static str),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::NotANetwork => f.write_str("not a network file of this engine"),
            NetworkError::Version(found) => {
                write!(
                    f,
                    "unsupported network version {found}, expected {VERSION_WITHOUT_RING_INPUTS} to {VERSION}"
                )
            }
            NetworkError::Shape([hidden, kings, outputs]) => write!(
                f,
                "unsupported network architecture: {hidden} hidden neurons, {kings} king buckets, \
                 {outputs} outputs; expected {HIDDEN}, {KING_BUCKETS}, {OUTPUT_BUCKETS}"
            ),
            NetworkError::Length(found, expected) => {
                write!(f, "wrong length {found}, expected {expected}")
            }
            NetworkError::Checksum => f.write_str("the file is corrupt: wrong checksum"),
            NetworkError::Range(what) => write!(f, "{what} is out of range"),
        }
    }
}

impl std::error::Error for NetworkError {}

impl Network {
    /// The network embedded in the binary. It is parsed once; later calls share it.
    ///
    /// # Errors
    /// When the binary was built with an invalid network file.
    pub fn embedded() -> Result<Arc<Network>, NetworkError> {
        EMBEDDED.clone()
    }

    /// A network from its parameters: description (at most 255 bytes), centipawns for an output
    /// of 1, [`INPUTS`] rows of input weights, hidden biases, output weights and output biases.
    ///
    /// # Errors
    /// When a parameter is out of range or the number of rows is not [`INPUTS`].
    pub fn new(
        description: &str,
        scale: i32,
        weights: Vec<HiddenRow>,
        bias: HiddenRow,
        output_weights: [[HiddenRow; 2]; OUTPUT_BUCKETS],
        output_bias: [i32; OUTPUT_BUCKETS],
    ) -> Result<Network, NetworkError> {
        if weights.len() != INPUTS {
            return Err(NetworkError::Length(weights.len(), INPUTS));
        }
        if !(1..=10_000).contains(&scale) {
            return Err(NetworkError::Range("the scale"));
        }
        if description.len() > 255 {
            return Err(NetworkError::Range("the length of the description"));
        }
        let halves = output_weights.iter().flatten();
        let mut output_weights_flat = halves.flat_map(|row| row.0);
        if output_weights_flat
            .any(|weight| weight.unsigned_abs() > MAX_OUTPUT_WEIGHT.unsigned_abs())
        {
            return Err(NetworkError::Range("an output weight"));
        }
        // Far larger than in any trained network.
        if output_bias.iter().any(|bias| bias.unsigned_abs() > 1 << 24) {
            return Err(NetworkError::Range("an output bias"));
        }
        Ok(Network {
            description: description.to_owned(),
            scale,
            weights: weights.into(),
            bias,
            output_weights,
            output_bias,
        })
    }

    /// Name and origin of the network, for display.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Centipawns for an output of 1.
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// The weights of an input, in units of 1/[`QA`](super::QA).
    ///
    /// # Panics
    /// When `input` is not below [`INPUTS`].
    pub fn input_weights(&self, input: usize) -> &HiddenRow {
        &self.weights[input]
    }

    /// The biases of the hidden layer, in units of 1/[`QA`](super::QA).
    pub fn hidden_bias(&self) -> &HiddenRow {
        &self.bias
    }

    /// The weights of an output for the perspective of the side to move (0) or the opponent (1),
    /// in units of 1/[`QB`](super::QB).
    ///
    /// # Panics
    /// When `output` is not below [`OUTPUT_BUCKETS`] or `perspective` is not 0 or 1.
    pub fn output_weights(&self, output: usize, perspective: usize) -> &HiddenRow {
        &self.output_weights[output][perspective]
    }

    /// The bias of an output, in units of 1/(QA·QB).
    ///
    /// # Panics
    /// When `output` is not below [`OUTPUT_BUCKETS`].
    pub fn output_bias(&self, output: usize) -> i32 {
        self.output_bias[output]
    }

    /// Reads the contents of a network file.
    ///
    /// # Errors
    /// When the data is not a supported and intact network file.
    pub fn parse(bytes: &[u8]) -> Result<Network, NetworkError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(NetworkError::NotANetwork)?;
        let version = read_u32(&mut rest).ok_or(NetworkError::NotANetwork)?;
        let (file_bucket_inputs, file_outputs) = match version {
            VERSION => (BUCKET_INPUTS, OUTPUT_BUCKETS),
            VERSION_WITHOUT_THREAT_OUTPUTS => (BUCKET_INPUTS, PIECE_COUNT_BUCKETS),
            VERSION_WITHOUT_RING_INPUTS => (PIECE_INPUTS, PIECE_COUNT_BUCKETS),
            _ => return Err(NetworkError::Version(version)),
        };
        let mut header = [0; 4];
        for slot in &mut header {
            *slot = read_u32(&mut rest).ok_or(NetworkError::NotANetwork)?;
        }
        let [hidden, kings, outputs, scale] = header;
        let expected = [HIDDEN, KING_BUCKETS, file_outputs].map(|number| number as u32);
        if [hidden, kings, outputs] != expected {
            return Err(NetworkError::Shape([hidden, kings, outputs]));
        }
        let (&length, text) = rest.split_first().ok_or(NetworkError::NotANetwork)?;
        let row_count = KING_BUCKETS * file_bucket_inputs + 1 + 2 * file_outputs;
        let parameters = row_count * HIDDEN * 2 + file_outputs * 4;
        let total = MAGIC.len() + 5 * 4 + 1 + usize::from(length) + parameters + 4;
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
        let input = |input: usize| {
            let in_file = input % BUCKET_INPUTS < file_bucket_inputs;
            if in_file {
                read_row(&mut rest)
            } else {
                HiddenRow::ZERO
            }
        };
        let weights = (0..INPUTS).map(input).collect();
        let bias = read_row(&mut rest);
        let rows: Vec<[HiddenRow; 2]> = (0..file_outputs)
            .map(|_| [read_row(&mut rest), read_row(&mut rest)])
            .collect();
        let output_weights = std::array::from_fn(|output| rows[output % file_outputs].clone());
        let biases: Vec<i32> = (0..file_outputs)
            .map(|_| read_u32(&mut rest).unwrap_or_default().cast_signed())
            .collect();
        let output_bias = std::array::from_fn(|output| biases[output % file_outputs]);
        let scale = i32::try_from(scale).map_err(|_| NetworkError::Range("the scale"))?;
        Network::new(
            description,
            scale,
            weights,
            bias,
            output_weights,
            output_bias,
        )
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
        let shape = [HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS].map(|number| number as u32);
        for number in [VERSION].into_iter().chain(shape) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.scale.to_le_bytes());
        bytes.push(self.description.len() as u8);
        bytes.extend(self.description.as_bytes());
        let outputs = self.output_weights.iter().flatten();
        let rows = self.weights.iter().chain([&self.bias]).chain(outputs);
        for number in rows.flat_map(|row| row.0) {
            bytes.extend(number.to_le_bytes());
        }
        for bias in self.output_bias {
            bytes.extend(bias.to_le_bytes());
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

/// Takes a row from the front of `bytes`, whose length has been checked.
fn read_row(bytes: &mut &[u8]) -> HiddenRow {
    let (head, rest) = bytes.split_at(2 * HIDDEN);
    *bytes = rest;
    let mut row = HiddenRow::ZERO;
    for (number, pair) in row.0.iter_mut().zip(head.as_chunks().0) {
        *number = i16::from_le_bytes(*pair);
    }
    row
}
