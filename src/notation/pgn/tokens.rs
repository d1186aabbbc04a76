//! Splits PGN into tokens, in any of the spellings that people and programs use.
//! Invariant: what is neither blank nor an escaped line becomes a token, unless it only repeats
//! what the moves say, such as a move number. Memory is bounded by the longest line and comment.

use std::collections::VecDeque;
use std::io::{self, Read};

use super::error::{MAX_TAG_LENGTH, PgnErrorKind, printable};
use super::{GLYPHS, SYMBOLS};
use crate::notation::san::{self, NULL_MOVES};
use crate::rules::{Color, GameResult};
use crate::util::Lines;

/// How many lines of what seems to be the next game are searched for the end of a comment.
const MAX_LINES_OF_NEXT_GAME: usize = 1000;
/// Words that only repeat what the move says.
const REPETITIONS: [&str; 18] = [
    "+", "++", "#", "##", "†", "††", "‡", "-", "x", "ch", "check", "dbl", "double", "dis", "disc",
    "mate", "ep", "e.p",
];
/// The characters of the code page Windows-1252 from 0x80 to 0x9f.
const WINDOWS_1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Decodes a text as UTF-8 or, if it is not valid UTF-8, as ISO 8859-1, the character set of the
/// PGN standard, with the additions of Windows.
///
/// # Examples
/// ```
/// use brisance::notation::pgn::decode;
///
/// assert_eq!(decode("Müller".as_bytes()), "Müller");
/// assert_eq!(decode(b"M\xfcller"), "Müller");
/// assert_eq!(decode(b"\x93quoted\x94"), "“quoted”");
/// ```
pub fn decode(bytes: &[u8]) -> String {
    let one = |&byte: &u8| match byte {
        0x80..=0x9f => WINDOWS_1252.chars().nth(usize::from(byte) - 0x80),
        _ => Some(char::from(byte)),
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().filter_map(one).collect(),
    }
}

#[derive(Debug)]
pub(crate) struct Token {
    /// The line of the stream, from 1.
    pub(super) line: usize,
    /// A blank line lies between this token and the last one that is not a comment.
    pub(super) after_blank: bool,
    pub(crate) kind: TokenKind,
}

#[derive(PartialEq, Debug)]
pub(crate) enum TokenKind {
    Tag(String, String),
    /// The number of White's first move.
    FirstMove,
    /// A move, or a word that cannot be told from one without a position.
    Word(String),
    Nag(u8),
    Comment(String),
    Open,
    Close,
    /// `None` for `*`.
    Result(Option<GameResult>),
    /// What is damaged or cannot be read.
    Fault(PgnErrorKind),
}

pub(crate) struct Tokens<R> {
    lines: Lines<R>,
    ahead: VecDeque<String>,
    /// The current line, and how much of it has been split.
    text: String,
    at: usize,
    line: usize,
    /// Tokens that have been split but not returned, and their line.
    pending: VecDeque<TokenKind>,
    pending_line: usize,
    after_blank: bool,
    /// Between the first move of a game and its result.
    in_moves: bool,
}

impl<R: Read> Tokens<R> {
    pub(crate) fn new(stream: R) -> Tokens<R> {
        Tokens {
            lines: Lines::new(stream),
            ahead: VecDeque::new(),
            text: String::new(),
            at: 0,
            line: 0,
            pending: VecDeque::new(),
            pending_line: 0,
            after_blank: false,
            in_moves: false,
        }
    }

    /// The next token, `None` at the end of the stream.
    pub(crate) fn next(&mut self) -> io::Result<Option<Token>> {
        while self.pending.is_empty() {
            let rest = self.text[self.at..].trim_start_matches(is_blank);
            self.at = self.text.len() - rest.len();
            self.pending_line = self.line;
            match rest.chars().next() {
                None => {
                    if !self.next_line()? {
                        return Ok(None);
                    }
                    self.after_blank |= self.text.trim().is_empty();
                }
                Some('{') => self.take_comment()?,
                Some('[') => self.take_bracket(),
                Some('%') if self.at == 0 => self.at = self.text.len(),
                Some(';') => {
                    let comment = TokenKind::Comment(rest[1..].to_owned());
                    self.pending.push_back(comment);
                    self.at = self.text.len();
                }
                Some(_) => {
                    let (kinds, after) = split_word(rest);
                    self.at = self.text.len() - after.len();
                    self.pending.extend(kinds);
                }
            }
        }
        Ok(self.pending.pop_front().map(|kind| {
            match kind {
                TokenKind::Word(_) => self.in_moves = true,
                TokenKind::Result(_) | TokenKind::Tag(..) => self.in_moves = false,
                _ => {}
            }
            let after_blank = self.after_blank;
            self.after_blank &= matches!(kind, TokenKind::Comment(_) | TokenKind::Fault(_));
            Token { line: self.pending_line, after_blank, kind }
        }))
    }

