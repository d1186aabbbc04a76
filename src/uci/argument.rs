//! Invalid arguments of UCI commands, and the syntax of coordinate moves; shared by the parsers.
//! Invariant: an error message quotes at most 80 characters of the input.

use std::fmt;

use crate::util::shorten;

/// A known command with an invalid argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadArgument {
    /// The command, with the keyword that the argument belongs to.
    pub command: String,
    /// The invalid text, shortened if it is long.
    pub text: String,
    /// The reason, as a predicate of the text.
    pub reason: String,
}

impl BadArgument {
    pub(super) fn new(command: &str, text: &str, reason: impl Into<String>) -> BadArgument {
        BadArgument {
            command: command.to_string(),
            text: shorten(text),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for BadArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?} {}", self.command, self.text, self.reason)
    }
}

impl std::error::Error for BadArgument {}

/// True for a word with the syntax of a coordinate move, such as `e2e4` or `E7E8Q`.
pub fn is_move(word: &str) -> bool {
    let is_square = |file: u8, rank: u8| {
        matches!(file.to_ascii_lowercase(), b'a'..=b'h') && matches!(rank, b'1'..=b'8')
    };
    match *word.as_bytes() {
        [a, b, c, d] => is_square(a, b) && is_square(c, d),
        [a, b, c, d, p] => {
            is_square(a, b)
                && is_square(c, d)
                && matches!(p.to_ascii_lowercase(), b'q' | b'r' | b'b' | b'n')
        }
        _ => false,
    }
}
