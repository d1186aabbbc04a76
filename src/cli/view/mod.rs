//! How an analysis is shown: lines that update in place on a terminal, one line a depth in
//! a pipe, one JSON object a line for programs.
//! Invariant: the first write that fails stops the search, and `close` returns its error.

pub(in crate::cli) mod json;
mod live;
mod plain;

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::args::Spelling;
use crate::eval::wdl::Shown;
use crate::rules::{Move, Outcome, Position};
use crate::search::{Bound, Control, Listener, Report, Summary};

/// What is analysed.
pub struct Subject {
    /// The position, with the moves that led to it.
    pub pos: Position,
    /// How its moves are written.
    pub spelling: Spelling,
    /// How many lines are wanted.
    pub multipv: usize,
    /// The tablebases in words, if there are any.
    pub tables: Option<String>,
}

/// Who reads the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Someone at a terminal.
    Live,
    /// A pipe or a file.
    Plain,
    /// A program.
    Json,
}

/// What an analysis came to.
struct Found<'a> {
    summary: &'a Summary,
    /// The best line as far as it is known; starts with the best move.
    pv: Vec<Move>,
    /// The user ended the search.
    interrupted: bool,
}

/// One way of showing an analysis.
trait Show: Send {
    /// The position is about to be searched.
    fn begin(&mut self, subject: &Subject) -> io::Result<()>;

    /// A line was found, or bounded.
    fn line(&mut self, subject: &Subject, report: &Report) -> io::Result<()>;

    /// This root move is being searched.
    fn current_move(&mut self, _subject: &Subject, _mv: Move, _number: usize) {}

    /// The search has ended.
    fn end(&mut self, subject: &Subject, found: &Found) -> io::Result<()>;

    /// There is nothing to search: the game is over.
    fn over(&mut self, subject: &Subject, outcome: Outcome) -> io::Result<()>;
}

/// Receives the reports of one search and shows them.
pub struct View<'a> {
    subject: &'a Subject,
    control: &'a Control,
    state: Mutex<State>,
}

struct State {
    show: Box<dyn Show>,
    best_line: Vec<Move>,
    /// What is wrong with tablebases; told at the end, so as not to break into the lines.
    faults: Vec<String>,
    failure: Option<io::Error>,
}

impl<'a> View<'a> {
    /// A view of the search that `control` stops.
    pub fn new(subject: &'a Subject, form: Form, control: &'a Control) -> View<'a> {
        let show: Box<dyn Show> = match form {
            Form::Live => Box::new(live::Live::default()),
            Form::Plain => Box::new(plain::Plain),
            Form::Json => Box::new(json::Json),
        };
        View {
            subject,
            control,
            state: Mutex::new(State {
                show,
                best_line: Vec::new(),
                faults: Vec::new(),
                failure: None,
            }),
        }
    }

    /// Shows what will be searched.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(&self) -> io::Result<()> {
        self.state().show.begin(self.subject)
    }

    /// Shows what the search came to, or had come to when the user interrupted it.
    ///
    /// # Errors
    /// The first write that failed, during the search or now.
    pub fn close(self, summary: &Summary, interrupted: bool) -> io::Result<()> {
        let mut state = self.state();
        if let Some(failure) = state.failure.take() {
            return Err(failure);
        }
        let mut pv = std::mem::take(&mut state.best_line);
        if pv.first() != summary.best.as_ref() {
            pv = summary.best.into_iter().chain(summary.ponder).collect();
        }
        let found = Found {
            summary,
            pv,
            interrupted,
        };
        state.show.end(self.subject, &found)?;
        for fault in &state.faults {
            writeln!(io::stderr(), "warning: {fault}")?;
        }
        Ok(())
    }

    /// Shows that there is nothing to search.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn close_over(self, outcome: Outcome) -> io::Result<()> {
        self.state().show.over(self.subject, outcome)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for View<'_> {
    fn report(&self, report: &Report) {
        let mut state = self.state();
        if state.failure.is_some() {
            return;
        }
        if report.bound == Bound::Exact && report.multipv == 1 {
            state.best_line.clone_from(&report.pv);
        }
        if let Err(failure) = state.show.line(self.subject, report) {
            state.failure = Some(failure);
            self.control.stop();
        }
    }

    fn current_move(&self, _depth: i32, mv: Move, number: usize) {
        self.state().show.current_move(self.subject, mv, number);
    }

    fn fault(&self, text: &str) {
        self.state().faults.push(text.to_owned());
    }
}

/// A score in pawns, or `#3` for a win in three moves.
pub(in crate::cli) fn score_text(shown: Shown) -> String {
    match shown {
        Shown::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Shown::Mate(moves) => format!("#{moves}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_as_text() {
        assert_eq!(score_text(Shown::Centipawns(35)), "+0.35");
        assert_eq!(score_text(Shown::Centipawns(-1204)), "-12.04");
        assert_eq!(score_text(Shown::Centipawns(0)), "+0.00");
        assert_eq!(score_text(Shown::Mate(3)), "#3");
        assert_eq!(score_text(Shown::Mate(-2)), "#-2");
    }
}
