//! `brisance perft`: counts the legal move tree, over the root moves in parallel if asked.

use std::io::{self, Write};
use std::time::Instant;

use clap::Args;
use rayon::prelude::*;

use super::{Error, PositionArgs};
use crate::engine::Settings;
use crate::rules::{Move, Position, divide, perft};

/// Count the leaves of the legal move tree.
///
/// A check of the rules and of the speed of move generation. A promotion with capture
/// counts four times, once for each piece, as is the custom.
#[derive(Args, Debug)]
pub struct PerftArgs {
    /// Plies to look ahead.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,

    #[command(flatten)]
    position: PositionArgs,

    /// Also list the count below each first move.
    #[arg(long)]
    divide: bool,

    /// Threads to spread the first moves over.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_THREADS as i64))]
    threads: u32,
}

/// Counts and prints.
///
/// # Errors
/// A bad FEN, threads that cannot be had, or a closed stdout.
pub fn run(args: &PerftArgs) -> Result<(), Error> {
    let mut pos = args.position.position()?;
    let spelling = args.position.spelling(&pos);
    let start = Instant::now();
    let counts = counts(&mut pos, args.depth, args.threads as usize)?;
    let seconds = start.elapsed().as_secs_f64();

    let nodes = if args.depth == 0 {
        1
    } else {
        counts.iter().map(|(_, count)| count).sum::<u64>()
    };
    let mut out = io::stdout().lock();
    if args.divide {
        for (mv, count) in &counts {
            writeln!(out, "{}: {count}", spelling.uci(*mv))?;
        }
    }
    writeln!(out, "nodes {nodes}")?;
    writeln!(out, "time  {seconds:.3} s")?;
    writeln!(
        out,
        "speed {:.1} Mnps",
        nodes as f64 / seconds.max(1e-9) / 1e6
    )?;
    Ok(())
}

fn counts(pos: &mut Position, depth: u32, threads: usize) -> Result<Vec<(Move, u64)>, Error> {
    let Some(rest) = depth.checked_sub(1).filter(|_| threads > 1) else {
        return Ok(divide(pos, depth));
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Error::Failed(format!("cannot start {threads} threads: {error}")))?;
    let moves = pos.legal_moves();
    let below = |&mv: &Move| {
        let mut pos = pos.without_history();
        pos.make(mv);
        (mv, perft(&mut pos, rest))
    };
    Ok(pool.install(|| moves.par_iter().map(below).collect()))
}
