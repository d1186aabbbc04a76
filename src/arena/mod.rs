//! Matches between engines: pairs of games with colours reversed from given openings, with
//! statistics, a PGN record and a sequential test. Our own rules decide every game.
//! Invariant: a game that an engine fails to play counts for no result, and no finished game is
//! lost.

pub(crate) mod adjudication;
mod clock;
pub(crate) mod end;
pub(crate) mod engine_log;
mod error;
mod failure;
pub(crate) mod game;
mod messages;
pub(crate) mod openings;
mod pgn;
pub(crate) mod player;
mod process;
mod record;
pub(crate) mod report;
mod schedule;
pub(crate) mod shard;
pub mod spec;
mod standings;
pub(crate) mod stats;
pub(crate) mod turn;

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::batch::WorkPool;
use crate::engine::options::OptionError;
use crate::files::AppendFile;
use crate::notation::fen::{self, CastlingStyle};
use crate::notation::pgn::variant_tag;
use crate::rules::Variant;
use crate::search::Control;
use crate::tablebase::Tablebase;
use adjudication::Adjudication;
use clock::GameClock;
use engine_log::EngineLog;
pub(crate) use error::{MatchError, MatchRecordError, RecordMismatch, SettingsError};
use failure::FailureKind;
use game::{GameSettings, MatchGame};
use openings::Openings;
use pgn::GameTags;
use player::Player;
use record::MatchRecord;
use schedule::{ScheduledGame, pairings, schedule};
use spec::{EngineKind, EngineSpec, TimeControl, Timeouts};
pub(crate) use standings::{Pairing, Standings};
use stats::{Sprt, SprtVerdict};
use turn::{GameState, PlayerContext};

/// The games in a row that a player may abandon before the match ends.
const MAX_ABANDONED: u32 = 3;

pub(crate) struct Match {
    /// The players, at least two; more than two play a round robin or a gauntlet.
    pub engines: Vec<EngineSpec>,
    /// The first engine plays each of the others, and these do not play each other.
    pub gauntlet: bool,
    pub variant: Variant,
    /// Write castling in Chess960 notation even if the openings do not need it.
    pub chess960: bool,
    /// The limit of engines without one of their own.
    pub time_control: TimeControl,
    /// The rounds to play, of those of the whole match; each pairing plays a pair of games in a
    /// round.
    pub rounds: Range<usize>,
    pub concurrency: usize,
    /// The first positions of the pairs.
    pub openings: Openings,
    pub adjudication: Adjudication,
    /// How much later than its time limit a move may arrive.
    pub time_margin: Duration,
    /// Charged to the mover's clock for every move, in addition to the time taken.
    pub lag: Duration,
    pub timeouts: Timeouts,
    pub log: Option<Arc<EngineLog>>,
    pub pgn: Option<PathBuf>,
    pub resume: bool,
    /// PGN's Event tag, which must be the same when a match is resumed.
    pub event: String,
    pub date: String,
    /// A sequential test that may end the match early; only for two engines.
    pub sprt: Option<Sprt>,
    pub tablebase: Option<Tablebase>,
}

pub(crate) trait MatchObserver {
    /// The match begins, or continues after the games in `standings`.
    fn began(&mut self, standings: &Standings);

    /// A game ended. `names` are the players of White and Black.
    fn game_ended(&mut self, names: [&str; 2], game: &MatchGame, standings: &Standings);
}

