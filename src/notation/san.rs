//! Standard algebraic notation (SAN). A move that explodes the enemy king ends with `#`.
//! Invariant: no two legal moves of a position have the same text.
//!
//! # Examples
//! ```
//! use brisance::notation::{fen, san};
//! use brisance::rules::Variant;
//!
//! let text = "rnbqkbnr/1ppppppp/8/p5N1/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3";
//! let pos = fen::parse(text, Variant::Atomic).expect("a position");
//! let mv = san::parse(&pos, "Nxf7").expect("a legal move");
//! assert_eq!(san::write(&pos, mv), "Nxf7#");
//!
//! let error = san::parse(&pos, "Qd5").unwrap_err();
//! assert_eq!(error, san::SanError::Illegal("Qd5".to_owned()));
//! ```

use thiserror::Error;

use super::coord;
use crate::rules::{
    Bitboard, Castling, CastlingSide, Color, Move, MoveKind, Piece, PieceType, Position, Square,
};
use crate::util::shorten;

/// The error of parsing a move, with its text, shortened if it is long.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum SanError {
    #[error("{0:?} is not algebraic notation")]
    Syntax(String),
    #[error("{0:?} is not a legal move here")]
    Illegal(String),
    #[error("{0:?} is a null move, which is never legal")]
    Null(String),
    #[error("{0:?} matches more than one legal move")]
    Ambiguous(String),
}

/// The text of a legal move, with `+` for a check and `#` for a win.
pub fn write(pos: &Position, mv: Move) -> String {
    let mut text = without_suffix(pos, mv);
    let mut after = pos.without_history();
    after.make(mv);
    let outcome = after.outcome_by_rule();
    if outcome.is_some_and(|outcome| outcome.result.winner().is_some()) {
        text.push('#');
    } else if after.in_check() {
        text.push('+');
    }
    text
}

/// The texts of a sequence of legal moves from `pos`.
pub fn write_line(pos: &Position, line: &[Move]) -> Vec<String> {
    let mut pos = pos.without_history();
    let texts = line.iter().map(|&mv| {
        let text = write(&pos, mv);
        pos.make(mv);
        text
    });
    texts.collect()
}

/// The number of the next move, as `12.` or `12...`.
pub(crate) fn move_number(pos: &Position) -> String {
    match pos.side_to_move() {
        Color::White => format!("{}.", pos.fullmove_number()),
        Color::Black => format!("{}...", pos.fullmove_number()),
    }
}

/// The text of a legal move with its number, as `12... Qxf2`.
pub(crate) fn write_numbered(pos: &Position, mv: Move) -> String {
    format!("{} {}", move_number(pos), write(pos, mv))
}

/// The text of a legal move with its number, which a move of Black needs only at the `first` place
/// of a line.
pub(crate) fn write_in_line(pos: &Position, mv: Move, first: bool) -> String {
    if first || pos.side_to_move() == Color::White {
        write_numbered(pos, mv)
    } else {
        write(pos, mv)
    }
}

/// The texts of a sequence of legal moves from `pos`, with numbers where they are needed.
#[cfg(feature = "cli")]
pub(crate) fn write_numbered_line(pos: &Position, line: &[Move]) -> Vec<String> {
    let mut pos = pos.without_history();
    let texts = line.iter().enumerate().map(|(index, &mv)| {
        let text = write_in_line(&pos, mv, index == 0);
        pos.make(mv);
        text
    });
    texts.collect()
}

/// Plays moves in coordinate notation or SAN; move numbers (`1.`, `3...`) are skipped.
///
/// # Errors
/// The first text that is not a legal move; the moves before it are played.
pub fn play(pos: &mut Position, text: &str) -> Result<(), SanError> {
    for word in text.split_whitespace() {
        let word = strip_move_number(word);
        if !word.is_empty() {
            let mv = coord::parse(pos, word).map_or_else(|| parse(pos, word), Ok)?;
            pos.make(mv);
        }
    }
    Ok(())
}

fn strip_move_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.starts_with('.') { rest.trim_start_matches('.') } else { text }
}

