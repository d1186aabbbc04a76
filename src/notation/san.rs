//! Standard algebraic notation. An exploding king ends the game and is marked `#`.
//! Invariant: among the legal moves of a position no two have the same text.

use std::fmt;

use crate::rules::{
    Bitboard, Castling, CastlingSide, Move, MoveKind, Outcome, PieceType, Position, Square,
};

/// Why a text names no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SanError {
    /// The text is not algebraic notation.
    Syntax(String),
    /// No legal move fits.
    Illegal(String),
    /// More than one legal move fits.
    Ambiguous(String),
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SanError::Syntax(text) => write!(f, "{text:?} is not algebraic notation"),
            SanError::Illegal(text) => write!(f, "{text:?} is not a legal move here"),
            SanError::Ambiguous(text) => write!(f, "{text:?} fits more than one legal move"),
        }
    }
}

impl std::error::Error for SanError {}

/// The text of a legal move, with `+` or `#`.
pub fn write(pos: &Position, mv: Move) -> String {
    let mut text = bare(pos, mv);
    let mut after = pos.without_history();
    after.make(mv);
    if matches!(after.outcome_by_rule(), Some(Outcome::Win { .. })) {
        text.push('#');
    } else if after.in_check() {
        text.push('+');
    }
    text
}

/// The texts of a line of moves from `pos`, each legal after the one before.
pub fn write_line(pos: &Position, line: &[Move]) -> Vec<String> {
    let mut pos = pos.without_history();
    let mut texts = Vec::with_capacity(line.len());
    for &mv in line {
        texts.push(write(&pos, mv));
        pos.make(mv);
    }
    texts
}

fn bare(pos: &Position, mv: Move) -> String {
    if mv.kind() == MoveKind::Castle {
        return match Castling::side_of(mv.from(), mv.to()) {
            CastlingSide::King => "O-O".to_owned(),
            CastlingSide::Queen => "O-O-O".to_owned(),
        };
    }
    let kind = pos
        .piece_at(mv.from())
        .map_or(PieceType::Pawn, |piece| piece.kind());
    let mut text = String::new();
    if kind != PieceType::Pawn {
        text.push(kind.letter().to_ascii_uppercase());
        text.push_str(&disambiguation(pos, mv, kind));
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

/// The least that tells this move from others of the same kind of piece to one square:
/// nothing, the file, the rank, or both.
fn disambiguation(pos: &Position, mv: Move, kind: PieceType) -> String {
    let rivals: Bitboard = pos
        .legal_moves()
        .iter()
        .filter(|other| {
            other.to() == mv.to()
                && other.from() != mv.from()
                && other.kind() != MoveKind::Castle
                && pos
                    .piece_at(other.from())
                    .is_some_and(|piece| piece.kind() == kind)
        })
        .map(|other| other.from())
        .collect();
    let from = mv.from();
    let name = from.to_string();
    if rivals.is_empty() {
        String::new()
    } else if (rivals & Bitboard::file(from.file())).is_empty() {
        name[..1].to_owned()
    } else if (rivals & Bitboard::rank(from.rank())).is_empty() {
        name[1..].to_owned()
    } else {
        name
    }
}

/// The legal move that a text names. Check marks, `!`, `?`, `=` before the promoted piece,
/// zeros for castling and superfluous squares are all accepted.
///
/// # Errors
/// When the text is no notation, or not exactly one legal move fits.
pub fn parse(pos: &Position, text: &str) -> Result<Move, SanError> {
    let core = text.trim().trim_end_matches(['+', '#', '!', '?']);
    let wanted = Wanted::parse(core).ok_or_else(|| SanError::Syntax(text.to_owned()))?;
    let moves = pos.legal_moves();
    let mut fitting = moves.iter().copied().filter(|&mv| wanted.fits(pos, mv));
    match (fitting.next(), fitting.next()) {
        (Some(mv), None) => Ok(mv),
        (None, _) => Err(SanError::Illegal(text.to_owned())),
        _ => Err(SanError::Ambiguous(text.to_owned())),
    }
}

/// What a text says about a move.
enum Wanted {
    Castle(CastlingSide),
    Piece {
        kind: PieceType,
        file: Option<u8>,
        rank: Option<u8>,
        to: Square,
        promotion: Option<PieceType>,
    },
}

impl Wanted {
    fn parse(text: &str) -> Option<Wanted> {
        match text {
            "O-O" | "0-0" | "o-o" => return Some(Wanted::Castle(CastlingSide::King)),
            "O-O-O" | "0-0-0" | "o-o-o" => return Some(Wanted::Castle(CastlingSide::Queen)),
            _ => {}
        }
        if !text.is_ascii() {
            return None;
        }
        let (text, promotion) = Self::split_promotion(text)?;
        let (kind, rest) = match text.chars().next()? {
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
        Some(Wanted::Piece {
            kind,
            file,
            rank,
            to,
            promotion,
        })
    }

    fn split_promotion(text: &str) -> Option<(&str, Option<PieceType>)> {
        let Some(letter) = text.chars().last().filter(char::is_ascii_uppercase) else {
            return Some((text, None));
        };
        let kind = PieceType::from_letter(letter)?;
        let rest = &text[..text.len() - 1];
        Some((rest.strip_suffix('=').unwrap_or(rest), Some(kind)))
    }

    fn fits(&self, pos: &Position, mv: Move) -> bool {
        let castles = mv.kind() == MoveKind::Castle;
        match *self {
            Wanted::Castle(side) => castles && Castling::side_of(mv.from(), mv.to()) == side,
            Wanted::Piece {
                kind,
                file,
                rank,
                to,
                promotion,
            } => {
                !castles
                    && mv.to() == to
                    && mv.promotion() == promotion
                    && file.is_none_or(|file| mv.from().file() == file)
                    && rank.is_none_or(|rank| mv.from().rank() == rank)
                    && pos
                        .piece_at(mv.from())
                        .is_some_and(|piece| piece.kind() == kind)
            }
        }
    }
}
