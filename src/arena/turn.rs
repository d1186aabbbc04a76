//! One move of a match game: the request to a player, its reply, or its failure.
//! Invariant: text from another process is shortened and free of control characters when it is
//! displayed.

use std::fmt;
use std::time::Duration;

use super::spec::TimeControl;
use crate::eval::wdl::DisplayScore;
use crate::rules::{Move, Position};

/// A request for a move, with the game so far and the clocks.
pub(super) struct MoveRequest<'a> {
    /// The first position of the game.
    pub(super) start: &'a Position,
    /// The moves from there.
    pub(super) moves: &'a [Move],
    /// The current position.
    pub(super) pos: &'a Position,
    /// The limit of this move.
    pub(super) time_control: TimeControl,
    /// The time left to White and Black, for those that play on a clock.
    pub(super) clocks: [Option<Duration>; 2],
    /// The increments of White and Black.
    pub(super) increments: [Duration; 2],
    /// Moves until the next time control.
    pub(super) moves_to_go: Option<u32>,
    /// Castling moves are written as king takes rook.
    pub(super) chess960: bool,
    /// How much later than its time limit a reply may arrive.
    pub(super) margin: Duration,
}

impl MoveRequest<'_> {
    /// The longest time that a reply may take; `None` without a time limit.
    pub(super) fn deadline(&self) -> Option<Duration> {
        match self.time_control {
            TimeControl::Clock { .. } => {
                let clock = self.clocks[self.pos.side_to_move().index()];
                clock.map(|left| left + self.margin)
            }
            TimeControl::MoveTime(time) => Some(time + self.margin),
            TimeControl::Nodes(_) | TimeControl::Depth(_) => None,
        }
    }
}

/// A player's move.
#[derive(Clone, Debug)]
pub(super) struct MoveReply {
    pub(super) mv: Move,
    /// The score from the player's perspective, if it reported one.
    pub(super) score: Option<DisplayScore>,
    /// The depth in plies, if it reported one.
    pub(super) depth: Option<i32>,
    pub(super) time: Duration,
}

/// Why a player did not move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The process ended.
    Died {
        /// When, such as "while thinking".
        when: String,
        /// The exit status or what else is known.
        details: Option<String>,
    },
    /// No answer before the timeout; the text says to what.
    Stalled(String),
    /// The reply arrived after the deadline.
    Late,
    /// The reply is not a legal move.
    Illegal(String),
    /// The engine cannot be started or does not support this game.
    Unable {
        /// The reason, as a predicate of the engine.
        reason: String,
        /// The cause of the reason.
        details: Option<String>,
    },
    /// The engine does not have an option that is to be set, or rejects its value.
    BadOption {
        /// The reason, as a predicate of the engine.
        reason: String,
        /// The value and its range.
        details: Option<String>,
    },
    /// The match was stopped; not the engine's failure.
    Stopped,
}

impl Failure {
    pub(super) fn died(when: &str) -> Failure {
        Failure::Died {
            when: when.to_owned(),
            details: None,
        }
    }

    pub(super) fn unable(reason: impl Into<String>) -> Failure {
        Failure::Unable {
            reason: reason.into(),
            details: None,
        }
    }

    pub(super) fn cannot_start(cause: impl fmt::Display) -> Failure {
        Failure::Unable {
            reason: "cannot be started".to_owned(),
            details: Some(cause.to_string()),
        }
    }

    /// The failure without its details, for statistics.
    pub fn category(&self) -> String {
        match self {
            Failure::Died { when, .. } => format!("died {when}"),
            Failure::Stalled(_) => "stalled".to_owned(),
            Failure::Late => "lost on time".to_owned(),
            Failure::Illegal(_) => "played an illegal move".to_owned(),
            Failure::Unable { reason, .. } | Failure::BadOption { reason, .. } => reason.clone(),
            Failure::Stopped => "was stopped".to_owned(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.category())?;
        match self {
            Failure::Died {
                details: Some(details),
                ..
            } => write!(f, " ({details})"),
            Failure::Stalled(details)
            | Failure::Unable {
                details: Some(details),
                ..
            }
            | Failure::BadOption {
                details: Some(details),
                ..
            } => write!(f, ": {details}"),
            Failure::Illegal(text) => write!(f, ": {}", Sanitized(text)),
            _ => Ok(()),
        }
    }
}

/// Displays text from another process: shortened, without control characters.
struct Sanitized<'a>(&'a str);

impl fmt::Display for Sanitized<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_CHARS: usize = 20;
        if self.0.is_empty() {
            return f.write_str("none named");
        }
        for c in self.0.chars().take(MAX_CHARS) {
            write!(f, "{}", if c.is_control() { '?' } else { c })?;
        }
        let is_longer = self.0.chars().nth(MAX_CHARS).is_some();
        f.write_str(if is_longer { "…" } else { "" })
    }
}
