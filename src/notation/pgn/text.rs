//! Converts PGN text while it is read into the subset that `pgn_reader` accepts: comments after a
//! semicolon become comments in braces, such comments between tags become escaped lines, and quotes
//! inside tag values are escaped.
//! Invariant: line numbers do not change.

use std::io::{self, BufRead, BufReader, Read};

/// The longest line in bytes that is converted; longer lines are passed on unchanged.
const MAX_LINE_LENGTH: usize = 1 << 20;

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
    /// The current line after conversion, and how much of it has been read.
    line: Vec<u8>,
    read_bytes: usize,
    /// Inside a comment in braces.
    in_braces: bool,
    /// Between the tags of a game, or at the start of the file.
    in_tags: bool,
    /// Inside a line that is too long to be converted.
    in_long_line: bool,
}

impl<R: Read> Normalizer<R> {
    pub(super) fn new(source: R) -> Normalizer<R> {
        Normalizer {
            source: BufReader::new(source),
            line: Vec::new(),
            read_bytes: 0,
            in_braces: false,
            in_tags: true,
            in_long_line: false,
        }
    }

    /// Reads and converts the next line, or a part of a line that is too long.
    fn next_line(&mut self) -> io::Result<()> {
        self.line.clear();
        self.read_bytes = 0;
        let mut limited = self.source.by_ref().take(MAX_LINE_LENGTH as u64);
        limited.read_until(b'\n', &mut self.line)?;
        let is_whole = self.line.len() < MAX_LINE_LENGTH || self.line.ends_with(b"\n");
        let was_long = std::mem::replace(&mut self.in_long_line, !is_whole);
        if !self.in_braces && !was_long {
            let was_in_tags = std::mem::replace(&mut self.in_tags, false);
            match self.line.first_mut() {
                Some(b'%') => {
                    self.in_tags = was_in_tags;
                    return Ok(());
                }
                Some(first @ b';') if was_in_tags => {
                    // `pgn_reader` skips lines that start with a percent sign.
                    *first = b'%';
                    self.in_tags = true;
                    return Ok(());
                }
                Some(b'[') if is_whole => {
                    escape_quotes(&mut self.line);
                    self.in_tags = true;
                    return Ok(());
                }
                _ => {}
            }
        }
        if is_whole && !was_long {
            self.convert_comment();
        } else {
            self.update_in_braces();
        }
        Ok(())
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

    /// Converts a comment after a semicolon outside braces to a comment in braces.
    fn convert_comment(&mut self) {
        let mut in_braces = self.in_braces;
        let semicolon = self.line.iter().position(|&byte| {
            match byte {
                b'{' => in_braces = true,
                b'}' => in_braces = false,
                _ => {}
            }
            byte == b';' && !in_braces
        });
        let Some(start) = semicolon else {
            self.update_in_braces();
            return;
        };
        self.in_braces = false;
        let text_end = self.line.trim_ascii_end().len().max(start + 1);
        let line_end = self.line.split_off(text_end);
        let comment = self.line.split_off(start);
        self.line.push(b'{');
        let without_brace = |&byte: &u8| if byte == b'}' { b')' } else { byte };
        self.line.extend(comment[1..].iter().map(without_brace));
        self.line.push(b'}');
        self.line.extend(line_end);
    }
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
