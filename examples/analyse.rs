//! Searches a position and prints every completed depth.
//! `cargo run --release --example analyse -- [DEPTH] [FEN]`

use std::error::Error;

use brisance::engine::{Engine, Settings};
use brisance::notation::{fen, san};
use brisance::rules::{Position, Variant};
use brisance::search::{Bound, Limits, Listener, SearchInfo};

/// Prints the exact scores of the search.
struct Printer {
    root: Position,
}

impl Listener for Printer {
    fn report(&self, report: &SearchInfo) {
        if report.bound != Bound::Exact {
            return;
        }
        let score = report.display_score();
        let line = san::write_line(&self.root, &report.pv).join(" ");
        println!("depth {:>2}  {score:>+6}  {:>9} nodes  {line}", report.depth, report.nodes);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth: i32 = arguments.next().map_or(Ok(10), |text| text.parse())?;
    let text = arguments.collect::<Vec<_>>().join(" ");
    let text = if text.is_empty() { fen::STARTPOS } else { &text };
    let root = fen::parse(text, Variant::Atomic)?;

    let mut engine = Engine::with_settings(Settings { hash: 64, ..Settings::default() })?;
    engine.set_position(root.clone());
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let summary = engine.go(&limits, &Printer { root: root.clone() });
    match summary.best_move() {
        Some(mv) => println!("best move: {}", san::write(&root, mv)),
        None => println!("the game is over"),
    }
    Ok(())
}
