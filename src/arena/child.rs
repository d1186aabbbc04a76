//! A player in a child process, which is started when it is first needed and again after a
//! failure.
//! Invariant: a process that has failed is ended before the next game.

use std::sync::Arc;

use super::engine_log::EngineLog;
use super::process::EngineProcess;
use super::spec::{EngineSpec, Timeouts};
use super::turn::{DeathMoment, Failure, MoveReply, MoveRequest};
use crate::engine::StopSignal;
use crate::rules::Variant;

/// The specification of an engine process, and the process while it runs.
pub struct Child {
    spec: EngineSpec,
    variant: Variant,
    timeouts: Timeouts,
    stop: Arc<StopSignal>,
    log: Option<Arc<EngineLog>>,
    running: Option<EngineProcess>,
}

impl Child {
    pub fn new(
        spec: EngineSpec,
        variant: Variant,
        timeouts: Timeouts,
        stop: Arc<StopSignal>,
        log: Option<Arc<EngineLog>>,
    ) -> Child {
        Child {
            spec,
            variant,
            timeouts,
            stop,
            log,
            running: None,
        }
    }

    /// Starts the engine if it is not running, and prepares it for a game.
    pub fn new_game(&mut self, chess960: bool) -> Result<(), Failure> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        let prepared = running.new_game(chess960);
        if matches!(prepared, Ok(()) | Err(Failure::NoChess960)) {
            self.running = Some(running);
        }
        prepared
    }

    /// Checks that the engine can play: starts it, prepares it for a game, requests a move and ends
    /// it. Any move will do, because a late or illegal one loses a game but does not abandon it.
    pub fn check(&self, request: &MoveRequest) -> Result<(), Failure> {
        let mut running = self.start()?;
        running.new_game(request.chess960)?;
        match running.think(request) {
            Ok(_) | Err(Failure::Late | Failure::Illegal(_)) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Requests a move. After any failure except an illegal move, the process is ended.
    pub fn think(&mut self, request: &MoveRequest) -> Result<MoveReply, Failure> {
        let running = self.running.take();
        let mut running = running.ok_or_else(|| Failure::died(DeathMoment::BeforeGame))?;
        let reply = running.think(request);
        if matches!(reply, Ok(_) | Err(Failure::Illegal(_))) {
            self.running = Some(running);
        }
        reply
    }

    /// Starts to ponder.
    pub fn ponder(&mut self, request: &MoveRequest) {
        if let Some(running) = &mut self.running {
            running.ponder(request);
        }
    }

    /// Ends pondering when the game is over. Its result stands, so that after a failure the
    /// process is only ended.
    pub fn stop_pondering(&mut self) {
        let stopped = self.running.as_mut().map(EngineProcess::stop_pondering);
        if matches!(stopped, Some(Err(_))) {
            self.running = None;
        }
    }

    fn start(&self) -> Result<EngineProcess, Failure> {
        let log = self.log.as_ref();
        EngineProcess::start(&self.spec, self.variant, self.timeouts, &self.stop, log)
    }
}