    /// Goes to the next line. False at the end of the stream.
    fn next_line(&mut self) -> io::Result<bool> {
        let is_there = self.peek_line(1)?.is_some();
        self.text = self.ahead.pop_front().unwrap_or_default();
        self.at = 0;
        self.line += 1;
        Ok(is_there)
    }

    /// The line at a distance from the current one, which may be 0; `None` after the last.
    fn peek_line(&mut self, distance: usize) -> io::Result<Option<&str>> {
        while self.ahead.len() < distance {
            match self.lines.next().transpose()? {
                None => return Ok(None),
                Some(bytes) => {
                    let text = decode(&bytes);
                    self.ahead.push_back(text.trim_start_matches('\u{feff}').to_owned());
                }
            }
        }
        Ok(Some(match distance {
            0 => &self.text,
            distance => &self.ahead[distance - 1],
        }))
    }

    /// Takes a comment in braces. It ends at the brace that closes it, also after comments inside;
    /// if there is none, at the first closing brace, or else before the next game.
    fn take_comment(&mut self) -> io::Result<()> {
        let (mut depth, mut end, mut first_end, mut next_game) = (0, None, None, None);
        let (mut index, mut start, mut was_blank) = (0, self.at, false);
        'lines: while next_game.is_none_or(|first| index < first + MAX_LINES_OF_NEXT_GAME)
            && let Some(text) = self.peek_line(index)?
        {
            let may_begin = index > 0 && (was_blank || text.starts_with("[Event "));
            if may_begin && split_tag(text, true).is_some() {
                if first_end.is_some() {
                    break;
                }
                next_game = next_game.or(Some(index));
            }
            for (at, brace) in text[start..].match_indices(['{', '}']) {
                let place = Some((index, start + at));
                match (brace, depth) {
                    // The first comment of the next game.
                    ("{", _) if next_game.is_some() => break 'lines,
                    ("{", _) => depth += 1,
                    (_, 1) => {
                        end = place;
                        break 'lines;
                    }
                    _ => {
                        depth -= 1;
                        first_end = first_end.or(place);
                    }
                }
            }
            was_blank = text.trim().is_empty();
            (index, start) = (index + 1, 0);
        }
        let end = end.or(first_end);
        let (last, offset) = match end {
            Some(place) => place,
            None => {
                let last = next_game.unwrap_or(index) - 1;
                (last, self.peek_line(last)?.map_or(0, str::len))
            }
        };
        let mut comment = String::new();
        self.at += 1;
        for _ in 0..last {
            comment += &self.text[self.at..];
            comment.push('\n');
            self.next_line()?;
        }
        comment += &self.text[self.at..offset];
        self.at = offset + usize::from(end.is_some());
        self.pending.push_back(TokenKind::Comment(comment));
        if end.is_none() {
            let fault = TokenKind::Fault(PgnErrorKind::UnclosedComment);
            self.pending.push_back(fault);
        }
        Ok(())
    }

    /// Takes a tag, a command such as `[%clk 0:01:00]` outside of a comment, or another text in
    /// brackets.
    fn take_bracket(&mut self) {
        let text = &self.text[self.at..];
        let rest = match split_tag(text, self.in_moves) {
            Some(tag) if tag.value.len() > MAX_TAG_LENGTH => {
                let fault = PgnErrorKind::TagTooLong(printable(tag.name));
                self.pending.push_back(TokenKind::Fault(fault));
                tag.rest
            }
            Some(tag) => {
                let shown = printable(&text[..text.len() - tag.rest.len()]);
                let fault = TokenKind::Fault(PgnErrorKind::DamagedTag(shown));
                // As they are written.
                let value = tag.value.replace(|c: char| c.is_control(), " ");
                let kind = TokenKind::Tag(tag.name.to_owned(), value);
                self.pending.push_back(kind);
                self.pending.extend(tag.is_damaged.then_some(fault));
                tag.rest
            }
            None => {
                let (text, rest) = text.split_at(text.find(']').map_or(1, |end| end + 1));
                self.pending.push_back(if text.starts_with("[%") {
                    TokenKind::Comment(text.to_owned())
                } else {
                    unread(text)
                });
                rest
            }
        };
        self.at = self.text.len() - rest.len();
    }
}

