//! One move of a match game: the request to a player, its reply, or its failure.
//! Invariant: text from another process is shortened and free of control characters when it is
//! displayed.

use std::fmt;
use std::time::Duration;

use super::spec::TimeControl;
use crate::eval::wdl::DisplayScore;
use crate::rules::{Move, Position, Variant};

/// A request for a move, with the game so far and the clocks.
pub struct MoveRequest<'a> {
    /// The first position of the game.
    pub start: &'a Position,
    /// The moves from there.
    pub moves: &'a [Move],
    /// The current position.
    pub pos: &'a Position,
    /// The limit of this move.
    pub time_control: TimeControl,
    /// The time left to White and Black, for those that play on a clock.
    pub clocks: [Option<Duration>; 2],
    /// The increments of White and Black.
    pub increments: [Duration; 2],
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Castling moves are written as king takes rook.
    pub chess960: bool,
    /// How much later than its time limit a reply may arrive.
    pub margin: Duration,
}

impl MoveRequest<'_> {
    /// The longest time that a reply may take; `None` without a time limit.
    pub fn deadline(&self) -> Option<Duration> {
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
pub struct MoveReply {
    pub mv: Move,
    /// The score from the player's perspective, if it reported one.
    pub score: Option<DisplayScore>,
    /// The depth in plies, if it reported one.
    pub depth: Option<i32>,
    pub time: Duration,
    /// The opponent's reply that a pondering player expects.
    pub ponder: Option<Move>,
}

/// Why a player did not move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The process ended.
    Died {
        /// When, or of what.
        when: DeathMoment,
        /// The exit status or what else is known.
        details: Option<String>,
    },
    /// No answer before the timeout; the text says to what.
    Stalled(String),
    /// The reply arrived after the deadline.
    Late,
    /// The reply is not a legal move.
    Illegal(String),
    /// A move before the opponent's, which the engine was to ponder.
    MovedWhilePondering,
    /// The engine cannot be started; the text gives the cause.
    NotStarted(String),
    /// The engine does not play this variant.
    NoVariant(Variant),
    /// A Chess960 game, but the engine has no option `UCI_Chess960`.
    NoChess960,
    /// The engine does not have the option of this name that is to be set.
    NoOption(String),
    /// The value of an option is not a number in its range.
    OptionValue {
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// The least and the greatest value.
        range: (i64, i64),
    },
    /// The engine reported this error when an option was set.
    Rejected(String),
    /// The match was stopped; not the engine's failure.
    Stopped,
}

/// When an engine ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeathMoment {
    /// Before the game.
    BeforeGame,
    /// Before it answered `uci`.
    BeforeUciok,
    /// Before it answered `isready`.
    BeforeReadyok,
    /// During a search.
    Thinking,
    /// During a search in this process, which panicked.
    Panic,
}

/// A [`Failure`] without its details, for statistics.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FailureCategory {
    /// [`Failure::Died`].
    Died(DeathMoment),
    /// [`Failure::Stalled`].
    Stalled,
    /// [`Failure::Late`].
    Late,
    /// [`Failure::Illegal`].
    Illegal,
    /// [`Failure::MovedWhilePondering`].
    MovedWhilePondering,
    /// [`Failure::NotStarted`].
    NotStarted,
    /// [`Failure::NoVariant`].
    NoVariant,
    /// [`Failure::NoChess960`].
    NoChess960,
    /// [`Failure::NoOption`], [`Failure::OptionValue`] and [`Failure::Rejected`].
    BadOption,
    /// [`Failure::Stopped`].
    Stopped,
}

impl FailureCategory {
    /// All categories.
    pub const ALL: [FailureCategory; 14] = [
        FailureCategory::Died(DeathMoment::BeforeGame),
        FailureCategory::Died(DeathMoment::BeforeUciok),
        FailureCategory::Died(DeathMoment::BeforeReadyok),
        FailureCategory::Died(DeathMoment::Thinking),
        FailureCategory::Died(DeathMoment::Panic),
        FailureCategory::Stalled,
        FailureCategory::Late,
        FailureCategory::Illegal,
        FailureCategory::MovedWhilePondering,
        FailureCategory::NotStarted,
        FailureCategory::NoVariant,
        FailureCategory::NoChess960,
        FailureCategory::BadOption,
        FailureCategory::Stopped,
    ];

    /// The category as a predicate of the engine.
    pub const fn label(self) -> &'static str {
        match self {
            FailureCategory::Died(DeathMoment::BeforeGame) => "died before the game",
            FailureCategory::Died(DeathMoment::BeforeUciok) => "died before uciok",
            FailureCategory::Died(DeathMoment::BeforeReadyok) => "died before readyok",
            FailureCategory::Died(DeathMoment::Thinking) => "died while thinking",
            FailureCategory::Died(DeathMoment::Panic) => "died of a panic",
            FailureCategory::Stalled => "stalled",
            FailureCategory::Late => "lost on time",
            FailureCategory::Illegal => "played an illegal move",
            FailureCategory::MovedWhilePondering => "moved while pondering",
            FailureCategory::NotStarted => "cannot be started",
            FailureCategory::NoVariant => "does not play the variant",
            FailureCategory::NoChess960 => "has no option UCI_Chess960",
            FailureCategory::BadOption => "rejects an option",
            FailureCategory::Stopped => "was stopped",
        }
    }
}

impl Failure {
    pub const fn died(when: DeathMoment) -> Failure {
        Failure::Died {
            when,
            details: None,
        }
    }

    pub fn not_started(cause: impl fmt::Display) -> Failure {
        Failure::NotStarted(cause.to_string())
    }

    /// The failure without its details.
    pub const fn category(&self) -> FailureCategory {
        match self {
            Failure::Died { when, .. } => FailureCategory::Died(*when),
            Failure::Stalled(_) => FailureCategory::Stalled,
            Failure::Late => FailureCategory::Late,
            Failure::Illegal(_) => FailureCategory::Illegal,
            Failure::MovedWhilePondering => FailureCategory::MovedWhilePondering,
            Failure::NotStarted(_) => FailureCategory::NotStarted,
            Failure::NoVariant(_) => FailureCategory::NoVariant,
            Failure::NoChess960 => FailureCategory::NoChess960,
            Failure::NoOption(_) | Failure::OptionValue { .. } | Failure::Rejected(_) => {
                FailureCategory::BadOption
            }
            Failure::Stopped => FailureCategory::Stopped,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = self.category().label();
        match self {
            Failure::Died {
                details: Some(details),
                ..
            } => write!(f, "{label} ({details})"),
            Failure::Stalled(details)
            | Failure::NotStarted(details)
            | Failure::Rejected(details) => write!(f, "{label}: {details}"),
            Failure::Illegal(text) => write!(f, "{label}: {}", Sanitized(text)),
            Failure::NoVariant(variant) => write!(f, "does not play {variant}"),
            Failure::NoOption(name) => write!(f, "has no option {name:?}"),
            Failure::OptionValue {
                name,
                value,
                range: (min, max),
            } => write!(
                f,
                "option {name}: {value:?} is not a number from {min} to {max}"
            ),
            Failure::Died { details: None, .. }
            | Failure::Late
            | Failure::MovedWhilePondering
            | Failure::NoChess960
            | Failure::Stopped => f.write_str(label),
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
