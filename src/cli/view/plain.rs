//! Plain text output of an analysis: one line per completed depth and PV.
//! Invariant: the output has no escape codes.

use std::io::{self, Write};

use super::renderer::{Renderer, ViewSubject};
use crate::cli::{board, wrap};
use crate::notation::san;
use crate::rules::{Color, Move, Outcome};
use crate::search::{Bound, SearchInfo, SearchResult};
use crate::util::count;

/// Prints each report as it arrives.
pub struct PlainView;

impl Renderer for PlainView {
    fn begin(&mut self, subject: &ViewSubject) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write_position(&mut out, subject)?;
        writeln!(out, "{}\n", legend(subject, wrap::stdout_width()))?;
        write_header(&mut out, subject)
    }

    fn line(&mut self, subject: &ViewSubject, report: &SearchInfo) -> io::Result<()> {
        if report.bound != Bound::Exact {
            return Ok(());
        }
        write_line(&mut io::stdout().lock(), subject, report)
    }

    fn end(&mut self, subject: &ViewSubject, found: &SearchResult, _: bool) -> io::Result<()> {
        write_result(&mut io::stdout().lock(), subject, found, None)
    }

    fn over(&mut self, subject: &ViewSubject, outcome: Outcome) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write_position(&mut out, subject)?;
        write_outcome(&mut out, outcome)
    }
}

/// The explanation of the scores, for a terminal of a width.
pub fn legend(subject: &ViewSubject, width: Option<usize>) -> String {
    let side = if subject.from_white {
        "White"
    } else {
        "the side to move"
    };
    let text = "+1.00 wins half of the games, #3 mates in 3, #-2 is mated in 2";
    labelled("scores", &words(&format!("from {side}: {text}")), width)
}

