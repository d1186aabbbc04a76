//! FEN, with four to six fields and with X-FEN or Shredder-FEN castling letters.
//! Invariant: `parse` reads what `write` produces back to the same position, and it accepts exactly
//! the texts that `parse_lenient` reads without a warning.
//!
//! # Examples
//! ```
//! use brisance::notation::fen::{self, CastlingStyle};
//! use brisance::rules::Variant;
//!
//! let pos = fen::parse(fen::STARTPOS, Variant::Atomic).expect("a position");
//! assert_eq!(fen::write(&pos, CastlingStyle::XFen), fen::STARTPOS);
//! assert!(fen::write(&pos, CastlingStyle::Shredder).contains(" w HAha - "));
//!
//! // The two clocks may be left out, and errors name the field.
//! let pos = fen::parse("4k3/8/8/8/8/8/4P3/4K3 w - -", Variant::Atomic).expect("a position");
//! assert_eq!(pos.fullmove_number(), 1);
//! let error = fen::parse("4k3/9/8/8/8/8/8/4K3 w - - 0 1", Variant::Atomic).unwrap_err();
//! assert_eq!(error.field, fen::FenField::Placement);
//!
//! // What other programs write is read with a warning for each part that was ignored.
//! let text = "4k3/8/8/8/8/8/4P3/4K3 w K e6";
//! let (pos, warnings) = fen::parse_lenient(text, Variant::Atomic).expect("a position");
//! assert_eq!(fen::write(&pos, CastlingStyle::XFen), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
//! assert_eq!(warnings.len(), 2);
//! ```

use std::array;
use std::fmt;

use thiserror::Error;

use crate::rules::{
    CastlingSide, Color, Piece, PieceType, Position, PositionError, Setup, Square, Variant,
};
use crate::util::shorten;

/// The FEN of the start position.
pub const STARTPOS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A field of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenField {
    /// The pieces, rank by rank from the eighth.
    Placement,
    /// `w` or `b`.
    SideToMove,
    /// Castling letters or `-`.
    Castling,
    /// A square or `-`.
    EnPassant,
    /// Plies since the last capture or pawn move.
    HalfmoveClock,
    /// The number of the full move.
    FullmoveNumber,
    /// The FEN as a whole, if it does not have four to six fields.
    FieldCount,
}

impl fmt::Display for FenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FenField::Placement => "piece placement",
            FenField::SideToMove => "side to move",
            FenField::Castling => "castling",
            FenField::EnPassant => "en passant",
            FenField::HalfmoveClock => "half-move clock",
            FenField::FullmoveNumber => "move number",
            FenField::FieldCount => "number of fields",
        })
    }
}

/// The error of parsing a FEN: the field, its text and the reason.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("bad FEN, {field} {text:?}: {kind}")]
pub struct FenError {
    /// The invalid field.
    pub field: FenField,
    /// The text of the field, shortened if it is long.
    pub text: String,
    /// What is wrong with it.
    pub kind: FenErrorKind,
}

/// What is wrong with a field of a FEN.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum FenErrorKind {
    #[error("expected 4 to 6, not {0}")]
    FieldCount(usize),
    /// The FEN is followed by the word `moves`, as in the UCI command `position`.
    #[error("moves are not part of a FEN")]
    Moves,
    #[error("expected 8 ranks, not {0}")]
    RankCount(usize),
    #[error("{0:?} is neither a piece nor a number from 1 to 8")]
    UnknownPiece(char),
    #[error("rank {rank} ({text}) has more than 8 squares")]
    RankTooLong {
        /// The rank from 1 to 8.
        rank: u8,
        text: String,
    },
    #[error("rank {rank} ({text}) has only {squares} squares")]
    RankTooShort {
        /// The rank from 1 to 8.
        rank: u8,
        text: String,
        squares: u8,
    },
    #[error("expected w or b")]
    ExpectedSide,
    #[error("{0:?} is not one of K, Q, A to H, k, q, a to h")]
    UnknownCastlingLetter(char),
    #[error("{letter} has no matching rook of {color} on the rank of its king")]
    NoCastlingRook { letter: char, color: Color },
    #[error("{0} repeats a right")]
    RepeatedCastlingRight(char),
    #[error("expected a square or -")]
    ExpectedSquare,
    #[error("expected a number from 0 to 65535")]
    ExpectedNumber,
    /// All fields are well-formed, but the position is invalid.
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl FenError {
    fn new(field: FenField, text: &str, kind: FenErrorKind) -> FenError {
        FenError { field, text: shorten(text), kind }
    }
}

