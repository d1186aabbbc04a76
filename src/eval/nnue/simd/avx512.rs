//! The kernels with 512-bit vectors.
//! Invariant: the length of a row is a multiple of that of a vector.

use std::arch::x86_64::*;

use super::super::arch::{ACTIVATION_SHIFT, HIDDEN, L2, L3, QA, QL};
use super::super::layers::{
    self, Activations, DIRECT, GROUP, L2Weights, LayerStack, QS_BITS, QW_BITS,
};
pub use super::avx2::products;
use super::{
    CaptureRow, Feature, HiddenRow, KING_INPUTS, PolicyRow, ProductList, avx2, row_kernels,
};

const LANES: usize = 32;
const REGISTERS: usize = 8;
/// Independent sums, so that an addition does not wait for the one before.
const CHAINS: usize = 8;
// The weights of a group of activations are one vector.
const _: () = assert!(L2 * GROUP == 64);

row_kernels!(
    #[target_feature(enable = "avx512f,avx512bw")]
    __m512i,
    _mm512_add_epi16,
    _mm512_sub_epi16
);

/// Defines `forward` for a level with its sums of products of bytes and of 16-bit numbers.
macro_rules! forward {
    ($features:literal, $add_bytes:ident, $add_words:ident) => {
        #[target_feature(enable = $features)]
        pub fn forward(activations: &Activations, stack: &LayerStack) -> i64 {
            let second = l2_sums(activations, &stack.l2_weights);
            let inputs = l3_inputs(second, stack);
            let mut third = l3_bias(stack);
            let pairs = inputs.as_flattened().as_chunks().0.iter();
            for (pair, weights) in pairs.zip(&stack.l3_weights.0) {
                let pair = _mm512_set1_epi32(layers::pair(*pair));
                for (sum, weights) in third.iter_mut().zip(weights.as_chunks::<LANES>().0) {
                    *sum = $add_words(*sum, pair, load(weights));
                }
            }
            output(second, third, stack)
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn l2_sums(activations: &Activations, weights: &L2Weights) -> __m512i {
            let mut sums = [_mm512_setzero_si512(); CHAINS];
            let chunks = activations.groups().as_chunks::<CHAINS>().0.iter();
            for (groups, weights) in chunks.zip(weights.0.as_chunks::<CHAINS>().0) {
                for ((sum, group), weights) in sums.iter_mut().zip(groups).zip(weights) {
                    let group = _mm512_set1_epi32(i32::from_le_bytes(*group));
                    *sum = $add_bytes(*sum, group, load(weights));
                }
            }
            sums.into_iter().fold(_mm512_setzero_si512(), |all, sum| _mm512_add_epi32(all, sum))
        }
    };
}

forward!("avx512f,avx512bw", add_byte_products, add_word_products);

/// The sum plus products of unsigned and signed bytes, as VNNI adds them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_byte_products(sum: __m512i, unsigned: __m512i, signed: __m512i) -> __m512i {
    let pairs = _mm512_maddubs_epi16(unsigned, signed);
    add_word_products(sum, pairs, _mm512_set1_epi16(1))
}

/// The sum plus products of 16-bit numbers, as VNNI adds them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_word_products(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn l3_inputs(sums: __m512i, stack: &LayerStack) -> [[i16; L2]; 2] {
    let sums = _mm512_add_epi32(sums, load(&stack.l2_bias));
    let active = clipped(_mm512_srai_epi32::<QS_BITS>(sums));
    let mut inputs = [[0; L2]; 2];
    for (inputs, numbers) in inputs.iter_mut().zip([avx2::squared(active), active]) {
        avx2::store(inputs, numbers);
    }
    inputs
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn output(second: __m512i, third: [__m512i; L3 / 16], stack: &LayerStack) -> i64 {
    let mut total = _mm256_setzero_si256();
    for (sum, weights) in third.into_iter().zip(stack.output_weights.as_chunks::<16>().0) {
        let active = avx2::squared(clipped(_mm512_srai_epi32::<QW_BITS>(sum)));
        total = _mm256_add_epi32(total, _mm256_madd_epi16(active, avx2::load(weights)));
    }
    let output = stack.output_bias + _mm512_reduce_add_epi32(_mm512_zextsi256_si512(total));
    let direct = _mm_cvtsi128_si32(_mm512_castsi512_si128(second));
    i64::from(output) + i64::from(direct) * i64::from(DIRECT)
}

