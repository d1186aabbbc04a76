//! The kernels with 256-bit vectors.
//! Invariant: the length of a row is a multiple of that of a vector.

use std::arch::x86_64::*;

use super::super::arch::{ACTIVATION_SHIFT, HIDDEN, L2, L3, QA, QL};
use super::super::layers::{
    self, Activations, DIRECT, L2Weights, LayerStack, QL_BITS, QS_BITS, QW_BITS,
};
use super::{CaptureRow, Feature, HiddenRow, KING_INPUTS, PolicyRow, ProductList, row_kernels};

const LANES: usize = 16;
const REGISTERS: usize = 8;
const _: () = assert!(L2 == LANES && L3 == 2 * LANES);
/// The square of an activation is the upper half of the product of two 16-bit numbers: the
/// activation shifted left by each of these.
const SQUARE_SHIFTS: [i32; 2] = [2, 1];
const _: () = assert!(16 - SQUARE_SHIFTS[0] - SQUARE_SHIFTS[1] == QL_BITS as i32);
const _: () = assert!(QL << SQUARE_SHIFTS[0] <= u16::MAX as i32);

row_kernels!(
    #[target_feature(enable = "avx2")]
    __m256i,
    _mm256_add_epi16,
    _mm256_sub_epi16
);

/// Defines `forward` and `products` for a level with its sums of products of bytes and of 16-bit
/// numbers.
macro_rules! products {
    ($features:literal, $add_bytes:ident, $add_words:ident) => {
        #[target_feature(enable = $features)]
        pub fn forward(activations: &Activations, stack: &LayerStack) -> i64 {
            let second = l2_sums(activations, &stack.l2_weights);
            let inputs = l3_inputs(second, stack);
            let mut third = load_i32(&stack.l3_bias);
            let pairs = inputs.as_flattened().as_chunks().0.iter();
            for (pair, weights) in pairs.zip(&stack.l3_weights.0) {
                let pair = _mm256_set1_epi32(layers::pair(*pair));
                for (sum, weights) in third.iter_mut().zip(weights.as_chunks::<LANES>().0) {
                    *sum = $add_words(*sum, pair, load(weights));
                }
            }
            output(second, third, stack)
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn l2_sums(activations: &Activations, weights: &L2Weights) -> [__m256i; 2] {
            // Independent sums, so that an addition does not wait for the one before.
            let mut sums = [[_mm256_setzero_si256(); 2]; 4];
            let chunks = activations.groups().as_chunks::<4>().0.iter();
            for (groups, weights) in chunks.zip(weights.0.as_chunks::<4>().0) {
                for ((sums, group), weights) in sums.iter_mut().zip(groups).zip(weights) {
                    let group = _mm256_set1_epi32(i32::from_le_bytes(*group));
                    for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<32>().0) {
                        *sum = $add_bytes(*sum, group, load(weights));
                    }
                }
            }
            let [a, b, c, d] = sums;
            let add = |a, b, c, d| _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d));
            [add(a[0], b[0], c[0], d[0]), add(a[1], b[1], c[1], d[1])]
        }

        #[target_feature(enable = $features)]
        pub fn products(
            activations: &Activations,
            weights: &[PolicyRow],
            rows: &[u16],
            sums: &mut ProductList,
        ) {
            let activations = activations.0.as_flattened().as_chunks::<32>().0;
            for row in rows {
                let weights = weights[usize::from(*row)].0.as_chunks::<32>().0;
                let mut total = _mm256_setzero_si256();
                for (activations, weights) in activations.iter().zip(weights) {
                    total = $add_bytes(total, load(activations), load(weights));
                }
                sums.push(sum_of(total));
            }
        }
    };
}

products!("avx2", add_byte_products, add_word_products);

/// The sum plus products of unsigned and signed bytes, as VNNI adds them.
#[inline]
#[target_feature(enable = "avx2")]
fn add_byte_products(sum: __m256i, unsigned: __m256i, signed: __m256i) -> __m256i {
    let pairs = _mm256_maddubs_epi16(unsigned, signed);
    add_word_products(sum, pairs, _mm256_set1_epi16(1))
}

/// The sum plus products of 16-bit numbers, as VNNI adds them.
#[inline]
#[target_feature(enable = "avx2")]
fn add_word_products(sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
    _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
}

