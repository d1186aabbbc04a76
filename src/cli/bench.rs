//! `brisance bench`: runs the benchmark and prints its lines.
//! Invariant: the output has the format of the UCI command `bench`.

use std::io::{self, Write};

use clap::Args;

use super::{CliError, interrupt};
use crate::engine::bench::{DEFAULT_DEPTH, bench_with};
use crate::eval::nnue::SimdLevel;
use crate::eval::score::MAX_PLY;

/// Run the benchmark: a search of fixed positions.
///
/// It uses one thread and 16 MiB, and clears the TT before each position. The number of nodes is
/// therefore the same on every machine and identifies the search; the nodes per second measure its
/// speed. The last line is `<nodes> nodes <nps> nps`.
#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// Search depth in plies.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_DEPTH,
          value_parser = clap::value_parser!(i32).range(1..=MAX_PLY as i64))]
    depth: i32,
    /// Instruction set of the network's code, instead of the fastest that the processor supports.
    #[arg(long, value_name = "SET", value_parser = simd_level)]
    simd: Option<SimdLevel>,
}

fn simd_level(name: &str) -> Result<SimdLevel, String> {
    let supported = SimdLevel::supported();
    let found = supported.iter().find(|level| level.name() == name);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = supported.iter().map(|level| level.name()).collect();
        format!("this processor supports {}", names.join(", "))
    })
}

/// Runs the benchmark.
///
/// # Errors
/// The output cannot be written.
pub(super) fn run(args: &BenchArgs) -> Result<(), CliError> {
    interrupt::end_process()?;
    if let Some(level) = args.simd {
        level.select();
    }
    let mut out = io::stdout();
    bench_with(Some(args.depth), |line| writeln!(out, "{line}"))?;
    Ok(())
}
