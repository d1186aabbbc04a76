//! Terminal output of an analysis: a board, the lines and a status line, updated in place.
//! Invariant: when the search ends, the updated lines are replaced by the final table.

use std::io::{self, Write};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::plain;
use super::renderer::{Renderer, SearchOutcome, ViewSubject, score_text};
use crate::cli::board::{self, BoardStyle};
use crate::notation::san;
use crate::rules::{Move, Outcome};
use crate::search::{Bound, Report};

const FRAMES_PER_SECOND: u8 = 10;

/// Keeps the latest exact report of each PV.
#[derive(Default)]
pub(crate) struct LiveView {
    screen: Option<LiveScreen>,
    lines: Vec<Report>,
    current: String,
}

/// The part of the terminal that is redrawn.
struct LiveScreen {
    all: MultiProgress,
    lines: Vec<ProgressBar>,
    status: ProgressBar,
}

impl Renderer for LiveView {
    fn begin(&mut self, subject: &ViewSubject) -> io::Result<()> {
        write_board(subject)?;
        writeln!(io::stdout(), "{}\n", plain::legend(subject))?;
        self.screen = Some(LiveScreen::new());
        Ok(())
    }

    fn line(&mut self, subject: &ViewSubject, report: &Report) -> io::Result<()> {
        if report.bound == Bound::Exact {
            self.keep(report);
        }
        if let Some(screen) = &mut self.screen {
            screen.show_line(subject, report);
            if report.multipv == 1 {
                self.current.clear();
            }
            screen.show_status(report, &self.current);
        }
        Ok(())
    }

    fn current_move(&mut self, subject: &ViewSubject, mv: Move, number: usize) {
        let mv = san::write(&subject.pos, mv);
        self.current = format!("  searching move {number}: {mv}");
        if let (Some(screen), Some(report)) = (&self.screen, self.lines.last()) {
            screen.show_status(report, &self.current);
        }
    }

    fn end(&mut self, subject: &ViewSubject, found: &SearchOutcome) -> io::Result<()> {
        if let Some(screen) = self.screen.take() {
            if found.interrupted {
                screen.stop_drawing()?;
            } else {
                screen.clear()?;
            }
        }
        let mut out = io::stdout().lock();
        if !self.lines.is_empty() {
            plain::write_header(&mut out, subject)?;
        }
        for report in &self.lines {
            plain::write_line(&mut out, subject, report)?;
        }
        let first = self.lines.iter().find(|report| report.multipv == 1);
        let shown = first.map(|report| &report.pv[..]);
        plain::write_result(&mut out, subject, found, shown)
    }

    fn over(&mut self, subject: &ViewSubject, outcome: Outcome) -> io::Result<()> {
        write_board(subject)?;
        plain::write_outcome(&mut io::stdout().lock(), outcome)
    }
}

impl LiveView {
    fn keep(&mut self, report: &Report) {
        match self
            .lines
            .iter_mut()
            .find(|old| old.multipv == report.multipv)
        {
            Some(old) => old.clone_from(report),
            None => self.lines.push(report.clone()),
        }
    }
}

fn write_board(subject: &ViewSubject) -> io::Result<()> {
    let mut out = io::stdout().lock();
    board::write_board(&mut out, &subject.pos, BoardStyle::for_stdout())?;
    writeln!(out)?;
    plain::write_position(&mut out, subject)
}

impl LiveScreen {
    fn new() -> LiveScreen {
        let target = ProgressDrawTarget::stdout_with_hz(FRAMES_PER_SECOND);
        let all = MultiProgress::with_draw_target(target);
        let status = all.add(ProgressBar::no_length());
        if let Ok(style) = ProgressStyle::with_template("{elapsed:>4}  {wide_msg}") {
            status.set_style(style);
        }
        status.enable_steady_tick(Duration::from_secs(1) / u32::from(FRAMES_PER_SECOND));
        LiveScreen {
            all,
            lines: Vec::new(),
            status,
        }
    }

    fn show_line(&mut self, subject: &ViewSubject, report: &Report) {
        while self.lines.len() < report.multipv {
            let line = self
                .all
                .insert_before(&self.status, ProgressBar::no_length());
            // A line that wraps would break the redrawing.
            if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
                line.set_style(style);
            }
            self.lines.push(line);
        }
        let Some(line) = self.lines.get(report.multipv.saturating_sub(1)) else {
            return;
        };
        let bound = match (report.bound, subject.is_negated()) {
            (Bound::Exact, _) => ' ',
            (Bound::Lower, false) | (Bound::Upper, true) => '≥',
            (Bound::Upper, false) | (Bound::Lower, true) => '≤',
        };
        line.set_message(format!(
            "{:>3}. {bound}{:>7}  {:>6}  {}",
            report.multipv,
            score_text(subject.shown(report.display_score())),
            format!("{}/{}", report.depth, report.seldepth),
            plain::numbered_words(subject, &report.pv).join(" ")
        ));
    }

    fn show_status(&self, report: &Report, current: &str) {
        self.status.set_message(format!(
            "depth {}/{}  {} nodes  {} nps{current}",
            report.depth,
            report.seldepth,
            abbreviate(report.nodes),
            abbreviate(report.nps())
        ));
    }

    /// Stops drawing and keeps the lines: the `^C` echoed by the terminal has moved the cursor,
    /// so clearing would miss a line.
    fn stop_drawing(self) -> io::Result<()> {
        self.status.disable_steady_tick();
        self.all.set_draw_target(ProgressDrawTarget::hidden());
        writeln!(io::stdout())
    }

    fn clear(self) -> io::Result<()> {
        self.status.finish_and_clear();
        for line in &self.lines {
            line.finish_and_clear();
        }
        self.all.clear()
    }
}

/// Formats a number with three significant digits and a unit.
fn abbreviate(number: u64) -> String {
    let units = [(1_000_000_000, 'G'), (1_000_000, 'M'), (1_000, 'k')];
    match units.iter().find(|(unit, _)| number >= *unit) {
        None => number.to_string(),
        Some((unit, letter)) => {
            let scaled = number as f64 / *unit as f64;
            let decimals = if scaled < 10.0 {
                2
            } else if scaled < 100.0 {
                1
            } else {
                0
            };
            format!("{scaled:.decimals$} {letter}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_abbreviated() {
        assert_eq!(abbreviate(999), "999");
        assert_eq!(abbreviate(1_234), "1.23 k");
        assert_eq!(abbreviate(123_456_789), "123 M");
        assert_eq!(abbreviate(45_600_000_000), "45.6 G");
    }
}
