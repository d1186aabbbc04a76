//! The two kernels of the network, for each kind of processor, chosen while running.
//! Invariant: every path gives the same numbers, wrap-around of hostile weights included.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use once_cell::sync::Lazy;

use super::features::Feature;
use super::network::Row;

/// Which instructions the kernels use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// What every processor of the target has.
    Scalar,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2(Proof),
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512(Proof),
}

/// That the processor was asked and has the instructions; made in this file only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof(());

static PATHS: Lazy<Vec<Path>> = Lazy::new(|| {
    let mut paths = vec![Path::Scalar];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") {
            paths.push(Path::Avx2(Proof(())));
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
            paths.push(Path::Avx512(Proof(())));
        }
    }
    paths
});

impl Path {
    /// Every path this processor can take, the fastest last.
    pub fn all() -> &'static [Path] {
        &PATHS
    }

    /// The fastest path of this processor.
    pub fn best() -> Path {
        PATHS.last().copied().unwrap_or(Path::Scalar)
    }

    /// A short name.
    pub const fn name(self) -> &'static str {
        match self {
            Path::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Path::Avx512(_) => "avx512",
        }
    }
}

/// Writes `before` with the rows of some features added and of others taken away.
#[inline]
pub(super) fn update(
    path: Path,
    before: &Row,
    after: &mut Row,
    weights: &[Row],
    added: &[Feature],
    removed: &[Feature],
) {
    match path {
        Path::Scalar => scalar::update(before, after, weights, added, removed),
        #[cfg(target_arch = "x86_64")]
        Path::Avx2(Proof(())) => {
            // SAFETY: the proof says that the processor has AVX2.
            unsafe { avx2::update(before, after, weights, added, removed) }
        }
        #[cfg(target_arch = "x86_64")]
        Path::Avx512(Proof(())) => {
            // SAFETY: the proof says that the processor has AVX-512F and BW.
            unsafe { avx512::update(before, after, weights, added, removed) }
        }
    }
}

/// The sum of squared activations times weights. An activation is the number clipped to 0 to
/// 255; its product with a weight is taken in 16 bits.
#[inline]
pub(super) fn dot(path: Path, row: &Row, weights: &Row) -> i64 {
    match path {
        Path::Scalar => scalar::dot(row, weights),
        #[cfg(target_arch = "x86_64")]
        Path::Avx2(Proof(())) => {
            // SAFETY: the proof says that the processor has AVX2.
            unsafe { avx2::dot(row, weights) }
        }
        #[cfg(target_arch = "x86_64")]
        Path::Avx512(Proof(())) => {
            // SAFETY: the proof says that the processor has AVX-512F and BW.
            unsafe { avx512::dot(row, weights) }
        }
    }
}
