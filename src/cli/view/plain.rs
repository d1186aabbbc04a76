//! Lines without escape codes, one for each line of each completed depth.

use std::io::{self, Write};

use super::{Found, Show, Subject, score_text};
use crate::cli::board;
use crate::notation::san;
use crate::rules::Outcome;
use crate::search::{Bound, Report};

/// Prints and forgets.
pub struct Plain;

impl Show for Plain {
    fn begin(&mut self, subject: &Subject) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write_position(&mut out, subject)?;
        writeln!(out, "{LEGEND}\n")?;
        write_header(&mut out, subject)
    }

    fn line(&mut self, subject: &Subject, report: &Report) -> io::Result<()> {
        if report.bound != Bound::Exact {
            return Ok(());
        }
        write_line(&mut io::stdout().lock(), subject, report)
    }

    fn end(&mut self, subject: &Subject, found: &Found) -> io::Result<()> {
        write_result(&mut io::stdout().lock(), subject, found)
    }

    fn over(&mut self, subject: &Subject, outcome: Outcome) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write_position(&mut out, subject)?;
        write_outcome(&mut out, outcome)
    }
}

/// What the scores mean.
pub const LEGEND: &str =
    "scores    of the side to move: +1.00 wins half of its games, #3 in 3 moves, #-2 loses in 2";

/// The position in words.
pub fn write_position(out: &mut dyn Write, subject: &Subject) -> io::Result<()> {
    let pos = &subject.pos;
    writeln!(out, "position  {}", subject.spelling.fen(pos))?;
    writeln!(out, "rules     {}", board::situation(pos))?;
    match &subject.tables {
        Some(tables) => writeln!(out, "tables    {tables}"),
        None => Ok(()),
    }
}

/// The head of the table of lines.
pub fn write_header(out: &mut dyn Write, subject: &Subject) -> io::Result<()> {
    let rank = if subject.multipv > 1 { "rank  " } else { "" };
    writeln!(
        out,
        "{rank}{:>7}  {:>7}  {:>11}  {:>9}  {:>8}  line",
        "depth", "score", "nodes", "nps", "time"
    )
}

/// One row of the table of lines.
pub fn write_line(out: &mut dyn Write, subject: &Subject, report: &Report) -> io::Result<()> {
    if subject.multipv > 1 {
        write!(out, "{:>4}  ", report.multipv)?;
    }
    let depth = format!("{}/{}", report.depth, report.seldepth);
    let time = format!("{:.2} s", report.time.as_secs_f64());
    writeln!(
        out,
        "{depth:>7}  {:>7}  {:>11}  {:>9}  {time:>8}  {}",
        score_text(report.shown()),
        report.nodes,
        report.nps(),
        san::write_line(&subject.pos, &report.pv).join(" ")
    )
}

/// The best move and what is known of it.
pub fn write_result(out: &mut dyn Write, subject: &Subject, found: &Found) -> io::Result<()> {
    let summary = found.summary;
    let Some(best) = summary.best else {
        return writeln!(out, "\nbest move none");
    };
    let texts = san::write_line(&subject.pos, &found.pv);
    writeln!(
        out,
        "\nbest move {} ({})",
        texts.first().map_or("", String::as_str),
        subject.spelling.uci(best)
    )?;
    writeln!(
        out,
        "score     {} at depth {}, {} nodes in {:.2} s",
        score_text(summary.shown()),
        summary.depth,
        summary.nodes,
        summary.time.as_secs_f64()
    )?;
    writeln!(out, "line      {}", texts.join(" "))
}

/// How the game ended.
pub fn write_outcome(out: &mut dyn Write, outcome: Outcome) -> io::Result<()> {
    writeln!(out, "game over: {outcome}")
}
