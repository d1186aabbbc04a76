//! The network's numbers and its file.
//! Invariant: a network that exists has passed every check, so that no input can overflow its
//! output layer.
//!
//! A file is, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `BRISNNUE` |
//! | 4 | version: 3; 2, with the same outputs for threatened positions as for others; or 1, also without the inputs around the enemy king, which are then 0 |
//! | 4, 4, 4 | hidden neurons, king buckets, outputs |
//! | 4 | centipawns for an output of 1 |
//! | 1 + n | length and text of the description (UTF-8) |
//! | 2 each | input weights by input, then hidden biases, in 255ths |
//! | 2 each | output weights by output: own half, other half, in 256ths |
//! | 4 each | output biases in 255·256ths |
//! | 4 | CRC-32 of all before |

use std::fmt;
use std::sync::Arc;

use once_cell::sync::Lazy;

use super::arch::{
    BUCKET_INPUTS, HIDDEN, INPUTS, KING_BUCKETS, MAX_OUTPUT_WEIGHT, MEN_INPUTS, MEN_OUTPUTS,
    OUTPUTS,
};

const MAGIC: &[u8; 8] = b"BRISNNUE";
const VERSION: u32 = 3;
/// The version with one set of outputs.
const CALM_VERSION: u32 = 2;
/// The version without the inputs around the enemy king, too.
const PLAIN_VERSION: u32 = 1;

/// The network inside the binary.
static EMBEDDED: Lazy<Result<Arc<Network>, NetError>> =
    Lazy::new(|| Network::parse(include_bytes!(env!("BRISANCE_NET"))).map(Arc::new));

/// One number for each hidden neuron.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Row(pub [i16; HIDDEN]);

impl Row {
    /// All zero.
    pub const ZERO: Row = Row([0; HIDDEN]);
}

/// A network.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    /// What it is and where it comes from, for people.
    pub(super) description: String,
    /// Centipawns for an output of 1.
    pub(super) scale: i32,
    /// [`INPUTS`] rows.
    pub(super) weights: Box<[Row]>,
    pub(super) bias: Row,
    /// Own and other half for each output.
    pub(super) output_weights: [[Row; 2]; OUTPUTS],
    pub(super) output_bias: [i32; OUTPUTS],
}

/// Why bytes are no network for this program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetError {
    /// It does not begin as a network's file does.
    Foreign,
    /// A version this program does not read.
    Version(u32),
    /// Another shape: hidden neurons, king buckets, outputs.
    Shape([u32; 3]),
    /// Fewer or more bytes than the shape asks for: found, wanted.
    Length(usize, usize),
    /// The checksum does not fit the bytes.
    Checksum,
    /// A number outside its range: which.
    Range(&'static str),
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetError::Foreign => f.write_str("not a network of this engine"),
            NetError::Version(found) => {
                write!(
                    f,
                    "a network of version {found}, this program reads {PLAIN_VERSION} to {VERSION}"
                )
            }
            NetError::Shape([hidden, kings, outputs]) => write!(
                f,
                "a network of another shape: {hidden} neurons, {kings} king buckets, {outputs} \
                 outputs; this program wants {HIDDEN}, {KING_BUCKETS}, {OUTPUTS}"
            ),
            NetError::Length(found, wanted) => {
                write!(f, "{found} bytes long where {wanted} are wanted")
            }
            NetError::Checksum => f.write_str("damaged: the checksum is wrong"),
            NetError::Range(what) => write!(f, "not usable: {what} out of range"),
        }
    }
}

impl std::error::Error for NetError {}

impl Network {
    /// The network inside the binary.
    ///
    /// # Errors
    /// When the binary was built with a file that is no network for it.
    pub fn embedded() -> Result<Arc<Network>, NetError> {
        EMBEDDED.clone()
    }

