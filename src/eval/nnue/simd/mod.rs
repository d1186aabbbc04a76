//! The SIMD kernels of the network, at several instruction set levels: selected at run time on
//! x86-64, when compiling elsewhere.
//! Invariant: every level gives the same results, including wrap-around of 16-bit sums.
//!
//! Each level has the kernels of [`scalar`] in a module, of the same names. `LANES` is the number of
//! 16-bit elements of a vector, and `REGISTERS` that of the vectors kept in registers while weight
//! rows are added to them. Sums of the second layer are without biases. `l3_inputs` and `output` are
//! written out, because the compiler does not turn those of [`LayerStack`] into vector instructions.

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

use super::arch::KING_INPUTS;
use super::features::Feature;
use super::layers::{Activations, LayerStack};
use super::network::{CaptureRow, HiddenRow};
use super::policy_head::{PolicyRow, ProductList};

/// The instruction set that the kernels use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SimdLevel {
    /// Portable code, available on every processor.
    Scalar,
    /// 256-bit vectors (AVX2).
    #[cfg(target_arch = "x86_64")]
    Avx2(CpuSupport),
    /// 256-bit vectors with sums of byte products (AVX-VNNI).
    #[cfg(target_arch = "x86_64")]
    AvxVnni(CpuSupport),
    /// 512-bit vectors (AVX-512F and AVX-512BW).
    #[cfg(target_arch = "x86_64")]
    Avx512(CpuSupport),
    /// 512-bit vectors with sums of byte products (AVX-512 VNNI).
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(CpuSupport),
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
            if is_x86_feature_detected!("avxvnni") {
                levels.push(SimdLevel::AvxVnni(CpuSupport(())));
            }
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
            levels.push(SimdLevel::Avx512(CpuSupport(())));
            if is_x86_feature_detected!("avx512vnni") {
                levels.push(SimdLevel::Avx512Vnni(CpuSupport(())));
            }
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

    /// The name for display: `scalar`, `avx2`, `avxvnni`, `avx512`, `avx512vnni`, `neon` or
    /// `wasm128`.
    pub const fn name(self) -> &'static str {
        match self {
            SimdLevel::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            SimdLevel::AvxVnni(_) => "avxvnni",
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512Vnni(_) => "avx512vnni",
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            SimdLevel::Neon => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            SimdLevel::Wasm128 => "wasm128",
        }
    }
}

