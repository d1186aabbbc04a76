//! What every output format of an analysis implements, and what it receives.
//! Invariant: `begin` comes first, and `end` or `over` last.

use std::io;

use crate::cli::args::NotationStyle;
use crate::eval::score;
use crate::eval::wdl::DisplayScore;
use crate::rules::{Color, Move, Outcome, Position};
use crate::search::{SearchInfo, SearchResult};

/// The position under analysis.
pub struct ViewSubject {
    /// The position, with its history.
    pub pos: Position,
    /// The notation of its moves.
    pub notation: NotationStyle,
    /// Scores are from White's point of view instead of that of the side to move.
    pub from_white: bool,
    /// The number of lines to show.
    pub multipv: usize,
    /// The description of the tablebases, if any.
    pub tables: Option<String>,
}

impl ViewSubject {
    /// True if scores are shown from the point of view of the side that is not to move.
    pub fn is_negated(&self) -> bool {
        self.from_white && self.pos.side_to_move() == Color::Black
    }

    /// A score from the point of view in which it is shown.
    pub fn shown(&self, score: DisplayScore) -> DisplayScore {
        perspective(score, &self.pos, self.from_white)
    }
}

/// A score of the side to move, from White's point of view if `from_white` is set.
pub fn perspective(score: DisplayScore, pos: &Position, from_white: bool) -> DisplayScore {
    if from_white {
        score::relative_to(score, pos.side_to_move())
    } else {
        score
    }
}

/// Prints an analysis in one of the formats.
pub trait Renderer: Send {
    /// Called before the search.
    fn begin(&mut self, subject: &ViewSubject) -> io::Result<()>;

    /// Called for each report of the search.
    fn line(&mut self, subject: &ViewSubject, report: &SearchInfo) -> io::Result<()>;

    /// Called when the search of a root move starts.
    fn current_move(&mut self, _subject: &ViewSubject, _mv: Move, _number: usize) {}

    /// Called after the search; `interrupted` if Ctrl-C stopped it.
    fn end(
        &mut self,
        subject: &ViewSubject,
        found: &SearchResult,
        interrupted: bool,
    ) -> io::Result<()>;

    /// Called instead of a search if the game is over.
    fn over(&mut self, subject: &ViewSubject, outcome: Outcome) -> io::Result<()>;
}
