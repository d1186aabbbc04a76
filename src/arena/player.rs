//! Who plays: this engine in-process, or a child process.
//! Invariant: whatever a player does wrong comes back as a `Failure`, never as a panic.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::child::Child;
use super::spec::{EngineSpec, Kind, Pace, Patience};
use crate::engine::{Engine, Settings};
use crate::eval::wdl::Shown;
use crate::notation::coord;
use crate::rules::{Color, Move, Position, Variant};
use crate::search::{self, Control, Limits, Silent};
use crate::uci::options::{self, UciState};

/// What ends a match early, and whom it must reach.
pub(super) struct Stop {
    /// Set from outside.
    interrupted: Arc<AtomicBool>,
    /// Set when the match has decided itself.
    over: AtomicBool,
    /// The searches in this process.
    searches: Mutex<Vec<Arc<Control>>>,
}

impl Stop {
    pub(super) fn new(interrupted: &Arc<AtomicBool>) -> Arc<Stop> {
        Arc::new(Stop {
            interrupted: Arc::clone(interrupted),
            over: AtomicBool::new(false),
            searches: Mutex::default(),
        })
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.is_over()
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    fn register(&self, control: Arc<Control>) {
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        searches.push(control);
    }

    /// Ends the searches in this process. A search that begins just now may miss it, so it
    /// is called again until all games have ended.
    pub(super) fn stop_searches(&self) {
        let searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        for search in searches.iter() {
            search.stop();
        }
    }
}

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
    /// The process ended.
    Died(String),
    /// No answer in any reasonable time.
    Stalled(String),
    /// An answer after the deadline.
    Late,
    /// An answer that is no legal move.
    Illegal(String),
    /// The engine cannot be started or does not play this game.
    Unable(String),
    /// It was given an option that it does not have, or a value that the option cannot take.
    Misset(String),
    /// Nobody's fault: the match was stopped.
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Died(how) => write!(f, "died {how}"),
            Failure::Stalled(how) => write!(f, "stalled: {how}"),
            Failure::Late => write!(f, "lost on time"),
            Failure::Illegal(text) => write!(f, "played an illegal move: {}", Printable(text)),
            Failure::Unable(why) | Failure::Misset(why) => f.write_str(why),
            Failure::Stopped => write!(f, "was stopped"),
        }
    }
}

/// A foreign text as a person can look at it: short, without control characters.
struct Printable<'a>(&'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 20;
        if self.0.is_empty() {
            return f.write_str("none named");
        }
        for c in self.0.chars().take(LONGEST) {
            write!(f, "{}", if c.is_control() { '?' } else { c })?;
        }
        f.write_str(if self.0.chars().nth(LONGEST).is_some() {
            "…"
        } else {
            ""
        })
    }
}

/// One seat at a board. A failed engine is started anew for the next game.
pub(super) enum Player {
    Own(Box<OwnPlayer>),
    Child(Box<Child>),
}

impl Player {
    pub(super) fn new(
        spec: &EngineSpec,
        variant: Variant,
        patience: Patience,
        stop: &Arc<Stop>,
    ) -> Result<Player, String> {
        Ok(match &spec.kind {
            Kind::Own => Player::Own(Box::new(OwnPlayer::new(spec, variant, stop)?)),
            Kind::Child { .. } => {
                let stop = Arc::clone(stop);
                Player::Child(Box::new(Child::new(spec.clone(), variant, patience, stop)))
            }
        })
    }

    /// Fails when the player was given options that it does not have. One in this process
    /// showed that when it was made.
    pub(super) fn check_options(&self) -> Result<(), String> {
        match self {
            Player::Own(_) => Ok(()),
            Player::Child(child) => child.check_options(),
        }
    }

    /// Prepares for a game that begins with `start`.
    pub(super) fn new_game(&mut self, chess960: bool) -> Result<(), Failure> {
        match self {
            Player::Own(own) => own.new_game(),
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
    settings: Settings,
    stop: Arc<Stop>,
    /// None after a panic: what it left behind is not to be trusted.
    engine: Option<Engine>,
}

impl OwnPlayer {
    fn new(spec: &EngineSpec, variant: Variant, stop: &Arc<Stop>) -> Result<OwnPlayer, String> {
        let mut state = UciState {
            variant,
            ..UciState::default()
        };
        for (name, value) in &spec.options {
            options::set(&mut state, name, Some(value))?;
        }
        let mut player = OwnPlayer {
            settings: state.settings,
            stop: Arc::clone(stop),
            engine: None,
        };
        player.engine = Some(player.build()?);
        Ok(player)
    }

    fn build(&self) -> Result<Engine, String> {
        let engine = Engine::with_settings(self.settings.clone())?;
        self.stop.register(engine.control());
        Ok(engine)
    }

    fn new_game(&mut self) -> Result<(), Failure> {
        match &mut self.engine {
            Some(engine) => engine.clear(),
            None => self.engine = Some(self.build().map_err(Failure::Unable)?),
        }
        Ok(())
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
        let mut engine = self
            .engine
            .take()
            .ok_or_else(|| Failure::Died("before the game".to_owned()))?;
        engine.set_position(question.pos.clone());
        if let Some(found) = engine.book_move() {
            self.engine = Some(engine);
            return Ok(Answer {
                mv: found.mv,
                score: None,
                depth: None,
                time: Duration::ZERO,
            });
        }
        engine.control().arm(false);
        let start = Instant::now();
        // A bug in the search costs the game, not the match.
        let summary = catch_unwind(AssertUnwindSafe(|| engine.go(&limits, &Silent)))
            .map_err(|_| Failure::Died("of a panic".to_owned()))?;
        let time = match self.settings.node_time {
            0 => start.elapsed(),
            rate => search::node_duration(summary.nodes, rate),
        };
        self.engine = Some(engine);
        if self.stop.is_stopped() {
            return Err(Failure::Stopped);
        }
        if question.deadline().is_some_and(|deadline| time > deadline) {
            return Err(Failure::Late);
        }
        let illegal = |text: &str| Failure::Illegal(text.to_owned());
        let mv = summary.best.ok_or_else(|| illegal("(none)"))?;
        if !question.pos.is_legal(mv) {
            return Err(illegal(&coord::write(mv, question.chess960)));
        }
        let score = Some(summary.shown());
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
