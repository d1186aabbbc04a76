//! Lists of positions: one FEN, or one EPD with its operations, a line.
//! Invariant: a line is blank, a comment, a position, or an error that names what is wrong.

use std::fmt;

use super::fen::{self, CastlingStyle};
use crate::rules::{Position, Variant};

/// A position and what a list says of it.
#[derive(Clone, Debug)]
pub struct Epd {
    /// The position; clocks that the line does not give are 0 and 1.
    pub pos: Position,
    /// Operations in their order: the code and its operands as they stand, quotes included.
    pub operations: Vec<(String, String)>,
}

impl Epd {
    /// The operands of an operation, without quotes around them.
    pub fn operand(&self, code: &str) -> Option<&str> {
        let (_, operand) = self.operations.iter().find(|(name, _)| name == code)?;
        Some(operand.trim_matches('"'))
    }

    /// Sets an operation, in the place of one with the same code or at the end.
    pub fn set(&mut self, code: &str, operands: impl fmt::Display) {
        let operands = operands.to_string();
        match self.operations.iter_mut().find(|(name, _)| name == code) {
            Some((_, old)) => *old = operands,
            None => self.operations.push((code.to_owned(), operands)),
        }
    }
}

/// Four fields and the operations, each with its semicolon.
impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fen = fen::write(&self.pos, CastlingStyle::XFen);
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        f.write_str(&fields.join(" "))?;
        for (code, operands) in &self.operations {
            let gap = if operands.is_empty() { "" } else { " " };
            write!(f, " {code}{gap}{operands};")?;
        }
        Ok(())
    }
}

/// Reads one line; `None` when it is blank or a comment (`#`).
///
/// Behind the four fields of the position stand the clocks of a FEN, operations or both. The
/// clocks of a FEN become the operations `hmvc` and `fmvn`, in which EPD keeps them.
///
/// # Errors
/// What is wrong with the position or its clocks.
pub fn parse_line(line: &str, variant: Variant) -> Result<Option<Epd>, String> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (fields, rest) = split_fields(line);
    let mut operations = operations(rest)?;
    let mut text = fields.join(" ");
    if fields.len() == 4 {
        let clock = |code: &str, usual: &str| {
            let found = operations.iter().find(|(name, _)| name == code);
            found.map_or(usual.to_owned(), |(_, operand)| operand.clone())
        };
        text = format!("{text} {} {}", clock("hmvc", "0"), clock("fmvn", "1"));
    } else {
        let clocks = fields.iter().skip(4).zip(["hmvc", "fmvn"]);
        let clocks = clocks.map(|(&clock, code)| (code.to_owned(), clock.to_owned()));
        operations.splice(0..0, clocks);
    }
    let pos = fen::parse(&text, variant).map_err(|error| error.to_string())?;
    Ok(Some(Epd { pos, operations }))
}

/// The fields of the position, four or a FEN's six, and what follows them.
fn split_fields(line: &str) -> (Vec<&str>, &str) {
    let mut fields = Vec::new();
    let mut rest = line;
    while fields.len() < 6 {
        // An operation's semicolon ends the fields, whatever their number.
        let word = rest.split_ascii_whitespace().next().unwrap_or("");
        let end = word.find(';').unwrap_or(word.len());
        let is_clock = word[..end].parse::<u16>().is_ok();
        if word.is_empty() || word.starts_with(';') || (fields.len() >= 4 && !is_clock) {
            break;
        }
        fields.push(&word[..end]);
        rest = rest.trim_start();
        rest = &rest[end..];
    }
    (fields, rest)
}

/// Splits at the semicolons that stand outside quotes, which must be closed.
fn operations(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut quoted = false;
    let parts = text.split(|c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    });
    let parts = parts.map(str::trim).filter(|part| !part.is_empty());
    let split = parts.map(|part| part.split_once(char::is_whitespace).unwrap_or((part, "")));
    let split = split.map(|(code, operands)| (code.to_owned(), operands.trim().to_owned()));
    let found = split.collect();
    if quoted {
        return Err(format!("quotes that are not closed in {:?}", text.trim()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn read(line: &str) -> Epd {
        let read = parse_line(line, Variant::Atomic);
        read.expect("a position").expect("no comment")
    }

    #[test]
    fn fens_and_epds_of_all_lengths() {
        for tail in [
            "",
            " 3 7",
            " 3 7; id \"x\";",
            " hmvc 3; fmvn 7;",
            "; id \"x\"",
            " bm Nf3;",
        ] {
            let epd = read(&format!("{EMPTY}{tail}"));
            let clocks = (epd.pos.halfmove(), epd.pos.fullmove());
            let expected = if tail.contains('7') { (3, 7) } else { (0, 1) };
            assert_eq!(clocks, expected, "{tail}");
        }
        for nothing in ["", "  ", "# a comment", "\u{feff}# a comment"] {
            assert!(matches!(parse_line(nothing, Variant::Atomic), Ok(None)));
        }
        for bad in [
            "rnbqkbnr w KQkq - bm e4;",
            "startpos x",
            "4k3/8/8/8/8/8/8/4K3 w - - id \"never closed;",
            "4k3/8/8/8/8/8/8/4K3 w",
        ] {
            assert!(parse_line(bad, Variant::Atomic).is_err(), "{bad}");
        }
    }

    #[test]
    fn operations_survive() {
        let line = format!("{EMPTY} bm Nf3 Nh3; id \"a; b\"; c0 \"one two\"; draw_accept;");
        let mut epd = read(&line);
        assert_eq!(epd.operand("id"), Some("a; b"));
        assert_eq!(epd.to_string(), line);
        epd.set("bm", "e4");
        epd.set("acd", 12);
        let expected = format!("{EMPTY} bm e4; id \"a; b\"; c0 \"one two\"; draw_accept; acd 12;");
        assert_eq!(epd.to_string(), expected);
    }
}