/// True for what separates words and means nothing: blanks, dots, commas and characters without
/// width.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || ".,…".contains(c) || san::plain_char(c).is_none()
}

/// A tag at the start of a text.
struct Tag<'a> {
    name: &'a str,
    value: String,
    /// The end of the value, the bracket or the whole value is missing.
    is_damaged: bool,
    /// The text behind the tag.
    rest: &'a str,
}

/// The tag at the start of a text, which begins with a bracket. The value may have quotes inside
/// that are not escaped, other quotes, or none unless it `needs_quotes`.
fn split_tag(text: &str, needs_quotes: bool) -> Option<Tag<'_>> {
    let is_quote = |c: char| "\"“”„‟«»‘’'".contains(c);
    let text = text.strip_prefix('[')?.trim_start();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_+#=:-".contains(c);
    let value = text.trim_start_matches(is_name);
    let name = text[..text.len() - value.len()].trim_end_matches([':', '=']);
    let value = value.trim_start_matches([' ', '\t', ':', '=']);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic())
        || needs_quotes && !value.starts_with(is_quote)
    {
        return None;
    }
    let quoted = value.strip_prefix('"');
    if let Some((value, rest)) = quoted.and_then(split_quoted) {
        return Some(Tag {
            name,
            value: value.replace("\\\"", "\"").replace("\\\\", "\\"),
            is_damaged: false,
            rest,
        });
    }
    let closed = value.split_once(']');
    let (value, rest) = closed.unwrap_or((value, ""));
    Some(Tag {
        name,
        value: value.trim().trim_matches(is_quote).to_owned(),
        is_damaged: quoted.is_some() || value.trim().is_empty() || closed.is_none(),
        rest,
    })
}

/// Splits a text at the quote that ends a value and the bracket behind it.
fn split_quoted(text: &str) -> Option<(&str, &str)> {
    let end = |(at, _)| {
        let rest = text[at + 1..].trim_start().strip_prefix(']')?;
        Some((&text[..at], rest))
    };
    let mut ends = text.match_indices('"').filter_map(end);
    let is_escaped = |value: &str| (value.len() - value.trim_end_matches('\\').len()) % 2 == 1;
    // A backslash may also escape nothing, as in the name of a folder.
    let whole = ends.clone().find(|(value, _)| !is_escaped(value));
    whole.or(ends.next())
}

/// The tokens of the first word of a text that begins with one, and the rest of the text.
fn split_word(text: &str) -> (Vec<TokenKind>, &str) {
    if let Some((result, rest)) = split_result(text) {
        return (vec![TokenKind::Result(result)], rest);
    }
    let is_digit = |c: char| c.is_ascii_digit();
    let kind_and_length = match text.as_bytes()[0] {
        b'(' => (TokenKind::Open, 1),
        b')' => (TokenKind::Close, 1),
        b'}' => (unread("}"), 1),
        b'$' => {
            let digits = text[1..].trim_start_matches(is_digit);
            let number = &text[..text.len() - digits.len()];
            let nag = number[1..].parse().map(TokenKind::Nag);
            (nag.unwrap_or_else(|_| unread(number)), number.len())
        }
        b'!' | b'?' => {
            let pair = text.get(..2).filter(|pair| GLYPHS.contains(pair));
            let glyph = pair.unwrap_or(&text[..1]);
            let index = GLYPHS.iter().position(|other| *other == glyph);
            (TokenKind::Nag(index.unwrap_or(0) as u8 + 1), glyph.len())
        }
        _ => {
            let (word, rest) = text.split_at(word_length(text));
            let word: String = word.chars().filter_map(san::plain_char).collect();
            let is_move = word.starts_with("0-0") || NULL_MOVES.contains(&&*word);
            return if word.starts_with(is_digit) && !is_move {
                split_number(text)
            } else {
                (split_symbols(&word), rest)
            };
        }
    };
    let (kind, length) = kind_and_length;
    (vec![kind], &text[length..])
}