/// A part of a FEN that was ignored or filled in.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("FEN, {} {:?}: {}; {remedy}", fault.field, fault.text, fault.kind)]
pub struct FenWarning {
    /// What is wrong.
    pub fault: FenError,
    /// What was read instead.
    remedy: &'static str,
}

#[derive(Default)]
struct Warnings(Vec<FenWarning>);

impl Warnings {
    fn add(&mut self, field: FenField, text: &str, kind: FenErrorKind, remedy: &'static str) {
        let fault = FenError::new(field, text, kind);
        let warning = FenWarning { fault, remedy };
        if !self.0.contains(&warning) {
            self.0.push(warning);
        }
    }
}

/// Parses a FEN of four to six fields, or the word `startpos`. The clocks that are left out are 0
/// and 1.
///
/// # Errors
/// The first invalid field, with its text and the reason.
pub fn parse(text: &str, variant: Variant) -> Result<Position, FenError> {
    let mut warnings = Warnings::default();
    let result = read(text, variant, &mut warnings);
    match warnings.0.into_iter().next() {
        Some(first) => Err(first.fault),
        None => result,
    }
}

/// Parses a FEN as [`parse`] does, but reads on after a fault that leaves the board and the side to
/// move certain: rights without a king or rook and impossible en-passant squares are dropped,
/// missing or invalid fields get their usual values, and further fields are ignored.
///
/// # Errors
/// The first field that cannot be repaired, with its text and the reason.
pub fn parse_lenient(
    text: &str,
    variant: Variant,
) -> Result<(Position, Vec<FenWarning>), FenError> {
    let mut warnings = Warnings::default();
    let pos = read(text, variant, &mut warnings)?;
    Ok((pos, warnings.0))
}

fn read(text: &str, variant: Variant, warnings: &mut Warnings) -> Result<Position, FenError> {
    let text = text.trim_matches(is_wrapping);
    if text.eq_ignore_ascii_case("startpos") {
        return Ok(Position::startpos(variant));
    }
    let fields = split_fields(text, warnings)?;
    let field = |index: usize, default| fields.get(index).copied().unwrap_or(default);
    let (castling, en_passant) = (field(2, "-"), field(3, "-"));
    let mut setup = Setup::empty(variant);
    parse_placement(fields[0], &mut setup)?;
    setup.side_to_move = parse_side(field(1, "w"))?;
    parse_castling(castling, &mut setup, warnings);
    setup.en_passant = Square::parse(en_passant);
    if setup.en_passant.is_none() && en_passant != "-" {
        let kind = FenErrorKind::ExpectedSquare;
        warnings.add(FenField::EnPassant, en_passant, kind, "ignored");
    }
    setup.halfmove_clock = parse_number(FenField::HalfmoveClock, field(4, "0"), warnings);
    setup.fullmove_number = parse_number(FenField::FullmoveNumber, field(5, "1"), warnings);
    // Each turn drops a castling right or the en-passant square.
    loop {
        let error = match Position::from_setup(&setup) {
            Ok(pos) => return Ok(pos),
            Err(error) => error,
        };
        let (name, text) = match error {
            PositionError::Castling(color, rook)
            | PositionError::DuplicateCastling(color, rook) => {
                setup.castling.retain(|&right| right != (color, rook));
                (FenField::Castling, castling)
            }
            PositionError::EnPassant(_) => {
                setup.en_passant = None;
                (FenField::EnPassant, en_passant)
            }
            _ => {
                let field = FenField::Placement;
                return Err(FenError::new(field, fields[0], error.into()));
            }
        };
        warnings.add(name, text, error.into(), "ignored");
    }
}

