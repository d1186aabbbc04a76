//! How a match game ended: its result, the reason in words, and the category for statistics.
//! Invariant: the label of a category determines the category, so that a resumed match counts
//! its recorded games as it counted them when they were played.

use std::fmt;

use super::turn::{Failure, FailureCategory};
use crate::rules::{Color, GameResult, Outcome, OutcomeReason};

/// How a match game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameEnd {
    /// By the rules.
    Rules(Outcome),
    /// By the tablebases, which give this result.
    Tablebase(GameResult),
    /// As a draw after the maximum number of moves.
    MoveLimit,
    /// As a draw by the scores of both players.
    DrawByScore,
    /// As a win of this side by the scores of both players.
    WinByScore(Color),
    /// By a failure of this side, which loses.
    Failure(Color, Failure),
    /// This side exceeded its time, but the other has no material to win: a draw.
    TimeoutDraw(Color),
}

/// A [`GameEnd`] without the side and without details, for statistics.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndCategory {
    /// By the rules, for this reason.
    Rules(OutcomeReason),
    /// [`GameEnd::Tablebase`].
    Tablebase,
    /// [`GameEnd::MoveLimit`].
    MoveLimit,
    /// [`GameEnd::DrawByScore`].
    DrawByScore,
    /// [`GameEnd::WinByScore`].
    WinByScore,
    /// By a failure of the loser.
    Failure(FailureCategory),
    /// [`GameEnd::TimeoutDraw`]; the side is the one that exceeded its time.
    TimeoutDraw(Color),
}

/// The values of PGN's Termination tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Termination {
    Normal,
    Adjudication,
    TimeForfeit,
    RulesInfraction,
    Abandoned,
}

impl Termination {
    pub const fn tag(self) -> &'static str {
        match self {
            Termination::Normal => "normal",
            Termination::Adjudication => "adjudication",
            Termination::TimeForfeit => "time forfeit",
            Termination::RulesInfraction => "rules infraction",
            Termination::Abandoned => "abandoned",
        }
    }
}

impl EndCategory {
    /// All categories.
    pub fn all() -> impl Iterator<Item = EndCategory> {
        let rules = OutcomeReason::ALL.into_iter().map(EndCategory::Rules);
        let adjudications = [
            EndCategory::Tablebase,
            EndCategory::MoveLimit,
            EndCategory::DrawByScore,
            EndCategory::WinByScore,
        ];
        let failures = FailureCategory::ALL.into_iter().map(EndCategory::Failure);
        let timeouts = Color::ALL.into_iter().map(EndCategory::TimeoutDraw);
        rules.chain(adjudications).chain(failures).chain(timeouts)
    }

