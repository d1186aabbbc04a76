//! The players of a match: this engine in the same process, or a child process.
//! Invariant: whatever goes wrong in a player is returned as a `Failure`, never a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::child::Child;
use super::engine_log::EngineLog;
use super::spec::{EngineKind, EngineSpec, TimeControl, Timeouts};
use super::turn::{DeathMoment, Failure, MoveReply, MoveRequest};
use crate::engine::options::{self, OptionError, UciOptions};
use crate::engine::{Engine, EngineError, Settings, StopSignal};
use crate::notation::coord;
use crate::rules::Variant;
use crate::search::{self, Limits, Silent};

/// A player. After a failure its engine is restarted for the next game.
pub enum Player {
    Own(Box<OwnPlayer>),
    Child(Box<Child>),
}

impl Player {
    /// Creates the player. An engine in this process is configured at once; a child process
    /// starts with the first game.
    pub fn new(
        spec: &EngineSpec,
        variant: Variant,
        timeouts: Timeouts,
        stop: &Arc<StopSignal>,
        log: Option<&Arc<EngineLog>>,
    ) -> Result<Player, OptionError> {
        Ok(match &spec.kind {
            EngineKind::Own => Player::Own(Box::new(OwnPlayer::new(spec, variant, stop)?)),
            EngineKind::Child { .. } => {
                let (stop, log) = (Arc::clone(stop), log.map(Arc::clone));
                let child = Child::new(spec.clone(), variant, timeouts, stop, log);
                Player::Child(Box::new(child))
            }
        })
    }

    /// Checks that a child process can answer the request. An engine in this process is checked
    /// by [`Player::new`].
    pub fn check(&self, request: &MoveRequest) -> Result<(), Failure> {
        match self {
            Player::Own(_) => Ok(()),
            Player::Child(child) => child.check(request),
        }
    }

    /// Prepares for a new game.
    pub fn new_game(&mut self, chess960: bool) -> Result<(), Failure> {
        match self {
            Player::Own(own) => own.new_game(),
            Player::Child(child) => child.new_game(chess960),
        }
    }

    pub fn think(&mut self, request: &MoveRequest) -> Result<MoveReply, Failure> {
        match self {
            Player::Own(own) => own.think(request),
            Player::Child(child) => child.think(request),
        }
    }

    /// Starts to ponder a position in which the player is to move if the opponent replies as it
    /// expects. The next [`Player::think`] ends it.
    pub fn ponder(&mut self, request: &MoveRequest) {
        match self {
            // The settings of a match refuse it.
            Player::Own(_) => {}
            Player::Child(child) => child.ponder(request),
        }
    }

    /// Ends pondering, if the player ponders, when the game is over.
    pub fn stop_pondering(&mut self) {
        match self {
            Player::Own(_) => {}
            Player::Child(child) => child.stop_pondering(),
        }
    }
}

/// This engine in the same process.
pub struct OwnPlayer {
    settings: Settings,
    stop: Arc<StopSignal>,
    /// `None` after a panic, because the state of the engine is then unknown.
    engine: Option<Engine>,
}

impl OwnPlayer {
    fn new(
        spec: &EngineSpec,
        variant: Variant,
        stop: &Arc<StopSignal>,
    ) -> Result<OwnPlayer, OptionError> {
        let mut options = UciOptions {
            variant,
            ..UciOptions::default()
        };
        for (name, value) in &spec.options {
            options::set(&mut options, name, Some(value))?;
        }
        let mut player = OwnPlayer {
            settings: options.settings,
            stop: Arc::clone(stop),
            engine: None,
        };
        player.engine = Some(player.new_engine()?);
        Ok(player)
    }

    fn new_engine(&self) -> Result<Engine, EngineError> {
        Engine::with_settings(self.settings.clone())
    }

    fn new_game(&mut self) -> Result<(), Failure> {
        match &mut self.engine {
            Some(engine) => engine.clear(),
            None => self.engine = Some(self.new_engine().map_err(Failure::not_started)?),
        }
        Ok(())
    }

    fn think(&mut self, request: &MoveRequest) -> Result<MoveReply, Failure> {
        let mut limits = Limits::default();
        match request.time_control {
            TimeControl::Clock { .. } => {
                limits.time = request.clocks;
                limits.increment = request.increments;
                limits.moves_to_go = request.moves_to_go;
            }
            TimeControl::Nodes(nodes) => limits.nodes = Some(nodes),
            TimeControl::Depth(depth) => limits.depth = Some(depth),
            TimeControl::MoveTime(time) => limits.move_time = Some(time),
        }
        let engine = self.engine.take();
        let mut engine = engine.ok_or_else(|| Failure::died(DeathMoment::BeforeGame))?;
        engine.set_position(request.pos.clone());
        if let Some(book_move) = engine.book_move() {
            self.engine = Some(engine);
            return Ok(MoveReply {
                mv: book_move.mv,
                score: None,
                depth: None,
                time: Duration::ZERO,
                ponder: None,
            });
        }
        let start = Instant::now();
        // A bug in the search loses the game but does not end the match.
        let search = || self.stop.search(&mut engine, &limits, &Silent);
        let summary = catch_unwind(AssertUnwindSafe(search))
            .map_err(|_| Failure::died(DeathMoment::Panic))?;
        let elapsed = start.elapsed();
        self.engine = Some(engine);
        let summary = summary.ok_or(Failure::Stopped)?;
        let time = match self.settings.node_time {
            0 => elapsed,
            rate => search::node_duration(summary.nodes, rate),
        };
        if request.deadline().is_some_and(|deadline| time > deadline) {
            return Err(Failure::Late);
        }
        let illegal = |text: &str| Failure::Illegal(text.to_owned());
        let mv = summary.best_move.ok_or_else(|| illegal("(none)"))?;
        if !request.pos.is_legal(mv) {
            return Err(illegal(&coord::write(mv, request.chess960)));
        }
        Ok(MoveReply {
            mv,
            score: Some(summary.display_score()),
            depth: Some(summary.depth),
            time,
            ponder: None,
        })
    }
}