/// Splits a FEN into its fields; those after the first may be missing.
fn split_fields<'a>(text: &'a str, warnings: &mut Warnings) -> Result<Vec<&'a str>, FenError> {
    // Lichess writes underscores for blanks in addresses.
    let words = text.split(|c: char| c.is_whitespace() || c == '_');
    let mut fields: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let error = |kind| Err(FenError::new(FenField::FieldCount, text, kind));
    if fields.iter().any(|word| word.eq_ignore_ascii_case("moves")) {
        return error(FenErrorKind::Moves);
    }
    let remedy = match fields[..] {
        [] => return error(FenErrorKind::FieldCount(0)),
        [first, ..] if first.eq_ignore_ascii_case("startpos") => {
            return error(FenErrorKind::FieldCount(fields.len()));
        }
        [_] => "read with w - - 0 1",
        [_, _] => "read with - - 0 1",
        [_, _, _] => "read with - 0 1",
        _ => "the fields after the sixth are ignored",
    };
    if !(4..=6).contains(&fields.len()) {
        let kind = FenErrorKind::FieldCount(fields.len());
        warnings.add(FenField::FieldCount, text, kind, remedy);
    }
    // A number in the place of the castling rights or of the en-passant square is a clock.
    for index in 2..4 {
        if fields.len() < 6
            && let Some(clock) = fields.get(index).filter(|word| is_number(word))
        {
            let kind = FenErrorKind::ExpectedSquare;
            warnings.add(FenField::EnPassant, clock, kind, "read as a clock");
            fields.insert(index, "-");
        }
    }
    Ok(fields)
}

/// True for what people and programs put around a FEN.
fn is_wrapping(c: char) -> bool {
    const MARKS: &str = "\"'`“”„‘’«»;,\u{feff}\u{200b}";
    c.is_whitespace() || MARKS.contains(c)
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_placement(text: &str, setup: &mut Setup) -> Result<(), FenError> {
    let error = |kind| Err(FenError::new(FenField::Placement, text, kind));
    // An empty pocket of crazyhouse, which some programs write for every variant.
    let board = text.strip_suffix("[]").or(text.strip_suffix('/'));
    let ranks: Vec<&str> = board.unwrap_or(text).split('/').collect();
    if ranks.len() != 8 {
        return error(FenErrorKind::RankCount(ranks.len()));
    }
    for (index, rank_text) in ranks.into_iter().enumerate() {
        let rank = 7 - index as u8;
        let mut file = 0;
        for letter in rank_text.chars() {
            if let Some(empty @ 1..=8) = letter.to_digit(10) {
                file += empty as u8;
            } else if let Some(piece) = Piece::from_letter(letter) {
                if file < 8 {
                    setup.board[Square::new(file, rank).index()] = Some(piece);
                }
                file += 1;
            } else if letter != '~' {
                // The tilde marks a promoted piece in crazyhouse.
                return error(FenErrorKind::UnknownPiece(letter));
            }
            if file > 8 {
                return error(FenErrorKind::RankTooLong {
                    rank: rank + 1,
                    text: shorten(rank_text),
                });
            }
        }
        if file < 8 {
            return error(FenErrorKind::RankTooShort {
                rank: rank + 1,
                text: shorten(rank_text),
                squares: file,
            });
        }
    }
    Ok(())
}

fn parse_side(text: &str) -> Result<Color, FenError> {
    match text {
        "w" | "W" => Ok(Color::White),
        "b" | "B" => Ok(Color::Black),
        _ => Err(FenError::new(FenField::SideToMove, text, FenErrorKind::ExpectedSide)),
    }
}

fn parse_castling(text: &str, setup: &mut Setup, warnings: &mut Warnings) {
    if text == "-" {
        return;
    }
    let mut ignore = |kind| warnings.add(FenField::Castling, text, kind, "ignored");
    let mut has_unknown = false;
    for letter in text.chars() {
        let color = Color::ALL[usize::from(letter.is_ascii_lowercase())];
        let rook = match letter.to_ascii_lowercase() {
            'k' => outermost_rook(setup, color, CastlingSide::King),
            'q' => outermost_rook(setup, color, CastlingSide::Queen),
            file @ 'a'..='h' => Some(Square::new(file as u8 - b'a', 0).relative(color)),
            _ => {
                // One warning, however long the field is.
                if !has_unknown {
                    ignore(FenErrorKind::UnknownCastlingLetter(letter));
                }
                has_unknown = true;
                continue;
            }
        };
        match rook {
            None => ignore(FenErrorKind::NoCastlingRook { letter, color }),
            Some(rook) if setup.castling.contains(&(color, rook)) => {
                ignore(FenErrorKind::RepeatedCastlingRight(letter));
            }
            Some(rook) => setup.castling.push((color, rook)),
        }
    }
}

/// The rook of `color` on the rank of its king that is closest to the edge on `side`.
fn outermost_rook(setup: &Setup, color: Color, side: CastlingSide) -> Option<Square> {
    let king = setup.king(color).filter(|king| king.relative_rank(color) == 0)?;
    let rook = Some(Piece::new(color, PieceType::Rook));
    let square = |file| Square::new(file, king.rank());
    let is_rook = |square: &Square| setup.board[square.index()] == rook;
    match side {
        CastlingSide::King => (king.file()..8).rev().map(square).find(is_rook),
        CastlingSide::Queen => (0..king.file()).map(square).find(is_rook),
    }
}

/// Parses a clock; one that is no number in range gets its usual value.
fn parse_number(field: FenField, text: &str, warnings: &mut Warnings) -> u16 {
    // `u16::from_str` also accepts a plus sign.
    let number = text.parse().ok().filter(|_| is_number(text));
    number.unwrap_or_else(|| {
        let (usual, remedy) = match field {
            FenField::HalfmoveClock => (0, "read as 0"),
            _ => (1, "read as 1"),
        };
        warnings.add(field, text, FenErrorKind::ExpectedNumber, remedy);
        usual
    })
}

/// The notation of castling rights in a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CastlingStyle {
    /// `KQkq`, with a file letter only if another rook is closer to the edge.
    #[default]
    XFen,
    /// Always the file of the rook: `HAha`.
    Shredder,
}