    /// The category in words, different for each; the key of `reasons` in the JSON output of a
    /// match and the tag `TerminationDetails` in its record.
    pub const fn label(self) -> &'static str {
        match self {
            EndCategory::Rules(OutcomeReason::Explosion) => "king exploded",
            EndCategory::Rules(OutcomeReason::Checkmate) => "mates",
            EndCategory::Rules(OutcomeReason::Stalemate) => "stalemate",
            EndCategory::Rules(OutcomeReason::InsufficientMaterial) => "insufficient material",
            EndCategory::Rules(OutcomeReason::FiftyMoves) => "fifty moves",
            EndCategory::Rules(OutcomeReason::Repetition) => "threefold repetition",
            EndCategory::Tablebase => "adjudicated by tablebase",
            EndCategory::MoveLimit => "adjudicated as a draw after too many moves",
            EndCategory::DrawByScore => "adjudicated as a draw by both scores",
            EndCategory::WinByScore => "adjudicated as a win by both scores",
            EndCategory::Failure(failure) => failure.label(),
            EndCategory::TimeoutDraw(Color::White) => "lost on time and Black cannot win",
            EndCategory::TimeoutDraw(Color::Black) => "lost on time and White cannot win",
        }
    }

    /// The category with this label.
    pub fn from_label(label: &str) -> Option<EndCategory> {
        EndCategory::all().find(|category| category.label() == label)
    }

    pub const fn termination(self) -> Termination {
        match self {
            EndCategory::Rules(_) => Termination::Normal,
            EndCategory::Tablebase
            | EndCategory::MoveLimit
            | EndCategory::DrawByScore
            | EndCategory::WinByScore => Termination::Adjudication,
            EndCategory::TimeoutDraw(_) | EndCategory::Failure(FailureCategory::Late) => {
                Termination::TimeForfeit
            }
            EndCategory::Failure(
                FailureCategory::Illegal | FailureCategory::MovedWhilePondering,
            ) => Termination::RulesInfraction,
            EndCategory::Failure(_) => Termination::Abandoned,
        }
    }

    /// True if a player failed to play on: it could not be started, ended or did not answer. Such
    /// a game has a result in the record, but counts for no statistics.
    pub fn is_abandoned(self) -> bool {
        self.termination() == Termination::Abandoned
    }

    /// The side whose failure ended a game of this category and result.
    pub fn failed_side(self, result: GameResult) -> Option<Color> {
        match self {
            EndCategory::Failure(_) => result.winner().map(|winner| !winner),
            EndCategory::TimeoutDraw(side) => Some(side),
            _ => None,
        }
    }
}

impl GameEnd {
    /// The result of the game.
    pub fn result(&self) -> GameResult {
        match self {
            GameEnd::Rules(outcome) => outcome.result(),
            GameEnd::Tablebase(result) => *result,
            GameEnd::MoveLimit | GameEnd::DrawByScore | GameEnd::TimeoutDraw(_) => GameResult::Draw,
            GameEnd::WinByScore(winner) => GameResult::Win(*winner),
            GameEnd::Failure(loser, _) => GameResult::Win(!*loser),
        }
    }

    /// The side whose failure ended the game.
    pub fn failed_side(&self) -> Option<Color> {
        self.category().failed_side(self.result())
    }

    /// The reason without the side and without details.
    pub const fn category(&self) -> EndCategory {
        match self {
            GameEnd::Rules(outcome) => EndCategory::Rules(outcome.reason()),
            GameEnd::Tablebase(_) => EndCategory::Tablebase,
            GameEnd::MoveLimit => EndCategory::MoveLimit,
            GameEnd::DrawByScore => EndCategory::DrawByScore,
            GameEnd::WinByScore(_) => EndCategory::WinByScore,
            GameEnd::Failure(_, failure) => EndCategory::Failure(failure.category()),
            GameEnd::TimeoutDraw(side) => EndCategory::TimeoutDraw(*side),
        }
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = self.category().label();
        match self {
            GameEnd::Rules(Outcome::Win { winner, reason }) => match reason {
                OutcomeReason::Checkmate => write!(f, "{winner} {label}"),
                _ => write!(f, "{}'s {label}", !*winner),
            },
            GameEnd::Failure(side, failure) => write!(f, "{side} {failure}"),
            GameEnd::TimeoutDraw(side) => write!(f, "{side} {label}"),
            _ => f.write_str(label),
        }
    }
}

#[cfg(test)]
pub mod tests {
    use std::collections::HashSet;

    use super::super::turn::DeathMoment;
    use super::*;
    use crate::rules::Variant;

