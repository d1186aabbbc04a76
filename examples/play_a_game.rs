//! Lets a strong and a weak level play one game and prints it as PGN movetext.
//! `cargo run --release --example play_a_game`

use std::error::Error;

use brisance::engine::{Engine, Settings};
use brisance::notation::san;
use brisance::rules::{Color, Position, Variant};
use brisance::search::{Limits, NullListener};

fn main() -> Result<(), Box<dyn Error>> {
    let player = |skill| Engine::with_settings(Settings { skill, ..Settings::default() });
    let (mut strong, mut weak) = (player(15)?, player(3)?);
    let mut pos = Position::startpos(Variant::Atomic);
    let outcome = loop {
        if let Some(outcome) = pos.outcome() {
            break outcome;
        }
        let engine = match pos.side_to_move() {
            Color::White => &mut strong,
            Color::Black => &mut weak,
        };
        engine.set_position(pos.clone());
        let summary = engine.go(&Limits::default(), &NullListener);
        let mv = summary.best_move().expect("the game is not over");
        if pos.side_to_move() == Color::White {
            print!("{}. ", pos.fullmove_number());
        }
        print!("{} ", san::write(&pos, mv));
        pos.make(mv);
    };
    println!("{}\n{outcome}", outcome.result);
    Ok(())
}