/// The FEN of a position, with six fields. The en-passant square is written only if a legal
/// en-passant capture exists.
pub fn write(pos: &Position, style: CastlingStyle) -> String {
    let text = write_without_clocks(pos, style);
    let (halfmoves, number) = (pos.halfmove_clock(), pos.fullmove_number());
    format!("{text} {halfmoves} {number}")
}

/// The first four fields of [`write`], which leave out the clocks.
pub(crate) fn write_without_clocks(pos: &Position, style: CastlingStyle) -> String {
    let mut text = placement(pos);
    text.push_str(match pos.side_to_move() {
        Color::White => " w ",
        Color::Black => " b ",
    });
    text.push_str(&castling(pos, style));
    match pos.en_passant() {
        Some(square) => text + &format!(" {square}"),
        None => text + " -",
    }
}

fn placement(pos: &Position) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        let pieces: [_; 8] = array::from_fn(|file| pos.piece_at(Square::new(file as u8, rank)));
        for run in pieces.chunk_by(|left, right| left.is_none() && right.is_none()) {
            match run[0] {
                Some(piece) => text.push(piece.letter()),
                None => text.push_str(&run.len().to_string()),
            }
        }
        if rank > 0 {
            text.push('/');
        }
    }
    text
}

fn castling(pos: &Position, style: CastlingStyle) -> String {
    let mut text = String::new();
    let setup = pos.setup();
    for (color, side, rook) in pos.castlings() {
        let is_outermost = outermost_rook(&setup, color, side) == Some(rook);
        let letter = match side {
            _ if style == CastlingStyle::Shredder || !is_outermost => (b'a' + rook.file()) as char,
            CastlingSide::King => 'k',
            CastlingSide::Queen => 'q',
        };
        text.push(match color {
            Color::White => letter.to_ascii_uppercase(),
            Color::Black => letter,
        });
    }
    if text.is_empty() {
        text.push('-');
    }
    text
}
