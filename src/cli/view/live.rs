//! The lines of an analysis and its status line on a terminal, updated in place.
//! Invariant: when the search ends, nothing of them stays.

use std::io;
use std::time::Duration;

use console::Term;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use super::{ViewSubject, score_text, text};
use crate::search::{Bound, Report};

const FRAMES_PER_SECOND: u8 = 10;

/// The part of the terminal that is redrawn.
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
        LiveScreen {
            all,
            lines: Vec::new(),
            status,
            current: String::new(),
            terminal,
        }
    }

    pub fn show_line(&mut self, subject: &ViewSubject, report: &Report) {
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
            "{:>3}. {bound}{:>7}  {:>6}  {}",
            report.multipv,
            score_text(subject.style.score(report.display_score())),
            format!("{}/{}", report.depth, report.seldepth),
            text::numbered_words(subject, &report.pv).join(" ")
        ));
    }

    /// Sets the root move that is searched, until the first line of the next depth.
    pub fn set_current(&mut self, san: &str, number: usize) {
        self.current = format!("  searching move {number}: {san}");
    }

    pub fn show_status(&mut self, report: &Report) {
        self.status.set_message(format!(
            "depth {}/{}  {} nodes  {} nps{}",
            report.depth,
            report.seldepth,
            abbreviate(report.nodes),
            abbreviate(report.nps()),
            self.current
        ));
    }

    /// Removes all lines.
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
    use crate::cli::args::NotationStyle;
    use crate::cli::view::PositionStyle;
    use crate::eval::wdl::WdlModel;
    use crate::rules::{Position, Variant};

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

    #[test]
    fn no_line_stays_on_the_terminal() {
        let pos = Position::startpos(Variant::Atomic);
        let subject = ViewSubject {
            style: PositionStyle::new(&pos, NotationStyle { chess960: false }),
            multipv: 2,
            tables: None,
        };
        let line = vec![pos.legal_moves()[0]];
        let mut report = Report::single(9, 50, WdlModel::for_position(&pos), line);
        // The search ends by itself, or by a signal with or without `^C` on the terminal, which
        // may be drawn on again before the end.
        for (interrupted, echo, redraws) in [
            (false, "", false),
            (true, "", false),
            (true, "^C", false),
            (true, "^C", true),
        ] {
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
            assert!(terminal.0.lock().row <= 2, "{echo} {redraws}");
        }
    }
}
