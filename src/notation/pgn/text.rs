//! Converts PGN text while it is read into the subset that `pgn_reader` accepts: comments after a
//! semicolon become comments in braces, such comments between tags become escaped lines, quotes
//! inside tag values are escaped, moves are written in plain ASCII, and blank lines inside the
//! moves of a game are escaped. What cannot be converted is marked with [`FAULT`].
//! Invariant: line numbers do not change.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};

use crate::notation::san;

/// The longest line in bytes that is converted; longer lines are passed on unchanged.
const MAX_LINE_LENGTH: usize = 1 << 20;
/// The longest tag line in bytes; the value of a longer one is replaced by [`FAULT`].
pub(super) const MAX_TAG_LENGTH: usize = 1 << 16;
/// The greatest number of blank lines inside the moves of a game.
const MAX_BLANK_LINES: usize = 64;
/// The value of a tag that is too long, and what follows a comment that is never closed.
pub(super) const FAULT: u8 = 1;

/// Decodes a text as UTF-8 or, if it is not valid UTF-8, as ISO 8859-1, the character set of the
/// PGN standard.
///
/// # Examples
/// ```
/// use brisance::notation::pgn::decode;
///
/// assert_eq!(decode("Müller".as_bytes()), "Müller");
/// assert_eq!(decode(b"M\xfcller"), "Müller");
/// ```
pub fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// The first 60 characters of a text without control characters, for messages.
pub(super) fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

/// A stream that converts the text of another one.
pub(super) struct Normalizer<R> {
    source: BufReader<R>,
    /// Lines that have been read but not converted yet.
    ahead: VecDeque<Vec<u8>>,
    /// The current line after conversion, and how much of it has been read.
    line: Vec<u8>,
    read_bytes: usize,
    /// Inside a comment in braces.
    in_braces: bool,
    /// Between the tags of a game, or at the start of the file.
    in_tags: bool,
    /// Inside the moves of a game whose result has not been read.
    in_moves: bool,
    /// Inside a line that is too long to be converted.
    in_long_line: bool,
}

impl<R: Read> Normalizer<R> {
    pub(super) fn new(source: R) -> Normalizer<R> {
        Normalizer {
            source: BufReader::new(source),
            ahead: VecDeque::new(),
            line: Vec::new(),
            read_bytes: 0,
            in_braces: false,
            in_tags: true,
            in_moves: false,
            in_long_line: false,
        }
    }