    /// Ends of every category, with their text.
    pub(in crate::arena) fn examples() -> Vec<(GameEnd, &'static str)> {
        let draw = |reason| GameEnd::Rules(Outcome::Draw { reason });
        let win = |winner, reason| GameEnd::Rules(Outcome::Win { winner, reason });
        let failure = |failure| GameEnd::Failure(Color::White, failure);
        let died = |when| failure(Failure::died(when));
        let white = GameResult::Win(Color::White);
        vec![
            (
                win(Color::Black, OutcomeReason::Explosion),
                "White's king exploded",
            ),
            (win(Color::Black, OutcomeReason::Checkmate), "Black mates"),
            (draw(OutcomeReason::Stalemate), "stalemate"),
            (
                draw(OutcomeReason::InsufficientMaterial),
                "insufficient material",
            ),
            (draw(OutcomeReason::FiftyMoves), "fifty moves"),
            (draw(OutcomeReason::Repetition), "threefold repetition"),
            (GameEnd::Tablebase(white), "adjudicated by tablebase"),
            (
                GameEnd::MoveLimit,
                "adjudicated as a draw after too many moves",
            ),
            (GameEnd::DrawByScore, "adjudicated as a draw by both scores"),
            (
                GameEnd::WinByScore(Color::White),
                "adjudicated as a win by both scores",
            ),
            (died(DeathMoment::BeforeGame), "White died before the game"),
            (died(DeathMoment::BeforeUciok), "White died before uciok"),
            (
                died(DeathMoment::BeforeReadyok),
                "White died before readyok",
            ),
            (died(DeathMoment::Panic), "White died of a panic"),
            (
                failure(Failure::Died {
                    when: DeathMoment::Thinking,
                    details: Some("exit status: 3".to_owned()),
                }),
                "White died while thinking (exit status: 3)",
            ),
            (
                failure(Failure::Stalled("no uciok within 1s".to_owned())),
                "White stalled: no uciok within 1s",
            ),
            (failure(Failure::Late), "White lost on time"),
            (
                GameEnd::Failure(Color::Black, Failure::Illegal("a: {b}".to_owned())),
                "Black played an illegal move: a: {b}",
            ),
            (
                failure(Failure::MovedWhilePondering),
                "White moved while pondering",
            ),
            (
                failure(Failure::not_started("no such file")),
                "White cannot be started: no such file",
            ),
            (
                failure(Failure::NoVariant(Variant::Atomic)),
                "White does not play atomic",
            ),
            (
                failure(Failure::NoChess960),
                "White has no option UCI_Chess960",
            ),
            (
                failure(Failure::NoOption("X".to_owned())),
                "White has no option \"X\"",
            ),
            (
                failure(Failure::OptionValue {
                    name: "Hash".to_owned(),
                    value: "0".to_owned(),
                    range: (1, 9),
                }),
                "White option Hash: \"0\" is not a number from 1 to 9",
            ),
            (
                failure(Failure::Rejected("error EvalFile".to_owned())),
                "White rejects an option: error EvalFile",
            ),
            (failure(Failure::Stopped), "White was stopped"),
            (
                GameEnd::TimeoutDraw(Color::Black),
                "Black lost on time and White cannot win",
            ),
            (
                GameEnd::TimeoutDraw(Color::White),
                "White lost on time and Black cannot win",
            ),
        ]
    }

    #[test]
    fn the_label_of_a_category_determines_it() {
        let labels: HashSet<&str> = EndCategory::all().map(EndCategory::label).collect();
        assert_eq!(labels.len(), EndCategory::all().count());
        let seen: HashSet<EndCategory> = examples().iter().map(|(end, _)| end.category()).collect();
        assert_eq!(seen, EndCategory::all().collect());
        for (end, text) in examples() {
            assert_eq!(end.to_string(), text);
            assert_eq!(
                EndCategory::from_label(end.category().label()),
                Some(end.category())
            );
        }
    }

    #[test]
    fn only_failures_name_a_failed_side() {
        let end = GameEnd::Failure(Color::Black, Failure::Late);
        assert_eq!(end.failed_side(), Some(Color::Black));
        assert_eq!(end.result(), GameResult::Win(Color::White));
        let end = GameEnd::TimeoutDraw(Color::White);
        assert_eq!(
            (end.failed_side(), end.result()),
            (Some(Color::White), GameResult::Draw)
        );
        assert_eq!(end.category().termination(), Termination::TimeForfeit);
        let end = GameEnd::Tablebase(GameResult::Win(Color::White));
        assert_eq!(end.failed_side(), None);
    }
}
