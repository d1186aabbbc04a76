//! Arguments shared by several commands: the position, the variant of games, the evaluation,
//! numbers and times, and tablebases.
//! Invariant: every error quotes the invalid text.

use std::ffi::OsStr;
use std::ops::RangeBounds;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::{CliError, PositionStyle, print_warning, usage};
use crate::engine::{Engine, Settings};
use crate::eval::score::MAX_PLY;
use crate::notation::fen::{self, FenErrorKind};
use crate::notation::san;
use crate::notation::units::{self, Expected, TimeUnit};
use crate::rules::{Position, Variant};
use crate::tablebase::Tablebase;

/// The position, its variant and its notation.
#[derive(Args, Debug)]
pub struct PositionArgs {
    /// Position: `startpos` (default), a FEN with 4 to 6 fields, quoted or unquoted, or moves from
    /// the start.
    #[arg(value_name = "FEN", num_args = 0..)]
    pub fen: Vec<String>,
    /// Variant: `atomic`, the Lichess rules (default), or `nocheckatomic`, where a king may
    /// stay in check.
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = variant())]
    pub variant: Option<Variant>,
    /// Moves to play first, as e2e4 or in SAN; move numbers are skipped.
    #[arg(long, visible_alias = "move", value_name = "MOVE", num_args = 1..)]
    pub moves: Vec<String>,
    /// Write castling as king takes rook (e1h1) and castling rights as files (HAha); automatic
    /// for positions that need it.
    #[arg(long)]
    pub chess960: bool,
}

pub fn variant() -> impl TypedValueParser<Value = Variant> {
    PossibleValuesParser::new(Variant::ALL.map(Variant::name))
        .map(|name| Variant::from_name(&name).unwrap_or_default())
}

impl PositionArgs {
    pub fn position(&self) -> Result<Position, CliError> {
        position(&self.fen, self.variant.unwrap_or_default(), &self.moves)
    }

    /// The position after the moves, under the rules of `atomic`.
    pub fn atomic_position(&self) -> Result<Position, CliError> {
        self.variant.map_or(Ok(()), only_atomic)?;
        self.position()
    }

    /// How `pos` and its moves are written.
    pub fn style<'a>(&self, pos: &'a Position) -> PositionStyle<'a> {
        PositionStyle::new(pos, self.chess960)
    }
}

/// The position of the words of a FEN, or else the start position, after moves; `fen` may also
/// have moves. Prints a warning for each part of the FEN that is ignored or filled in.
pub fn position(fen: &[String], variant: Variant, moves: &[String]) -> Result<Position, CliError> {
    let mut pos = Position::startpos(variant);
    let is_first_move =
        |word: &String| !word.is_empty() && san::play(&mut pos.clone(), word).is_ok();
    if fen.first().is_some_and(is_first_move) {
        play_moves(&mut pos, fen)?;
    } else if !fen.is_empty() {
        let parsed = fen::parse_lenient(&fen.join(" "), variant);
        let (parsed, warnings) = parsed.or_else(|error| match error.kind {
            FenErrorKind::Moves => usage(format!("{error}; give them with --moves")),
            _ => usage(error.to_string()),
        })?;
        warnings.iter().for_each(print_warning);
        pos = parsed;
    }
    play_moves(&mut pos, moves)?;
    Ok(pos)
}

/// Fails for another variant than `atomic`.
pub fn only_atomic(variant: Variant) -> Result<(), CliError> {
    match variant {
        Variant::Atomic => Ok(()),
        other => usage(format!("books support only atomic, not {other}")),
    }
}

/// The variant of games in PGN, and its older spelling.
#[derive(Args, Debug)]
pub struct GamesVariantArgs {
    /// Variant of all games in PGN: `atomic` or `nocheckatomic`, whatever their Variant tag.
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = variant())]
    variant: Option<Variant>,
    #[arg(long, hide = true, conflicts_with = "variant")]
    assume_atomic: bool,
}

impl GamesVariantArgs {
    pub fn variant(&self) -> Option<Variant> {
        self.variant.or(self.assume_atomic.then_some(Variant::Atomic))
    }
}

/// The evaluation to use.
#[derive(Args, Clone, Debug, Default)]
pub struct EvalSourceArgs {
    /// Network file to use instead of the embedded network.
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// Use the handcrafted evaluation instead of a network.
    #[arg(long, conflicts_with = "eval_file")]
    handcrafted: bool,
}

impl EvalSourceArgs {
    pub fn apply(&self, settings: Settings) -> Settings {
        Settings { use_nnue: !self.handcrafted, eval_file: self.eval_file.clone(), ..settings }
    }
}

/// The description of the evaluation that settings select. Creates an engine, so invalid settings
/// fail here.
pub fn evaluation_name(settings: Settings) -> Result<String, CliError> {
    let engine = Engine::with_settings(settings)?;
    let net = engine.net().map(|net| net.description().to_owned());
    Ok(net.unwrap_or_else(|| "handcrafted terms".to_owned()))
}

/// Plays moves in coordinate notation or SAN; move numbers (`1.`, `3...`) are skipped.
pub fn play_moves(pos: &mut Position, texts: &[String]) -> Result<(), CliError> {
    let played = texts.iter().try_for_each(|text| san::play(pos, text));
    played.or_else(|error| usage(format!("bad move: {error}")))
}

/// A parser of whole numbers within `range`, with an optional unit: `25000`, `10k`.
pub fn number<T: TryFrom<i128>>(
    range: impl RangeBounds<i128> + Clone,
) -> impl Fn(&str) -> Result<T, Expected> + Clone {
    move |text| units::number(text, &range)
}

pub fn depth() -> impl Fn(&str) -> Result<i32, Expected> + Clone {
    number(1..=MAX_PLY as i128)
}

pub fn threads<T: TryFrom<i128>>() -> impl Fn(&str) -> Result<T, Expected> + Clone {
    number(1..=Settings::MAX_THREADS as i128)
}

/// A parser of hash table sizes in MiB.
pub fn hash() -> impl Fn(&str) -> Result<u32, Expected> + Clone {
    number(1..=Settings::MAX_HASH as i128)
}

/// Parses a time above zero, in seconds if it has no unit.
pub fn time(text: &str) -> Result<Duration, Expected> {
    units::time(text, TimeUnit::Second, &(Duration::from_nanos(1)..))
}

/// Opens the Syzygy tablebases of an option, and prints warnings about unusable files.
pub fn open_tablebases(list: Option<&OsStr>) -> Result<Option<Tablebase>, CliError> {
    let tables = list.map(Tablebase::open).transpose()?;
    warn_about_tablebases(tables.as_ref());
    Ok(tables)
}

/// Prints warnings about tablebase files found missing or damaged since the last call.
pub fn warn_about_tablebases(tables: Option<&Tablebase>) {
    for warning in tables.into_iter().flat_map(Tablebase::take_warnings) {
        print_warning(warning);
    }
}
