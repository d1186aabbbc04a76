//! Prints the analysis of a position: lines updated in place on a terminal, one line per depth
//! otherwise, or one JSON object per line.
//! Invariant: the first failed write stops the search, and `close` returns its error.

pub mod json;
mod live;
mod plain;
mod renderer;

use std::io;

use parking_lot::Mutex;

use super::output::print_warning;
use crate::rules::{Move, Outcome};
use crate::search::{Control, Listener, SearchInfo, SearchResult};
use renderer::Renderer;
pub(in crate::cli) use renderer::{ViewSubject, perspective};

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViewFormat {
    /// Lines updated in place on a terminal.
    Live,
    /// Plain lines.
    Plain,
    /// JSON.
    Json,
}

/// Prints the reports of one search.
pub struct AnalysisView<'a> {
    subject: &'a ViewSubject,
    control: &'a Control,
    state: Mutex<ViewState>,
}

struct ViewState {
    show: Box<dyn Renderer>,
    /// Warnings about tablebases, printed after the search so they do not mix with its lines.
    warnings: Vec<String>,
    error: Option<io::Error>,
}

impl<'a> AnalysisView<'a> {
    /// Creates the view of a search; `control` stops that search.
    pub fn new(
        subject: &'a ViewSubject,
        form: ViewFormat,
        control: &'a Control,
    ) -> AnalysisView<'a> {
        let show: Box<dyn Renderer> = match form {
            ViewFormat::Live => Box::new(live::LiveView::default()),
            ViewFormat::Plain => Box::new(plain::PlainView),
            ViewFormat::Json => Box::new(json::JsonView),
        };
        AnalysisView {
            subject,
            control,
            state: Mutex::new(ViewState {
                show,
                warnings: Vec::new(),
                error: None,
            }),
        }
    }

    /// Prints the position.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn open(&self) -> io::Result<()> {
        self.state.lock().show.begin(self.subject)
    }

    /// Prints the result of a finished or interrupted search.
    ///
    /// # Errors
    /// The first failed write, during the search or now.
    pub fn close(self, found: &SearchResult, interrupted: bool) -> io::Result<()> {
        let mut state = self.state.lock();
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        state.show.end(self.subject, found, interrupted)?;
        for warning in &state.warnings {
            print_warning(warning);
        }
        Ok(())
    }

    /// Prints the outcome of a finished game.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn close_over(self, outcome: Outcome) -> io::Result<()> {
        self.state.lock().show.over(self.subject, outcome)
    }
}

impl Listener for AnalysisView<'_> {
    fn report(&self, report: &SearchInfo) {
        let mut state = self.state.lock();
        if state.error.is_some() {
            return;
        }
        if let Err(error) = state.show.line(self.subject, report) {
            state.error = Some(error);
            self.control.stop();
        }
    }

    fn current_move(&self, _depth: i32, mv: Move, number: usize) {
        self.state
            .lock()
            .show
            .current_move(self.subject, mv, number);
    }

    fn warning(&self, text: &str) {
        self.state.lock().warnings.push(text.to_owned());
    }
}
