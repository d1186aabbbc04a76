//! `brisance bench`: runs the benchmark and prints its lines.
//! Invariant: the output has the format of the UCI command `bench`.

use std::io::{self, Write};
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::{CliError, args, interrupt};
use crate::engine::bench::{DEFAULT_DEPTH, bench};
use crate::eval::nnue::SimdLevel;

/// Run the benchmark: a search of fixed positions.
///
/// It uses one thread and 16 MiB, and clears the TT before each position. The number of nodes is
/// therefore the same on every machine and identifies the search; the nodes per second measure its
/// speed. The last line is `<nodes> nodes <nps> nps`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Search depth in plies.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_DEPTH, value_parser = args::depth())]
    depth: i32,
    /// Instruction set of the network's code, instead of the fastest that this processor supports.
    #[arg(long, value_name = "SET", value_parser = simd_level())]
    simd: Option<SimdLevel>,
}

/// A parser of the instruction sets that this processor supports.
fn simd_level() -> impl TypedValueParser<Value = SimdLevel> {
    let supported = SimdLevel::supported();
    PossibleValuesParser::new(supported.iter().map(|level| level.name())).map(|name| {
        let found = supported.iter().find(|level| level.name() == name);
        found.copied().unwrap_or(SimdLevel::Scalar)
    })
}

pub fn run(args: &BenchArgs) -> Result<(), CliError> {
    interrupt::end_process()?;
    if let Some(level) = args.simd {
        level.select();
    }
    let mut out = io::stdout();
    bench(Some(args.depth), &Arc::default(), |line| writeln!(out, "{line}"))?;
    Ok(())
}