/// The text of a legal move without `+` or `#`.
fn without_suffix(pos: &Position, mv: Move) -> String {
    if mv.kind() == MoveKind::Castle {
        return match Castling::side_of(mv.from(), mv.to()) {
            CastlingSide::King => "O-O".to_owned(),
            CastlingSide::Queen => "O-O-O".to_owned(),
        };
    }
    let piece = pos.piece_at(mv.from());
    let piece_type = piece.map_or(PieceType::Pawn, Piece::piece_type);
    let mut text = String::new();
    if piece_type != PieceType::Pawn {
        text.push(piece_type.letter().to_ascii_uppercase());
        text.push_str(&disambiguation(pos, mv, piece_type));
    } else if mv.is_capture() {
        text.push((b'a' + mv.from().file()) as char);
    }
    if mv.is_capture() {
        text.push('x');
    }
    text.push_str(&mv.to().to_string());
    if let Some(promoted) = mv.promotion() {
        text.push('=');
        text.push(promoted.letter().to_ascii_uppercase());
    }
    text
}

/// What distinguishes the move from other moves of the same piece type to the same square: nothing,
/// the file, the rank or both.
fn disambiguation(pos: &Position, mv: Move, piece_type: PieceType) -> String {
    let other_origins: Bitboard = pos
        .legal_moves()
        .iter()
        .filter(|other| {
            other.to() == mv.to()
                && other.from() != mv.from()
                && other.kind() != MoveKind::Castle
                && pos.piece_at(other.from()).map(Piece::piece_type) == Some(piece_type)
        })
        .map(|other| other.from())
        .collect();
    let from = mv.from();
    let name = from.to_string();
    if other_origins.is_empty() {
        String::new()
    } else if (other_origins & Bitboard::file(from.file())).is_empty() {
        name[..1].to_owned()
    } else if (other_origins & Bitboard::rank(from.rank())).is_empty() {
        name[1..].to_owned()
    } else {
        name
    }
}

/// A character of a move in plain ASCII: the letter of a figurine, a hyphen, a space; `None` if it
/// is left out, as the figurine of a pawn. Every other character stays.
pub(super) fn plain_char(c: char) -> Option<char> {
    match c {
        '♔' | '♚' => Some('K'),
        '♕' | '♛' => Some('Q'),
        '♖' | '♜' => Some('R'),
        '♗' | '♝' => Some('B'),
        '♘' | '♞' => Some('N'),
        '♙' | '♟' => None,
        // Variation selectors choose the look of a figurine; the others have no width.
        '\u{fe0e}' | '\u{fe0f}' | '\u{ad}' | '\u{feff}' => None,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        '\u{2044}' | '\u{2215}' => Some('/'),
        '×' => Some('x'),
        // Cyrillic.
        'О' | 'о' => Some('O'),
        c if c.is_whitespace() && !c.is_ascii() => Some(' '),
        c => Some(c),
    }
}

pub(super) const NULL_MOVES: [&str; 7] = ["--", "Z0", "0000", "@@@@", "<>", "null", "pass"];

/// A move without glyphs and without what says check, mate or en passant.
fn without_signs(text: &str) -> &str {
    const WORDS: [&str; 7] = ["e.p.", "e.p", "ep", "ch", "mate", "dis", "dbl"];
    let core = text.trim_end_matches(['+', '#', '†', '‡', '!', '?', ' ']);
    let shorter = WORDS.iter().find_map(|word| core.strip_suffix(word));
    shorter.map_or(core, without_signs)
}

/// Parses a legal move. Signs such as `+`, `#`, `†`, `e.p.`, `!` and `?`, the `=` before a
/// promotion and superfluous origin squares are optional; figurines stand for letters, the letter
/// of a promotion may be small or in parentheses, and castling may be written with zeros or as the
/// move of the king. A move in coordinates is read as well.
///
/// # Errors
/// The text is not algebraic notation, or it does not match exactly one legal move.
pub fn parse(pos: &Position, text: &str) -> Result<Move, SanError> {
    let plain: String = text.trim().chars().filter_map(plain_char).collect();
    let core = without_signs(&plain);
    if NULL_MOVES.contains(&core) {
        return Err(SanError::Null(shorten(text)));
    }
    let pattern = SanPattern::parse(core).ok_or_else(|| SanError::Syntax(shorten(text)))?;
    let moves = pos.legal_moves();
    let mut matching = moves.iter().copied().filter(|&mv| pattern.matches(pos, mv));
    match (matching.next(), matching.next()) {
        (Some(mv), None) => Ok(mv),
        (None, _) => {
            let coordinates = pattern.coordinates(pos);
            let found = coordinates.and_then(|text| coord::parse(pos, &text));
            found.ok_or_else(|| SanError::Illegal(shorten(text)))
        }
        _ => Err(SanError::Ambiguous(shorten(text))),
    }
}

