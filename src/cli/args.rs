//! Arguments that several commands share: the position, the evaluation, lengths of time, large
//! counts, tablebases.
//! Every error names the text at fault.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::Error;
use crate::engine::Settings;
use crate::notation::fen::{self, CastlingStyle};
use crate::notation::{coord, san};
use crate::rules::{CastlingSide, Color, Move, Position, Variant};
use crate::tablebase::Tablebase;

/// Which position, under which rules.
#[derive(Args, Debug)]
pub struct PositionArgs {
    /// The position: `startpos` (default) or a FEN of 4 to 6 fields, quoted or not.
    #[arg(value_name = "FEN", num_args = 0..)]
    fen: Vec<String>,

    /// The rules: `atomic` as on Lichess (default), or `nocheckatomic`, where kings may stay
    /// in check.
    #[arg(long, ignore_case = true, value_parser = variants())]
    variant: Option<Variant>,

    /// Write castling as king takes rook (e1h1) and castling rights by file (HAha). On by
    /// itself when kings or rooks did not start on their usual squares.
    #[arg(long)]
    chess960: bool,
}

fn variants() -> impl TypedValueParser<Value = Variant> {
    PossibleValuesParser::new(Variant::ALL.map(Variant::name))
        .map(|name| Variant::from_name(&name).unwrap_or_default())
}

impl PositionArgs {
    /// The position that the arguments describe.
    ///
    /// # Errors
    /// What is wrong with the FEN.
    pub fn position(&self) -> Result<Position, Error> {
        let variant = self.variant.unwrap_or_default();
        if self.fen.is_empty() {
            return Ok(Position::startpos(variant));
        }
        fen::parse(&self.fen.join(" "), variant).map_err(|error| Error::Usage(error.to_string()))
    }

    /// The words that stand for the position.
    pub fn words(&self) -> &[String] {
        &self.fen
    }

    /// The rules, if they were given.
    pub fn variant(&self) -> Option<Variant> {
        self.variant
    }

    /// True when castling shall be written as in Chess960 whatever the position.
    pub fn chess960(&self) -> bool {
        self.chess960
    }

    /// How to write the moves of `pos` and the position itself.
    pub fn spelling(&self, pos: &Position) -> Spelling {
        Spelling::of(pos, self.chess960)
    }
}

/// What to evaluate with.
#[derive(Args, Clone, Debug, Default)]
pub struct EvalChoice {
    /// Evaluate with the network of this file instead of the one inside the binary.
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,

    /// Evaluate with the handcrafted terms instead of a network.
    #[arg(long, conflicts_with = "eval_file")]
    handcrafted: bool,
}

impl EvalChoice {
    /// `settings` with this evaluation.
    pub fn apply(&self, settings: Settings) -> Settings {
        Settings {
            use_nnue: !self.handcrafted,
            eval_file: self.eval_file.clone(),
            ..settings
        }
    }
}

/// How castling is written.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    /// Castling moves as king takes rook, castling rights as file letters.
    pub chess960: bool,
}

impl Spelling {
    /// As the position needs it, or as Chess960 anyway.
    pub fn of(pos: &Position, chess960: bool) -> Spelling {
        Spelling {
            chess960: chess960 || Spelling::needs_chess960(pos),
        }
    }

    fn needs_chess960(pos: &Position) -> bool {
        Color::ALL.into_iter().any(|color| {
            CastlingSide::ALL.into_iter().any(|side| {
                let rook_file = match side {
                    CastlingSide::King => 7,
                    CastlingSide::Queen => 0,
                };
                let rook = pos.castling().rook(color, side);
                let usual = rook.is_none_or(|rook| rook.file() == rook_file)
                    && pos.king(color).is_none_or(|king| king.file() == 4);
                pos.rights().has(color, side) && !usual
            })
        })
    }

    /// A move as UCI writes it.
    pub fn uci(self, mv: Move) -> String {
        coord::write(mv, self.chess960)
    }

