//! Plain text output of an analysis: one line per completed depth and PV.
//! Invariant: the output has no escape codes.

use std::io::{self, Write};

use super::renderer::{Renderer, SearchOutcome, ViewSubject, score_text};
use crate::cli::board;
use crate::notation::san;
use crate::rules::{Color, Move, Outcome};
use crate::search::{Bound, Report};

/// Prints each report as it arrives.
pub(crate) struct PlainView;

impl Renderer for PlainView {
    fn begin(&mut self, subject: &ViewSubject) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write_position(&mut out, subject)?;
        writeln!(out, "{}\n", legend(subject))?;
        write_header(&mut out, subject)
    }

    fn line(&mut self, subject: &ViewSubject, report: &Report) -> io::Result<()> {
        if report.bound != Bound::Exact {
            return Ok(());
        }
        write_line(&mut io::stdout().lock(), subject, report)
    }

    fn end(&mut self, subject: &ViewSubject, found: &SearchOutcome) -> io::Result<()> {
        write_result(&mut io::stdout().lock(), subject, found, None)
    }

    fn over(&mut self, subject: &ViewSubject, outcome: Outcome) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write_position(&mut out, subject)?;
        write_outcome(&mut out, outcome)
    }
}

/// The explanation of the scores.
pub(super) fn legend(subject: &ViewSubject) -> String {
    let side = if subject.from_white {
        "White"
    } else {
        "the side to move"
    };
    format!("scores    from {side}: +1.00 wins half of the games, #3 mates in 3, #-2 is mated in 2")
}

/// The moves of a line in SAN with move numbers, one word each.
pub(super) fn numbered_words(subject: &ViewSubject, line: &[Move]) -> Vec<String> {
    let texts = san::write_line(&subject.pos, line);
    let mut number = subject.pos.fullmove_number();
    let mut side = subject.pos.side_to_move();
    let words = texts.into_iter().enumerate().map(|(index, text)| {
        let word = match side {
            Color::White => format!("{number}. {text}"),
            Color::Black if index == 0 => format!("{number}... {text}"),
            Color::Black => text,
        };
        if side == Color::Black {
            number = number.saturating_add(1);
        }
        side = !side;
        word
    });
    words.collect()
}

/// Joins words with spaces and line breaks. Lines after the first are indented; a line is at most
/// as wide as the terminal, and unlimited in a file or pipe.
fn filled(words: &[String], indent: usize) -> String {
    let width = board::stdout_width().filter(|&width| width > indent + 12);
    fill(words, indent, width.unwrap_or(usize::MAX))
}

fn fill(words: &[String], indent: usize, width: usize) -> String {
    let (mut text, mut column) = (String::new(), indent);
    for (index, word) in words.iter().enumerate() {
        let length = word.chars().count();
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

/// The position, its rules and the tablebases.
pub(crate) fn write_position(out: &mut dyn Write, subject: &ViewSubject) -> io::Result<()> {
    let pos = &subject.pos;
    writeln!(out, "position  {}", subject.notation.fen(pos))?;
    writeln!(out, "rules     {}", board::describe_position(pos))?;
    match &subject.tables {
        Some(tables) => writeln!(out, "tables    {tables}"),
        None => Ok(()),
    }
}

/// The header of the table of lines.
pub(crate) fn write_header(out: &mut dyn Write, subject: &ViewSubject) -> io::Result<()> {
    let rank = if subject.multipv > 1 { "rank  " } else { "" };
    writeln!(
        out,
        "{rank}{:>7}  {:>7}  {:>11}  {:>9}  {:>8}  line",
        "depth", "score", "nodes", "nps", "time"
    )
}

/// One row of the table of lines.
pub(crate) fn write_line(
    out: &mut dyn Write,
    subject: &ViewSubject,
    report: &Report,
) -> io::Result<()> {
    if subject.multipv > 1 {
        write!(out, "{:>4}  ", report.multipv)?;
    }
    let depth = format!("{}/{}", report.depth, report.seldepth);
    let time = format!("{:.2} s", report.time.as_secs_f64());
    let rank = if subject.multipv > 1 { 6 } else { 0 };
    writeln!(
        out,
        "{depth:>7}  {:>7}  {:>11}  {:>9}  {time:>8}  {}",
        score_text(subject.shown(report.display_score())),
        report.nodes,
        report.nps(),
        filled(&numbered_words(subject, &report.pv), rank + 52)
    )
}

/// The best move, its score and, unless it was `shown` before, its line.
pub(crate) fn write_result(
    out: &mut dyn Write,
    subject: &ViewSubject,
    found: &SearchOutcome,
    shown: Option<&[Move]>,
) -> io::Result<()> {
    let summary = found.summary;
    let Some(best) = summary.best_move else {
        return writeln!(out, "\nbest move none");
    };
    let texts = san::write_line(&subject.pos, &summary.pv);
    writeln!(
        out,
        "\nbest move {} ({})",
        texts.first().map_or("", String::as_str),
        subject.notation.uci(best)
    )?;
    writeln!(
        out,
        "score     {} at depth {}, {} nodes in {:.2} s",
        score_text(subject.shown(summary.display_score())),
        summary.depth,
        summary.nodes,
        summary.time.as_secs_f64()
    )?;
    if shown == Some(&summary.pv[..]) {
        return Ok(());
    }
    writeln!(
        out,
        "line      {}",
        filled(&numbered_words(subject, &summary.pv), 10)
    )
}

/// The outcome of a finished game.
pub(crate) fn write_outcome(out: &mut dyn Write, outcome: Outcome) -> io::Result<()> {
    writeln!(out, "game over: {outcome}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_moves() {
        let words = ["1. Nf3", "f6", "2. Nd4", "d6", "3. Nf5"].map(str::to_owned);
        assert_eq!(fill(&words, 4, usize::MAX), "1. Nf3 f6 2. Nd4 d6 3. Nf5");
        let text = fill(&words, 4, 18);
        assert_eq!(text, "1. Nf3 f6\n    2. Nd4 d6\n    3. Nf5");
        let wide = text.lines().all(|line| line.len() <= 18);
        assert!(wide && fill(&words, 4, 3).lines().count() == words.len());
    }
}