#[inline]
#[target_feature(enable = "avx2")]
fn l3_inputs([low, high]: [__m256i; 2], stack: &LayerStack) -> [[i16; L2]; 2] {
    let [low_bias, high_bias] = load_i32(&stack.l2_bias);
    let active = clipped(
        _mm256_srai_epi32::<{ QS_BITS as i32 }>(_mm256_add_epi32(low, low_bias)),
        _mm256_srai_epi32::<{ QS_BITS as i32 }>(_mm256_add_epi32(high, high_bias)),
    );
    let mut inputs = [[0; L2]; 2];
    for (inputs, numbers) in inputs.iter_mut().zip([squared(active), active]) {
        store(inputs, numbers);
    }
    inputs
}

#[inline]
#[target_feature(enable = "avx2")]
fn output(second: [__m256i; 2], third: [__m256i; L3 / 8], stack: &LayerStack) -> i64 {
    let mut total = _mm256_setzero_si256();
    let halves = third.as_chunks().0.iter();
    for ([low, high], weights) in halves.zip(stack.output_weights.as_chunks::<LANES>().0) {
        let active = squared(clipped(
            _mm256_srai_epi32::<{ QW_BITS as i32 }>(*low),
            _mm256_srai_epi32::<{ QW_BITS as i32 }>(*high),
        ));
        total = _mm256_add_epi32(total, _mm256_madd_epi16(active, load(weights)));
    }
    let output = stack.output_bias + sum_of(total);
    let direct = _mm_cvtsi128_si32(_mm256_castsi256_si128(second[0]));
    i64::from(output) + i64::from(direct) * i64::from(DIRECT)
}

/// 32-bit numbers clipped to 0..=QL, as 16-bit numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn clipped(low: __m256i, high: __m256i) -> __m256i {
    // Packing works on halves of the vectors; the permutation restores the order.
    let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high));
    _mm256_min_epu16(packed, _mm256_set1_epi16(QL as i16))
}

#[inline]
#[target_feature(enable = "avx2")]
pub fn squared(active: __m256i) -> __m256i {
    _mm256_mulhi_epu16(
        _mm256_slli_epi16::<{ SQUARE_SHIFTS[0] }>(active),
        _mm256_slli_epi16::<{ SQUARE_SHIFTS[1] }>(active),
    )
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum_of(numbers: __m256i) -> i32 {
    let quarter =
        _mm_add_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256::<1>(numbers));
    let pair = _mm_add_epi32(quarter, _mm_shuffle_epi32::<0b01_00_11_10>(quarter));
    let sum = _mm_add_epi32(pair, _mm_shuffle_epi32::<0b10_11_00_01>(pair));
    _mm_cvtsi128_si32(sum)
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_activations(sums: [__m256i; REGISTERS], activations: &mut [u8; LANES * REGISTERS]) {
    let (zero, qa) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let half = _mm256_set1_epi16(1 << (ACTIVATION_SHIFT - 1));
    let activations = activations.as_chunks_mut::<32>().0;
    for (pair, activations) in sums.as_chunks::<2>().0.iter().zip(activations) {
        let [low, high] = pair.map(|sum| {
            let clipped = _mm256_max_epi16(_mm256_min_epi16(sum, qa), zero);
            let square = _mm256_add_epi16(_mm256_mullo_epi16(clipped, clipped), half);
            _mm256_srli_epi16::<{ ACTIVATION_SHIFT as i32 }>(square)
        });
        // Packing works on halves of the vectors; the permutation restores the order.
        let packed = _mm256_packus_epi16(low, high);
        let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
        store(activations, packed);
    }
}

/// Stores a vector as numbers of any size.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store<T: From<u8>, const N: usize>(numbers: &mut [T; N], vector: __m256i) {
    const { assert!(size_of::<[T; N]>() == size_of::<__m256i>()) };
    // SAFETY: the array is one vector long; the store needs no alignment.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), vector) };
}

/// A vector of numbers of any size.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load<T: Into<i32>, const N: usize>(numbers: &[T; N]) -> __m256i {
    const { assert!(size_of::<[T; N]>() == size_of::<__m256i>()) };
    // SAFETY: the array is one vector long; the load needs no alignment.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

/// Bytes as a vector of 16-bit numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn load_bytes(bytes: &[i8; LANES]) -> __m256i {
    // SAFETY: the array is half a vector long; the load needs no alignment.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_i32<const N: usize, const VECTORS: usize>(numbers: &[i32; N]) -> [__m256i; VECTORS] {
    const { assert!(N == 8 * VECTORS) };
    let chunks = numbers.as_chunks::<8>().0;
    std::array::from_fn(|vector| load(&chunks[vector]))
}

/// The kernels with the sums of products of AVX-VNNI.
pub mod vnni {
    use super::*;
    pub use super::{activate, update};

    products!("avx2,avxvnni", _mm256_dpbusd_avx_epi32, _mm256_dpwssd_avx_epi32);
}