enum SanPattern {
    Castle(CastlingSide),
    Piece(PiecePattern),
}

/// The parts of a move that its text contains.
struct PiecePattern {
    piece_type: PieceType,
    file: Option<u8>,
    rank: Option<u8>,
    to: Square,
    promotion: Option<PieceType>,
}

impl SanPattern {
    fn parse(text: &str) -> Option<SanPattern> {
        match text.replace(['o', '0'], "O").replace('-', "").as_str() {
            "OO" => return Some(SanPattern::Castle(CastlingSide::King)),
            "OOO" => return Some(SanPattern::Castle(CastlingSide::Queen)),
            _ => {}
        }
        if !text.is_ascii() {
            return None;
        }
        let (text, promotion) = Self::split_promotion(text)?;
        let (piece_type, rest) = match text.chars().next()? {
            letter @ ('N' | 'B' | 'R' | 'Q' | 'K' | 'P') => {
                (PieceType::from_letter(letter)?, &text[1..])
            }
            _ => (PieceType::Pawn, text),
        };
        let (origin, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let to = Square::parse(to)?;
        let origin = origin.strip_suffix(['x', '-', ':']).unwrap_or(origin);
        let (mut file, mut rank) = (None, None);
        for letter in origin.bytes() {
            match letter {
                b'a'..=b'h' if file.is_none() && rank.is_none() => file = Some(letter - b'a'),
                b'1'..=b'8' if rank.is_none() => rank = Some(letter - b'1'),
                _ => return None,
            }
        }
        Some(SanPattern::Piece(PiecePattern { piece_type, file, rank, to, promotion }))
    }

    fn split_promotion(text: &str) -> Option<(&str, Option<PieceType>)> {
        let inner = text.strip_suffix(')').unwrap_or(text);
        let Some(letter) = inner.chars().last().filter(char::is_ascii_alphabetic) else {
            return Some((text, None));
        };
        let piece_type = PieceType::from_letter(letter)?;
        let rest = inner[..inner.len() - 1].trim_end_matches(['=', '(', '/']);
        Some((rest, Some(piece_type)))
    }

    /// The move in coordinates, if it names its origin or is one of the king.
    fn coordinates(&self, pos: &Position) -> Option<String> {
        let SanPattern::Piece(piece) = self else {
            return None;
        };
        let king = pos.king(pos.side_to_move());
        let from = match (piece.file, piece.rank) {
            (Some(file), Some(rank)) => Square::new(file, rank),
            _ => king.filter(|_| piece.piece_type == PieceType::King)?,
        };
        // Without a letter the pattern is one of a pawn.
        let is_right = match piece.piece_type {
            PieceType::Pawn => true,
            PieceType::King => Some(from) == king,
            _ => false,
        };
        let letter = piece.promotion.map(|kind| kind.letter().to_string());
        is_right.then(|| format!("{from}{}{}", piece.to, letter.unwrap_or_default()))
    }

    fn matches(&self, pos: &Position, mv: Move) -> bool {
        let castles = mv.kind() == MoveKind::Castle;
        let moved = pos.piece_at(mv.from()).map(Piece::piece_type);
        match self {
            SanPattern::Castle(side) => castles && Castling::side_of(mv.from(), mv.to()) == *side,
            SanPattern::Piece(piece) => {
                !castles
                    && mv.to() == piece.to
                    && mv.promotion() == piece.promotion
                    && piece.file.is_none_or(|file| mv.from().file() == file)
                    && piece.rank.is_none_or(|rank| mv.from().rank() == rank)
                    && moved == Some(piece.piece_type)
            }
        }
    }
}
