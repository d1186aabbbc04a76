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
#[path = "../../engine-tests/walk.rs"]
mod walk;
#[path = "../../engine-tests/fuzz/targets/mod.rs"]
pub mod targets;

use std::{env, fs, path::Path};

/// Writes the seeds of a target into the folder named by `BRISANCE_FUZZ_SEEDS`, if it is set.
///
/// # Panics
/// When a seed cannot be written.
pub fn write_seeds(target: &targets::Target) {
    let Some(folder) = env::var_os("BRISANCE_FUZZ_SEEDS") else {
        return;
    };
    let folder = Path::new(&folder);
    fs::create_dir_all(folder).expect("the folder can be created");
    for (index, seed) in (target.seeds)().iter().enumerate() {
        fs::write(folder.join(format!("seed-{index:03}")), seed).expect("seeds can be written");
    }
}

/// The entry points of a target. The binary contains no other target: libFuzzer examines the
/// counters of all code after each execution.
#[macro_export]
macro_rules! fuzz {
    ($target:ident) => {
        libfuzzer_sys::fuzz_target!(
            init: $crate::write_seeds(&$crate::targets::$target),
            |data: &[u8]| ($crate::targets::$target.run)(data)
        );
    };
}