    /// A network from its numbers: input weights by input (of which there are
    /// [`INPUTS`]), hidden biases, output weights and biases.
    ///
    /// # Errors
    /// When a number is out of range or there are too many or few rows.
    pub fn new(
        description: &str,
        scale: i32,
        weights: Vec<Row>,
        bias: Row,
        output_weights: [[Row; 2]; OUTPUTS],
        output_bias: [i32; OUTPUTS],
    ) -> Result<Network, NetError> {
        if weights.len() != INPUTS {
            return Err(NetError::Length(weights.len(), INPUTS));
        }
        if !(1..=10_000).contains(&scale) {
            return Err(NetError::Range("the scale"));
        }
        if description.len() > 255 {
            return Err(NetError::Range("the length of the description"));
        }
        let halves = output_weights.iter().flatten();
        let mut numbers = halves.flat_map(|row| row.0);
        if numbers.any(|weight| weight.unsigned_abs() > MAX_OUTPUT_WEIGHT.unsigned_abs()) {
            return Err(NetError::Range("an output weight"));
        }
        // Far beyond what any real network needs.
        if output_bias.iter().any(|bias| bias.unsigned_abs() > 1 << 24) {
            return Err(NetError::Range("an output bias"));
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

    /// What it is and where it comes from, for people.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Centipawns for an output of 1.
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// The weights of an input, in units of [`ACTIVE`](super::ACTIVE).
    ///
    /// # Panics
    /// When there is no such input.
    pub fn input(&self, input: usize) -> &Row {
        &self.weights[input]
    }

    /// The hidden biases.
    pub fn bias(&self) -> &Row {
        &self.bias
    }

    /// The weights of an output for the side to move (view 0) or the other (1), in units of
    /// [`ACTIVE_WEIGHT`](super::ACTIVE_WEIGHT).
    ///
    /// # Panics
    /// When there is no such output or view.
    pub fn output(&self, output: usize, view: usize) -> &Row {
        &self.output_weights[output][view]
    }

    /// The bias of an output, in units of both together.
    ///
    /// # Panics
    /// When there is no such output.
    pub fn output_bias(&self, output: usize) -> i32 {
        self.output_bias[output]
    }

    /// Reads a network's file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Network, NetError> {
        let whole = bytes.len();
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(NetError::Foreign)?;
        let version = word(&mut rest).ok_or(NetError::Foreign)?;
        // The inputs of a king bucket and the outputs that the file has.
        let (given, sets) = match version {
            VERSION => (BUCKET_INPUTS, OUTPUTS),
            CALM_VERSION => (BUCKET_INPUTS, MEN_OUTPUTS),
            PLAIN_VERSION => (MEN_INPUTS, MEN_OUTPUTS),
            _ => return Err(NetError::Version(version)),
        };
        let mut header = [0; 4];
        for slot in &mut header {
            *slot = word(&mut rest).ok_or(NetError::Foreign)?;
        }
        let [hidden, kings, outputs, scale] = header;
        let wanted = [HIDDEN, KING_BUCKETS, sets].map(|number| number as u32);
        if [hidden, kings, outputs] != wanted {
            return Err(NetError::Shape([hidden, kings, outputs]));
        }
        let (&length, text) = rest.split_first().ok_or(NetError::Foreign)?;
        let numbers = (KING_BUCKETS * given + 1 + 2 * sets) * HIDDEN * 2 + sets * 4;
        let total = MAGIC.len() + 5 * 4 + 1 + usize::from(length) + numbers + 4;
        if whole != total {
            return Err(NetError::Length(whole, total));
        }
        let (body, mut sum) = bytes.split_at(total - 4);
        if word(&mut sum) != Some(crc32fast::hash(body)) {
            return Err(NetError::Checksum);
        }
        let (text, mut rest) = text.split_at(usize::from(length));
        let description = std::str::from_utf8(text);
        let description = description.map_err(|_| NetError::Range("the description's text"))?;
        let input = |input: usize| {
            let known = input % BUCKET_INPUTS < given;
            if known { row(&mut rest) } else { Row::ZERO }
        };
        let weights = (0..INPUTS).map(input).collect();
        let bias = row(&mut rest);
        let rows: Vec<[Row; 2]> = (0..sets)
            .map(|_| [row(&mut rest), row(&mut rest)])
            .collect();
        let output_weights = std::array::from_fn(|output| rows[output % sets].clone());
        let biases: Vec<i32> = (0..sets)
            .map(|_| word(&mut rest).unwrap_or_default().cast_signed())
            .collect();
        let output_bias = std::array::from_fn(|output| biases[output % sets]);
        let scale = i32::try_from(scale).map_err(|_| NetError::Range("the scale"))?;
        Network::new(
            description,
            scale,
            weights,
            bias,
            output_weights,
            output_bias,
        )
    }

    /// The bytes of the network's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let shape = [HIDDEN, KING_BUCKETS, OUTPUTS].map(|number| number as u32);
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

fn word(bytes: &mut &[u8]) -> Option<u32> {
    let (head, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*head))
}

/// A row from the front of `bytes`, whose length has been checked.
fn row(bytes: &mut &[u8]) -> Row {
    let (head, rest) = bytes.split_at(2 * HIDDEN);
    *bytes = rest;
    let mut row = Row::ZERO;
    for (number, pair) in row.0.iter_mut().zip(head.as_chunks().0) {
        *number = i16::from_le_bytes(*pair);
    }
    row
}
