//! Proves a forced win and prints a line of longest resistance.
//! `cargo run --release --example solve -- [FEN]`

use std::error::Error;

use brisance::notation::{fen, san};
use brisance::proof::{NullListener, ProofVerdict, Solver};
use brisance::rules::Variant;

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    // A mate in four by Black.
    let default = "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1";
    let text = if text.is_empty() { default } else { &text };
    let pos = fen::parse(text, Variant::Atomic)?;

    let solver = Solver { max_nodes: Some(5_000_000), ..Solver::new(pos.side_to_move()) };
    let result = solver.solve(&pos, &NullListener)?;
    match result.verdict {
        ProofVerdict::Proved(proved) => {
            let (_, verified) = *proved;
            let line = san::write_line(&pos, &verified.line).join(" ");
            println!("{} wins in {} plies: {line}", solver.attacker, verified.plies);
        }
        ProofVerdict::Disproved => println!("{} has no forced win", solver.attacker),
        ProofVerdict::Unknown(reason) => println!("unknown: {reason:?}"),
    }
    println!("{} nodes", result.nodes);
    Ok(())
}