    /// Reads a line, or a part of a line that is too long; empty at the end.
    fn read_line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        let mut limited = self.source.by_ref().take(MAX_LINE_LENGTH as u64);
        limited.read_until(b'\n', &mut line)?;
        Ok(line)
    }

    /// The line after `skipped` more lines, without taking it.
    fn peek(&mut self, skipped: usize) -> io::Result<&[u8]> {
        while self.ahead.len() <= skipped {
            let line = self.read_line()?;
            self.ahead.push_back(line);
        }
        Ok(&self.ahead[skipped])
    }

    /// Reads and converts the next line, or a part of a line that is too long.
    fn next_line(&mut self) -> io::Result<()> {
        self.read_bytes = 0;
        self.line = match self.ahead.pop_front() {
            Some(line) => line,
            None => self.read_line()?,
        };
        let is_whole = is_whole_line(&self.line);
        let was_long = std::mem::replace(&mut self.in_long_line, !is_whole);
        if was_long || !is_whole && !self.is_tag_line() {
            self.in_tags = false;
            self.update_in_braces();
            return Ok(());
        }
        if !self.in_braces && self.convert_line_outside_comments(is_whole)? {
            return Ok(());
        }
        self.convert_moves();
        if self.in_braces && self.is_never_closed()? {
            self.in_braces = false;
            let end = self.line.trim_ascii_end().len();
            self.line.splice(end..end, [b'}', FAULT]);
        }
        Ok(())
    }

    /// Converts a line that is escaped, blank or a tag. Returns false for any other line.
    fn convert_line_outside_comments(&mut self, is_whole: bool) -> io::Result<bool> {
        let was_in_tags = std::mem::replace(&mut self.in_tags, false);
        if self.line.first() == Some(&b'%') {
            self.in_tags = was_in_tags;
        } else if self.line.first() == Some(&b';') && was_in_tags {
            // `pgn_reader` skips lines that start with a percent sign.
            self.line[0] = b'%';
            self.in_tags = true;
        } else if was_in_tags && self.line.trim_ascii_start().first() == Some(&b'[')
            || self.line.first() == Some(&b'[')
        {
            (self.in_tags, self.in_moves) = (true, false);
            if self.line.len() > MAX_TAG_LENGTH {
                self.replace_tag_value(is_whole)?;
            } else {
                escape_quotes(&mut self.line);
            }
        } else if self.line.trim_ascii().is_empty() {
            if self.in_moves && self.moves_go_on()? {
                self.line = b"%\n".to_vec();
            } else {
                self.in_moves = false;
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// True if the line that was read last is a tag outside a comment.
    fn is_tag_line(&self) -> bool {
        !self.in_braces && self.line.first() == Some(&b'[')
    }

    /// Replaces the value of a tag that is too long, and skips the rest of its line.
    fn replace_tag_value(&mut self, is_whole: bool) -> io::Result<()> {
        let name = self.line[1..].split(|byte| b"\" \t".contains(byte)).next();
        let name = name.filter(|name| name.len() <= 255).unwrap_or_default();
        self.line = [b"[", name, b" \"", &[FAULT], b"\"]\n"].concat();
        self.in_long_line = false;
        let mut was_whole = is_whole;
        while !was_whole {
            was_whole = is_whole_line(&self.read_line()?);
        }
        Ok(())
    }

    /// True if the moves of the game go on after blank lines: neither tags nor move 1 follow.
    fn moves_go_on(&mut self) -> io::Result<bool> {
        for skipped in 0..MAX_BLANK_LINES {
            let line = self.peek(skipped)?;
            if line.is_empty() {
                return Ok(false);
            }
            let text = line.trim_ascii_start();
            if !text.is_empty() {
                let first_move = text.strip_prefix(b"1").is_some_and(|rest| {
                    let dots = rest.iter().take_while(|&&byte| byte == b'.').count();
                    dots < 2 && !rest.first().is_some_and(u8::is_ascii_digit)
                });
                return Ok(text[0] != b'[' && !first_move);
            }
        }
        Ok(false)
    }

    /// True if the tags of another game follow inside a comment.
    fn is_never_closed(&mut self) -> io::Result<bool> {
        let is_blank = self.line.trim_ascii().is_empty();
        let next = self.peek(0)?;
        Ok(is_tag(next) && (is_blank || next.starts_with(b"[Event ")))
    }

    /// Updates `in_braces` to the end of the line.
    fn update_in_braces(&mut self) {
        for &byte in &self.line {
            match byte {
                b'{' => self.in_braces = true,
                b'}' => self.in_braces = false,
                _ => {}
            }
        }
    }

    /// Converts a line of moves: a comment after a semicolon to one in braces, and the moves to
    /// plain ASCII.
    fn convert_moves(&mut self) {
        let line = std::mem::take(&mut self.line);
        let mut rest = &line[..];
        while !rest.is_empty() {
            let delimiter: &[u8] = if self.in_braces { b"}" } else { b"{;" };
            let found = rest.iter().position(|byte| delimiter.contains(byte));
            let (text, after) = rest.split_at(found.unwrap_or(rest.len()));
            if self.in_braces {
                self.line.extend(text);
            } else {
                self.line.extend(plain_moves(text));
                if let Some(has_result) = ends_with_result(text) {
                    self.in_moves = !has_result;
                }
            }
            if after.first() == Some(&b';') {
                let text_end = after.trim_ascii_end().len();
                let without_brace = |&byte: &u8| if byte == b'}' { b')' } else { byte };
                self.line.push(b'{');
                self.line
                    .extend(after[1..text_end].iter().map(without_brace));
                self.line.push(b'}');
                self.line.extend(&after[text_end..]);
                return;
            }
            if let Some((&brace, after)) = after.split_first() {
                self.in_braces = brace == b'{';
                self.line.push(brace);
                rest = after;
            } else {
                rest = after;
            }
        }
    }
}

fn is_whole_line(line: &[u8]) -> bool {
    line.len() < MAX_LINE_LENGTH || line.ends_with(b"\n")
}

/// True if a line is a tag with a quoted value and nothing else.
fn is_tag(line: &[u8]) -> bool {
    let Some(tag) = line.trim_ascii().strip_prefix(b"[") else {
        return false;
    };
    let name = tag
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let value = tag[name..].trim_ascii_start();
    name > 0 && value.len() > 2 && value.starts_with(b"\"") && value.ends_with(b"\"]")
}

/// True if the last word of a text is a result; `None` if there is no word.
fn ends_with_result(text: &[u8]) -> Option<bool> {
    const RESULTS: [&[u8]; 5] = [b"1-0", b"0-1", b"1/2-1/2", b"*", "½-½".as_bytes()];
    let mut words = text.split(u8::is_ascii_whitespace);
    let last = words.rfind(|word| !word.is_empty())?;
    Some(RESULTS.iter().any(|result| last.ends_with(result)))
}

/// Moves in plain ASCII: figurines become letters, `e2-e4` becomes `e2e4` and `e4:d5` becomes
/// `e4xd5`. Everything else stays.
fn plain_moves(text: &[u8]) -> Vec<u8> {
    let text = match std::str::from_utf8(text) {
        _ if text.is_ascii() => text.to_vec(),
        Ok(text) => {
            let chars = text.chars().filter_map(san::plain_char);
            chars.collect::<String>().into_bytes()
        }
        // A space that does not break, in ISO 8859-1.
        Err(_) => text
            .iter()
            .map(|&byte| if byte == 0xa0 { b' ' } else { byte })
            .collect(),
    };
    let is_square = |text: &[u8]| matches!(text, [b'a'..=b'h', b'1'..=b'8']);
    let mut plain = Vec::with_capacity(text.len());
    for (at, &byte) in text.iter().enumerate() {
        let before_square = text.get(at + 1..at + 3).is_some_and(is_square);
        let after_square = at >= 2 && is_square(&text[at - 2..at]);
        let castles = byte == b'o' && (text[at + 1..].starts_with(b"-o") || plain.ends_with(b"O-"));
        match byte {
            b'-' if after_square && before_square => {}
            b':' if before_square && at > 0 && text[at - 1].is_ascii_alphanumeric() => {
                plain.push(b'x');
            }
            _ if castles => plain.push(b'O'),
            _ => plain.push(byte),
        }
    }
    plain
}

impl<R: Read> Read for Normalizer<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read_bytes == self.line.len() {
            self.next_line()?;
        }
        let rest = &self.line[self.read_bytes..];
        let count = buffer.len().min(rest.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.read_bytes += count;
        Ok(count)
    }
}

/// Escapes the quotes inside the value of a tag, if the line consists of one tag.
fn escape_quotes(line: &mut Vec<u8>) {
    let end = line.trim_ascii_end().len();
    let Some(first) = line.iter().position(|&byte| byte == b'"') else {
        return;
    };
    if !line[..end].ends_with(b"\"]") || first + 2 >= end {
        return;
    }
    let value = &line[first + 1..end - 2];
    // Two tags on one line are left alone.
    if value.windows(2).any(|two| two == b"\"]") {
        return;
    }
    let mut escaped = Vec::with_capacity(value.len() + 8);
    let mut is_escaped = false;
    for &byte in value {
        if byte == b'"' && !is_escaped {
            escaped.push(b'\\');
        }
        is_escaped = byte == b'\\' && !is_escaped;
        escaped.push(byte);
    }
    line.splice(first + 1..end - 2, escaped);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(text: &[u8]) -> String {
        let mut bytes = Vec::new();
        let mut stream = Normalizer::new(text);
        stream.read_to_end(&mut bytes).expect("memory can be read");
        decode(&bytes)
    }

    #[test]
    fn semicolon_comments_get_braces() {
        for (text, expected) in [
            ("1. e4 ; good }\r\ne5", "1. e4 { good )}\r\ne5"),
            ("1. e4\n;\n1... e5 ;x", "1. e4\n{}\n1... e5 {x}"),
            (
                "; a\n[Event \"x\"]\n; b\n[Site \"y\"]\n\n; c\n1. e4 *\n",
                "% a\n[Event \"x\"]\n% b\n[Site \"y\"]\n\n{ c}\n1. e4 *\n",
            ),
            ("{ a ; b\nc ; } ; d\n; e", "{ a ; b\nc ; } { d}\n{ e}"),
            (
                "% a ; b\n[Event \"a ; b\"]\n",
                "% a ; b\n[Event \"a ; b\"]\n",
            ),
            (
                "1. e4 {[%clk 1] x\n[Event \"y \"z\" ; \"] } ;u",
                "1. e4 {[%clk 1] x\n[Event \"y \"z\" ; \"] } {u}",
            ),
        ] {
            assert_eq!(normalized(text.as_bytes()), expected);
        }
    }

    #[test]
    fn moves_become_plain_ascii() {
        for (text, expected) in [
            ("1. ♘f3 ♞f6 2. ♙e4", "1. Nf3 Nf6 2. e4"),
            ("♕\u{fe0e}h5 { ♘f3 } ♔xe2", "Qh5 { ♘f3 } Kxe2"),
            (
                "1. e2-e4 Ng8-f6 2. e4:d5 O–O o-o-o 1–0",
                "1. e2e4 Ng8f6 2. e4xd5 O-O O-O-O 1-0",
            ),
            (
                "1.\u{a0}e4 1-0 0-1 { a-b e2-e4 }",
                "1. e4 1-0 0-1 { a-b e2-e4 }",
            ),
            ("Кf3", "Кf3"),
        ] {
            assert_eq!(normalized(text.as_bytes()), expected);
        }
        assert_eq!(normalized(b"1.\xa0e4"), "1. e4");
    }

    #[test]
    fn blank_lines_inside_the_moves_are_escaped() {
        for (text, expected) in [
            (
                "1. e4\n\n1... e5\n\n\n2. d4\n",
                "1. e4\n%\n1... e5\n%\n%\n2. d4\n",
            ),
            (
                "1. e4\r\n\r\n{ a } e5 *\r\n\r\n2. d4\r\n",
                "1. e4\r\n%\n{ a } e5 *\r\n\r\n2. d4\r\n",
            ),
            (
                "1. e4 e5\n\n1. d4\n\n[Event \"x\"]\n",
                "1. e4 e5\n\n1. d4\n\n[Event \"x\"]\n",
            ),
            (
                "1. e4 1-0 { a\nb }\n\n2. d4\n",
                "1. e4 1-0 { a\nb }\n\n2. d4\n",
            ),
            ("10. e4\n\n10... e5\n\n", "10. e4\n%\n10... e5\n\n"),
        ] {
            assert_eq!(normalized(text.as_bytes()), expected);
        }
        let blanks = "\n".repeat(2 * MAX_BLANK_LINES);
        let text = format!("1. e4{blanks}e5\n");
        assert_eq!(normalized(text.as_bytes()), text);
    }

    #[test]
    fn a_comment_that_is_never_closed_ends_before_the_next_game() {
        for (text, expected) in [
            ("{ a\n\n[White \"x\"]\n", "{ a\n}\u{1}\n[White \"x\"]\n"),
            (
                "1. e4 { a *\n[Event \"x\"]\n",
                "1. e4 { a *}\u{1}\n[Event \"x\"]\n",
            ),
            ("{ a\n\n[White \"x\"] }\n", "{ a\n\n[White \"x\"] }\n"),
            ("{ a\n[White \"x\"]\n}\n", "{ a\n[White \"x\"]\n}\n"),
        ] {
            assert_eq!(normalized(text.as_bytes()), expected);
        }
    }

    #[test]
    fn a_long_tag_is_replaced() {
        for length in [MAX_TAG_LENGTH, 2 * MAX_LINE_LENGTH] {
            let text = format!("[Event \"{}\"]\n[White \"x\"]\n", "e".repeat(length));
            assert_eq!(
                normalized(text.as_bytes()),
                "[Event \"\u{1}\"]\n[White \"x\"]\n"
            );
        }
    }

    #[test]
    fn quotes_in_tags_are_escaped() {
        for (text, expected) in [
            (
                "[White \"Jo \"the\" Man\"]\r\n",
                "[White \"Jo \\\"the\\\" Man\"]\r\n",
            ),
            ("[White \"\"]", "[White \"\"]"),
            (
                "[White \"a \\\"b\\\" \\\\\"]",
                "[White \"a \\\"b\\\" \\\\\"]",
            ),
            ("[White \"a\"] [Black \"b\"]", "[White \"a\"] [Black \"b\"]"),
            ("[White \"", "[White \""),
            ("[White", "[White"),
        ] {
            assert_eq!(normalized(text.as_bytes()), expected);
        }
    }

    #[test]
    fn long_lines_are_unchanged() {
        let text = format!("{{{} ;\n; }}", "x".repeat(2 * MAX_LINE_LENGTH));
        assert_eq!(normalized(text.as_bytes()), text);
        let open = format!("{} ; y\n; z\n", "x ".repeat(MAX_LINE_LENGTH));
        assert!(normalized(open.as_bytes()).ends_with(" ; y\n{ z}\n"));
    }

    #[test]
    fn invalid_utf_8_is_latin_1() {
        assert_eq!(decode(b"M\xfcller"), "Müller");
        assert_eq!(decode("Müller".as_bytes()), "Müller");
    }

    #[test]
    fn incomplete_tags_are_unchanged() {
        for text in [
            "[White \"]",
            "[\"]",
            "[White \"a \"b\" c",
            "[White \"a\"b\" ] x",
        ] {
            assert_eq!(normalized(text.as_bytes()), text);
        }
    }

    #[test]
    fn a_long_line_can_end_a_comment() {
        let words = "x ".repeat(MAX_LINE_LENGTH);
        for text in [
            format!("{{ a }} {words}\n; z\n"),
            format!("{{ a\n{words}}}\n; z\n"),
        ] {
            assert!(normalized(text.as_bytes()).ends_with("\n{ z}\n"));
        }
    }
}
