//! Prints the analysis of a position: lines updated in place on a terminal, one line per depth
//! otherwise, or one JSON object per line.
//! Invariant: the first failed write stops the search, and `close` returns its error.

mod live;
mod subject;
mod text;

use std::io;

use parking_lot::Mutex;

use super::{board, print_json, print_warning};
use crate::notation::san;
use crate::review::json::JsonLine;
use crate::rules::Move;
use crate::search::{Bound, Control, Listener, SearchInfo, SearchResult};
use live::LiveScreen;
pub use subject::ViewSubject;
pub use text::{refutation_text, write_over};

pub struct AnalysisView<'a> {
    subject: ViewSubject<'a>,
    control: &'a Control,
    state: Mutex<ViewState>,
}

struct ViewState {
    /// On a terminal.
    screen: Option<LiveScreen>,
    /// The latest exact report of each PV, if lines are updated in place.
    lines: Vec<SearchInfo>,
    /// Warnings about tablebases, printed after the search so they do not mix with its lines.
    warnings: Vec<String>,
    written: io::Result<()>,
}

impl<'a> AnalysisView<'a> {
    /// Prints what comes before the search.
    pub fn open(subject: ViewSubject<'a>, control: &'a Control) -> io::Result<AnalysisView<'a>> {
        let is_live = !subject.json && board::is_interactive();
        if !subject.json {
            text::write_begin(&subject, is_live)?;
        }
        Ok(AnalysisView {
            subject,
            control,
            state: Mutex::new(ViewState {
                screen: is_live.then(LiveScreen::on_stdout),
                lines: Vec::new(),
                warnings: Vec::new(),
                written: Ok(()),
            }),
        })
    }

    /// Prints the result of the search, which Ctrl-C may have stopped.
    pub fn close(self, found: &SearchResult, interrupted: bool) -> io::Result<()> {
        let state = self.state.into_inner();
        state.written?;
        if let Some(screen) = state.screen {
            screen.clear(interrupted)?;
        }
        if self.subject.json {
            print_json(&JsonLine::result(self.subject.style, Some(found)))?;
        } else {
            text::write_result(&self.subject, &state.lines, found)?;
        }
        state.warnings.iter().for_each(print_warning);
        Ok(())
    }
}

impl ViewState {
    fn show(&mut self, subject: &ViewSubject, report: &SearchInfo) -> io::Result<()> {
        let is_exact = report.bound == Bound::Exact;
        if subject.json {
            print_json(&JsonLine::info(subject.style, report))?;
        } else if let Some(screen) = &mut self.screen {
            screen.show_line(subject, report);
            screen.show_status(report);
            if is_exact {
                self.lines.retain(|old| old.multipv != report.multipv);
                self.lines.push(report.clone());
                self.lines.sort_by_key(|line| line.multipv);
            }
        } else if is_exact {
            text::write_report(subject, report)?;
        }
        Ok(())
    }
}

impl Listener for AnalysisView<'_> {
    fn report(&self, report: &SearchInfo) {
        let mut state = self.state.lock();
        if state.written.is_ok() {
            state.written = state.show(&self.subject, report);
            if state.written.is_err() {
                self.control.stop();
            }
        }
    }

    fn current_move(&self, _depth: i32, mv: Move, number: usize) {
        let state = &mut *self.state.lock();
        if let (Some(screen), Some(report)) = (&mut state.screen, state.lines.last()) {
            screen.set_current(&san::write(self.subject.style.pos, mv), number);
            screen.show_status(report);
        }
    }

    fn warning(&self, text: &str) {
        self.state.lock().warnings.push(text.to_owned());
    }
}
