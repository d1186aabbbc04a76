//! Text for terminals of any width: breaks between words, and cuts.
//! Invariant: without a width, which a file or pipe does not have, nothing is broken or cut.

use std::io::{self, IsTerminal};

use console::{Term, measure_text_width, truncate_str};

/// The width of the terminal in columns; `None` if stdout is no terminal.
pub fn stdout_width() -> Option<usize> {
    let (_, columns) = Term::stdout().size_checked()?;
    (io::stdout().is_terminal() && columns > 0).then_some(usize::from(columns))
}

/// The width of the terminal in columns; `None` if stderr is no terminal.
pub fn stderr_width() -> Option<usize> {
    let (_, columns) = Term::stderr().size_checked()?;
    (io::stderr().is_terminal() && columns > 0).then_some(usize::from(columns))
}

/// Joins words with spaces and line breaks. The first word is in column `start`, and the lines
/// after the first begin in column `indent`. A line is wider than `width` only if a single word
/// is; a word may contain spaces, which are never broken.
pub fn fill(words: &[String], start: usize, indent: usize, width: Option<usize>) -> String {
    let width = width.unwrap_or(usize::MAX);
    let (mut text, mut column) = (String::new(), start);
    for (index, word) in words.iter().enumerate() {
        let length = measure_text_width(word);
        if index > 0 && column + 1 + length > width {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            column = indent;
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}

/// Breaks a line of text between words. The lines after the first are indented by ten columns, the
/// width of the labels of results.
pub fn fill_text(text: &str, width: Option<usize>) -> String {
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    fill(&words, 0, 10, width)
}

/// Cuts each line of a text at `width`, with an ellipsis.
pub fn cut_lines(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return text.to_owned();
    };
    let lines = text.split('\n').map(|line| truncate_str(line, width, "…"));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let words = ["1. Nf3", "f6", "2. Nd4", "d6", "3. Nf5"].map(str::to_owned);
        assert_eq!(fill(&words, 4, 4, None), "1. Nf3 f6 2. Nd4 d6 3. Nf5");
        let text = fill(&words, 4, 4, Some(18));
        assert_eq!(text, "1. Nf3 f6\n    2. Nd4 d6\n    3. Nf5");
        let text = fill(&words, 0, 2, Some(13));
        assert_eq!(text, "1. Nf3 f6\n  2. Nd4 d6\n  3. Nf5");
        assert_eq!(fill(&words, 4, 4, Some(3)).lines().count(), words.len());
    }

    #[test]
    fn text_breaks_between_words() {
        let text = "line      Nf3 f6 Nd4 d6";
        assert_eq!(fill_text(text, None), text);
        assert_eq!(fill_text(text, Some(23)), text);
        let narrow = fill_text(text, Some(18));
        assert_eq!(narrow, "line      Nf3 f6\n          Nd4 d6");
    }

    #[test]
    fn every_line_is_cut() {
        let text = "one - two: 6 games\n+1 =0 -1, Elo +0.0";
        assert_eq!(cut_lines(text, None), text);
        assert_eq!(cut_lines(text, Some(18)), text);
        assert_eq!(cut_lines(text, Some(9)), "one - tw…\n+1 =0 -1…");
    }
}
