//! How a match game ended: its result, and the ending for statistics and the record.
//! Invariant: the label of an ending determines it, so that a resumed match counts its recorded
//! games as it counted them when they were played.

use std::fmt;

use super::failure::{Failure, FailureKind};
use crate::rules::{Color, GameResult, Outcome, OutcomeReason};

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

    fn all() -> impl Iterator<Item = Ending> {
        let adjudications = [
            Ending::Tablebase,
            Ending::MoveLimit,
            Ending::DrawByScore,
            Ending::WinByScore,
        ];
        let rules = OutcomeReason::ALL.into_iter().map(Ending::Rules);
        let failures = FailureKind::ALL.into_iter().map(Ending::Failure);
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
        GameEnd {
            ending,
            result,
            reason: ending.label().to_owned(),
        }
    }

    pub fn by_rules(outcome: Outcome) -> GameEnd {
        GameEnd::new(Ending::Rules(outcome.reason()), outcome.result())
    }

    /// The end by a failure of `loser`.
    pub fn by_failure(loser: Color, failure: &Failure) -> GameEnd {
        GameEnd {
            ending: Ending::Failure(failure.kind),
            result: GameResult::Win(!loser),
            reason: failure.to_string(),
        }
    }

    /// The side whose failure ended the game.
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
pub(super) mod tests {
    use std::collections::HashSet;

    use super::super::failure::CrashPhase;
    use super::*;

    /// Ends of every kind, with their text.
    pub fn examples() -> Vec<(GameEnd, &'static str)> {
        use Color::{Black, White};
        let draw = |reason| GameEnd::new(Ending::Rules(reason), GameResult::Draw);
        let win = |winner, reason| GameEnd::new(Ending::Rules(reason), GameResult::Win(winner));
        let adjudicated = |ending| GameEnd::new(ending, GameResult::Win(White));
        let late = |side| GameEnd::new(Ending::TimeoutDraw(side), GameResult::Draw);
        let failed = |kind: FailureKind| GameEnd::by_failure(White, &kind.into());
        let died = |phase| failed(FailureKind::Died(phase));
        let stalled = Failure::with_details(FailureKind::Stalled, "no uciok within 1s");
        vec![
            (
                win(Black, OutcomeReason::Explosion),
                "White's king exploded",
            ),
            (win(Black, OutcomeReason::Checkmate), "Black mates"),
            (draw(OutcomeReason::Stalemate), "stalemate"),
            (
                draw(OutcomeReason::InsufficientMaterial),
                "insufficient material",
            ),
            (draw(OutcomeReason::FiftyMoves), "fifty moves"),
            (draw(OutcomeReason::Repetition), "threefold repetition"),
            (adjudicated(Ending::Tablebase), "adjudicated by tablebase"),
            (
                adjudicated(Ending::MoveLimit),
                "adjudicated as a draw after too many moves",
            ),
            (
                adjudicated(Ending::DrawByScore),
                "adjudicated as a draw by both scores",
            ),
            (
                adjudicated(Ending::WinByScore),
                "adjudicated as a win by both scores",
            ),
            (died(CrashPhase::BeforeGame), "White died before the game"),
            (died(CrashPhase::BeforeUciok), "White died before uciok"),
            (died(CrashPhase::BeforeReadyok), "White died before readyok"),
            (died(CrashPhase::Thinking), "White died while thinking"),
            (died(CrashPhase::Panic), "White died of a panic"),
            (
                GameEnd::by_failure(White, &stalled),
                "White stalled: no uciok within 1s",
            ),
            (failed(FailureKind::Late), "White lost on time"),
            (
                GameEnd::by_failure(Black, &Failure::illegal("a: {b}\n0123456789abcdef")),
                "Black played an illegal move: a: {b}?0123456789abc…",
            ),
            (
                GameEnd::by_failure(Black, &Failure::illegal("")),
                "Black played an illegal move: none named",
            ),
            (
                failed(FailureKind::MovedWhilePondering),
                "White moved while pondering",
            ),
            (failed(FailureKind::NotStarted), "White cannot be started"),
            (
                failed(FailureKind::NoVariant),
                "White does not play the variant",
            ),
            (
                failed(FailureKind::NoChess960),
                "White has no option UCI_Chess960",
            ),
            (failed(FailureKind::BadOption), "White rejects an option"),
            (failed(FailureKind::Stopped), "White was stopped"),
            (late(Black), "Black lost on time and White cannot win"),
            (late(White), "White lost on time and Black cannot win"),
        ]
    }

    #[test]
    fn the_label_of_an_ending_determines_it() {
        let labels: HashSet<&str> = Ending::all().map(Ending::label).collect();
        assert_eq!(labels.len(), Ending::all().count());
        let seen: HashSet<Ending> = examples().iter().map(|(end, _)| end.ending).collect();
        assert_eq!(seen, Ending::all().collect());
        for (end, text) in examples() {
            assert_eq!(end.to_string(), text);
            assert_eq!(Ending::from_label(end.ending.label()), Some(end.ending));
        }
    }

    #[test]
    fn only_failures_name_a_failed_side() {
        let sides = examples().into_iter().filter_map(|(end, text)| {
            let side = end.failed_side()?;
            Some(text.starts_with(&format!("{side} ")))
        });
        assert_eq!(sides.filter(|&is_named| is_named).count(), 17);
        let end = GameEnd::new(Ending::Tablebase, GameResult::Win(Color::White));
        assert_eq!(end.failed_side(), None);
    }
}
