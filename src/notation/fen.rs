//! FEN in all its dialects: four to six fields, X-FEN and Shredder castling letters.
//! Invariant: what `write` produces, `parse` reads back to the same position.

use std::fmt;

use crate::rules::{
    Castling, CastlingSide, Color, Fault, Piece, PieceType, Position, Setup, Square, Variant,
};

/// The start position of atomic chess, which is that of chess.
pub const STARTPOS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A field of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// The men, rank by rank from the eighth.
    Placement,
    /// `w` or `b`.
    Side,
    /// Castling letters or `-`.
    Castling,
    /// A square or `-`.
    EnPassant,
    /// Half-moves since the last capture or pawn move.
    Halfmove,
    /// The number of the move pair.
    Fullmove,
    /// More fields than six, or fewer than four.
    Count,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Field::Placement => "piece placement",
            Field::Side => "side to move",
            Field::Castling => "castling",
            Field::EnPassant => "en passant",
            Field::Halfmove => "half-move clock",
            Field::Fullmove => "move number",
            Field::Count => "number of fields",
        })
    }
}

/// Why a text is no FEN: the field, the offending text and the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenError {
    /// The field at fault.
    pub field: Field,
    /// The offending text, shortened if it is long.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

impl FenError {
    fn new(field: Field, text: &str, why: impl fmt::Display) -> FenError {
        const LONGEST: usize = 80;
        let mut shown: String = text.chars().take(LONGEST).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        FenError {
            field,
            text: shown,
            why: why.to_string(),
        }
    }
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad FEN, {} {:?}: {}", self.field, self.text, self.why)
    }
}

impl std::error::Error for FenError {}

/// Reads a FEN of four to six fields, or the word `startpos`.
///
/// # Errors
/// The first field that is wrong, with its text.
pub fn parse(text: &str, variant: Variant) -> Result<Position, FenError> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("startpos") {
        return Ok(Position::startpos(variant));
    }
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    if !(4..=6).contains(&fields.len()) {
        let why = format!("expected 4 to 6, not {}", fields.len());
        return Err(FenError::new(Field::Count, text, why));
    }
    let mut setup = Setup::empty(variant);
    read_placement(fields[0], &mut setup)?;
    setup.side = read_side(fields[1])?;
    read_castling(fields[2], &mut setup)?;
    setup.en_passant = read_en_passant(fields[3])?;
    if let Some(&text) = fields.get(4) {
        setup.halfmove = read_number(Field::Halfmove, text)?;
    }
    if let Some(&text) = fields.get(5) {
        setup.fullmove = read_number(Field::Fullmove, text)?;
    }
    Position::from_setup(&setup).map_err(|fault| {
        let (field, text) = match fault {
            Fault::Castling(..) | Fault::CastlingTwice(..) => (Field::Castling, fields[2]),
            Fault::EnPassant(_) => (Field::EnPassant, fields[3]),
            _ => (Field::Placement, fields[0]),
        };
        FenError::new(field, text, fault)
    })
}

fn read_placement(text: &str, setup: &mut Setup) -> Result<(), FenError> {
    let error = |why: String| Err(FenError::new(Field::Placement, text, why));
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 8 {
        return error(format!("{} ranks, expected 8", ranks.len()));
    }
    for (index, rank_text) in ranks.into_iter().enumerate() {
        let rank = 7 - index as u8;
        let mut file = 0;
        for letter in rank_text.chars() {
            if let Some(skip @ 1..=8) = letter.to_digit(10) {
                file += skip as u8;
            } else if let Some(piece) = Piece::from_letter(letter) {
                if file < 8 {
                    setup.men[Square::new(file, rank).index()] = Some(piece);
                }
                file += 1;
            } else {
                return error(format!(
                    "{letter:?} is neither a piece nor a number from 1 to 8"
                ));
            }
            if file > 8 {
                return error(format!(
                    "rank {} ({rank_text}) has more than 8 squares",
                    rank + 1
                ));
            }
        }
        if file < 8 {
            return error(format!(
                "rank {} ({rank_text}) has only {file} squares",
                rank + 1
            ));
        }
    }
    Ok(())
}

fn read_side(text: &str) -> Result<Color, FenError> {
    match text {
        "w" | "W" => Ok(Color::White),
        "b" | "B" => Ok(Color::Black),
        _ => Err(FenError::new(Field::Side, text, "expected w or b")),
    }
}

