//! The lines of an analysis and its status line on a terminal, updated in place.
//! Invariant: when the search ends, nothing of them stays.

use std::io;
use std::time::Duration;

use console::Term;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use super::subject::ViewSubject;
use crate::search::{Bound, SearchInfo};

const FRAMES_PER_SECOND: u8 = 10;

pub struct LiveScreen {
    all: MultiProgress,
    lines: Vec<ProgressBar>,
    status: ProgressBar,
    /// What the status says about the root move that is searched.
    current: String,
    terminal: Box<dyn TermLike>,
}

impl LiveScreen {
    pub fn on_stdout() -> LiveScreen {
        let target = ProgressDrawTarget::stdout_with_hz(FRAMES_PER_SECOND);
        LiveScreen::new(target, Box::new(Term::stdout()))
    }

    /// Draws on `target`, which is on `terminal`, from its line on. The line above must be blank.
    fn new(target: ProgressDrawTarget, terminal: Box<dyn TermLike>) -> LiveScreen {
        let all = MultiProgress::with_draw_target(target);
        let status = all.add(ProgressBar::no_length());
        status.set_style(template("{elapsed:>4}  {wide_msg}"));
        status.enable_steady_tick(Duration::from_secs(1) / u32::from(FRAMES_PER_SECOND));
        LiveScreen { all, lines: Vec::new(), status, current: String::new(), terminal }
    }

    pub fn show_line(&mut self, subject: &ViewSubject, report: &SearchInfo) {
        while self.lines.len() < report.multipv {
            let line = ProgressBar::no_length();
            let line = self.all.insert_before(&self.status, line);
            // A line that wraps would break the redrawing.
            line.set_style(template("{wide_msg}"));
            self.lines.push(line);
        }
        let Some(line) = self.lines.get(report.multipv.saturating_sub(1)) else {
            return;
        };
        let bound = match subject.style.bound(report.bound) {
            Bound::Exact => ' ',
            Bound::Lower => '≥',
            Bound::Upper => '≤',
        };
        if report.multipv == 1 {
            self.current.clear();
        }
        line.set_message(format!(
            "{:>3}. {bound}{:>+7}  {:>6}  {}",
            report.multipv,
            subject.style.score(report.display_score()),
            format!("{}/{}", report.depth, report.seldepth),
            subject.style.numbered(&report.pv).join(" ")
        ));
    }

    /// Sets the root move that is searched, until the first line of the next depth.
    pub fn set_current(&mut self, san: &str, number: usize) {
        self.current = format!("  searching move {number}: {san}");
    }

    pub fn show_status(&mut self, report: &SearchInfo) {
        self.status.set_message(format!(
            "depth {}/{}  {} nodes  {} nps{}",
            report.depth,
            report.seldepth,
            abbreviate(report.nodes),
            abbreviate(report.nps()),
            self.current
        ));
    }

    pub fn clear(self, interrupted: bool) -> io::Result<()> {
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

fn template(text: &str) -> ProgressStyle {
    ProgressStyle::with_template(text).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Formats a number with three significant digits and a unit.
fn abbreviate(number: u64) -> String {
    let units = [(1e9, 'G'), (1e6, 'M'), (1e3, 'k')];
    let Some((unit, letter)) = units.iter().find(|(unit, _)| number as f64 >= *unit) else {
        return number.to_string();
    };
    let scaled = number as f64 / unit;
    let decimals = usize::from(scaled < 100.0) + usize::from(scaled < 10.0);
    format!("{scaled:.decimals$} {letter}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;
    use crate::eval::wdl::WdlModel;
    use crate::review::style::PositionStyle;
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

    /// A terminal of [`WIDTH`] columns, which writes only at the ends of its rows. Its clones share
    /// the rows and the row of the cursor.
    #[derive(Clone, Debug, Default)]
    struct FakeTerminal(Arc<Mutex<(Vec<String>, usize)>>);

    impl FakeTerminal {
        fn edit(&self, action: impl FnOnce(&mut Vec<String>, &mut usize)) -> io::Result<()> {
            let (rows, row) = &mut *self.0.lock();
            action(rows, row);
            Ok(())
        }

        fn rows(&self) -> Vec<String> {
            let rows = &self.0.lock().0;
            rows.iter().map(|row| row.trim_end().to_owned()).collect()
        }
    }

    impl TermLike for FakeTerminal {
        fn width(&self) -> u16 {
            WIDTH as u16
        }

        fn move_cursor_up(&self, n: usize) -> io::Result<()> {
            self.edit(|_, row| *row -= n)
        }

        fn move_cursor_down(&self, n: usize) -> io::Result<()> {
            self.edit(|_, row| *row += n)
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(&format!("{text}\n"))
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.edit(|rows, row| {
                for letter in text.chars().filter(|&letter| letter != '\r') {
                    rows.resize(rows.len().max(*row + 1), String::new());
                    // A terminal wraps only when the next letter comes.
                    let is_full = rows[*row].chars().count() == WIDTH;
                    *row += usize::from(letter == '\n' || is_full);
                    if letter != '\n' {
                        rows.resize(rows.len().max(*row + 1), String::new());
                        rows[*row].push(letter);
                    }
                }
            })
        }

        fn clear_line(&self) -> io::Result<()> {
            self.edit(|rows, row| rows.get_mut(*row).into_iter().for_each(String::clear))
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn no_line_stays_on_the_terminal() {
        let pos = Position::startpos(Variant::Atomic);
        let subject = ViewSubject {
            style: PositionStyle::new(&pos, false),
            multipv: 2,
            tables: None,
            json: false,
        };
        let line = vec![pos.legal_moves()[0]];
        let mut report =
            SearchInfo::new(SearchLine::new(9, 50, line), WdlModel::for_position(&pos));
        // The search ends by itself, or by a signal with or without `^C` on the terminal, which
        // may be drawn on again before the end.
        for (interrupted, echo, redraws) in
            [(false, "", false), (true, "", false), (true, "^C", false), (true, "^C", true)]
        {
            let terminal = FakeTerminal::default();
            terminal.write_str("scores\n\n").unwrap();
            let target = ProgressDrawTarget::term_like_with_hz(Box::new(terminal.clone()), 10);
            let mut screen = LiveScreen::new(target, Box::new(terminal.clone()));
            for multipv in [1, 2] {
                report.multipv = multipv;
                screen.show_line(&subject, &report);
            }
            screen.show_status(&report);
            let rows = terminal.rows();
            assert!(rows.len() >= 5 && rows[2].contains("1.  "), "{rows:?}");
            terminal.write_str(echo).unwrap();
            if redraws {
                screen.set_current("a4", 2);
                screen.show_status(&report);
                screen.status.tick();
            }
            screen.clear(interrupted).unwrap();
            let rows = terminal.rows();
            assert_eq!(rows[0], "scores", "{echo} {redraws}: {rows:?}");
            let left = rows[1..].iter().find(|row| !row.is_empty());
            assert_eq!(left, None, "{echo} {redraws}: {rows:?}");
            assert!(terminal.0.lock().1 <= 2, "{echo} {redraws}");
        }
    }
}
