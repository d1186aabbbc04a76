//! Position lists: each line is a FEN, or an EPD with operations. Moves may follow, as in the UCI
//! command `position`.
//! Invariant: a line is blank, a comment, a position or an error.

use std::fmt;

use thiserror::Error;

use super::fen::{self, CastlingStyle, FenError, FenWarning};
use super::san::{self, SanError};
use crate::rules::{Position, Variant};
use crate::util::shorten;

/// A position and its EPD operations.
///
/// # Examples
/// ```
/// use brisance::notation::epd;
/// use brisance::rules::Variant;
///
/// let line = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"pawn ending\";";
/// let mut epd = epd::parse_line(line, Variant::Atomic).expect("an EPD").expect("no comment");
/// assert_eq!(epd.operand("id"), Some("pawn ending"));
/// epd.set("acd", 12);
/// assert_eq!(epd.to_string(), format!("{line} acd 12;"));
///
/// assert!(epd::parse_line("# comment", Variant::Atomic).expect("no error").is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Epd {
    /// The position; its clocks are 0 and 1 if the line does not contain them.
    pub pos: Position,
    /// The operations in order: opcode and operands as written, quotes included.
    pub operations: Vec<(String, String)>,
    /// The parts of the position that were ignored or filled in.
    pub warnings: Vec<FenWarning>,
}

/// The error of parsing a line of a position list.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EpdError {
    /// The position or its clocks are invalid.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A word after `moves` is not a legal move.
    #[error(transparent)]
    Move(#[from] SanError),
    /// A quoted operand has no closing quote; with the text of the operations.
    #[error("closing quote missing in {0:?}")]
    UnclosedQuote(String),
}

impl Epd {
    /// A position without operations.
    pub fn new(pos: Position) -> Epd {
        Epd { pos, operations: Vec::new(), warnings: Vec::new() }
    }

    /// The operands of an operation, without enclosing quotes; `None` if there is no such
    /// operation.
    pub fn operand(&self, code: &str) -> Option<&str> {
        let (_, operand) = self.operations.iter().find(|(name, _)| name == code)?;
        Some(operand.trim_matches('"'))
    }

    /// Replaces the operation with this opcode, or appends it.
    pub fn set(&mut self, code: &str, operands: impl fmt::Display) {
        let operands = operands.to_string();
        match self.operations.iter_mut().find(|(name, _)| name == code) {
            Some((_, old)) => *old = operands,
            None => self.operations.push((code.to_owned(), operands)),
        }
    }
}

/// The EPD line: four fields and the operations.
impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&fen::write_without_clocks(&self.pos, CastlingStyle::XFen))?;
        // Without the semicolon a number would be read as a clock.
        if let Some((code, _)) = self.operations.first()
            && code.parse::<u16>().is_ok()
        {
            f.write_str(";")?;
        }
        for (code, operands) in &self.operations {
            let separator = if operands.is_empty() { "" } else { " " };
            write!(f, " {code}{separator}{operands};")?;
        }
        Ok(())
    }
}

/// Parses one line; `None` if it is blank or a comment (`#`).
///
/// The four fields of the position may be followed by the clocks of a FEN, by operations or by
/// both. The clocks of a FEN become the EPD operations `hmvc` and `fmvn`. The operation `moves` is
/// played, and the position is the one after these moves.
///
/// # Errors
/// An invalid position, an illegal move, or a quote without its closing one.
pub fn parse_line(line: &str, variant: Variant) -> Result<Option<Epd>, EpdError> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (fields, rest) = split_fields(line);
    let mut operations = parse_operations(rest)?;
    let (position, clocks) = fields.split_at(fields.len().min(4));
    let clocks: Vec<_> = ["hmvc", "fmvn"].into_iter().zip(clocks).collect();
    // A clock of the FEN counts, not an operation that contradicts it.
    operations.retain(|(name, _)| clocks.iter().all(|(code, _)| name != code));
    let clocks = clocks.iter().map(|&(code, &clock)| (code.to_owned(), clock.to_owned()));
    operations.splice(0..0, clocks);
    let mut text = position.join(" ");
    if position.len() == 4 {
        for (code, default) in [("hmvc", "0"), ("fmvn", "1")] {
            let found = operations.iter().find(|(name, _)| name == code);
            text.push(' ');
            text.push_str(found.map_or(default, |(_, operand)| operand));
        }
    }
    let (mut pos, warnings) = fen::parse_lenient(&text, variant)?;
    for (_, moves) in operations.extract_if(.., |(code, _)| code == "moves") {
        san::play(&mut pos, &moves)?;
        pos = pos.without_history();
    }
    let clocks = [("hmvc", pos.halfmove_clock()), ("fmvn", pos.fullmove_number())];
    for (code, value) in clocks {
        if let Some((_, operand)) = operations.iter_mut().find(|(name, _)| name == code) {
            *operand = value.to_string();
        }
    }
    Ok(Some(Epd { pos, operations, warnings }))
}

/// Splits a line into the fields of the position, four to six of them, and the rest.
fn split_fields(line: &str) -> (Vec<&str>, &str) {
    let mut fields = Vec::new();
    let mut rest = line;
    while fields.len() < 6 {
        let start = rest.trim_start();
        let word = start.split(char::is_whitespace).next().unwrap_or("");
        // A semicolon ends the fields, however many there are.
        let field = word.split(';').next().unwrap_or("");
        let is_clock = field.parse::<u16>().is_ok();
        let is_complete = fields.len() >= 4 || fields == ["startpos"];
        if field.is_empty() || field == "moves" || (is_complete && !is_clock) {
            break;
        }
        fields.push(field);
        rest = &start[field.len()..];
    }
    (fields, rest)
}

/// Splits the operations at the semicolons outside quotes.
fn parse_operations(text: &str) -> Result<Vec<(String, String)>, EpdError> {
    let mut in_quotes = false;
    let parts = text.split(|c| {
        in_quotes ^= c == '"';
        c == ';' && !in_quotes
    });
    let parts = parts.map(str::trim).filter(|part| !part.is_empty());
    let split = parts.map(|part| part.split_once(char::is_whitespace).unwrap_or((part, "")));
    let split = split.map(|(code, operands)| (code.to_owned(), operands.trim().to_owned()));
    let found = split.collect();
    if in_quotes {
        return Err(EpdError::UnclosedQuote(shorten(text.trim())));
    }
    Ok(found)
}
