//! Prints the analysis of a position: lines updated in place on a terminal, one line per depth
//! otherwise, or one JSON object per line.
//! Invariant: the first failed write stops the search, and `close` returns its error.

pub(in crate::cli) mod json;
mod live;
mod plain;

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::args::NotationStyle;
use super::output::print_warning;
use crate::eval::wdl::DisplayScore;
use crate::rules::{Move, Outcome, Position};
use crate::search::{Bound, Control, Listener, Report, Summary};

/// The position under analysis.
pub struct ViewSubject {
    /// The position, with its history.
    pub pos: Position,
    /// The notation of its moves.
    pub notation: NotationStyle,
    /// The number of lines to show.
    pub multipv: usize,
    /// The description of the tablebases, if any.
    pub tables: Option<String>,
}

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

/// The result of an analysis.
struct SearchOutcome<'a> {
    summary: &'a Summary,
    /// The best line; starts with the best move.
    pv: Vec<Move>,
    /// True if Ctrl-C stopped the search.
    interrupted: bool,
}

/// Prints an analysis in one of the formats.
trait Renderer: Send {
    /// Called before the search.
    fn begin(&mut self, subject: &ViewSubject) -> io::Result<()>;

    /// Called for each report of the search.
    fn line(&mut self, subject: &ViewSubject, report: &Report) -> io::Result<()>;

    /// Called when the search of a root move starts.
    fn current_move(&mut self, _subject: &ViewSubject, _mv: Move, _number: usize) {}

    /// Called after the search.
    fn end(&mut self, subject: &ViewSubject, found: &SearchOutcome) -> io::Result<()>;

    /// Called instead of a search if the game is over.
    fn over(&mut self, subject: &ViewSubject, outcome: Outcome) -> io::Result<()>;
}

/// Prints the reports of one search.
pub struct AnalysisView<'a> {
    subject: &'a ViewSubject,
    control: &'a Control,
    state: Mutex<ViewState>,
}

struct ViewState {
    show: Box<dyn Renderer>,
    best_line: Vec<Move>,
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
                best_line: Vec::new(),
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
        self.state().show.begin(self.subject)
    }

    /// Prints the result of a finished or interrupted search.
    ///
    /// # Errors
    /// The first failed write, during the search or now.
    pub fn close(self, summary: &Summary, interrupted: bool) -> io::Result<()> {
        let mut state = self.state();
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        let mut pv = std::mem::take(&mut state.best_line);
        if pv.first() != summary.best_move.as_ref() {
            pv = summary
                .best_move
                .into_iter()
                .chain(summary.ponder_move)
                .collect();
        }
        let found = SearchOutcome {
            summary,
            pv,
            interrupted,
        };
        state.show.end(self.subject, &found)?;
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
        self.state().show.over(self.subject, outcome)
    }

    fn state(&self) -> MutexGuard<'_, ViewState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for AnalysisView<'_> {
    fn report(&self, report: &Report) {
        let mut state = self.state();
        if state.error.is_some() {
            return;
        }
        if report.bound == Bound::Exact && report.multipv == 1 {
            state.best_line.clone_from(&report.pv);
        }
        if let Err(error) = state.show.line(self.subject, report) {
            state.error = Some(error);
            self.control.stop();
        }
    }

    fn current_move(&self, _depth: i32, mv: Move, number: usize) {
        self.state().show.current_move(self.subject, mv, number);
    }

    fn warning(&self, text: &str) {
        self.state().warnings.push(text.to_owned());
    }
}

/// A score in pawns, or `#3` for mate in three moves.
pub(in crate::cli) fn score_text(score: DisplayScore) -> String {
    match score {
        DisplayScore::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        DisplayScore::Mate(moves) => format!("#{moves}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_in_pawns_or_moves_to_mate() {
        assert_eq!(score_text(DisplayScore::Centipawns(35)), "+0.35");
        assert_eq!(score_text(DisplayScore::Centipawns(-1204)), "-12.04");
        assert_eq!(score_text(DisplayScore::Centipawns(0)), "+0.00");
        assert_eq!(score_text(DisplayScore::Mate(3)), "#3");
        assert_eq!(score_text(DisplayScore::Mate(-2)), "#-2");
    }
}
