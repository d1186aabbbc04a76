//! `brisance perft`: counts the leaf nodes of the legal move tree.
//! Invariant: the counts do not depend on the number of threads.

use std::io::{self, Write};
use std::time::Instant;

use clap::Args;

use super::{CliError, PositionArgs, args, interrupt};
use crate::engine::batch::WorkPool;
use crate::notation::coord;
use crate::rules::{Move, Position, divide, perft};
use crate::search;

/// Count the leaf nodes of the legal move tree (perft).
///
/// Tests the correctness and the speed of move generation. As usual, the four promotions of a
/// pawn count as four moves, even if it captures and explodes.
#[derive(Args, Debug)]
pub struct PerftArgs {
    /// Depth in plies.
    #[arg(value_parser = args::number::<u32>(0..=100))]
    depth: u32,
    #[command(flatten)]
    position: PositionArgs,
    /// Also print the count of each root move.
    #[arg(long)]
    divide: bool,
    /// Threads that share the root moves.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = args::threads::<usize>())]
    threads: usize,
}

pub fn run(args: &PerftArgs) -> Result<(), CliError> {
    interrupt::end_process()?;
    let mut pos = args.position.position()?;
    let chess960 = args.position.style(&pos).chess960;
    let start = Instant::now();
    let counts = counts(&mut pos, args.depth, args.threads)?;
    let seconds = start.elapsed().as_secs_f64();

    let nodes = match args.depth {
        0 => 1,
        _ => counts.iter().map(|(_, count)| count).sum::<u64>(),
    };
    let mut out = io::stdout().lock();
    if args.divide {
        for (mv, count) in &counts {
            writeln!(out, "{}: {count}", coord::write(*mv, chess960))?;
        }
    }
    writeln!(out, "nodes {nodes}")?;
    writeln!(out, "time  {seconds:.3} s")?;
    let speed = nodes as f64 / seconds.max(1e-9) / 1e6;
    Ok(writeln!(out, "speed {speed:.1} Mnps")?)
}

fn counts(pos: &mut Position, depth: u32, threads: usize) -> Result<Vec<(Move, u64)>, CliError> {
    let moves = pos.legal_moves();
    // More threads than moves or cores have nothing to do, and take long to start.
    let threads = threads.min(moves.len()).min(search::cores());
    let Some(rest) = depth.checked_sub(1).filter(|_| threads > 1) else {
        return Ok(divide(pos, depth));
    };
    let root = pos.without_history();
    let below = |_: &mut (), index: u64| {
        let (mv, mut pos) = (moves[index as usize], root.clone());
        pos.make(mv);
        (mv, perft(&mut pos, rest))
    };
    WorkPool::new(threads)?.map(0..moves.len() as u64, || Ok(()), below)
}