impl Match {
    /// Plays the match, or the rest of it, until it is finished, decided or stopped.
    ///
    /// # Errors
    /// Invalid settings, or a game that cannot be played or recorded.
    pub(crate) fn play(
        &self,
        stop: &Arc<Control>,
        observer: &mut dyn MatchObserver,
    ) -> Result<Standings, MatchError> {
        self.check_settings()?;
        self.check_players(stop)?;
        let pairings = pairings(self.engines.len(), self.gauntlet);
        let schedule = schedule(&pairings, self.rounds.clone());
        let mut standings = Standings::empty(self.engines.len(), pairings, schedule.len());
        let (mut recorder, done) = self.open_recorder(&schedule, &mut standings)?;
        let left = schedule.iter().zip(done).filter(|(_, is_done)| !is_done);
        let left: Vec<&ScheduledGame> = left.map(|(scheduled, _)| scheduled).collect();
        observer.began(&standings);
        if self.is_finished(&standings) {
            return Ok(standings);
        }
        let pool = WorkPool::new(self.concurrency).map_err(SettingsError::Threads)?;
        let played = pool.run(
            0..left.len() as u64,
            || Ok(HashMap::new()),
            |players, number| {
                if stop.is_stopped() {
                    return None;
                }
                self.play_one(left[number as usize], players, stop).transpose()
            },
            |number, game| {
                let scheduled = left[number as usize];
                let result = game.map_err(MatchError::Engine).and_then(|game| {
                    let recorder = recorder.as_mut();
                    self.take(scheduled, &game, recorder, &mut standings, observer)
                });
                match result {
                    Ok(()) if !self.is_decided(&standings) => Ok(()),
                    end => {
                        stop.stop();
                        Err(end.err())
                    }
                }
            },
        );
        match played {
            Err(Some(error)) => Err(error),
            _ => Ok(standings),
        }
    }

    /// Records and counts a game. Fails also if it was the last of too many that a player
    /// abandoned.
    fn take(
        &self,
        scheduled: &ScheduledGame,
        game: &MatchGame,
        recorder: Option<&mut AppendFile>,
        standings: &mut Standings,
        observer: &mut dyn MatchObserver,
    ) -> Result<(), MatchError> {
        if let Some(recorder) = recorder {
            let text = pgn::write(game, &self.tags(scheduled), &self.date);
            let written = recorder.append(&text).and_then(|()| recorder.sync());
            written.map_err(MatchError::Record)?;
        }
        standings.add(scheduled, game.end.result, game.end.ending);
        observer.game_ended(self.names(scheduled), game, standings);
        let Some(side) = game.end.failed_side() else {
            return Ok(());
        };
        let engine = scheduled.colors[side.index()];
        match standings.abandoned_in_a_row[engine] {
            games @ MAX_ABANDONED.. => {
                let name = self.engines[engine].name.clone();
                let reason = game.end.reason.clone();
                Err(MatchError::Abandoned(name, games, reason))
            }
            _ => Ok(()),
        }
    }

    /// Checks that each engine can be started and plays the variant.
    fn check_players(&self, stop: &Arc<Control>) -> Result<(), SettingsError> {
        let start = self.openings.get(self.rounds.start);
        let limit = TimeControl::MoveTime(Duration::from_millis(50));
        let game = GameState::new(
            &start,
            [GameClock::new(limit, Duration::ZERO); 2],
            self.chess960 || self.openings.need_chess960(),
            self.timeouts.uciok,
        );
        let context = self.context(stop);
        self.engines.iter().try_for_each(|spec| {
            let player = Player::new(spec, &context);
            let player = player.map_err(|error| SettingsError::Option(spec.name.clone(), error))?;
            match player.check(&game) {
                Err(failure) if failure.kind != FailureKind::Stopped => {
                    Err(SettingsError::Process(spec.name.clone(), failure))
                }
                _ => Ok(()),
            }
        })
    }

    fn check_settings(&self) -> Result<(), SettingsError> {
        if self.engines.len() < 2 {
            return Err(SettingsError::TooFewEngines);
        }
        if self.sprt.is_some() && self.engines.len() != 2 {
            return Err(SettingsError::TestNeedsTwoEngines);
        }
        let has_clock = |engine| matches!(self.time_control(engine), TimeControl::Clock { .. });
        for (index, engine) in self.engines.iter().enumerate() {
            if engine.ponders() && engine.kind == EngineKind::Own {
                return Err(SettingsError::OwnPonders(engine.name.clone()));
            }
            if engine.ponders() && !has_clock(index) {
                return Err(SettingsError::PonderWithoutClock(engine.name.clone()));
            }
        }
        if !self.lag.is_zero() && !(0..self.engines.len()).any(has_clock) {
            return Err(SettingsError::LagWithoutClock);
        }
        Ok(())
    }

    fn context(&self, stop: &Arc<Control>) -> PlayerContext {
        PlayerContext {
            variant: self.variant,
            timeouts: self.timeouts,
            log: self.log.clone(),
            stop: Arc::clone(stop),
        }
    }