    /// The FEN of a position.
    pub fn fen(self, pos: &Position) -> String {
        let style = if self.chess960 {
            CastlingStyle::Shredder
        } else {
            CastlingStyle::XFen
        };
        fen::write(pos, style)
    }
}

/// Plays moves in coordinates or SAN; move numbers (`1.`, `3...`) are skipped.
///
/// # Errors
/// The first text that is no legal move.
pub fn play(pos: &mut Position, texts: &[String]) -> Result<(), Error> {
    for text in texts.iter().flat_map(|text| text.split_whitespace()) {
        let text = without_number(text);
        if text.is_empty() {
            continue;
        }
        let mv = coord::parse(pos, text)
            .map_or_else(|| san::parse(pos, text), Ok)
            .map_err(|error| Error::Usage(format!("bad move: {error}")))?;
        pos.make(mv);
    }
    Ok(())
}

fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.starts_with('.') {
        rest.trim_start_matches('.')
    } else {
        text
    }
}

/// Reads a length of time: `500ms`, `5s`, `2m`, `1h`; a plain number is seconds.
///
/// # Errors
/// When the text is no such thing or not above zero.
pub fn duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    scaled(text, &units)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "expected a time such as 500ms, 5s, 2m or 1h".to_owned())
}

/// Reads a count: `25000`, `10k`, `5m`.
///
/// # Errors
/// When the text is no such thing or below one.
pub fn count(text: &str) -> Result<u64, String> {
    // Whole below this in a float, and far more than any search counts.
    const MOST: f64 = (1u64 << 53) as f64;
    let units = [("k", 1e3), ("m", 1e6), ("g", 1e9)];
    match scaled(text, &units) {
        Some(number) if (1.0..=MOST).contains(&number) => Ok(number as u64),
        _ => Err("expected a number such as 25000, 10k or 5m".to_owned()),
    }
}

/// A decimal number with one of the units or none.
fn scaled(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &lower[digits.len()..];
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let number: f64 = digits.parse().ok().filter(|_| plain)?;
    if unit.is_empty() {
        return Some(number);
    }
    let &(_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    Some(number * factor)
}

/// The Syzygy tables of an option, with warnings about those that cannot be used.
///
/// # Errors
/// When a directory cannot be read or there is no usable table.
pub fn tables(list: Option<&OsStr>) -> Result<Option<Tablebase>, String> {
    let tables = list.map(Tablebase::open).transpose()?;
    warn_of_tables(tables.as_ref());
    Ok(tables)
}

/// Warns of tables that were found missing or damaged since the last warning.
pub fn warn_of_tables(tables: Option<&Tablebase>) {
    for fault in tables.into_iter().flat_map(Tablebase::take_faults) {
        let _ = writeln!(io::stderr(), "warning: {fault}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("5"), Ok(Duration::from_secs(5)));
        assert_eq!(duration("1.5S"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for bad in [
            "", "s", "-5s", "0", "1e3", "5x", "nan", "inf", "1..2", "5 s",
        ] {
            assert!(duration(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn counts() {
        assert_eq!(count("25000"), Ok(25_000));
        assert_eq!(count("10k"), Ok(10_000));
        assert_eq!(count("2.5M"), Ok(2_500_000));
        for bad in ["", "0", "0.5", "-1", "k", "10q", "99999999999999999999"] {
            assert!(count(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn moves_in_either_notation_with_numbers() {
        let mut pos = Position::startpos(Variant::Atomic);
        let texts = ["1.", "e4", "e7e5", "2.Nf3 d6"].map(str::to_owned);
        play(&mut pos, &texts).unwrap();
        assert_eq!(pos.ply(), 4);
        let error = play(&mut pos, &["Ke3".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("Ke3"), "{error}");
    }

    #[test]
    fn zeros_are_no_move_number() {
        assert_eq!(without_number("0-0-0"), "0-0-0");
        assert_eq!(without_number("12...Nf6"), "Nf6");
    }
}