fn unread(text: &str) -> TokenKind {
    TokenKind::Fault(PgnErrorKind::Unread(printable(text)))
}

/// The token of a move number and the dots behind it, and the rest of the text.
fn split_number(text: &str) -> (Vec<TokenKind>, &str) {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = rest.trim_start_matches(['.', '…', ' ']);
    let dots = &rest[..rest.len() - after.len()];
    let is_white = !dots.contains('…') && dots.matches('.').count() < 2;
    let is_first = is_white && text[..text.len() - rest.len()] == *"1";
    let kind = is_first.then_some(TokenKind::FirstMove);
    (kind.into_iter().collect(), after)
}

/// The length of the word at the start of a text. A promotion in parentheses and `e.p` are parts
/// of the word.
fn word_length(text: &str) -> usize {
    let is_end = |&(at, c): &(usize, char)| {
        let (before, rest) = text.split_at(at);
        let promotes = || {
            let piece = rest[1..].trim_start_matches(['Q', 'R', 'B', 'N', 'q', 'r', 'b', 'n']);
            before.ends_with(['1', '8', '='])
                && piece.len() + 2 == rest.len()
                && piece.starts_with(')')
        };
        match c {
            '(' => !promotes(),
            ')' => !before.contains('('),
            '.' => !(before.ends_with('e') && rest.starts_with(".p")),
            c => c.is_whitespace() || "{}[;!?$*,…".contains(c),
        }
    };
    let end = text.char_indices().find(is_end);
    end.map_or(text.len(), |(at, _)| at)
}

/// A word without the symbols at its end, and their annotation glyphs.
fn split_symbols(word: &str) -> Vec<TokenKind> {
    let mut kinds = VecDeque::new();
    let mut core = word;
    while !NULL_MOVES.contains(&core) {
        let symbol = |(symbol, nag): &(&str, u8)| {
            let before = core.strip_suffix(symbol)?;
            let is_letter = symbol.chars().all(char::is_alphabetic);
            (!is_letter || is_novelty(before)).then_some((before, *nag))
        };
        let Some((before, nag)) = SYMBOLS.iter().find_map(symbol) else {
            break;
        };
        kinds.push_front(TokenKind::Nag(nag));
        core = before;
    }
    if !core.is_empty() && !REPETITIONS.contains(&core) {
        kinds.push_front(TokenKind::Word(core.to_owned()));
    }
    kinds.into()
}

/// True if a letter behind this text is a sign, and not the piece of a promotion or part of a word.
fn is_novelty(before: &str) -> bool {
    let is_pawn = before.starts_with(|c: char| c.is_ascii_lowercase());
    let is_promotion = is_pawn && before.ends_with(['1', '8']);
    !is_promotion && !before.ends_with(|c: char| c.is_alphabetic() || "=/(".contains(c))
}

/// The result at the start of a text, `None` for `*`, and the rest of the text.
fn split_result(text: &str) -> Option<(Option<GameResult>, &str)> {
    if let Some(rest) = text.strip_prefix('*') {
        return Some((None, rest));
    }
    let (white, rest) = split_points(text)?;
    let is_between = |c: char| c == ':' || san::plain_char(c) == Some('-');
    let both = rest.trim_start().strip_prefix(is_between);
    let both = both.and_then(|rest| split_points(rest.trim_start()));
    let (result, rest) = match (white, both) {
        (2, Some((0, rest))) => (GameResult::Win(Color::White), rest),
        (0, Some((2, rest))) => (GameResult::Win(Color::Black), rest),
        (1, Some((1, rest))) => (GameResult::Draw, rest),
        (1, None) => (GameResult::Draw, rest),
        _ => return None,
    };
    let is_whole = !rest.starts_with(|c: char| c.is_alphanumeric() || "-/:".contains(c));
    is_whole.then_some((Some(result), rest))
}

/// The points of one side, in halves.
fn split_points(text: &str) -> Option<(u8, &str)> {
    let half = ["1/2", "1⁄2", "½", "0.5", "0,5"].map(|name| (name, 1));
    let mut points = half.into_iter().chain([("1", 2), ("0", 0)]);
    points.find_map(|(name, points)| Some((points, text.strip_prefix(name)?)))
}

/// The result that a tag names in any spelling.
pub fn result_of_tag(value: &str) -> Option<GameResult> {
    let (result, rest) = split_result(value.trim())?;
    result.filter(|_| rest.is_empty())
}