fn read_castling(text: &str, setup: &mut Setup) -> Result<(), FenError> {
    if text == "-" {
        return Ok(());
    }
    for letter in text.chars() {
        let color = if letter.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        let rook = match letter.to_ascii_lowercase() {
            'k' => outermost_rook(setup, color, CastlingSide::King),
            'q' => outermost_rook(setup, color, CastlingSide::Queen),
            file @ 'a'..='h' => Some(Square::new(file as u8 - b'a', 0).relative(color)),
            _ => {
                let why = format!("{letter:?} is not one of K, Q, A to H, k, q, a to h");
                return Err(FenError::new(Field::Castling, text, why));
            }
        };
        let Some(rook) = rook else {
            let why = format!("{letter} names no rook of {color} on its king's rank");
            return Err(FenError::new(Field::Castling, text, why));
        };
        if setup.castling.contains(&(color, rook)) {
            let why = format!("{letter} repeats a right");
            return Err(FenError::new(Field::Castling, text, why));
        }
        setup.castling.push((color, rook));
    }
    Ok(())
}

fn outermost_rook(setup: &Setup, color: Color, side: CastlingSide) -> Option<Square> {
    let king = setup
        .king(color)
        .filter(|king| king.relative_rank(color) == 0)?;
    let rook = Some(Piece::new(color, PieceType::Rook));
    let square = |file| Square::new(file, king.rank());
    let is_rook = |square: &Square| setup.men[square.index()] == rook;
    match side {
        CastlingSide::King => (king.file() + 1..8).rev().map(square).find(is_rook),
        CastlingSide::Queen => (0..king.file()).map(square).find(is_rook),
    }
}

fn read_en_passant(text: &str) -> Result<Option<Square>, FenError> {
    if text == "-" {
        return Ok(None);
    }
    match Square::parse(text) {
        Some(square) => Ok(Some(square)),
        None => Err(FenError::new(
            Field::EnPassant,
            text,
            "expected a square or -",
        )),
    }
}

fn read_number(field: Field, text: &str) -> Result<u16, FenError> {
    let why = "expected a number from 0 to 65535";
    // The standard library would also take a plus sign.
    let number = text.parse().ok().filter(|_| !text.starts_with('+'));
    number.ok_or_else(|| FenError::new(field, text, why))
}

/// How castling rights are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CastlingStyle {
    /// `KQkq`, with a file letter only where another rook stands further out.
    #[default]
    XFen,
    /// Always the rook's file: `HAha`.
    Shredder,
}

/// The FEN of a position, six fields. The en-passant square is given only when a legal
/// capture exists.
pub fn write(pos: &Position, style: CastlingStyle) -> String {
    let mut text = placement(pos);
    text.push(' ');
    text.push(if pos.side() == Color::White { 'w' } else { 'b' });
    text.push(' ');
    text.push_str(&castling(pos, style));
    match pos.en_passant() {
        Some(square) => text.push_str(&format!(" {square}")),
        None => text.push_str(" -"),
    }
    text.push_str(&format!(" {} {}", pos.halfmove(), pos.fullmove()));
    text
}

fn placement(pos: &Position) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            if let Some(piece) = pos.piece_at(Square::new(file, rank)) {
                if empty > 0 {
                    text.push_str(&empty.to_string());
                    empty = 0;
                }
                text.push(piece.letter());
            } else {
                empty += 1;
            }
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        if rank > 0 {
            text.push('/');
        }
    }
    text
}

fn castling(pos: &Position, style: CastlingStyle) -> String {
    let mut text = String::new();
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if !pos.rights().has(color, side) {
                continue;
            }
            let Some(rook) = pos.castling().rook(color, side) else {
                continue;
            };
            let letter = if style == CastlingStyle::Shredder || !is_outermost(pos, color, rook) {
                (b'a' + rook.file()) as char
            } else {
                match side {
                    CastlingSide::King => 'k',
                    CastlingSide::Queen => 'q',
                }
            };
            text.push(match color {
                Color::White => letter.to_ascii_uppercase(),
                Color::Black => letter,
            });
        }
    }
    if text.is_empty() {
        text.push('-');
    }
    text
}

fn is_outermost(pos: &Position, color: Color, rook: Square) -> bool {
    let Some(king) = pos.king(color) else {
        return true;
    };
    let rooks = pos.pieces(color, PieceType::Rook);
    let beyond = |other: Square| {
        other.rank() == rook.rank()
            && Castling::side_of(king, other) == Castling::side_of(king, rook)
            && other.file().abs_diff(king.file()) > rook.file().abs_diff(king.file())
    };
    !rooks.into_iter().any(beyond)
}
