//! Writes games as PGN.
//! Invariant: reading the text gives the same moves, comments and glyphs, and no line starts with a
//! percent sign, because readers skip such lines.

use std::fmt::Write as _;

use super::{GLYPHS, PgnGame, PgnLine};
use crate::notation::san;
use crate::rules::Position;

/// The maximum length of a line, unless a single word is longer.
const MAX_WIDTH: usize = 79;

impl PgnGame {
    /// The PGN of the game, with a blank line at the end.
    pub fn to_pgn(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.tags {
            text.push_str(&tag_line(name, value));
        }
        let mut words = Vec::new();
        write_line(&self.start, &self.main_line, &mut words);
        words.push(self.result_str().to_owned());
        let _ = write!(text, "\n{}\n\n", wrap(&words));
        text
    }
}

/// The line of a tag, with its line break. Control characters in the value become spaces.
///
/// # Examples
/// ```
/// use brisance::notation::pgn::tag_line;
///
/// assert_eq!(tag_line("Event", "a \"b\""), "[Event \"a \\\"b\\\"\"]\n");
/// ```
pub fn tag_line(name: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    let value = value.replace(|c: char| c.is_control(), " ");
    format!("[{name} \"{value}\"]\n")
}

fn write_line(start: &Position, line: &PgnLine, words: &mut Vec<String>) {
    let mut pos = start.clone();
    // A black move has a number if it does not directly follow the white move.
    let mut needs_number = true;
    write_comments(&line.comments, words);
    for played in &line.moves {
        // A move has at most one glyph; the other NAGs stay numbers.
        let glyph_at = played.nags.iter().position(|nag| (1..=6).contains(nag));
        let glyph = glyph_at.map_or("", |at| GLYPHS[usize::from(played.nags[at]) - 1]);
        words.push(san::write_in_line(&pos, played.mv, needs_number) + glyph);
        let others = played.nags.iter().enumerate();
        let others = others.filter(|&(at, _)| Some(at) != glyph_at);
        words.extend(others.map(|(_, nag)| format!("${nag}")));
        write_comments(&played.comments, words);
        for variation in &played.variations {
            let first = words.len();
            write_line(&pos, variation, words);
            if words.len() > first {
                words[first].insert(0, '(');
                let last = words.len() - 1;
                words[last].push(')');
            }
        }
        needs_number = !played.comments.is_empty() || !played.variations.is_empty();
        pos.make(played.mv);
    }
}

fn write_comments(comments: &[String], words: &mut Vec<String>) {
    for comment in comments {
        let first = words.len();
        words.extend(comment_words(comment));
        if words.len() > first {
            words[first].insert_str(0, "{ ");
            let last = words.len() - 1;
            words[last].push_str(" }");
        }
    }
}

/// The words of a comment; a command such as `[%clk 0:01:00]` is a single word.
fn comment_words(comment: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut in_command = false;
    // Readers skip a byte order mark at the start of a line.
    let comment = comment.replace('\u{feff}', "");
    for word in comment.split_whitespace() {
        // A closing brace would end the comment, and an opening one begin another inside.
        let word = word.replace('{', "(").replace('}', ")");
        // At the start of a line these would be an escaped line and the next game.
        let cannot_start_line = word.starts_with('%') || word.starts_with("[Event");
        match words.last_mut() {
            Some(last) if in_command || cannot_start_line => {
                last.push(' ');
                last.push_str(&word);
            }
            _ => words.push(word.clone()),
        }
        in_command = (in_command || word.starts_with("[%")) && !word.contains(']');
    }
    words
}

/// Joins words with spaces and line breaks into lines of at most 79 characters; a longer word gets
/// a line of its own.
///
/// # Examples
/// ```
/// use brisance::notation::pgn::wrap;
///
/// assert_eq!(wrap(&["1. e4".to_owned(), "e5".to_owned()]), "1. e4 e5");
/// ```
pub fn wrap(words: &[String]) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > MAX_WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += width;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn::PgnReader;

    #[test]
    fn commands_are_not_broken_and_no_word_starts_with_a_percent_sign() {
        let comment = "[%eval 0.35] [%clk 0:05:00] falls to 50 % now } end";
        let expected = "[%eval 0.35]|[%clk 0:05:00]|falls|to|50 %|now|)|end";
        assert_eq!(comment_words(comment).join("|"), expected);
        let mut words = Vec::new();
        write_comments(&["\u{feff}% \u{feff} first", " "].map(str::to_owned), &mut words);
        assert_eq!(words, ["{ %", "first }"]);
    }

    /// The first game of a text, as it is written.
    fn rewritten(text: &str) -> String {
        let game = PgnReader::new(text.as_bytes(), None).next();
        game.expect("a game").expect("a valid one").game.to_pgn()
    }

    #[test]
    fn a_tag_in_a_comment_does_not_start_a_line() {
        for before in 1..90 {
            let (before, after) = ("a".repeat(before), "b".repeat(78));
            let comment = format!("{{ {before} [Event \"x\"] {after} }}");
            let written = rewritten(&format!("[Variant \"Atomic\"]\n\n1. e4 {comment} *\n"));
            assert_eq!(rewritten(&written), written);
        }
    }

    /// Written by hand in the export format of the PGN standard.
    const EXPORTED: &str = "\
[White \"A\"]
[Variant \"Atomic\"]

{ before the first move } 1. Nf3 $14 { good } (1. e4 e5 (1... d5!? 2. Nf3)
2. Nf3) (1. d4) 1... f6 2. Nd4! { a comment that is long enough for a break }
2... d6! $20 3. Nf5 g6 4. Nxe7# 1-0

";

    #[test]
    fn a_game_in_export_format_is_unchanged() {
        assert_eq!(rewritten(EXPORTED), EXPORTED);
    }

    #[test]
    fn lines_are_filled() {
        let words: Vec<String> = (1..200).map(|n| "x".repeat(n * 7 % 41 + 1)).collect();
        let text = wrap(&words);
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), words);
        let lines: Vec<&str> = text.lines().collect();
        for pair in lines.windows(2) {
            let next = pair[1].split(' ').next().expect("a word").len();
            assert!(pair[0].len() < 80 && pair[0].len() + 1 + next >= 80, "{pair:?}");
        }
        for (last, count) in [(39, 1), (40, 2)] {
            let words = ["x".repeat(39), "x".repeat(last)];
            assert_eq!(wrap(&words).lines().count(), count);
        }
        let long = "y".repeat(100);
        assert_eq!(wrap(&[long.clone(), "z".to_owned()]), format!("{long}\nz"));
    }
}
