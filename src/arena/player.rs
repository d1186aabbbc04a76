//! Who plays: this engine in-process, or a child process.
//! Invariant: whatever a player does wrong comes back as a `Failure`, never as a panic.

use std::fmt;
use std::time::{Duration, Instant};

use super::child::Child;
use super::spec::{EngineSpec, Kind, Pace};
use crate::engine::Engine;
use crate::eval::score::{Shown, shown};
use crate::rules::{Color, Move, Position, Variant};
use crate::search::{Limits, Silent};
use crate::uci::options::{self, UciState};

/// What a player is asked: a move in a game, with the clocks as they stand.
pub(super) struct Question<'a> {
    /// The position the game began with.
    pub(super) start: &'a Position,
    /// The moves since.
    pub(super) moves: &'a [Move],
    /// The position now.
    pub(super) pos: &'a Position,
    /// What bounds the thinking.
    pub(super) pace: Pace,
    /// Time left to White and Black, where they play on a clock.
    pub(super) clocks: [Option<Duration>; 2],
    /// Increments of White and Black.
    pub(super) increments: [Duration; 2],
    /// Moves to the next time control.
    pub(super) moves_to_go: Option<u32>,
    /// Castling is written king-takes-rook.
    pub(super) chess960: bool,
    /// How late an answer may come.
    pub(super) margin: Duration,
}

impl Question<'_> {
    /// The longest that an answer may take; `None` without a limit in time.
    pub(super) fn deadline(&self) -> Option<Duration> {
        match self.pace {
            Pace::Clock { .. } => {
                self.clocks[self.pos.side().index()].map(|left| left + self.margin)
            }
            Pace::MoveTime(time) => Some(time + self.margin),
            Pace::Nodes(_) | Pace::Depth(_) => None,
        }
    }
}

/// A player's move.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) mv: Move,
    /// The value from the player's view, if it told one.
    pub(super) score: Option<Shown>,
    /// The depth, if it told one.
    pub(super) depth: Option<i32>,
    pub(super) time: Duration,
}

/// How a player failed to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    /// The process could not be started or ended.
    Died(String),
    /// No answer in any reasonable time.
    Stalled(String),
    /// An answer after the deadline.
    Late,
    /// An answer that is no legal move.
    Illegal(String),
    /// The engine does not know the variant.
    Variant(Variant),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Died(how) => write!(f, "died: {how}"),
            Failure::Stalled(how) => write!(f, "stalled: {how}"),
            Failure::Late => write!(f, "lost on time"),
            Failure::Illegal(text) => write!(f, "played an illegal move: {text}"),
            Failure::Variant(variant) => write!(f, "does not play {variant}"),
        }
    }
}

/// One seat at a board. A failed child is started anew for the next game.
pub(super) enum Player {
    Own(Box<OwnPlayer>),
    Child(Box<Child>),
}

impl Player {
    pub(super) fn new(spec: &EngineSpec, variant: Variant) -> Result<Player, String> {
        Ok(match &spec.kind {
            Kind::Own => Player::Own(Box::new(OwnPlayer::new(spec, variant)?)),
            Kind::Child { .. } => Player::Child(Box::new(Child::new(spec.clone(), variant))),
        })
    }

    /// Prepares for a game that begins with `start`.
    pub(super) fn new_game(&mut self, chess960: bool) -> Result<(), Failure> {
        match self {
            Player::Own(own) => {
                own.engine.clear();
                Ok(())
            }
            Player::Child(child) => child.new_game(chess960),
        }
    }

    pub(super) fn think(&mut self, question: &Question) -> Result<Answer, Failure> {
        match self {
            Player::Own(own) => own.think(question),
            Player::Child(child) => child.think(question),
        }
    }
}

/// This engine, playing without a process of its own.
pub(super) struct OwnPlayer {
    engine: Engine,
}

impl OwnPlayer {
    fn new(spec: &EngineSpec, variant: Variant) -> Result<OwnPlayer, String> {
        let mut state = UciState {
            variant,
            ..UciState::default()
        };
        for (name, value) in &spec.options {
            options::set(&mut state, name, Some(value))
                .map_err(|error| format!("{}: {error}", spec.name))?;
        }
        Ok(OwnPlayer {
            engine: Engine::with_settings(state.settings)?,
        })
    }

    fn think(&mut self, question: &Question) -> Result<Answer, Failure> {
        let mut limits = Limits::default();
        match question.pace {
            Pace::Clock { .. } => {
                limits.time = question.clocks;
                limits.increment = question.increments;
                limits.moves_to_go = question.moves_to_go;
            }
            Pace::Nodes(nodes) => limits.nodes = Some(nodes),
            Pace::Depth(depth) => limits.depth = Some(depth),
            Pace::MoveTime(time) => limits.move_time = Some(time),
        }
        self.engine.set_position(question.pos.clone());
        self.engine.control().arm(false);
        let start = Instant::now();
        let summary = self.engine.go(&limits, &Silent);
        let time = start.elapsed();
        if question.deadline().is_some_and(|deadline| time > deadline) {
            return Err(Failure::Late);
        }
        let mv = summary
            .best
            .ok_or_else(|| Failure::Illegal("(none)".to_owned()))?;
        let score = Some(shown(summary.value));
        Ok(Answer {
            mv,
            score,
            depth: Some(summary.depth),
            time,
        })
    }
}

/// The clock of one side.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    pace: Pace,
    left: Duration,
    moves: u32,
}

impl Clock {
    pub(super) fn new(pace: Pace) -> Clock {
        let left = match pace {
            Pace::Clock { base, .. } => base,
            _ => Duration::ZERO,
        };
        Clock {
            pace,
            left,
            moves: 0,
        }
    }

    pub(super) fn left(&self) -> Option<Duration> {
        matches!(self.pace, Pace::Clock { .. }).then_some(self.left)
    }

    pub(super) fn increment(&self) -> Duration {
        match self.pace {
            Pace::Clock { increment, .. } => increment,
            _ => Duration::ZERO,
        }
    }

    pub(super) fn moves_to_go(&self) -> Option<u32> {
        match self.pace {
            Pace::Clock {
                moves: Some(moves), ..
            } => Some(moves - self.moves % moves),
            _ => None,
        }
    }

    /// Notes a move that took `time`.
    pub(super) fn spend(&mut self, time: Duration) {
        self.moves += 1;
        if let Pace::Clock {
            base,
            increment,
            moves,
        } = self.pace
        {
            self.left = self.left.saturating_sub(time) + increment;
            if moves.is_some_and(|moves| self.moves.is_multiple_of(moves)) {
                self.left += base;
            }
        }
    }
}

/// The clocks of both sides as a question shows them.
pub(super) fn both<T>(clocks: &[Clock; 2], of: impl Fn(&Clock) -> T) -> [T; 2] {
    Color::ALL.map(|color| of(&clocks[color.index()]))
}
