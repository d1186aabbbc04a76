//! Prints the analysis of a position: lines updated in place on a terminal, one line per depth
//! otherwise, or one JSON object per line.
//! Invariant: the first failed write stops the search, and `close` returns its error.

pub mod json;
mod live;
mod renderer;
mod text;

use std::io;

use parking_lot::Mutex;

use super::board;
use super::output::print_warning;
use crate::rules::{Move, Outcome};
use crate::search::{Control, Listener, SearchInfo, SearchResult};
use renderer::Renderer;
pub use renderer::{PositionStyle, ViewSubject};

/// Prints the reports of one search.
pub struct AnalysisView<'a> {
    subject: &'a ViewSubject<'a>,
    control: &'a Control,
    state: Mutex<ViewState>,
}

struct ViewState {
    renderer: Box<dyn Renderer>,
    /// Warnings about tablebases, printed after the search so they do not mix with its lines.
    warnings: Vec<String>,
    error: Option<io::Error>,
}

impl<'a> AnalysisView<'a> {
    /// Creates the view of a search, in JSON or as text; `control` stops that search.
    pub fn new(subject: &'a ViewSubject, json: bool, control: &'a Control) -> AnalysisView<'a> {
        let renderer: Box<dyn Renderer> = if json {
            Box::new(json::JsonView)
        } else {
            Box::new(text::TextView::new(board::is_interactive()))
        };
        AnalysisView {
            subject,
            control,
            state: Mutex::new(ViewState {
                renderer,
                warnings: Vec::new(),
                error: None,
            }),
        }
    }

    /// Prints the position.
    pub fn open(&self) -> io::Result<()> {
        self.state.lock().renderer.begin(self.subject)
    }

    /// Prints the result of a finished or interrupted search.
    pub fn close(self, found: &SearchResult, interrupted: bool) -> io::Result<()> {
        let mut state = self.state.into_inner();
        if let Some(error) = state.error {
            return Err(error);
        }
        state.renderer.end(self.subject, found, interrupted)?;
        state.warnings.iter().for_each(print_warning);
        Ok(())
    }

    /// Prints the outcome of a finished game.
    pub fn close_over(self, outcome: Outcome) -> io::Result<()> {
        self.state.into_inner().renderer.over(self.subject, outcome)
    }
}

impl Listener for AnalysisView<'_> {
    fn report(&self, report: &SearchInfo) {
        let mut state = self.state.lock();
        if state.error.is_some() {
            return;
        }
        if let Err(error) = state.renderer.line(self.subject, report) {
            state.error = Some(error);
            self.control.stop();
        }
    }

    fn current_move(&self, _depth: i32, mv: Move, number: usize) {
        let mut state = self.state.lock();
        state.renderer.current_move(self.subject, mv, number);
    }

    fn warning(&self, text: &str) {
        self.state.lock().warnings.push(text.to_owned());
    }
}
