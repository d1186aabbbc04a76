//! Prints the analysis of a position: lines updated in place on a terminal, one line per depth
//! otherwise, or one JSON object per line.
//! Invariant: the first failed write stops the search, and `close` returns its error.

pub mod json;
mod live;
mod renderer;
mod text;

use std::io;

use parking_lot::Mutex;

use super::{board, print_warning};
use crate::rules::Move;
use crate::search::{Control, Listener, SearchInfo, SearchResult};
pub use renderer::{PositionStyle, Renderer, ViewSubject};
pub use text::refutation_text;

pub fn renderer<'a>(subject: ViewSubject<'a>, json: bool) -> Box<dyn Renderer + 'a> {
    if json {
        Box::new(json::JsonView(subject.style))
    } else {
        Box::new(text::TextView::new(subject, board::is_interactive()))
    }
}

pub struct AnalysisView<'a> {
    control: &'a Control,
    state: Mutex<ViewState<'a>>,
}

struct ViewState<'a> {
    renderer: Box<dyn Renderer + 'a>,
    /// Warnings about tablebases, printed after the search so they do not mix with its lines.
    warnings: Vec<String>,
    written: io::Result<()>,
}

impl<'a> AnalysisView<'a> {
    pub fn new(renderer: Box<dyn Renderer + 'a>, control: &'a Control) -> AnalysisView<'a> {
        AnalysisView {
            control,
            state: Mutex::new(ViewState {
                renderer,
                warnings: Vec::new(),
                written: Ok(()),
            }),
        }
    }

    pub fn close(self, found: &SearchResult, interrupted: bool) -> io::Result<()> {
        let mut state = self.state.into_inner();
        state.written?;
        state.renderer.end(found, interrupted)?;
        state.warnings.iter().for_each(print_warning);
        Ok(())
    }
}

impl Listener for AnalysisView<'_> {
    fn report(&self, report: &SearchInfo) {
        let mut state = self.state.lock();
        if state.written.is_ok() {
            state.written = state.renderer.line(report);
            if state.written.is_err() {
                self.control.stop();
            }
        }
    }

    fn current_move(&self, _depth: i32, mv: Move, number: usize) {
        self.state.lock().renderer.current_move(mv, number);
    }

    fn warning(&self, text: &str) {
        self.state.lock().warnings.push(text.to_owned());
    }
}
