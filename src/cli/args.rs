//! Arguments shared by several commands: the position, the evaluation, durations, counts with
//! units, and tablebases.
//! Invariant: every error quotes the invalid text.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::CliError;
use super::output::print_warning;
use crate::engine::Settings;
use crate::notation::fen::{self, CastlingStyle, FenErrorKind};
use crate::notation::{coord, san};
use crate::rules::{Move, Position, Variant};
use crate::tablebase::Tablebase;

/// The position, its variant and its notation.
#[derive(Args, Debug)]
pub(crate) struct PositionArgs {
    /// Position: `startpos` (default) or a FEN with 4 to 6 fields, quoted or unquoted.
    #[arg(value_name = "FEN", num_args = 0..)]
    fen: Vec<String>,

    /// Variant: `atomic`, the Lichess rules (default), or `nocheckatomic`, where a king may
    /// stay in check.
    #[arg(long, ignore_case = true, value_parser = variant_parser())]
    variant: Option<Variant>,

    /// Write castling as king takes rook (e1h1) and castling rights as files (HAha); automatic
    /// for positions that need it.
    #[arg(long)]
    chess960: bool,
}

fn variant_parser() -> impl TypedValueParser<Value = Variant> {
    PossibleValuesParser::new(Variant::ALL.map(Variant::name))
        .map(|name| Variant::from_name(&name).unwrap_or_default())
}

impl PositionArgs {
    /// Parses the position.
    ///
    /// # Errors
    /// The FEN is invalid.
    pub(crate) fn position(&self) -> Result<Position, CliError> {
        read_fen(&self.fen, self.variant.unwrap_or_default())
    }

    /// The words of the position argument.
    pub(crate) fn fen_words(&self) -> &[String] {
        &self.fen
    }

    /// The variant, if given.
    pub(crate) fn variant(&self) -> Option<Variant> {
        self.variant
    }

    /// True if `--chess960` was given.
    pub(crate) fn chess960(&self) -> bool {
        self.chess960
    }

    /// The notation of `pos` and its moves.
    pub(crate) fn notation(&self, pos: &Position) -> NotationStyle {
        NotationStyle::for_position(pos, self.chess960)
    }
}

/// The evaluation to use.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct EvalSourceArgs {
    /// Network file to use instead of the embedded network.
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,

    /// Use the handcrafted evaluation instead of a network.
    #[arg(long, conflicts_with = "eval_file")]
    handcrafted: bool,
}

impl EvalSourceArgs {
    /// `settings` with this evaluation.
    pub(crate) fn apply(&self, settings: Settings) -> Settings {
        Settings {
            use_nnue: !self.handcrafted,
            eval_file: self.eval_file.clone(),
            ..settings
        }
    }
}

/// The notation of castling moves and castling rights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotationStyle {
    /// True for castling as king takes rook, and castling rights as file letters.
    pub chess960: bool,
}

impl NotationStyle {
    /// The notation that `pos` needs; Chess960 notation if `chess960` is set.
    pub(crate) fn for_position(pos: &Position, chess960: bool) -> NotationStyle {
        NotationStyle {
            chess960: chess960 || pos.needs_chess960(),
        }
    }

    /// A move in coordinate notation.
    pub(crate) fn uci(self, mv: Move) -> String {
        coord::write(mv, self.chess960)
    }

    /// The FEN of a position.
    pub(crate) fn fen(self, pos: &Position) -> String {
        let style = if self.chess960 {
            CastlingStyle::Shredder
        } else {
            CastlingStyle::XFen
        };
        fen::write(pos, style)
    }
}

/// Parses a FEN, and prints a warning for each part that is ignored or filled in.
///
/// # Errors
/// The FEN is invalid.
pub(crate) fn read_fen(words: &[String], variant: Variant) -> Result<Position, CliError> {
    if words.is_empty() {
        return Ok(Position::startpos(variant));
    }
    let (pos, warnings) =
        fen::parse_lenient(&words.join(" "), variant).map_err(|error| match error.kind {
            FenErrorKind::Moves => CliError::Usage(format!("{error}; give them with --moves")),
            _ => CliError::usage(error),
        })?;
    warnings.iter().for_each(print_warning);
    Ok(pos)
}

/// Plays moves in coordinate notation or SAN; move numbers (`1.`, `3...`) are skipped.
///
/// # Errors
/// A text that is not a legal move.
pub(crate) fn play_moves(pos: &mut Position, texts: &[String]) -> Result<(), CliError> {
    let played = texts.iter().try_for_each(|text| san::play(pos, text));
    played.map_err(|error| CliError::Usage(format!("bad move: {error}")))
}

/// Parses a duration: `500ms`, `5s`, `2m`, `1h`; a plain number is in seconds.
///
/// # Errors
/// The text is not a positive duration.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    parse_with_unit(text, &units)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "expected a time such as 500ms, 5s, 2m or 1h".to_owned())
}

/// Parses a count: `25000`, `10k`, `5m`.
///
/// # Errors
/// The text is not a number of at least one.
pub(crate) fn parse_count(text: &str) -> Result<u64, String> {
    // Every integer up to this value is exact in a float.
    const MAX: f64 = (1u64 << 53) as f64;
    let units = [("k", 1e3), ("m", 1e6), ("g", 1e9)];
    match parse_with_unit(text, &units) {
        Some(number) if (1.0..=MAX).contains(&number) => Ok(number as u64),
        _ => Err("expected a number such as 25000, 10k or 5m".to_owned()),
    }
}

/// Parses a decimal number with an optional unit, and returns it scaled.
fn parse_with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
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

/// Opens the Syzygy tablebases of an option, and prints warnings about unusable files.
///
/// # Errors
/// A directory cannot be read, or it has no usable tablebase.
pub(crate) fn open_tablebases(list: Option<&OsStr>) -> Result<Option<Tablebase>, CliError> {
    let tables = list
        .map(Tablebase::open)
        .transpose()
        .map_err(CliError::failed)?;
    warn_about_tablebases(tables.as_ref());
    Ok(tables)
}

/// Prints warnings about tablebase files found missing or damaged since the last call.
pub(crate) fn warn_about_tablebases(tables: Option<&Tablebase>) {
    for warning in tables.into_iter().flat_map(Tablebase::take_warnings) {
        print_warning(warning);
    }
}

/// Parses the name of a variant.
pub(super) fn parse_variant(text: &str) -> Result<Variant, String> {
    Variant::from_name(text).ok_or_else(|| "expected atomic or nocheckatomic".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_with_units() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("5"), Ok(Duration::from_secs(5)));
        assert_eq!(parse_duration("1.5S"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_duration("2m"), Ok(Duration::from_secs(120)));
        for bad in [
            "", "s", "-5s", "0", "1e3", "5x", "nan", "inf", "1..2", "5 s",
        ] {
            assert!(parse_duration(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn counts_with_units() {
        assert_eq!(parse_count("25000"), Ok(25_000));
        assert_eq!(parse_count("10k"), Ok(10_000));
        assert_eq!(parse_count("2.5M"), Ok(2_500_000));
        for bad in ["", "0", "0.5", "-1", "k", "10q", "99999999999999999999"] {
            assert!(parse_count(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn moves_in_coordinates_or_san_with_move_numbers() {
        let mut pos = Position::startpos(Variant::Atomic);
        let texts = ["1.", "e4", "e7e5", "2.Nf3 d6"].map(str::to_owned);
        play_moves(&mut pos, &texts).unwrap();
        assert_eq!(pos.ply(), 4);
        let error = play_moves(&mut pos, &["Ke3".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("Ke3"), "{error}");
    }
}