    fn names(&self, scheduled: &ScheduledGame) -> [&str; 2] {
        scheduled.colors.map(|engine| &*self.engines[engine].name)
    }

    fn time_control(&self, engine: usize) -> TimeControl {
        let own = self.engines[engine].time_control;
        own.unwrap_or(self.time_control)
    }

    /// Opens the record and counts the games that are already in it. The second value marks
    /// these games in the schedule.
    fn open_recorder(
        &self,
        schedule: &[ScheduledGame],
        standings: &mut Standings,
    ) -> Result<(Option<AppendFile>, Vec<bool>), MatchError> {
        let mut done = vec![false; schedule.len()];
        let Some(path) = &self.pgn else {
            return Ok((None, done));
        };
        let record = MatchRecord::open(path, self.resume, &self.event)?;
        let places = schedule.iter().map(ScheduledGame::round).zip(0..);
        let places: HashMap<(usize, usize), usize> = places.collect();
        for old in &record.games {
            let index = match places.get(&old.tags.round) {
                None => Err(RecordMismatch::NotScheduled),
                Some(&index) => match old.tags.difference(&self.tags(&schedule[index])) {
                    Some(difference) => Err(RecordMismatch::Tags(difference)),
                    None if done[index] => Err(RecordMismatch::Duplicate),
                    None => Ok(index),
                },
            };
            let index = index.map_err(|mismatch| MatchRecordError::OtherMatch {
                path: path.clone(),
                round: old.tags.round,
                mismatch,
            })?;
            done[index] = true;
            standings.add(&schedule[index], old.result, old.ending);
            standings.resumed += 1;
        }
        if !record.has_valid_tail {
            return Err(MatchRecordError::ForeignTail(path.clone()).into());
        }
        let recorder = record.keep_complete().map_err(MatchError::Record)?;
        Ok((Some(recorder), done))
    }

    /// True if no game is left to play.
    pub(crate) fn is_finished(&self, standings: &Standings) -> bool {
        standings.finished() == standings.planned as u64 || self.is_decided(standings)
    }

    fn is_decided(&self, standings: &Standings) -> bool {
        self.sprt
            .is_some_and(|sprt| sprt.verdict(&standings.pairings[0].pairs) != SprtVerdict::Open)
    }

    fn tags(&self, scheduled: &ScheduledGame) -> GameTags {
        let engines = scheduled.colors.map(|engine| &self.engines[engine]);
        let limits = scheduled.colors.map(|engine| self.time_control(engine));
        GameTags {
            event: self.event.clone(),
            round: scheduled.round(),
            names: self.names(scheduled).map(str::to_owned),
            variant: variant_tag(self.variant).to_owned(),
            start: fen::write(&self.openings.get(scheduled.opening), CastlingStyle::XFen),
            time_controls: limits.map(|limit| limit.tag()),
            lag: pgn::lag_tag(self.lag),
            options: engines.map(|engine| engine.options_text("; ")),
        }
    }

    /// Plays one game. Players are created when they are first needed. Returns `None` if the
    /// match was stopped.
    fn play_one(
        &self,
        scheduled: &ScheduledGame,
        players: &mut HashMap<usize, Player>,
        stop: &Arc<Control>,
    ) -> Result<Option<MatchGame>, OptionError> {
        let start = self.openings.get(scheduled.opening);
        let [white, black] = scheduled.colors;
        let settings = GameSettings {
            adjudication: &self.adjudication,
            time_controls: [white, black].map(|engine| self.time_control(engine)),
            time_margin: self.time_margin,
            lag: self.lag,
            chess960: self.chess960 || start.needs_chess960(),
            tablebase: self.tablebase.as_ref(),
            stop,
        };
        let context = self.context(stop);
        let mut player = |engine: usize| {
            let player = players.remove(&engine);
            player.map_or_else(|| Player::new(&self.engines[engine], &context), Ok)
        };
        let (mut first, mut second) = (player(white)?, player(black)?);
        let game = game::play([&mut first, &mut second], &start, &settings);
        players.extend([(white, first), (black, second)]);
        Ok(game)
    }
}
