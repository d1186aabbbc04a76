//! How a match game ended: its result, and the ending for statistics and the record.
//! Invariant: the label of an ending determines it, so that a resumed match counts its recorded
//! games as it counted them when they were played.

use std::fmt;

use super::failure::{Failure, FailureKind};
use crate::rules::{Color, GameResult, OutcomeReason};

/// How a match game ended, without details.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    Rules(OutcomeReason),
    Tablebase,
    /// The maximum number of moves was reached.
    MoveLimit,
    /// Adjudicated by the scores of both players.
    DrawByScore,
    WinByScore,
    /// A failure of the loser.
    Failure(FailureKind),
    /// This side exceeded its time, but the other has no material to win.
    TimeoutDraw(Color),
}

/// The value of PGN's Termination tag for a game that a player failed to play on.
const ABANDONED: &str = "abandoned";

impl Ending {
    /// The ending in words, different for each; the key of `reasons` in the JSON output of a
    /// match and the tag `TerminationDetails` in its record.
    pub const fn label(self) -> &'static str {
        match self {
            Ending::Rules(OutcomeReason::Checkmate) => "mates",
            Ending::Rules(reason) => reason.label(),
            Ending::Tablebase => "adjudicated by tablebase",
            Ending::MoveLimit => "adjudicated as a draw after too many moves",
            Ending::DrawByScore => "adjudicated as a draw by both scores",
            Ending::WinByScore => "adjudicated as a win by both scores",
            Ending::Failure(kind) => kind.label(),
            Ending::TimeoutDraw(Color::White) => "lost on time and Black cannot win",
            Ending::TimeoutDraw(Color::Black) => "lost on time and White cannot win",
        }
    }

    pub fn all() -> impl Iterator<Item = Ending> {
        let adjudications =
            [Ending::Tablebase, Ending::MoveLimit, Ending::DrawByScore, Ending::WinByScore];
        let rules = OutcomeReason::ALL.into_iter().map(Ending::Rules);
        let failures = FailureKind::ALL.iter().copied().map(Ending::Failure);
        let timeouts = Color::ALL.into_iter().map(Ending::TimeoutDraw);
        rules.chain(adjudications).chain(failures).chain(timeouts)
    }

    pub fn from_label(label: &str) -> Option<Ending> {
        Ending::all().find(|ending| ending.label() == label)
    }

    /// The value of PGN's Termination tag.
    pub const fn termination(self) -> &'static str {
        match self {
            Ending::Rules(_) => "normal",
            Ending::Tablebase | Ending::MoveLimit | Ending::DrawByScore | Ending::WinByScore => {
                "adjudication"
            }
            Ending::TimeoutDraw(_) | Ending::Failure(FailureKind::Late) => "time forfeit",
            Ending::Failure(FailureKind::Illegal | FailureKind::MovedWhilePondering) => {
                "rules infraction"
            }
            Ending::Failure(_) => ABANDONED,
        }
    }

    /// True if a player failed to play on: it could not be started, ended or did not answer. Such
    /// a game has a result in the record, but counts for no statistics.
    pub fn is_abandoned(self) -> bool {
        self.termination() == ABANDONED
    }

    /// The side whose failure ended a game with this ending and result.
    pub fn failed_side(self, result: GameResult) -> Option<Color> {
        match self {
            Ending::Failure(_) => result.winner().map(|winner| !winner),
            Ending::TimeoutDraw(side) => Some(side),
            _ => None,
        }
    }
}

/// How a match game ended, with its result. As text: the side, the ending and details.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameEnd {
    pub ending: Ending,
    pub result: GameResult,
    /// The label of the ending, or the text of the failure.
    pub reason: String,
}

impl GameEnd {
    pub fn new(ending: Ending, result: GameResult) -> GameEnd {
        GameEnd { ending, result, reason: ending.label().to_owned() }
    }

    pub fn by_failure(loser: Color, failure: &Failure) -> GameEnd {
        GameEnd {
            ending: Ending::Failure(failure.kind),
            result: GameResult::Win(!loser),
            reason: failure.to_string(),
        }
    }

    pub fn failed_side(&self) -> Option<Color> {
        self.ending.failed_side(self.result)
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.ending, self.result, self.failed_side()) {
            (Ending::Rules(OutcomeReason::Checkmate), GameResult::Win(winner), _) => {
                write!(f, "{winner} ")?;
            }
            (Ending::Rules(_), GameResult::Win(winner), _) => write!(f, "{}'s ", !winner)?,
            (_, _, Some(side)) => write!(f, "{side} ")?,
            _ => {}
        }
        f.write_str(&self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_move_is_shortened_and_a_draw_on_time_names_both_sides() {
        let failure = Failure::illegal("a: {b}\n0123456789abcdef");
        let text = GameEnd::by_failure(Color::White, &failure).to_string();
        let expected = "White played an illegal move: a: {b}?0123456789abc…";
        assert_eq!(text, expected);
        let draw = GameEnd::new(Ending::TimeoutDraw(Color::Black), GameResult::Draw);
        assert_eq!(draw.failed_side(), Some(Color::Black));
        assert_eq!(draw.to_string(), "Black lost on time and White cannot win");
    }
}
