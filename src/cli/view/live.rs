//! Terminal output of an analysis: a board, the lines and a status line, updated in place.
//! Invariant: when the search ends, the updated lines are replaced by the final table.

use std::io::{self, Write};
use std::time::Duration;

use console::Term;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use super::plain;
use super::renderer::{Renderer, ViewSubject};
use crate::cli::board::{self, BoardStyle};
use crate::cli::wrap;
use crate::notation::san;
use crate::rules::{Move, Outcome};
use crate::search::{Bound, SearchInfo, SearchResult};

const FRAMES_PER_SECOND: u8 = 10;

/// Keeps the latest exact report of each PV.
#[derive(Default)]
pub struct LiveView {
    screen: Option<LiveScreen>,
    lines: Vec<SearchInfo>,
    current: String,
}

/// The part of the terminal that is redrawn.
struct LiveScreen {
    all: MultiProgress,
    lines: Vec<ProgressBar>,
    status: ProgressBar,
    terminal: Box<dyn TermLike>,
}

impl Renderer for LiveView {
    fn begin(&mut self, subject: &ViewSubject) -> io::Result<()> {
        write_board(subject)?;
        let legend = plain::legend(subject, wrap::stdout_width());
        writeln!(io::stdout(), "{legend}\n")?;
        let target = ProgressDrawTarget::stdout_with_hz(FRAMES_PER_SECOND);
        self.screen = Some(LiveScreen::new(target, Box::new(Term::stdout())));
        Ok(())
    }