/// The moves of a line in SAN with move numbers, one word each.
pub fn numbered_words(subject: &ViewSubject, line: &[Move]) -> Vec<String> {
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

/// The least width of the last column of the table. On a narrower terminal, the columns of the
/// effort are left out; if that is not enough, the line has rows of its own.
const MIN_LINE_WIDTH: usize = 40;

/// A row of the table: the columns, those of the effort, and the words of the line next to or below
/// them. No move is broken on a terminal of any `width`.
fn row(columns: &[String], effort: &[String; 3], words: &[String], width: Option<usize>) -> String {
    const NARROW_INDENT: usize = 4;
    let is_wide =
        |start: &str| width.is_none_or(|w| start.chars().count() + 2 + MIN_LINE_WIDTH <= w);
    let all = [columns, effort].concat().join("  ");
    let start = if is_wide(&all) {
        all
    } else {
        columns.join("  ")
    };
    let indent = start.chars().count() + 2;
    let Some(width) = width.filter(|&width| width < indent + MIN_LINE_WIDTH) else {
        return format!("{start}  {}", wrap::fill(words, indent, indent, width));
    };
    let start = if indent <= width + 2 {
        start
    } else {
        let columns: Vec<String> = columns.iter().map(|cell| cell.trim().to_owned()).collect();
        wrap::fill(&columns, 0, 0, Some(width))
    };
    let line = wrap::fill(words, NARROW_INDENT, NARROW_INDENT, Some(width));
    format!("{start}\n{:NARROW_INDENT$}{line}", "")
}

/// A label in ten columns and the words beside it, which break on a narrow terminal.
fn labelled(label: &str, words: &[String], width: Option<usize>) -> String {
    format!("{label:10}{}", wrap::fill(words, 10, 10, width))
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// The position, its rules and the tablebases.
pub fn write_position(out: &mut dyn Write, subject: &ViewSubject) -> io::Result<()> {
    let pos = &subject.pos;
    writeln!(out, "position  {}", subject.notation.fen(pos))?;
    writeln!(out, "rules     {}", board::describe_position(pos))?;
    match &subject.tables {
        Some(tables) => writeln!(out, "tables    {tables}"),
        None => Ok(()),
    }
}

/// The header of the table of lines.
pub fn write_header(out: &mut dyn Write, subject: &ViewSubject) -> io::Result<()> {
    let text = header(subject.multipv > 1, wrap::stdout_width());
    writeln!(out, "{text}")
}

fn header(is_ranked: bool, width: Option<usize>) -> String {
    let aligned = |(size, name): (usize, &str)| format!("{name:>size$}");
    let names = [(4, "rank"), (7, "depth"), (7, "score")].map(aligned);
    let effort = [(11, "nodes"), (9, "nps"), (8, "time")].map(aligned);
    let names = &names[usize::from(!is_ranked)..];
    row(names, &effort, &["line".to_owned()], width)
}

/// One row of the table of lines.
pub fn write_line(
    out: &mut dyn Write,
    subject: &ViewSubject,
    report: &SearchInfo,
) -> io::Result<()> {
    let text = report_row(subject, report, wrap::stdout_width());
    writeln!(out, "{text}")
}

fn report_row(subject: &ViewSubject, report: &SearchInfo, width: Option<usize>) -> String {
    let depth = format!("{}/{}", report.depth, report.seldepth);
    let time = format!("{:.2} s", report.time.as_secs_f64());
    let rank = (subject.multipv > 1).then(|| format!("{:>4}", report.multipv));
    let columns: Vec<String> = rank
        .into_iter()
        .chain([
            format!("{depth:>7}"),
            format!("{:>+7}", subject.shown(report.display_score())),
        ])
        .collect();
    let effort = [
        format!("{:>11}", report.nodes),
        format!("{:>9}", report.nps()),
        format!("{time:>8}"),
    ];
    row(
        &columns,
        &effort,
        &numbered_words(subject, &report.pv),
        width,
    )
}

/// The best move, its score and, unless it was `shown` before, its line.
pub fn write_result(
    out: &mut dyn Write,
    subject: &ViewSubject,
    found: &SearchResult,
    shown: Option<&[Move]>,
) -> io::Result<()> {
    let Some(best) = found.best_move() else {
        return writeln!(out, "\nbest move none");
    };
    let texts = san::write_line(&subject.pos, found.pv());
    writeln!(
        out,
        "\nbest move {} ({})",
        texts.first().map_or("", String::as_str),
        subject.notation.uci(best)
    )?;
    let width = wrap::stdout_width();
    let score = format!(
        "{:+} at depth {}, {} in {:.2} s",
        subject.shown(found.display_score()),
        found.depth(),
        count(found.nodes, "node"),
        found.time.as_secs_f64()
    );
    writeln!(out, "{}", labelled("score", &words(&score), width))?;
    if shown == Some(found.pv()) {
        return Ok(());
    }
    let line = numbered_words(subject, found.pv());
    writeln!(out, "{}", labelled("line", &line, width))
}

/// The outcome of a finished game.
pub fn write_outcome(out: &mut dyn Write, outcome: Outcome) -> io::Result<()> {
    writeln!(out, "game over: {outcome}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::NotationStyle;
    use crate::eval::wdl::WdlModel;
    use crate::rules::{Position, Variant};
    use crate::search::SearchLine;

    fn subject(multipv: usize) -> ViewSubject {
        ViewSubject {
            pos: Position::startpos(Variant::Atomic),
            notation: NotationStyle { chess960: false },
            from_white: false,
            multipv,
            tables: None,
        }
    }

    fn report(subject: &ViewSubject) -> SearchInfo {
        let mut pos = subject.pos.clone();
        let mut line = Vec::new();
        for text in [
            "Nf3", "f6", "Nd4", "d6", "Nf5", "g6", "e3", "e6", "Nh6", "Nxh6",
        ] {
            let mv = san::parse(&pos, text).expect("a legal move");
            line.push(mv);
            pos.make(mv);
        }
        SearchInfo::new(
            SearchLine::new(16, 50, line),
            WdlModel::for_position(&subject.pos),
        )
    }

    /// Checks that no line is too wide and that no word is broken.
    fn check(text: &str, whole: &[String], width: usize) {
        let wide = text.lines().find(|line| line.chars().count() > width);
        assert_eq!(wide, None, "{width} columns");
        for word in whole {
            let is_whole = |line: &str| format!(" {line} ").contains(&format!(" {word} "));
            assert!(
                text.lines().any(is_whole),
                "{width} columns: {word} in {text:?}"
            );
        }
    }

    #[test]
    fn lines_break_between_moves() {
        // The least widths with all columns, and with the line next to the columns.
        for (multipv, full, beside) in [(1, 92, 58), (3, 98, 64)] {
            let subject = subject(multipv);
            let report = report(&subject);
            let moves = numbered_words(&subject, &report.pv);
            let heads = ["depth", "score", "line"].map(str::to_owned);
            let effort = ["nodes", "nps", "time"].map(str::to_owned);
            for width in 20..=100 {
                check(&report_row(&subject, &report, Some(width)), &moves, width);
                let header = header(multipv > 1, Some(width));
                check(&header, &heads, width);
                let shown = effort.iter().filter(|name| header.contains(*name)).count();
                assert_eq!(shown, if width < full { 0 } else { 3 }, "{width}");
            }
            let is_beside = |text: &str| text.lines().next().is_some_and(|l| l.ends_with("line"));
            assert!(is_beside(&header(multipv > 1, Some(beside))));
            assert!(!is_beside(&header(multipv > 1, Some(beside - 1))));
            assert_eq!(report_row(&subject, &report, None).lines().count(), 1);
        }
    }

    #[test]
    fn a_narrow_terminal_has_the_moves_below_the_columns() {
        let subject = subject(1);
        let text = report_row(&subject, &report(&subject), Some(55));
        let lines: Vec<&str> = text.lines().collect();
        assert!(!lines[0].contains("Nf3"), "{text}");
        assert_eq!(
            lines[1],
            "    1. Nf3 f6 2. Nd4 d6 3. Nf5 g6 4. e3 e6 5. Nh6 Nxh6"
        );
    }

    #[test]
    fn four_lines_fit_a_terminal_of_80_columns() {
        let subject = subject(4);
        let text = report_row(&subject, &report(&subject), Some(80));
        assert!(text.lines().count() <= 2, "{text}");
    }

    #[test]
    fn the_explanation_of_the_scores_breaks_between_words() {
        let subject = subject(1);
        let text = legend(&subject, None);
        assert_eq!(text.lines().count(), 1);
        for width in [40, 60, 80] {
            check(&legend(&subject, Some(width)), &words(&text), width);
        }
    }
}
