//! The two SIMD kernels of the network, at several instruction set levels: selected at run time on
//! x86-64, when compiling elsewhere.
//! Invariant: every level gives the same results, including wrap-around of 16-bit sums.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

use std::sync::OnceLock;

use once_cell::sync::Lazy;

use super::features::Feature;
use super::network::HiddenRow;

/// The instruction set that the kernels use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SimdLevel {
    /// Portable code, available on every processor.
    Scalar,
    /// 256-bit vectors (AVX2).
    #[cfg(target_arch = "x86_64")]
    Avx2(CpuSupport),
    /// 512-bit vectors (AVX-512F and AVX-512BW).
    #[cfg(target_arch = "x86_64")]
    Avx512(CpuSupport),
    /// 128-bit vectors of 64-bit ARM (NEON).
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    Neon,
    /// 128-bit vectors of WebAssembly.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Wasm128,
}

/// Proof that the processor supports an instruction set; constructed only in this file, after
/// run-time detection.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CpuSupport(());

static SUPPORTED: Lazy<Vec<SimdLevel>> = Lazy::new(|| {
    #[allow(unused_mut, reason = "other targets have only scalar code")]
    let mut levels = vec![SimdLevel::Scalar];
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    levels.push(SimdLevel::Neon);
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    levels.push(SimdLevel::Wasm128);
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") {
            levels.push(SimdLevel::Avx2(CpuSupport(())));
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
            levels.push(SimdLevel::Avx512(CpuSupport(())));
        }
    }
    levels
});

/// The level that [`SimdLevel::select`] chose.
static SELECTED: OnceLock<SimdLevel> = OnceLock::new();

impl SimdLevel {
    /// All levels that this processor supports, the fastest last.
    pub fn supported() -> &'static [SimdLevel] {
        &SUPPORTED
    }

    /// The fastest level that this processor supports, or the one that [`select`](Self::select)
    /// chose.
    pub fn best() -> SimdLevel {
        let fastest = || SUPPORTED.last().copied().unwrap_or(SimdLevel::Scalar);
        SELECTED.get().copied().unwrap_or_else(fastest)
    }

    /// Makes this level the one that [`best`](Self::best) gives, in the whole process. Only the
    /// first call has an effect.
    pub fn select(self) {
        SELECTED.get_or_init(|| self);
    }

    /// The name for display: `scalar`, `avx2`, `avx512`, `neon` or `wasm128`.
    pub const fn name(self) -> &'static str {
        match self {
            SimdLevel::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512(_) => "avx512",
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            SimdLevel::Neon => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            SimdLevel::Wasm128 => "wasm128",
        }
    }
}

/// Sets `after` to `before` plus the weight rows of the added features minus those of the removed
/// ones.
#[inline]
pub(super) fn update(
    level: SimdLevel,
    before: &HiddenRow,
    after: &mut HiddenRow,
    weights: &[HiddenRow],
    added: &[Feature],
    removed: &[Feature],
) {
    match level {
        SimdLevel::Scalar => scalar::update(before, after, weights, added, removed),
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2(CpuSupport(())) => {
            // SAFETY: `CpuSupport` guarantees that the processor supports AVX2.
            unsafe { avx2::update(before, after, weights, added, removed) }
        }
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx512(CpuSupport(())) => {
            // SAFETY: `CpuSupport` guarantees that the processor supports AVX-512F and AVX-512BW.
            unsafe { avx512::update(before, after, weights, added, removed) }
        }
        #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
        SimdLevel::Neon => {
            // SAFETY: the target has NEON.
            unsafe { neon::update(before, after, weights, added, removed) }
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        SimdLevel::Wasm128 => wasm::update(before, after, weights, added, removed),
    }
}

/// The dot product of the SCReLU activations of two rows with weights: the sum of
/// `clamp(x, 0, QA)^2 * weight`. The product `clamp(x, 0, QA) * weight` wraps at 16 bits.
#[inline]
pub(super) fn screlu_dot(level: SimdLevel, rows: [&HiddenRow; 2], weights: &[HiddenRow; 2]) -> i64 {
    match level {
        SimdLevel::Scalar => scalar::dot(rows, weights),
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2(CpuSupport(())) => {
            // SAFETY: `CpuSupport` guarantees that the processor supports AVX2.
            unsafe { avx2::dot(rows, weights) }
        }
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx512(CpuSupport(())) => {
            // SAFETY: `CpuSupport` guarantees that the processor supports AVX-512F and AVX-512BW.
            unsafe { avx512::dot(rows, weights) }
        }
        #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
        SimdLevel::Neon => {
            // SAFETY: the target has NEON.
            unsafe { neon::dot(rows, weights) }
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        SimdLevel::Wasm128 => wasm::dot(rows, weights),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::arch::{MAX_OUTPUT_WEIGHT, QA};
    use crate::eval::nnue::features::Perspective;
    use crate::rules::{Color, PieceType, Square};

    /// A row of numbers up to the bound, different for each seed.
    fn row(seed: u64, bound: i16) -> HiddenRow {
        let mut rng = fastrand::Rng::with_seed(seed);
        HiddenRow(std::array::from_fn(|_| rng.i16(-bound..=bound)))
    }

    /// Few enough operations for Miri, which executes this test.
    #[test]
    fn levels_agree_on_single_rows() {
        let king = Square::from_index(0);
        let perspective = Perspective::new(Color::White, king, Square::from_index(63));
        let features: Vec<Feature> = (8..11)
            .map(|square| {
                perspective.piece_feature(PieceType::Pawn, Color::White, Square::from_index(square))
            })
            .collect();
        let last = features.iter().map(|feature| feature.index()).max();
        let weights: Vec<HiddenRow> = (0..=last.unwrap_or(0) as u64)
            .map(|seed| row(seed, i16::MAX))
            .collect();
        let before = row(1000, i16::MAX);
        let outputs = [1004, 1005].map(|seed| row(seed, MAX_OUTPUT_WEIGHT));
        for level in SimdLevel::supported() {
            let [mut after, mut expected] = [HiddenRow::ZERO, HiddenRow::ZERO];
            let (added, removed) = features.split_at(2);
            update(*level, &before, &mut after, &weights, added, removed);
            scalar::update(&before, &mut expected, &weights, added, removed);
            assert_eq!(after, expected, "{}", level.name());
            let rows = [row(1002, 2 * QA as i16), row(1003, 2 * QA as i16)];
            let rows = rows.each_ref();
            assert_eq!(
                screlu_dot(*level, rows, &outputs),
                scalar::dot(rows, &outputs),
                "{}",
                level.name()
            );
        }
    }
}
