//! Plain text output of an analysis: one line per completed depth and PV.
//! Invariant: the output has no escape codes.

use std::io::{self, Write};

use super::renderer::{Renderer, SearchOutcome, ViewSubject, score_text};
use crate::cli::board;
use crate::notation::san;
use crate::rules::Outcome;
use crate::search::{Bound, Report};

/// Prints each report as it arrives.
pub(crate) struct PlainView;

impl Renderer for PlainView {
    fn begin(&mut self, subject: &ViewSubject) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write_position(&mut out, subject)?;
        writeln!(out, "{LEGEND}\n")?;
        write_header(&mut out, subject)
    }

    fn line(&mut self, subject: &ViewSubject, report: &Report) -> io::Result<()> {
        if report.bound != Bound::Exact {
            return Ok(());
        }
        write_line(&mut io::stdout().lock(), subject, report)
    }

    fn end(&mut self, subject: &ViewSubject, found: &SearchOutcome) -> io::Result<()> {
        write_result(&mut io::stdout().lock(), subject, found)
    }

    fn over(&mut self, subject: &ViewSubject, outcome: Outcome) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write_position(&mut out, subject)?;
        write_outcome(&mut out, outcome)
    }
}

/// The explanation of the scores.
pub(crate) const LEGEND: &str = "scores    from the side to move: +1.00 wins half of the games, #3 mates in 3, #-2 is mated in 2";

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
    writeln!(
        out,
        "{depth:>7}  {:>7}  {:>11}  {:>9}  {time:>8}  {}",
        score_text(report.display_score()),
        report.nodes,
        report.nps(),
        san::write_line(&subject.pos, &report.pv).join(" ")
    )
}

/// The best move, its score and its line.
pub(crate) fn write_result(
    out: &mut dyn Write,
    subject: &ViewSubject,
    found: &SearchOutcome,
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
        score_text(summary.display_score()),
        summary.depth,
        summary.nodes,
        summary.time.as_secs_f64()
    )?;
    writeln!(out, "line      {}", texts.join(" "))
}

/// The outcome of a finished game.
pub(crate) fn write_outcome(out: &mut dyn Write, outcome: Outcome) -> io::Result<()> {
    writeln!(out, "game over: {outcome}")
}
