//! Text output of an analysis. Without a terminal, each completed depth and PV is a line. On a
//! terminal the lines are updated in place below a board.
//! Invariant: without a terminal, the output has no escape codes.

use std::io::{self, Write};

use super::subject::ViewSubject;
use crate::cli::{BoardStyle, board, print_json, wrap};
use crate::notation::{coord, san};
use crate::opening::{Refutation, Refutations};
use crate::review::json::JsonLine;
use crate::rules::{Outcome, Position};
use crate::search::{SearchInfo, SearchResult};
use crate::util::count;

/// Prints the position, on a terminal below a board, and what comes before the first line.
pub fn write_begin(subject: &ViewSubject, is_live: bool) -> io::Result<()> {
    let (mut out, width) = (io::stdout().lock(), wrap::stdout_width());
    write_position(&mut out, subject, is_live)?;
    writeln!(out, "{}\n", legend(subject, width))?;
    if is_live {
        return Ok(());
    }
    writeln!(out, "{}", header(subject, width))
}

/// Prints the position of a game that is over instead of a search.
pub fn write_over(subject: &ViewSubject, outcome: Outcome) -> io::Result<()> {
    if subject.json {
        return print_json(&JsonLine::result(subject.style, None));
    }
    let mut out = io::stdout().lock();
    write_position(&mut out, subject, board::is_interactive())?;
    writeln!(out, "game over: {outcome}")
}

/// The board, the position, its rules and the tablebases.
fn write_position(out: &mut dyn Write, subject: &ViewSubject, is_live: bool) -> io::Result<()> {
    let style = subject.style;
    if is_live {
        board::write_board(out, style.pos, BoardStyle::for_stdout())?;
        writeln!(out)?;
    }
    writeln!(out, "position  {}", style.fen())?;
    writeln!(out, "rules     {}", board::describe_position(style.pos))?;
    if let Some(tables) = &subject.tables {
        writeln!(out, "tables    {tables}")?;
    }
    match Refutations::embedded().find(style.pos) {
        Some(found) => writeln!(out, "refuted   {}", refutation_text(style.pos, &found)),
        None => Ok(()),
    }
}

/// How the side to move wins by force: `1... a6 loses by force in 2 moves: 2. Ne5 h6 3. Nxd7#`.
pub fn refutation_text(pos: &Position, found: &Refutation) -> String {
    let line = san::write_numbered_line(pos, &found.verified.line).join(" ");
    let moves = count(found.moves(), "move");
    match pos.last_move() {
        Some(mv) => {
            let mut before = pos.clone();
            before.unmake();
            let losing = san::write_numbered(&before, mv);
            format!("{losing} loses by force in {moves}: {line}")
        }
        None => format!("{} wins by force in {moves}: {line}", pos.side_to_move()),
    }
}

/// The explanation of the scores, for a terminal of a width.
fn legend(subject: &ViewSubject, width: Option<usize>) -> String {
    let side = if subject.style.from_white { "White" } else { "the side to move" };
    let text = "+1.00 wins half of the games, #3 mates in 3, #-2 is mated in 2";
    wrap::fill_text(&format!("scores    from {side}: {text}"), width)
}

/// The least width of the last column of the table. On a narrower terminal, the columns of the
/// effort are left out; if that is not enough, the line has rows of its own.
const MIN_LINE_WIDTH: usize = 40;

/// A row of the table: the columns, the last three for the effort, and the words of the line next to
/// or below them. No move is broken on a terminal of any `width`.
fn row(
    subject: &ViewSubject,
    columns: [String; 6],
    words: &[String],
    width: Option<usize>,
) -> String {
    const NARROW_INDENT: usize = 4;
    const SIZES: [usize; 6] = [4, 7, 7, 11, 9, 8];
    let columns = columns.iter().zip(SIZES);
    let columns: Vec<String> = columns.map(|(cell, size)| format!("{cell:>size$}")).collect();
    // The rank is shown only if there are several lines.
    let columns = &columns[usize::from(subject.multipv == 1)..];
    let without_effort = &columns[..columns.len() - 3];
    let is_narrow =
        |start: &str| width.is_some_and(|w| w < start.chars().count() + 2 + MIN_LINE_WIDTH);
    let mut start = columns.join("  ");
    if is_narrow(&start) {
        start = without_effort.join("  ");
    }
    let indent = start.chars().count() + 2;
    if !is_narrow(&start) {
        return wrap::fill(&format!("{start}  "), words, indent, width);
    }
    if width.is_some_and(|width| indent > width + 2) {
        let cells = without_effort.iter().map(|cell| cell.trim().to_owned());
        start = wrap::fill("", &cells.collect::<Vec<_>>(), 0, width);
    }
    let blanks = " ".repeat(NARROW_INDENT);
    let line = wrap::fill(&blanks, words, NARROW_INDENT, width);
    format!("{start}\n{line}")
}