    fn line(&mut self, subject: &ViewSubject, report: &SearchInfo) -> io::Result<()> {
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

    fn end(
        &mut self,
        subject: &ViewSubject,
        found: &SearchResult,
        interrupted: bool,
    ) -> io::Result<()> {
        if let Some(screen) = self.screen.take() {
            screen.clear(interrupted)?;
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
    fn keep(&mut self, report: &SearchInfo) {
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
    /// Draws on `target`, which is on `terminal`, from its line on. The line above must be blank.
    fn new(target: ProgressDrawTarget, terminal: Box<dyn TermLike>) -> LiveScreen {
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
            terminal,
        }
    }

    fn show_line(&mut self, subject: &ViewSubject, report: &SearchInfo) {
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
            "{:>3}. {bound}{:>+7}  {:>6}  {}",
            report.multipv,
            subject.shown(report.display_score()),
            format!("{}/{}", report.depth, report.seldepth),
            plain::numbered_words(subject, &report.pv).join(" ")
        ));
    }

    fn show_status(&self, report: &SearchInfo, current: &str) {
        self.status.set_message(format!(
            "depth {}/{}  {} nodes  {} nps{current}",
            report.depth,
            report.seldepth,
            abbreviate(report.nodes),
            abbreviate(report.nps())
        ));
    }

    /// Removes all lines.
    fn clear(self, interrupted: bool) -> io::Result<()> {
        self.status.finish_and_clear();
        for line in &self.lines {
            line.finish_and_clear();
        }
        self.all.clear()?;
        if interrupted {
            // The `^C` echoed by the terminal has moved the cursor down a line, so the first line
            // is still there. Without an echo, this clears the blank line above.
            self.terminal.move_cursor_up(1)?;
            self.terminal.clear_line()?;
            self.terminal.flush()?;
        }
        Ok(())
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
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;
    use crate::cli::args::NotationStyle;
    use crate::eval::wdl::WdlModel;
    use crate::rules::{Position, Variant};
    use crate::search::SearchLine;

    const WIDTH: usize = 60;

    #[test]
    fn numbers_are_abbreviated() {
        assert_eq!(abbreviate(999), "999");
        assert_eq!(abbreviate(1_234), "1.23 k");
        assert_eq!(abbreviate(123_456_789), "123 M");
        assert_eq!(abbreviate(45_600_000_000), "45.6 G");
    }

    /// A terminal of [`WIDTH`] columns. Its clones share the screen.
    #[derive(Clone, Debug, Default)]
    struct FakeTerminal(Arc<Mutex<FakeScreen>>);

    #[derive(Debug, Default)]
    struct FakeScreen {
        rows: Vec<Vec<char>>,
        row: usize,
        column: usize,
    }

    impl FakeScreen {
        fn write(&mut self, letter: char) {
            match letter {
                '\n' => (self.row, self.column) = (self.row + 1, 0),
                '\r' => self.column = 0,
                _ => {
                    // A terminal wraps only when the next letter comes.
                    if self.column == WIDTH {
                        (self.row, self.column) = (self.row + 1, 0);
                    }
                    self.rows
                        .resize(self.rows.len().max(self.row + 1), vec![' '; WIDTH]);
                    self.rows[self.row][self.column] = letter;
                    self.column += 1;
                }
            }
        }
    }

    impl FakeTerminal {
        fn edit(&self, action: impl FnOnce(&mut FakeScreen)) -> io::Result<()> {
            action(&mut self.0.lock());
            Ok(())
        }

        fn rows(&self) -> Vec<String> {
            let screen = self.0.lock();
            let rows = screen.rows.iter().map(|row| row.iter().collect::<String>());
            rows.map(|row| row.trim_end().to_owned()).collect()
        }
    }

    impl TermLike for FakeTerminal {
        fn width(&self) -> u16 {
            WIDTH as u16
        }

        fn move_cursor_up(&self, n: usize) -> io::Result<()> {
            self.edit(|screen| screen.row -= n)
        }

        fn move_cursor_down(&self, n: usize) -> io::Result<()> {
            self.edit(|screen| screen.row += n)
        }

        fn move_cursor_right(&self, n: usize) -> io::Result<()> {
            self.edit(|screen| screen.column += n)
        }

        fn move_cursor_left(&self, n: usize) -> io::Result<()> {
            self.edit(|screen| screen.column -= n)
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.edit(|screen| format!("{text}\n").chars().for_each(|c| screen.write(c)))
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.edit(|screen| text.chars().for_each(|c| screen.write(c)))
        }

        fn clear_line(&self) -> io::Result<()> {
            self.edit(|screen| {
                screen.column = 0;
                if let Some(row) = screen.rows.get_mut(screen.row) {
                    row.fill(' ');
                }
            })
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// How a search ends: by itself, or by a signal with or without `^C` on the terminal, which
    /// may be drawn on again before the end.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum SearchEnd {
        Limit,
        Signal,
        Echo,
        EchoAndRedraw,
    }

    #[test]
    fn no_line_stays_on_the_terminal() {
        let pos = Position::startpos(Variant::Atomic);
        let best = pos.legal_moves()[0];
        let model = WdlModel::for_position(&pos);
        let subject = ViewSubject {
            pos,
            notation: NotationStyle { chess960: false },
            from_white: false,
            multipv: 2,
            tables: None,
        };
        for end in [
            SearchEnd::Limit,
            SearchEnd::Signal,
            SearchEnd::Echo,
            SearchEnd::EchoAndRedraw,
        ] {
            let terminal = FakeTerminal::default();
            terminal.write_str("scores\n\n").unwrap();
            let target = ProgressDrawTarget::term_like_with_hz(Box::new(terminal.clone()), 10);
            let mut screen = LiveScreen::new(target, Box::new(terminal.clone()));
            let mut report = SearchInfo::new(SearchLine::new(9, 50, vec![best]), model);
            for multipv in [1, 2] {
                report.multipv = multipv;
                screen.show_line(&subject, &report);
            }
            screen.show_status(&report, "");
            let rows = terminal.rows();
            assert!(rows.len() >= 5 && rows[2].contains("1.  "), "{rows:?}");
            if end == SearchEnd::Echo || end == SearchEnd::EchoAndRedraw {
                terminal.write_str("^C").unwrap();
            }
            if end == SearchEnd::EchoAndRedraw {
                report.depth = 10;
                screen.show_status(&report, "");
                screen.status.tick();
            }
            screen.clear(end != SearchEnd::Limit).unwrap();
            let rows = terminal.rows();
            assert_eq!(rows[0], "scores", "{end:?}: {rows:?}");
            let left = rows[1..].iter().find(|row| !row.is_empty());
            assert_eq!(left, None, "{end:?}: {rows:?}");
            assert!(terminal.0.lock().row <= 2, "{end:?}");
        }
    }
}
