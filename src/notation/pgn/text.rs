//! What PGN files contain and the library cannot read, put into a form that it can, while the
//! text streams by: remarks behind a semicolon become comments in braces, and quotes inside a
//! tag's value get their backslash; remarks among the tags, which belong to no move, become lines
//! that the library skips. Invariant: every line stays on its line.

use std::io::{self, BufRead, BufReader, Read};

/// Lines longer than this are passed on as they are.
const LONGEST_LINE: usize = 1 << 20;

/// A byte text as a string: UTF-8, or else ISO 8859-1, the character set of the PGN standard.
pub fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// The stream in the form that the library reads.
pub(super) struct Readable<R> {
    source: BufReader<R>,
    /// What is ready to be handed on, from `at` on.
    line: Vec<u8>,
    at: usize,
    in_braces: bool,
    /// Among the tags of a game, or at the beginning: a remark there belongs to no move.
    in_tags: bool,
    /// Within a line too long to be looked at.
    in_long_line: bool,
}

impl<R: Read> Readable<R> {
    pub(super) fn new(source: R) -> Readable<R> {
        Readable {
            source: BufReader::new(source),
            line: Vec::new(),
            at: 0,
            in_braces: false,
            in_tags: true,
            in_long_line: false,
        }
    }

    /// Takes the next line, or a piece of one that is too long.
    fn next_line(&mut self) -> io::Result<()> {
        self.line.clear();
        self.at = 0;
        let mut limited = self.source.by_ref().take(LONGEST_LINE as u64);
        limited.read_until(b'\n', &mut self.line)?;
        let is_whole = self.line.len() < LONGEST_LINE || self.line.ends_with(b"\n");
        let was_long = std::mem::replace(&mut self.in_long_line, !is_whole);
        if !self.in_braces && !was_long {
            let was_in_tags = std::mem::replace(&mut self.in_tags, false);
            match self.line.first_mut() {
                Some(b'%') => {
                    self.in_tags = was_in_tags;
                    return Ok(());
                }
                Some(first @ b';') if was_in_tags => {
                    // The library skips such lines everywhere.
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
            self.brace_remark();
        } else {
            self.follow_braces(self.line.len());
        }
        Ok(())
    }

    /// Notes whether the first `length` bytes of the line leave a comment open.
    fn follow_braces(&mut self, length: usize) {
        for &byte in &self.line[..length] {
            match byte {
                b'{' => self.in_braces = true,
                b'}' => self.in_braces = false,
                _ => {}
            }
        }
    }

    /// Puts braces around what stands behind a semicolon outside of braces.
    fn brace_remark(&mut self) {
        let mut in_braces = self.in_braces;
        let found = self.line.iter().position(|&byte| {
            match byte {
                b'{' => in_braces = true,
                b'}' => in_braces = false,
                _ => {}
            }
            byte == b';' && !in_braces
        });
        let Some(at) = found else {
            self.follow_braces(self.line.len());
            return;
        };
        self.in_braces = false;
        let text_end = self.line.trim_ascii_end().len().max(at + 1);
        let end = self.line.split_off(text_end);
        let remark = self.line.split_off(at);
        self.line.push(b'{');
        let plain = |&byte: &u8| if byte == b'}' { b')' } else { byte };
        self.line.extend(remark[1..].iter().map(plain));
        self.line.push(b'}');
        self.line.extend(end);
    }
}

impl<R: Read> Read for Readable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.line.len() {
            self.next_line()?;
        }
        let count = buffer.len().min(self.line.len() - self.at);
        buffer[..count].copy_from_slice(&self.line[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Gives the quotes inside the value of a tag their backslash, where the line is one tag.
fn escape_quotes(line: &mut Vec<u8>) {
    let end = line.trim_ascii_end().len();
    let Some(first) = line.iter().position(|&byte| byte == b'"') else {
        return;
    };
    if !line[..end].ends_with(b"\"]") || first + 2 >= end {
        return;
    }
    let value = &line[first + 1..end - 2];
    // Two tags on a line look like one with quotes in it.
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

    fn readable(text: &[u8]) -> String {
        let mut bytes = Vec::new();
        let mut stream = Readable::new(text);
        stream.read_to_end(&mut bytes).expect("memory can be read");
        decode(&bytes)
    }

    #[test]
    fn remarks_get_braces() {
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
            assert_eq!(readable(text.as_bytes()), expected);
        }
    }

    #[test]
    fn quotes_in_tags_get_backslashes() {
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
            assert_eq!(readable(text.as_bytes()), expected);
        }
    }

    #[test]
    fn long_lines_pass_unchanged() {
        let text = format!("{{{} ;\n; }}", "x".repeat(2 * LONGEST_LINE));
        assert_eq!(readable(text.as_bytes()), text);
        let open = format!("{} ; y\n; z\n", "x ".repeat(LONGEST_LINE));
        assert!(readable(open.as_bytes()).ends_with(" ; y\n{ z}\n"));
    }

    #[test]
    fn other_bytes_than_utf_8_are_latin() {
        assert_eq!(decode(b"M\xfcller"), "Müller");
        assert_eq!(decode("Müller".as_bytes()), "Müller");
    }
}