/// Calls a kernel of the module for `level`.
macro_rules! dispatch {
    ($level:expr, $kernel:ident($($argument:expr),*)) => {
        match $level {
            SimdLevel::Scalar => scalar::$kernel($($argument),*),
            // SAFETY: `CpuSupport` guarantees that the processor supports the level and those before.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2(CpuSupport(())) => unsafe { avx2::$kernel($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::AvxVnni(CpuSupport(())) => unsafe { avx2::vnni::$kernel($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512(CpuSupport(())) => unsafe { avx512::$kernel($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512Vnni(CpuSupport(())) => unsafe { avx512::vnni::$kernel($($argument),*) },
            // SAFETY: the target has NEON.
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            SimdLevel::Neon => unsafe { neon::$kernel($($argument),*) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            SimdLevel::Wasm128 => wasm::$kernel($($argument),*),
        }
    };
}

/// Sets `after` to `before` plus the weight rows of the added features minus those of the removed
/// ones.
#[inline]
pub fn update(
    level: SimdLevel,
    before: &HiddenRow,
    after: &mut HiddenRow,
    weights: &[HiddenRow],
    added: &[Feature],
    removed: &[Feature],
) {
    dispatch!(level, update(before, after, weights, added, removed))
}

/// Defines `update` and `activate` with the vectors of a module, their addition and subtraction.
macro_rules! row_kernels {
    ($(#[$attribute:meta])* $vector:ty, $add:ident, $sub:ident) => {
        $(#[$attribute])*
        pub fn update(
            before: &HiddenRow,
            after: &mut HiddenRow,
            weights: &[HiddenRow],
            added: &[Feature],
            removed: &[Feature],
        ) {
            const { assert!(HIDDEN.is_multiple_of(LANES * REGISTERS)) };
            let results = after.0.as_chunks_mut::<LANES>().0;
            let results = results.as_chunks_mut::<REGISTERS>().0.iter_mut();
            for (block, results) in results.enumerate() {
                fn vectors(row: &HiddenRow, block: usize) -> &[[i16; LANES]; REGISTERS] {
                    &row.0.as_chunks().0.as_chunks().0[block]
                }
                let before = vectors(before, block);
                let mut sums: [$vector; REGISTERS] =
                    std::array::from_fn(|vector| load(&before[vector]));
                for feature in added {
                    let weights = vectors(&weights[feature.index()], block);
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        *sum = $add(*sum, load(weights));
                    }
                }
                for feature in removed {
                    let weights = vectors(&weights[feature.index()], block);
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        *sum = $sub(*sum, load(weights));
                    }
                }
                for (result, sum) in results.iter_mut().zip(sums) {
                    store(result, sum);
                }
            }
        }

        $(#[$attribute])*
        pub fn activate(
            rows: [&HiddenRow; 2],
            weights: &[CaptureRow],
            captures: [&[Feature]; 2],
            activations: &mut Activations,
        ) {
            for ((row, captures), results) in rows.into_iter().zip(captures).zip(&mut activations.0) {
                let blocks = row.0.as_chunks::<LANES>().0.as_chunks::<REGISTERS>().0;
                let results = results.as_chunks_mut::<{ LANES * REGISTERS }>().0;
                for (block, (numbers, results)) in blocks.iter().zip(results).enumerate() {
                    let mut sums: [$vector; REGISTERS] =
                        std::array::from_fn(|vector| load(&numbers[vector]));
                    for feature in captures {
                        let weights = &weights[feature.index() - KING_INPUTS].0;
                        let weights = weights.as_chunks::<LANES>().0.as_chunks::<REGISTERS>().0;
                        for (sum, weights) in sums.iter_mut().zip(&weights[block]) {
                            *sum = $add(*sum, load_bytes(weights));
                        }
                    }
                    store_activations(sums, results);
                }
            }
        }
    };
}
use row_kernels;

/// The output of a layer stack for the activations, in units of 1/(QL·QW).
#[inline]
pub fn forward(level: SimdLevel, activations: &Activations, stack: &LayerStack) -> i64 {
    dispatch!(level, forward(activations, stack))
}

/// Sets `activations` to those of the hidden rows of the side to move and of the opponent, to each of
/// which the weights of its capture and blast inputs are added.
#[inline]
pub fn activate(
    level: SimdLevel,
    rows: [&HiddenRow; 2],
    weights: &[CaptureRow],
    captures: [&[Feature]; 2],
    activations: &mut Activations,
) {
    dispatch!(level, activate(rows, weights, captures, activations))
}

/// Appends the product of the activations and each of the rows of weights with these indices. The
/// compiler turns the portable code into vector instructions where there is no kernel.
#[inline]
#[allow(unused_unsafe, reason = "the portable code is safe")]
pub fn products(
    level: SimdLevel,
    activations: &Activations,
    weights: &[PolicyRow],
    rows: &[u16],
    sums: &mut ProductList,
) {
    dispatch!(level, products(activations, weights, rows, sums))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::arch::{HIDDEN, L2, MAX_L2_WEIGHT, MAX_L3_WEIGHT, QA, QL, QS, QW};
    use crate::eval::nnue::features::Perspective;
    use crate::eval::nnue::layers::{L2Weights, L3Weights};
    use crate::eval::nnue::policy_head::MAX_POLICY_WEIGHT;
    use crate::rules::{Color, Piece, PieceType, Square};

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
            .map(|square| perspective.piece_feature(Piece::WhitePawn, Square::from_index(square)))
            .collect();
        let last = features.iter().map(|feature| feature.index()).max();
        let weights: Vec<HiddenRow> =
            (0..=last.unwrap_or(0) as u64).map(|seed| row(seed, i16::MAX)).collect();
        let before = row(1000, i16::MAX);
        let mut rng = fastrand::Rng::with_seed(1004);
        let mut l2_weights = [[0; L2]; 2 * HIDDEN];
        for weight in l2_weights.as_flattened_mut() {
            *weight = rng.i8(-MAX_L2_WEIGHT..=MAX_L2_WEIGHT);
        }
        let weight = MAX_L3_WEIGHT;
        let stack = LayerStack {
            l2_weights: L2Weights::new(&l2_weights),
            l2_bias: std::array::from_fn(|_| rng.i32(-QS..=QS)),
            l3_weights: L3Weights::new(&std::array::from_fn(|_| {
                std::array::from_fn(|_| rng.i16(-weight..=weight))
            })),
            l3_bias: std::array::from_fn(|_| rng.i32(0..=QL * QW)),
            output_weights: std::array::from_fn(|_| rng.i16(-weight..=weight)),
            output_bias: 0,
        };
        let policy: [PolicyRow; 3] = std::array::from_fn(|_| {
            PolicyRow(std::array::from_fn(|_| rng.i8(-MAX_POLICY_WEIGHT..=MAX_POLICY_WEIGHT)))
        });
        for level in SimdLevel::supported() {
            let [mut after, mut expected] = [HiddenRow::ZERO, HiddenRow::ZERO];
            let (added, removed) = features.split_at(2);
            update(*level, &before, &mut after, &weights, added, removed);
            scalar::update(&before, &mut expected, &weights, added, removed);
            assert_eq!(after, expected, "{}", level.name());
            let captures: Vec<CaptureRow> = (0..3 * 64)
                .map(|seed| CaptureRow(row(seed, i8::MAX.into()).0.map(|weight| weight as i8)))
                .collect();
            let added = [3, 40, 40, 3 * 64 - 1].map(|square| {
                let kind = PieceType::ALL[square / 64];
                perspective.capture_feature(
                    Piece::WhitePawn,
                    kind,
                    Square::from_index(square as u32 % 64),
                )
            });
            let rows = [row(1002, 2 * QA as i16), row(1003, 2 * QA as i16)];
            let rows = rows.each_ref();
            let added = [&added[..], &added[1..]];
            let [mut activations, mut expected] = [Activations::ZERO, Activations::ZERO];
            activate(*level, rows, &captures, added, &mut activations);
            scalar::activate(rows, &captures, added, &mut expected);
            assert_eq!(activations, expected, "{}", level.name());
            assert_eq!(
                forward(*level, &activations, &stack),
                scalar::forward(&activations, &stack),
                "{}",
                level.name()
            );
            let [mut sums, mut expected] = [ProductList::new(), ProductList::new()];
            products(*level, &activations, &policy, &[0, 2, 1, 1, 0], &mut sums);
            scalar::products(&activations, &policy, &[0, 2, 1, 1, 0], &mut expected);
            assert_eq!(sums, expected, "{}", level.name());
        }
    }
}