fn header(subject: &ViewSubject, width: Option<usize>) -> String {
    let names = ["rank", "depth", "score", "nodes", "nps", "time"].map(str::to_owned);
    row(subject, names, &["line".to_owned()], width)
}

fn report_row(subject: &ViewSubject, report: &SearchInfo, width: Option<usize>) -> String {
    let style = subject.style;
    let columns = [
        report.multipv.to_string(),
        format!("{}/{}", report.depth, report.seldepth),
        format!("{:+}", style.score(report.display_score())),
        report.nodes.to_string(),
        report.nps().to_string(),
        format!("{:.2} s", report.time.as_secs_f64()),
    ];
    row(subject, columns, &style.numbered(&report.pv), width)
}

/// Prints the row of a report.
pub fn write_report(subject: &ViewSubject, report: &SearchInfo) -> io::Result<()> {
    let row = report_row(subject, report, wrap::stdout_width());
    writeln!(io::stdout(), "{row}")
}

/// Prints the rows of `reports`, the best move, its score and, unless it is that of the first
/// report, its line.
pub fn write_result(
    subject: &ViewSubject,
    reports: &[SearchInfo],
    found: &SearchResult,
) -> io::Result<()> {
    let (mut out, width) = (io::stdout().lock(), wrap::stdout_width());
    if !reports.is_empty() {
        writeln!(out, "{}", header(subject, width))?;
    }
    for report in reports {
        writeln!(out, "{}", report_row(subject, report, width))?;
    }
    let Some(best) = found.best_move() else {
        return writeln!(out, "\nbest move none");
    };
    let style = subject.style;
    let (san, uci) = (san::write(style.pos, best), coord::write(best, style.chess960));
    writeln!(out, "\nbest move {san} ({uci})")?;
    let score = format!(
        "score     {:+} at depth {}, {} in {:.2} s",
        style.score(found.display_score()),
        found.depth(),
        count(found.nodes, "node"),
        found.time.as_secs_f64()
    );
    writeln!(out, "{}", wrap::fill_text(&score, width))?;
    if reports.first().is_some_and(|report| report.pv == found.pv()) {
        return Ok(());
    }
    let line = style.numbered(found.pv());
    writeln!(out, "{}", wrap::fill("line      ", &line, 10, width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::wdl::WdlModel;
    use crate::review::style::PositionStyle;
    use crate::search::SearchLine;
    use crate::walk::{play, position};

    fn subject(pos: &Position, multipv: usize) -> ViewSubject<'_> {
        ViewSubject { style: PositionStyle::new(pos, false), multipv, tables: None, json: false }
    }

    fn report(start: &Position) -> SearchInfo {
        let line = "Nf3 f6 Nd4 d6 Nf5 g6 e3 e6 Nh6 Nxh6";
        let line = play(&mut start.clone(), line);
        SearchInfo::new(SearchLine::new(16, 50, line), WdlModel::for_position(start))
    }

    /// Checks that no line is too wide and that no word is broken.
    fn check(text: &str, whole: &[String], width: usize) {
        let wide = text.lines().find(|line| line.chars().count() > width);
        assert_eq!(wide, None, "{width} columns");
        for word in whole {
            let is_whole = |line: &str| format!(" {line} ").contains(&format!(" {word} "));
            assert!(text.lines().any(is_whole), "{width} columns: {word} in {text:?}");
        }
    }

    #[test]
    fn lines_break_between_moves() {
        let pos = position("startpos");
        let report = report(&pos);
        // The least widths with all columns, and with the line next to the columns.
        for (multipv, full, side_by_side) in [(1, 92, 58), (3, 98, 64)] {
            let subject = subject(&pos, multipv);
            let moves = subject.style.numbered(&report.pv);
            let heads = ["depth", "score", "line"].map(str::to_owned);
            let effort = ["nodes", "nps", "time"].map(str::to_owned);
            for width in 20..=100 {
                check(&report_row(&subject, &report, Some(width)), &moves, width);
                let header = header(&subject, Some(width));
                check(&header, &heads, width);
                let shown = effort.iter().filter(|name| header.contains(*name)).count();
                assert_eq!(shown, if width < full { 0 } else { 3 }, "{width}");
                let first = header.lines().next().unwrap_or_default();
                assert_eq!(first.ends_with("line"), width >= side_by_side, "{width}");
            }
            assert_eq!(report_row(&subject, &report, None).lines().count(), 1);
        }
        let text = report_row(&subject(&pos, 1), &report, Some(55));
        let below = "    1. Nf3 f6 2. Nd4 d6 3. Nf5 g6 4. e3 e6 5. Nh6 Nxh6";
        assert_eq!(text.lines().nth(1), Some(below));
    }
}
