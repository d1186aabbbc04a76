//! Finds in the text of a game what `pgn_reader` ignores although it matters: words that look like
//! moves but are not, comments that are never closed, tags without a value.
//! Invariant: faults come in the order of the text.

use std::mem;

use pgn_reader::SanPlus;

use super::error::PgnErrorKind;
use super::text::{FAULT, decode, printable};
use crate::notation::san::{NULL_MOVES, SanError};

/// What `pgn_reader` ignores although it matters.
pub(super) struct TextFault {
    /// Bytes from the start of the text.
    pub(super) offset: usize,
    pub(super) kind: PgnErrorKind,
    pub(super) in_variation: bool,
}

/// The faults of a text in order.
pub(super) fn faults(text: &[u8]) -> Vec<TextFault> {
    let mut faults = Vec::new();
    let mut at = 0;
    let (mut depth, mut at_line_start) = (0usize, true);
    let after = |at: usize, end: u8| {
        let rest = text[at..].iter().position(|&byte| byte == end);
        rest.map_or(text.len(), |length| at + length + 1)
    };
    while at < text.len() {
        let (byte, offset) = (text[at], at);
        let line_start = mem::replace(&mut at_line_start, byte == b'\n');
        let mut add = |kind, in_variation| {
            faults.push(TextFault {
                offset,
                kind,
                in_variation,
            });
        };
        match byte {
            b'{' => {
                at = after(at, b'}');
                if text.get(at) == Some(&FAULT) {
                    add(PgnErrorKind::UnclosedComment, false);
                }
            }
            b';' => (at, at_line_start) = (after(at, b'\n'), true),
            b'[' | b'%' if line_start => {
                (at, at_line_start) = (after(at, b'\n'), true);
                if is_bare_tag(&text[offset..at]) {
                    let line = printable(&decode(&text[offset..at]));
                    add(PgnErrorKind::TagWithoutValue(line), false);
                }
            }
            b'(' => (depth, at) = (depth + 1, at + 1),
            b')' => (depth, at) = (depth.saturating_sub(1), at + 1),
            _ if is_separator(byte) => at += 1,
            _ => {
                let rest = text[at..].iter().position(|&byte| is_separator(byte));
                let word = &text[at..rest.map_or(text.len(), |length| at + length)];
                if let Some(error) = unread_move(word) {
                    add(error.into(), depth > 0);
                }
                at += word.len();
            }
        }
    }
    faults
}

/// True for a line of the tags FEN or Variant without a quoted value.
fn is_bare_tag(line: &[u8]) -> bool {
    let Some(tag) = line.strip_prefix(b"[") else {
        return false;
    };
    let name = tag.trim_ascii_start();
    let end = name.iter().take_while(|byte| byte.is_ascii_alphanumeric());
    let name = &name[..end.count()];
    let decides = |tag: &&[u8]| name.eq_ignore_ascii_case(tag);
    let tags: [&[u8]; 2] = [b"FEN", b"Variant"];
    tags.iter().any(decides) && !tag.contains(&b'"')
}

/// The error of a word that looks like a move but is not algebraic notation, so that
/// `pgn_reader` ignores it.
fn unread_move(word: &[u8]) -> Option<SanError> {
    let shown = || printable(&decode(word));
    if NULL_MOVES.iter().any(|null| null.as_bytes() == word) {
        return Some(SanError::Null(shown()));
    }
    // A move may follow its number directly.
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let word = &word[digits..];
    let first = *word.first()?;
    let has_digit = word.iter().any(u8::is_ascii_digit);
    let has_square = word
        .windows(2)
        .any(|two| two[0].is_ascii_alphabetic() && two[1].is_ascii_digit());
    let looks_like_move = match first {
        _ if first.is_ascii_alphabetic() => has_digit || is_castling(word),
        _ => !first.is_ascii() && has_square,
    };
    let is_unread = looks_like_move && SanPlus::from_ascii(word).is_err();
    is_unread.then(|| SanError::Syntax(shown()))
}

/// True for any spelling of castling with letters.
fn is_castling(word: &[u8]) -> bool {
    let letters = word.iter().filter(|byte| byte.eq_ignore_ascii_case(&b'o'));
    letters.count() > 1 && word.iter().all(|byte| b"oO-".contains(byte))
}

fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"{}()!?$;.*".contains(&byte)
}
