//! Counts the positions after every first move: `divide`, as chess programmers call it.
//! `cargo run --release --example perft -- [DEPTH] [FEN]`

use std::error::Error;

use brisance::notation::{coord, fen};
use brisance::rules::{Variant, perft};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth: u32 = arguments.next().map_or(Ok(4), |text| text.parse())?;
    let text = arguments.collect::<Vec<_>>().join(" ");
    let text = if text.is_empty() { fen::STARTPOS } else { &text };
    let mut pos = fen::parse(text, Variant::Atomic)?;

    let mut total = 0;
    for mv in pos.legal_moves() {
        pos.make(mv);
        let nodes = perft(&mut pos, depth.saturating_sub(1));
        pos.unmake();
        println!("{}: {nodes}", coord::write(mv, false));
        total += nodes;
    }
    println!("\nNodes searched: {total}");
    Ok(())
}
