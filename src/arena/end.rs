//! How a match game ended: its result, the reason in words, and the category for statistics.
//! Invariant: `category_of` applied to the displayed reason gives [`GameEnd::category`], so
//! that a resumed match counts its recorded games as it counted them when they were played.

use std::fmt;

use super::turn::Failure;
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

/// The values of PGN's Termination tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Termination {
    Normal,
    Adjudication,
    TimeForfeit,
    RulesInfraction,
    Abandoned,
}

impl Termination {
    const ALL: [Termination; 5] = [
        Termination::Normal,
        Termination::Adjudication,
        Termination::TimeForfeit,
        Termination::RulesInfraction,
        Termination::Abandoned,
    ];

    pub(super) const fn tag(self) -> &'static str {
        match self {
            Termination::Normal => "normal",
            Termination::Adjudication => "adjudication",
            Termination::TimeForfeit => "time forfeit",
            Termination::RulesInfraction => "rules infraction",
            Termination::Abandoned => "abandoned",
        }
    }

    pub(super) fn from_tag(tag: &str) -> Option<Termination> {
        Termination::ALL
            .into_iter()
            .find(|value| value.tag() == tag)
    }

    /// True if the failure of a player ended the game.
    pub(super) const fn is_failure(self) -> bool {
        !matches!(self, Termination::Normal | Termination::Adjudication)
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
        match self {
            GameEnd::Failure(side, _) | GameEnd::TimeoutDraw(side) => Some(*side),
            _ => None,
        }
    }

    /// The reason without the side and without details, for statistics.
    pub fn category(&self) -> String {
        match self {
            GameEnd::Rules(outcome) => match outcome.reason() {
                OutcomeReason::Explosion => "king exploded",
                OutcomeReason::Checkmate => "mates",
                OutcomeReason::Stalemate => "stalemate",
                OutcomeReason::InsufficientMaterial => "insufficient material",
                OutcomeReason::FiftyMoves => "fifty moves",
                OutcomeReason::Repetition => "threefold repetition",
            },
            GameEnd::Tablebase(_) => "adjudicated by tablebase",
            GameEnd::MoveLimit => "adjudicated as a draw after too many moves",
            GameEnd::DrawByScore => "adjudicated as a draw by both scores",
            GameEnd::WinByScore(_) => "adjudicated as a win by both scores",
            GameEnd::Failure(_, failure) => return failure.category(),
            GameEnd::TimeoutDraw(side) => return format!("lost on time and {} cannot win", !*side),
        }
        .to_owned()
    }

    pub(super) fn termination(&self) -> Termination {
        match self {
            GameEnd::Rules(_) => Termination::Normal,
            GameEnd::Tablebase(_)
            | GameEnd::MoveLimit
            | GameEnd::DrawByScore
            | GameEnd::WinByScore(_) => Termination::Adjudication,
            GameEnd::TimeoutDraw(_) | GameEnd::Failure(_, Failure::Late) => {
                Termination::TimeForfeit
            }
            GameEnd::Failure(_, Failure::Illegal(_)) => Termination::RulesInfraction,
            GameEnd::Failure(..) => Termination::Abandoned,
        }
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameEnd::Rules(Outcome::Win { winner, reason }) => match reason {
                OutcomeReason::Checkmate => write!(f, "{winner} {}", self.category()),
                _ => write!(f, "{}'s {}", !*winner, self.category()),
            },
            GameEnd::Failure(side, failure) => write!(f, "{side} {failure}"),
            GameEnd::TimeoutDraw(side) => write!(f, "{side} {}", self.category()),
            _ => f.write_str(&self.category()),
        }
    }
}

/// The category of a reason that stands in a record: without the side and the details.
pub(super) fn category_of(reason: &str) -> &str {
    let sides = ["White's ", "Black's ", "White ", "Black "];
    let rest = sides.iter().find_map(|side| reason.strip_prefix(side));
    let rest = rest.unwrap_or(reason);
    rest.split([':', '(']).next().unwrap_or(rest).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_reasons_are_counted_as_when_they_were_played() {
        let draw = |reason| GameEnd::Rules(Outcome::Draw { reason });
        let win = |winner, reason| GameEnd::Rules(Outcome::Win { winner, reason });
        let failure = |failure| GameEnd::Failure(Color::White, failure);
        for (end, text, category) in [
            (
                win(Color::Black, OutcomeReason::Explosion),
                "White's king exploded",
                "king exploded",
            ),
            (
                win(Color::Black, OutcomeReason::Checkmate),
                "Black mates",
                "mates",
            ),
            (
                draw(OutcomeReason::Repetition),
                "threefold repetition",
                "threefold repetition",
            ),
            (
                GameEnd::WinByScore(Color::White),
                "adjudicated as a win by both scores",
                "adjudicated as a win by both scores",
            ),
            (failure(Failure::Late), "White lost on time", "lost on time"),
            (
                failure(Failure::Illegal("a: b".to_owned())),
                "White played an illegal move: a: b",
                "played an illegal move",
            ),
            (
                failure(Failure::Died {
                    when: "while thinking".to_owned(),
                    details: Some("exit status: 3".to_owned()),
                }),
                "White died while thinking (exit status: 3)",
                "died while thinking",
            ),
            (
                failure(Failure::Stalled("no uciok within 1s".to_owned())),
                "White stalled: no uciok within 1s",
                "stalled",
            ),
            (
                failure(Failure::cannot_start("no such file")),
                "White cannot be started: no such file",
                "cannot be started",
            ),
            (
                GameEnd::TimeoutDraw(Color::Black),
                "Black lost on time and White cannot win",
                "lost on time and White cannot win",
            ),
        ] {
            assert_eq!(end.to_string(), text);
            assert_eq!(end.category(), category);
            assert_eq!(category_of(text), category);
        }
    }

    #[test]
    fn only_failures_name_a_failed_side() {
        let end = GameEnd::Failure(Color::Black, Failure::Late);
        assert_eq!(end.failed_side(), Some(Color::Black));
        assert_eq!(end.result(), GameResult::Win(Color::White));
        assert!(end.termination().is_failure());
        let end = GameEnd::TimeoutDraw(Color::White);
        assert_eq!(
            (end.failed_side(), end.result()),
            (Some(Color::White), GameResult::Draw)
        );
        assert_eq!(end.termination(), Termination::TimeForfeit);
        let end = GameEnd::Tablebase(GameResult::Win(Color::White));
        assert_eq!(end.failed_side(), None);
        assert!(!end.termination().is_failure());
        for termination in Termination::ALL {
            assert_eq!(Termination::from_tag(termination.tag()), Some(termination));
        }
    }
}
