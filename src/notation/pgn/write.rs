//! Games as PGN text.
//! Invariant: what is written is read back to the same moves, comments and marks; no line
//! begins with a percent sign, which readers would skip.

use std::fmt::Write as _;

use super::{GLYPHS, Game, Line};
use crate::notation::san;
use crate::rules::{Color, Position};

/// Lines are broken before this column, where a word is not longer itself.
const WIDTH: usize = 79;

impl Game {
    /// The text of the game, with a blank line at its end.
    pub fn to_pgn(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.tags {
            text.push_str(&tag_line(name, value));
        }
        let mut words = Vec::new();
        write_line(&self.start, &self.main, &mut words);
        words.push(self.ending.text().to_owned());
        let _ = write!(text, "\n{}\n\n", wrap(&words));
        text
    }
}

/// A tag with its line end. Line ends inside the value become blanks.
pub fn tag_line(name: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    let value = value.replace(|c: char| c.is_control(), " ");
    format!("[{name} \"{value}\"]\n")
}

fn write_line(start: &Position, line: &Line, words: &mut Vec<String>) {
    let mut pos = start.clone();
    // Black's move has its number where something stands between it and White's.
    let mut needs_number = true;
    write_comments(&line.intro, words);
    for played in &line.moves {
        let number = match pos.side() {
            Color::White => format!("{}. ", pos.fullmove()),
            Color::Black if needs_number => format!("{}... ", pos.fullmove()),
            Color::Black => String::new(),
        };
        let (glyphs, others): (Vec<u8>, Vec<u8>) = played
            .marks
            .iter()
            .partition(|&&mark| (1..=6).contains(&mark));
        let glyph = glyphs
            .first()
            .map_or("", |&mark| GLYPHS[usize::from(mark) - 1]);
        words.push(format!("{number}{}{glyph}", san::write(&pos, played.mv)));
        words.extend(others.iter().map(|mark| format!("${mark}")));
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

/// The words of a comment; a command such as `[%clk 0:01:00]` is one of them.
fn comment_words(comment: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut in_command = false;
    for word in comment.split_whitespace() {
        // What ends a comment cannot stand in it.
        let word = word.replace('}', ")");
        match words.last_mut() {
            Some(last) if in_command || word.starts_with('%') => {
                last.push(' ');
                last.push_str(&word);
            }
            _ => words.push(word.clone()),
        }
        in_command = (in_command || word.starts_with("[%")) && !word.contains(']');
    }
    words
}

/// Words with blanks between them, in lines of less than 80 columns where no word is
/// longer itself.
pub fn wrap(words: &[String]) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
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

    #[test]
    fn commands_stay_whole_and_no_line_begins_with_a_percent_sign() {
        let comment = "[%eval 0.35] [%clk 0:05:00] falls to 50 % now } end";
        let expected = [
            "[%eval 0.35]",
            "[%clk 0:05:00]",
            "falls",
            "to",
            "50 %",
            "now",
            ")",
            "end",
        ];
        assert_eq!(comment_words(comment), expected);
        let mut words = Vec::new();
        write_comments(&["% first".to_owned()], &mut words);
        assert_eq!(words, ["{ %", "first }"]);
    }

    #[test]
    fn tags_are_quoted() {
        let line = tag_line("Event", "a \"b\" \\ c\nd");
        assert_eq!(line, "[Event \"a \\\"b\\\" \\\\ c d\"]\n");
    }
}
