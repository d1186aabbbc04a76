//! Adaptive coding of bits and numbers with a range coder.
//! Invariant: writer and reader take the same path, because both are used through [`Coder`]: a
//! reader returns what the writer was given, as long as the calls and models are the same.

use std::num::NonZeroU16;

use constriction::stream::model::{DecoderModel, EncoderModel, EntropyModel};
use constriction::stream::queue::{DefaultRangeDecoder, DefaultRangeEncoder};
use constriction::stream::{Decode, Encode};

/// Probabilities are in units of 2^-15.
const PRECISION: usize = 15;
/// A model learns at least this fast: the weight of a new bit is one in this number.
const SLOWEST: u16 = 96;

/// The probability that a bit is set, learned from the bits seen so far.
#[derive(Clone, Copy, Debug)]
pub struct BitModel {
    /// In 65536ths.
    probability: u16,
    /// Bits seen, up to [`SLOWEST`].
    seen: u16,
}

impl BitModel {
    /// Both values are equally likely at first.
    pub const EVEN: BitModel = BitModel { probability: 1 << 15, seen: 0 };

    fn learn(&mut self, bit: bool) {
        let (target, old) = (i32::from(bit) * 0xffff, i32::from(self.probability));
        let step = (target - old) * 2 / (2 * i32::from(self.seen) + 3);
        self.probability = (old + step) as u16;
        self.seen = (self.seen + 1).min(SLOWEST);
    }

    /// The probability of a set bit for the range coder; neither 0 nor 1.
    fn set(self) -> u16 {
        (self.probability >> 1).clamp(24, (1 << PRECISION) - 24)
    }

    fn interval(self, bit: bool) -> (u16, NonZeroU16) {
        let (start, length) =
            if bit { (0, self.set()) } else { (self.set(), (1 << PRECISION) - self.set()) };
        (start, NonZeroU16::new(length).unwrap_or(NonZeroU16::MIN))
    }
}

impl EntropyModel<PRECISION> for BitModel {
    type Symbol = bool;
    type Probability = u16;
}

impl EncoderModel<PRECISION> for BitModel {
    fn left_cumulative_and_probability(
        &self,
        symbol: impl std::borrow::Borrow<bool>,
    ) -> Option<(u16, NonZeroU16)> {
        Some(self.interval(*symbol.borrow()))
    }
}

impl DecoderModel<PRECISION> for BitModel {
    fn quantile_function(&self, quantile: u16) -> (bool, u16, NonZeroU16) {
        let bit = quantile < self.set();
        let (start, length) = self.interval(bit);
        (bit, start, length)
    }
}

/// A writer or a reader of bits.
pub trait Coder {
    /// Writes `bit`, or ignores it and returns the bit read.
    fn bit(&mut self, model: &mut BitModel, bit: bool) -> bool;

    /// True once a reader found bytes that no writer makes; all further bits are then unset.
    fn failed(&self) -> bool {
        false
    }

    /// Writes or reads the lowest `width` bits of a number, highest first; `models` needs
    /// `2^width` entries.
    fn bits(&mut self, models: &mut [BitModel], width: u32, number: u32) -> u32 {
        let mut node = 1;
        for at in (0..width).rev() {
            let bit = self.bit(&mut models[node], number >> at & 1 != 0);
            node = node << 1 | usize::from(bit);
        }
        node as u32 & ((1 << width) - 1)
    }

    /// Writes or reads a number below 2^32 - 1; small numbers take few bits.
    fn number(&mut self, models: &mut NumberModel, number: u32) -> u32 {
        let number = number.saturating_add(1);
        let mut width = 0;
        while width < 31 && self.bit(&mut models.widths[width], (width as u32) < number.ilog2()) {
            width += 1;
        }
        // The two bits after the highest are modelled, the rest hardly differ from noise.
        let mut node = 1u32;
        for at in (0..width).rev() {
            let bit = number >> at & 1 != 0;
            let model =
                if node < 4 { &mut models.digits[width][node as usize] } else { &mut models.noise };
            node = node << 1 | u32::from(self.bit(model, bit));
        }
        node - 1
    }
}

/// The models of a number: of its width in bits, and of its highest digits for each width.
#[derive(Clone)]
pub struct NumberModel {
    widths: [BitModel; 31],
    digits: [[BitModel; 4]; 32],
    noise: BitModel,
}

impl NumberModel {
    pub const NEW: NumberModel = NumberModel {
        widths: [BitModel::EVEN; 31],
        digits: [[BitModel::EVEN; 4]; 32],
        noise: BitModel::EVEN,
    };
}

#[derive(Default)]
pub struct BitWriter(DefaultRangeEncoder);

impl BitWriter {
    pub fn finish(self) -> Vec<u8> {
        let words = self.0.into_compressed().unwrap_or_default();
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

impl Coder for BitWriter {
    fn bit(&mut self, model: &mut BitModel, bit: bool) -> bool {
        // Writing to memory cannot fail, and both values have a probability above zero.
        let _ = self.0.encode_symbol(bit, *model);
        model.learn(bit);
        bit
    }
}

pub struct BitReader {
    decoder: DefaultRangeDecoder,
    failed: bool,
}

impl BitReader {
    pub fn new(bytes: &[u8]) -> BitReader {
        let words = bytes.as_chunks().0.iter();
        let words: Vec<u32> = words.map(|word| u32::from_le_bytes(*word)).collect();
        let Ok(decoder) = DefaultRangeDecoder::from_compressed(words);
        BitReader { decoder, failed: false }
    }
}

impl Coder for BitReader {
    fn bit(&mut self, model: &mut BitModel, _: bool) -> bool {
        if self.failed {
            return false;
        }
        let read = self.decoder.decode_symbol(*model);
        self.failed = read.is_err();
        let bit = read.unwrap_or(false);
        model.learn(bit);
        bit
    }
    fn failed(&self) -> bool {
        self.failed
    }
}