/// 32-bit numbers clipped to 0..=QL, as 16-bit numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn clipped(numbers: __m512i) -> __m256i {
    let least = _mm512_max_epi32(numbers, _mm512_setzero_si512());
    _mm512_cvtepi32_epi16(_mm512_min_epi32(least, _mm512_set1_epi32(QL)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn l3_bias(stack: &LayerStack) -> [__m512i; L3 / 16] {
    let chunks = stack.l3_bias.as_chunks::<16>().0;
    std::array::from_fn(|vector| load(&chunks[vector]))
}

/// The sums of the elements of each vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn sums_of([a, b, c, d]: [__m512i; 4]) -> __m128i {
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let abcd = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let [low, high] = [_mm512_castsi512_si256(abcd), _mm512_extracti64x4_epi64::<1>(abcd)];
    let sum = _mm256_add_epi32(low, high);
    _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store_activations(sums: [__m512i; REGISTERS], activations: &mut [u8; LANES * REGISTERS]) {
    let (zero, qa) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let half = _mm512_set1_epi16(1 << (ACTIVATION_SHIFT - 1));
    let activations = activations.as_chunks_mut::<LANES>().0;
    for (sum, activations) in sums.into_iter().zip(activations) {
        let clipped = _mm512_max_epi16(_mm512_min_epi16(sum, qa), zero);
        let square = _mm512_add_epi16(_mm512_mullo_epi16(clipped, clipped), half);
        let bytes = _mm512_cvtepi16_epi8(_mm512_srli_epi16::<ACTIVATION_SHIFT>(square));
        avx2::store(activations, bytes);
    }
}

/// A vector of numbers of any size.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load<T: Into<i32>, const N: usize>(numbers: &[T; N]) -> __m512i {
    const { assert!(size_of::<[T; N]>() == size_of::<__m512i>()) };
    // SAFETY: the array is one vector long; the load needs no alignment.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

/// Bytes as a vector of 16-bit numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_bytes(bytes: &[i8; LANES]) -> __m512i {
    _mm512_cvtepi8_epi16(avx2::load(bytes))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(numbers: &mut [i16; LANES], vector: __m512i) {
    // SAFETY: the array is one vector long; the store needs no alignment.
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), vector) };
}

/// The kernels with the sums of products of AVX-512 VNNI.
pub mod vnni {
    use super::*;
    pub use super::{activate, update};

    forward!("avx512f,avx512bw,avx512vnni", _mm512_dpbusd_epi32, _mm512_dpwssd_epi32);

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub fn products(
        activations: &Activations,
        weights: &[PolicyRow],
        rows: &[u16],
        sums: &mut ProductList,
    ) {
        let chunks = activations.0.as_flattened().as_chunks::<64>().0;
        let vectors: [__m512i; 2 * HIDDEN / 64] =
            std::array::from_fn(|vector| load(&chunks[vector]));
        let product = |row: u16| {
            let weights = weights[usize::from(row)].0.as_chunks::<64>().0;
            let mut total = _mm512_setzero_si512();
            for (activations, weights) in vectors.iter().zip(weights) {
                total = _mm512_dpbusd_epi32(total, *activations, load(weights));
            }
            total
        };
        let (chunks, rest) = rows.as_chunks::<4>();
        for rows in chunks {
            let totals = rows.map(product);
            let mut four = [0; 4];
            // SAFETY: the array is one vector of 128 bits long; the store needs no alignment.
            unsafe { _mm_storeu_si128(four.as_mut_ptr().cast(), sums_of(totals)) };
            sums.extend(four);
        }
        for row in rest {
            sums.push(_mm512_reduce_add_epi32(product(*row)));
        }
    }
}
