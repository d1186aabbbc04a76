//! The players of a match: this engine in the same process, or a child process.
//! Invariant: whatever goes wrong in a player is returned as a `Failure`, never a panic, and an
//! engine that has failed is ended before the next game.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::failure::{Failure, FailureKind};
use super::process::EngineProcess;
use super::spec::{EngineKind, EngineSpec, TimeControl};
use super::turn::{GameState, MatchEngine, MoveReply, PlayerContext};
use crate::engine::options::{self, OptionError, UciOptions};
use crate::engine::{Engine, EngineError};
use crate::notation::coord;
use crate::search::{self, Limits, NullListener};

type StartEngine = Box<dyn Fn() -> Result<Box<dyn MatchEngine>, Failure> + Send>;

/// A player, whose engine is started again for the next game after a failure.
pub struct Player {
    start: StartEngine,
    /// `None` before a child process is needed, and after a failure.
    engine: Option<Box<dyn MatchEngine>>,
}

impl Player {
    /// Creates the player. An engine in this process is started at once, a child process with the
    /// first game.
    pub fn new(spec: &EngineSpec, context: &PlayerContext) -> Result<Player, OptionError> {
        if let EngineKind::Child { .. } = spec.kind {
            let (spec, context) = (spec.clone(), context.clone());
            let start = move || -> Result<Box<dyn MatchEngine>, Failure> {
                Ok(Box::new(EngineProcess::start(&spec, &context)?))
            };
            return Ok(Player { start: Box::new(start), engine: None });
        }
        let mut options = UciOptions { variant: context.variant, ..UciOptions::default() };
        for (name, value) in &spec.options {
            options::set(&mut options, name, Some(value))?;
        }
        let (settings, stop) = (options.settings, Arc::clone(&context.stop));
        let start = move || -> Result<Box<dyn MatchEngine>, EngineError> {
            let mut engine = Engine::with_settings(settings.clone())?;
            engine.set_control(Arc::clone(&stop));
            Ok(Box::new(OwnEngine { engine }))
        };
        let engine = Some(start()?);
        let failed = |error: EngineError| Failure::with_details(FailureKind::NotStarted, error);
        Ok(Player { start: Box::new(move || start().map_err(failed)), engine })
    }

    /// Checks that the engine can be started, prepared for a game and asked for a move. Any move
    /// will do, because a late or illegal one loses a game but does not abandon it. An engine in
    /// this process is known to start.
    pub fn check(&self, game: &GameState) -> Result<(), Failure> {
        if self.engine.is_some() {
            return Ok(());
        }
        let mut engine = (self.start)()?;
        engine.new_game(game.chess960)?;
        match engine.think(game) {
            Err(failure) if !matches!(failure.kind, FailureKind::Late | FailureKind::Illegal) => {
                Err(failure)
            }
            _ => Ok(()),
        }
    }

    /// Starts the engine if it is not running, and prepares it for a game.
    pub fn new_game(&mut self, chess960: bool) -> Result<(), Failure> {
        let engine = self.engine.take().map_or_else(&self.start, Ok)?;
        self.try_with(engine, |engine| engine.new_game(chess960))
    }

    pub fn think(&mut self, game: &GameState) -> Result<MoveReply, Failure> {
        let engine = self.engine.take();
        let engine = engine.ok_or(FailureKind::DiedBeforeGame)?;
        self.try_with(engine, |engine| engine.think(game))
    }

    pub fn ponder(&mut self, game: &GameState) {
        if let Some(engine) = &mut self.engine {
            engine.ponder(game);
        }
    }

    /// Ends pondering when the game is over. Its result stands, so that a failure only ends the
    /// engine.
    pub fn stop_pondering(&mut self) {
        if let Some(engine) = self.engine.take() {
            let _ = self.try_with(engine, |engine| engine.stop_pondering());
        }
    }

    /// Keeps the engine unless it fails in a way that it does not survive.
    fn try_with<T>(
        &mut self,
        mut engine: Box<dyn MatchEngine>,
        action: impl FnOnce(&mut dyn MatchEngine) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let result = action(&mut *engine);
        match &result {
            Err(failure) if !engine.survives(failure.kind) => {}
            _ => self.engine = Some(engine),
        }
        result
    }
}

/// This engine in the same process. The settings of a match do not let it ponder.
struct OwnEngine {
    engine: Engine,
}

impl MatchEngine for OwnEngine {
    fn new_game(&mut self, _: bool) -> Result<(), Failure> {
        self.engine.clear();
        Ok(())
    }

    fn think(&mut self, game: &GameState) -> Result<MoveReply, Failure> {
        self.engine.set_position(game.pos.clone());
        if let Some(book_move) = self.engine.book_move() {
            return Ok(MoveReply {
                mv: book_move.mv,
                score: None,
                depth: None,
                time: Duration::ZERO,
                ponder: None,
            });
        }
        let limits = limits(game);
        let start = Instant::now();
        // A bug in the search loses the game but does not end the match.
        let search = || self.engine.go_unless_stopped(&limits, &NullListener);
        let summary = catch_unwind(AssertUnwindSafe(search))
            .map_err(|_| FailureKind::Panicked)?
            .ok_or(FailureKind::Stopped)?;
        let settings = self.engine.settings();
        let time = match settings.node_time {
            0 => start.elapsed(),
            // The search itself counts the nodes per thread.
            rate => search::node_duration(summary.nodes, rate * settings.threads as u64),
        };
        if game.deadline().is_some_and(|deadline| time > deadline) {
            return Err(FailureKind::Late.into());
        }
        let mv = summary.best_move();
        let mv = mv.ok_or_else(|| Failure::illegal("(none)"))?;
        if !game.pos.is_legal(mv) {
            return Err(Failure::illegal(&coord::write(mv, game.chess960)));
        }
        Ok(MoveReply {
            mv,
            score: Some(summary.display_score()),
            depth: Some(summary.depth()),
            time,
            ponder: None,
        })
    }

    /// After a panic the state of the engine is unknown.
    fn survives(&self, kind: FailureKind) -> bool {
        kind != FailureKind::Panicked
    }
}

fn limits(game: &GameState) -> Limits {
    let clock = game.clock();
    let mut limits = Limits::default();
    match clock.time_control {
        TimeControl::Clock { .. } => {
            limits.time = game.clocks.each_ref().map(|clock| clock.left());
            limits.increment = game.clocks.each_ref().map(|clock| clock.increment());
            limits.moves_to_go = clock.moves_to_go();
        }
        TimeControl::Nodes(nodes) => limits.nodes = Some(nodes),
        TimeControl::Depth(depth) => limits.depth = Some(depth),
        TimeControl::MoveTime(time) => limits.move_time = Some(time),
    }
    limits
}
