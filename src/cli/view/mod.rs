//! Prints the analysis of a position: lines updated in place on a terminal, one line per depth
//! otherwise, or one JSON object per line.
//! Invariant: the first failed write stops the search, and `close` returns its error.

pub mod json;
mod live;
mod text;

use std::io;

use parking_lot::Mutex;

use super::args::NotationStyle;
use super::output::print_warning;
use crate::eval::wdl::DisplayScore;
use crate::notation::san;
use crate::rules::{Color, Move, Outcome, Position};
use crate::search::{Bound, Control, Listener, Report, Summary};

/// How the moves and scores of a position are written.
#[derive(Clone, Copy)]
pub struct PositionStyle<'a> {
    pub pos: &'a Position,
    pub notation: NotationStyle,
    /// Scores are from White's point of view instead of that of the side to move.
    from_white: bool,
}

impl<'a> PositionStyle<'a> {
    /// With scores from the point of view of the side to move.
    pub fn new(pos: &'a Position, notation: NotationStyle) -> PositionStyle<'a> {
        PositionStyle {
            pos,
            notation,
            from_white: false,
        }
    }

    /// With scores from White's point of view if `from_white` is set.
    pub fn with_white(self, from_white: bool) -> PositionStyle<'a> {
        PositionStyle { from_white, ..self }
    }

    fn is_negated(&self) -> bool {
        self.from_white && self.pos.side_to_move() == Color::Black
    }

    /// A score of the side to move, from the point of view in which it is shown.
    pub fn score(&self, score: DisplayScore) -> DisplayScore {
        match score {
            score if !self.is_negated() => score,
            DisplayScore::Centipawns(cp) => DisplayScore::Centipawns(-cp),
            DisplayScore::Mate(moves) => DisplayScore::Mate(-moves),
        }
    }

    /// What the score of a report bounds, from the point of view in which it is shown.
    fn bound(&self, bound: Bound) -> Bound {
        match bound {
            Bound::Lower if self.is_negated() => Bound::Upper,
            Bound::Upper if self.is_negated() => Bound::Lower,
            bound => bound,
        }
    }

    /// The moves of a line in coordinate notation.
    pub fn uci(&self, line: &[Move]) -> Vec<String> {
        line.iter().map(|&mv| self.notation.uci(mv)).collect()
    }

    /// The moves of a line in SAN.
    pub fn san(&self, line: &[Move]) -> Vec<String> {
        san::write_line(self.pos, line)
    }
}

/// The search that is shown.
pub struct ViewSubject<'a> {
    pub style: PositionStyle<'a>,
    /// The number of lines to show.
    pub multipv: usize,
    /// The description of the tablebases, if any.
    pub tables: Option<String>,
}

/// Prints an analysis in one of the formats: `begin` comes first, and `end` or `over` last.
trait Renderer: Send {
    /// Called before the search.
    fn begin(&mut self, subject: &ViewSubject) -> io::Result<()>;

    /// Called for each report of the search.
    fn line(&mut self, subject: &ViewSubject, report: &Report) -> io::Result<()>;

    /// Called when the search of a root move starts.
    fn current_move(&mut self, _subject: &ViewSubject, _mv: Move, _number: usize) {}

    /// Called after the search, which Ctrl-C may have stopped.
    fn end(&mut self, subject: &ViewSubject, found: &Summary, interrupted: bool) -> io::Result<()>;

    /// Called instead of a search if the game is over.
    fn over(&mut self, subject: &ViewSubject, outcome: Outcome) -> io::Result<()>;
}

/// The output format.
#[derive(Clone, Copy)]
pub enum ViewFormat {
    Text {
        /// Lines are updated in place on a terminal.
        is_live: bool,
    },
    Json,
}

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
    /// Creates the view of a search; `control` stops that search.
    pub fn new(
        subject: &'a ViewSubject,
        format: ViewFormat,
        control: &'a Control,
    ) -> AnalysisView<'a> {
        let renderer: Box<dyn Renderer> = match format {
            ViewFormat::Text { is_live } => Box::new(text::TextView::new(is_live)),
            ViewFormat::Json => Box::new(json::JsonView),
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
    pub fn close(self, summary: &Summary, interrupted: bool) -> io::Result<()> {
        let mut state = self.state.into_inner();
        if let Some(error) = state.error {
            return Err(error);
        }
        state.renderer.end(self.subject, summary, interrupted)?;
        state.warnings.iter().for_each(print_warning);
        Ok(())
    }

    /// Prints the outcome of a finished game.
    pub fn close_over(self, outcome: Outcome) -> io::Result<()> {
        self.state.into_inner().renderer.over(self.subject, outcome)
    }
}

impl Listener for AnalysisView<'_> {
    fn report(&self, report: &Report) {
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

/// A score in pawns, or `#3` for mate in three moves.
pub fn score_text(score: DisplayScore) -> String {
    match score {
        DisplayScore::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        DisplayScore::Mate(moves) => format!("#{moves}"),
    }
}
