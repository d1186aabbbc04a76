//! Prints the games of PGN files as JSON, one object per line, with the moves in the notation of
//! UCI and with what could not be read.
//! `cargo run --release --example read_pgn -- [--atomic] FILE...`
//! With `--atomic` all games are read as atomic chess, whatever their tags say.

use std::error::Error;
use std::fs::File;
use std::io::Write;

use brisance::notation::coord;
use brisance::notation::pgn::{NumberedGame, PgnError, PgnReader};
use brisance::rules::Variant;
use serde_json::{Value, json};

fn describe(file: &str, numbered: Option<NumberedGame>, error: Option<String>) -> Value {
    let game = numbered.as_ref().map(|numbered| &numbered.game);
    let moves: Vec<String> = game.map_or(Vec::new(), |game| {
        let moves = game.main_line.moves.iter();
        let chess960 = game.start.needs_chess960();
        moves.map(|played| coord::write(played.mv, chess960)).collect()
    });
    json!({
        "file": file,
        "tags": game.map(|game| &game.tags),
        "moves": moves,
        "result": game.map(|game| game.result_str()),
        "warnings": numbered.as_ref().map(|numbered| &numbered.warnings),
        "error": error,
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let (options, files): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|word| word == "--atomic");
    let variant = (!options.is_empty()).then_some(Variant::Atomic);
    let mut out = std::io::stdout().lock();
    for file in &files {
        for item in PgnReader::new(File::open(file)?, variant) {
            let line = match item {
                Ok(numbered) => describe(file, Some(numbered), None),
                Err(PgnError::Game(mut error)) => {
                    let kept = error.kept.take();
                    describe(file, kept, Some(error.to_string()))
                }
                Err(PgnError::Io(error)) => return Err(error.into()),
            };
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
