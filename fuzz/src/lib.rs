//! The fuzz targets of the tests as libFuzzer binaries.
//! Invariant: nothing is implemented here, so that the ordinary tests run the same targets.

// Helpers that only the ordinary tests use.
#![allow(dead_code)]

#[path = "../../engine-tests/peer.rs"]
mod peer;
#[path = "../../engine-tests/random.rs"]
mod random;
#[path = "../../engine-tests/reference.rs"]
mod reference;
#[path = "../../engine-tests/fuzz/targets/mod.rs"]
pub mod targets;

use std::{env, fs, path::Path};

/// Writes the seeds of a target into the folder named by `BRISANCE_FUZZ_SEEDS`, if it is set.
///
/// # Panics
/// When a seed cannot be written.
pub fn write_seeds(name: &str) {
    let Some(folder) = env::var_os("BRISANCE_FUZZ_SEEDS") else {
        return;
    };
    let folder = Path::new(&folder);
    fs::create_dir_all(folder).expect("the folder can be created");
    for (index, seed) in targets::seeds::seeds(name).iter().enumerate() {
        fs::write(folder.join(format!("seed-{index:03}")), seed).expect("seeds can be written");
    }
}

/// The target with this name.
///
/// # Panics
/// When there is none.
pub fn named(name: &str) -> &'static targets::Target {
    let found = targets::TARGETS.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("no fuzz target {name:?}"))
}

/// The entry points of the target with this name.
#[macro_export]
macro_rules! fuzz {
    ($name:literal) => {
        static TARGET: std::sync::LazyLock<&$crate::targets::Target> =
            std::sync::LazyLock::new(|| $crate::named($name));

        libfuzzer_sys::fuzz_target!(init: $crate::write_seeds($name), |data: &[u8]| {
            (TARGET.run)(data)
        });
    };
}
