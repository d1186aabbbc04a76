//! Text for terminals of any width: breaks between words, and cuts.
//! Invariant: without a width, which a file or pipe does not have, nothing is broken or cut.

use console::{Term, measure_text_width, truncate_str};

/// The width of the terminal in columns; `None` if stdout is no terminal.
pub fn stdout_width() -> Option<usize> {
    width(&Term::stdout())
}

/// The width of the terminal in columns; `None` if stderr is no terminal.
pub fn stderr_width() -> Option<usize> {
    width(&Term::stderr())
}

fn width(terminal: &Term) -> Option<usize> {
    let (_, columns) = terminal.size_checked()?;
    (terminal.is_term() && columns > 0).then_some(usize::from(columns))
}

/// Joins words with spaces and line breaks, after the text `start`; the lines after the first are
/// indented. A line is wider than `width` only if a single word is; a word may contain spaces,
/// which are never broken.
pub fn fill(start: &str, words: &[String], indent: usize, width: Option<usize>) -> String {
    let width = width.unwrap_or(usize::MAX);
    let (mut text, mut column) = (start.to_owned(), measure_text_width(start));
    for (index, word) in words.iter().enumerate() {
        let length = measure_text_width(word);
        if index > 0 && column + 1 + length > width {
            text.push_str(&format!("\n{:indent$}", ""));
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

/// Breaks a line of text between words, below the labels of results, which are ten columns wide.
pub fn fill_text(text: &str, width: Option<usize>) -> String {
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    fill("", &words, 10, width)
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
        let text = "line      Nf3 f6 Nd4 d6";
        assert_eq!(fill_text(text, None), text);
        let broken = "line      Nf3 f6\n          Nd4 d6";
        assert_eq!(fill_text(text, Some(18)), broken);
    }

    #[test]
    fn every_line_is_cut() {
        let text = "one - two: 6 games\n+1 =0 -1, Elo +0.0";
        assert_eq!(cut_lines(text, None), text);
        assert_eq!(cut_lines(text, Some(9)), "one - tw…\n+1 =0 -1…");
    }
}
