//! Matches between engines: pairs of games with colours reversed from given openings, with
//! statistics, a PGN record and a sequential test. Our own rules decide every game.
//! Invariant: a failure of an engine never ends the match, and no finished game is lost.

mod child;
mod clock;
pub mod datagen;
pub mod end;
pub mod game;
pub mod genfens;
mod messages;
pub mod openings;
mod pgn;
mod player;
pub mod select;
pub mod spec;
#[cfg(feature = "tune")]
pub mod spsa;
pub mod stats;
pub mod turn;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use rayon::ThreadPoolBuilder;

use crate::engine::StopSignal;
use crate::engine::options::OptionError;
use crate::rules::{Color, GameResult, Variant};
use crate::search::STACK_SIZE;
use crate::tablebase::Tablebase;
use game::{Adjudication, GameSettings, MatchGame};
use openings::Openings;
pub use pgn::MatchRecordError;
use pgn::{GameRecorder, GameTags};
use player::Player;
use spec::{EngineSpec, TimeControl, Timeouts};
use stats::{Pentanomial, Sprt, SprtVerdict, WinDrawLoss};
use turn::Failure;

/// The settings of a match.
pub struct Match {
    /// The players, at least two; more than two play a round robin.
    pub engines: Vec<EngineSpec>,
    /// The rules.
    pub variant: Variant,
    /// Write castling in Chess960 notation even if the openings do not need it.
    pub chess960: bool,
    /// The limit of engines without one of their own.
    pub time_control: TimeControl,
    /// Pairs of games for each pairing of engines.
    pub pairs: usize,
    /// Games played in parallel.
    pub concurrency: usize,
    /// The first positions of the pairs.
    pub openings: Openings,
    /// Rules that end a game early.
    pub adjudication: Adjudication,
    /// How much later than its time limit a move may arrive.
    pub margin: Duration,
    /// Timeouts of engine processes.
    pub timeouts: Timeouts,
    /// The file that records the games.
    pub pgn: Option<PathBuf>,
    /// Continue the match in the file.
    pub resume: bool,
    /// PGN's Event tag, which must be the same when a match is resumed.
    pub event: String,
    /// PGN's Date tag.
    pub date: String,
    /// A sequential test that may end the match early; only for two engines.
    pub sprt: Option<Sprt>,
    /// Tablebases for adjudication.
    pub tablebase: Option<Tablebase>,
}

/// The results of two engines against each other, from the perspective of the first.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    /// Indices of the engines.
    pub engines: (usize, usize),
    /// All games.
    pub games: WinDrawLoss,
    /// Complete pairs.
    pub pairs: Pentanomial,
}

/// The results of a match so far.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    /// Each pairing.
    pub pairings: Vec<Pairing>,
    /// Wins of White, draws, wins of Black.
    pub by_color: [u64; 3],
    /// Games by the category of their end, without colours and details.
    pub reasons: BTreeMap<String, u64>,
    /// Games that each engine ended by a failure.
    pub failures: Vec<u64>,
    /// Games of the whole match.
    pub planned: usize,
    /// Games that were already in the record.
    pub resumed: u64,
    /// The first engine's points in pairs with one finished game.
    half_pairs: HashMap<usize, f64>,
}

impl Standings {
    /// Finished games.
    pub fn finished(&self) -> u64 {
        self.by_color.iter().sum()
    }

    /// White's share of the points in percent.
    pub fn white_percent(&self) -> f64 {
        let [wins, draws, _] = self.by_color;
        100.0 * (wins as f64 + draws as f64 / 2.0) / self.finished().max(1) as f64
    }

    /// Counts a game. `failed` is the engine whose failure ended it.
    fn add(
        &mut self,
        scheduled: &ScheduledGame,
        result: GameResult,
        category: String,
        failed: Option<usize>,
    ) {
        let standing = &mut self.pairings[scheduled.pairing];
        let index = match result {
            GameResult::Win(Color::White) => 0,
            GameResult::Draw => 1,
            GameResult::Win(Color::Black) => 2,
        };
        self.by_color[index] += 1;
        let points = match result {
            GameResult::Draw => 0.5,
            GameResult::Win(color) => f64::from(u8::from(color == scheduled.first_plays)),
        };
        match result {
            GameResult::Draw => standing.games.draws += 1,
            GameResult::Win(_) if points > 0.5 => standing.games.wins += 1,
            GameResult::Win(_) => standing.games.losses += 1,
        }
        match self.half_pairs.remove(&scheduled.pair) {
            Some(other) => standing.pairs.0[((points + other) * 2.0) as usize] += 1,
            None => {
                self.half_pairs.insert(scheduled.pair, points);
            }
        }
        *self.reasons.entry(category).or_default() += 1;
        if let Some(engine) = failed {
            self.failures[engine] += 1;
        }
    }
}

/// One game of the schedule.
#[derive(Clone, Copy, Debug)]
struct ScheduledGame {
    pairing: usize,
    /// The number of the pair in the whole match, from 0.
    pair: usize,
    opening: usize,
    /// The colour of the pairing's first engine.
    first_plays: Color,
}

/// Receives the progress of a match.
pub trait MatchObserver {
    /// The match begins, or continues after the games in `standings`.
    fn began(&mut self, standings: &Standings);

    /// A game ended. `names` are the players of White and Black.
    fn game_ended(
        &mut self,
        number: u64,
        names: [&str; 2],
        game: &MatchGame,
        standings: &Standings,
    );
}

/// Why a match cannot be played or finished.
#[derive(Debug)]
pub enum MatchError {
    /// The settings are invalid; nothing was played.
    Settings(SettingsError),
    /// A game could not be recorded; earlier games are in the record.
    Record(io::Error),
    /// An engine of this process could not be created; earlier games are in the record.
    Engine(OptionError),
}

/// What is invalid in the settings of a match.
#[derive(Debug)]
pub enum SettingsError {
    /// Fewer than two engines.
    TooFewEngines,
    /// Two engines have this name.
    DuplicateName(String),
    /// The program of an engine does not exist.
    NoProgram(PathBuf),
    /// A sequential test with more than two engines.
    TestNeedsTwoEngines,
    /// There is no opening.
    NoOpenings,
    /// The named engine rejects an option.
    Option(String, OptionError),
    /// The named engine process rejects an option.
    Process(String, Failure),
    /// The threads cannot be created.
    Threads(rayon::ThreadPoolBuildError),
    /// The record cannot be used.
    Record(MatchRecordError),
    /// A game of the record, by pair and number, does not fit this match.
    ForeignGame {
        /// The record.
        path: PathBuf,
        /// The pair and the game in it, from 1.
        round: (usize, usize),
        /// The reason, as a predicate of the game.
        reason: String,
    },
    /// The end of the record belongs to something else.
    ForeignTail(PathBuf),
}

impl fmt::Display for MatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchError::Settings(error) => error.fmt(f),
            MatchError::Record(error) => write!(f, "cannot record a game: {error}"),
            MatchError::Engine(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingsError::TooFewEngines => f.write_str("a match needs at least two engines"),
            SettingsError::DuplicateName(name) => write!(f, "two players are named {name:?}"),
            SettingsError::NoProgram(path) => write!(f, "{}: no such program", path.display()),
            SettingsError::TestNeedsTwoEngines => {
                f.write_str("a sequential test needs exactly two engines")
            }
            SettingsError::NoOpenings => f.write_str("no openings"),
            SettingsError::Option(name, error) => write!(f, "{name}: {error}"),
            SettingsError::Process(name, failure) => write!(f, "{name}: {failure}"),
            SettingsError::Threads(error) => error.fmt(f),
            SettingsError::Record(error) => error.fmt(f),
            SettingsError::ForeignGame {
                path,
                round: (pair, number),
                reason,
            } => write!(
                f,
                "{} is the record of another match: game {pair}.{number} {reason}; the file is unchanged",
                path.display()
            ),
            SettingsError::ForeignTail(path) => write!(
                f,
                "{} does not end with a game of this match; the file is unchanged",
                path.display()
            ),
        }
    }
}

impl std::error::Error for MatchError {}

impl std::error::Error for SettingsError {}

impl From<SettingsError> for MatchError {
    fn from(error: SettingsError) -> MatchError {
        MatchError::Settings(error)
    }
}

impl From<MatchRecordError> for SettingsError {
    fn from(error: MatchRecordError) -> SettingsError {
        SettingsError::Record(error)
    }
}

impl Match {
    /// Plays the match, or the rest of it, until it is finished, decided or stopped.
    ///
    /// # Errors
    /// Invalid settings, or a game that cannot be played or recorded.
    pub fn play(
        &self,
        stop: &Arc<StopSignal>,
        observer: &mut dyn MatchObserver,
    ) -> Result<Standings, MatchError> {
        self.check(stop)?;
        let schedule = self.schedule();
        let mut standings = self.empty_standings(schedule.len());
        let (mut recorder, done) = self.open_recorder(&schedule, &mut standings)?;
        let left: Vec<usize> = (0..schedule.len()).filter(|&index| !done[index]).collect();
        observer.began(&standings);
        if self.is_finished(&standings) {
            return Ok(standings);
        }
        let next = AtomicUsize::new(0);
        let (sender, results) = channel();
        let pool = ThreadPoolBuilder::new()
            .num_threads(self.concurrency.max(1))
            .stack_size(STACK_SIZE)
            .build()
            .map_err(SettingsError::Threads)?;
        let mut failure = None;
        pool.in_place_scope(|scope| {
            let (left, next, schedule, stop) = (&left, &next, &schedule, stop);
            scope.spawn_broadcast(move |_, _| {
                self.work(left, next, schedule, stop, sender.clone());
            });
            let mut is_over = false;
            for (index, game) in results {
                if is_over {
                    continue;
                }
                let scheduled = &schedule[index];
                let recorded = game.map_err(MatchError::Engine).and_then(|game| {
                    if let Some(recorder) = &mut recorder {
                        let text = pgn::write(&game, &self.tags(scheduled), &self.date);
                        recorder.add(&text).map_err(MatchError::Record)?;
                    }
                    Ok(game)
                });
                match recorded {
                    Err(error) => {
                        failure = Some(error);
                        is_over = true;
                        stop.request();
                    }
                    Ok(game) => {
                        let (result, category) = (game.end.result(), game.end.category());
                        let failed = game.end.failed_side();
                        let failed = failed.map(|color| self.seats(scheduled)[color.index()]);
                        standings.add(scheduled, result, category, failed);
                        let names = self.names(scheduled);
                        observer.game_ended(standings.finished(), names, &game, &standings);
                        if self.is_decided(&standings) {
                            is_over = true;
                            stop.request();
                        }
                    }
                }
            }
        });
        match failure {
            Some(error) => Err(error),
            None => Ok(standings),
        }
    }

    fn check(&self, stop: &Arc<StopSignal>) -> Result<(), SettingsError> {
        if self.engines.len() < 2 {
            return Err(SettingsError::TooFewEngines);
        }
        for (index, engine) in self.engines.iter().enumerate() {
            if self.engines[..index]
                .iter()
                .any(|other| other.name == engine.name)
            {
                return Err(SettingsError::DuplicateName(engine.name.clone()));
            }
            if let Some((program, _, _)) = engine.program()
                && program.components().count() > 1
                && !program.is_file()
            {
                return Err(SettingsError::NoProgram(program));
            }
        }
        if self.sprt.is_some() && self.engines.len() != 2 {
            return Err(SettingsError::TestNeedsTwoEngines);
        }
        if self.openings.is_empty() {
            return Err(SettingsError::NoOpenings);
        }
        // Wrong options are reported before the first game.
        self.engines.iter().try_for_each(|spec| {
            self.player(spec, stop)
                .map_err(|error| SettingsError::Option(spec.name.clone(), error))?
                .check_options()
                .map_err(|failure| SettingsError::Process(spec.name.clone(), failure))
        })
    }

    fn player(&self, spec: &EngineSpec, stop: &Arc<StopSignal>) -> Result<Player, OptionError> {
        Player::new(spec, self.variant, self.timeouts, stop)
    }

    fn pairings(&self) -> Vec<(usize, usize)> {
        let count = self.engines.len();
        (0..count)
            .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
            .collect()
    }

    fn schedule(&self) -> Vec<ScheduledGame> {
        let pairings = self.pairings().len();
        let mut schedule = Vec::new();
        for round in 0..self.pairs {
            for pairing in 0..pairings {
                for first_plays in Color::ALL {
                    let pair = round * pairings + pairing;
                    schedule.push(ScheduledGame {
                        pairing,
                        pair,
                        opening: round,
                        first_plays,
                    });
                }
            }
        }
        schedule
    }

    fn empty_standings(&self, planned: usize) -> Standings {
        let standing = |engines| Pairing {
            engines,
            ..Pairing::default()
        };
        Standings {
            pairings: self.pairings().into_iter().map(standing).collect(),
            failures: vec![0; self.engines.len()],
            planned,
            ..Standings::default()
        }
    }

    /// The indices of the engines that play White and Black.
    fn seats(&self, scheduled: &ScheduledGame) -> [usize; 2] {
        let (first, second) = self.pairings()[scheduled.pairing];
        match scheduled.first_plays {
            Color::White => [first, second],
            Color::Black => [second, first],
        }
    }

    fn names(&self, scheduled: &ScheduledGame) -> [&str; 2] {
        self.seats(scheduled)
            .map(|index| self.engines[index].name.as_str())
    }

    fn time_control(&self, engine: usize) -> TimeControl {
        self.engines[engine]
            .time_control
            .unwrap_or(self.time_control)
    }

    /// Opens the record and counts the games that are already in it. The second value marks
    /// these games in the schedule.
    fn open_recorder(
        &self,
        schedule: &[ScheduledGame],
        standings: &mut Standings,
    ) -> Result<(Option<GameRecorder>, Vec<bool>), MatchError> {
        let mut done = vec![false; schedule.len()];
        let Some(path) = &self.pgn else {
            return Ok((None, done));
        };
        if !self.resume {
            let recorder = GameRecorder::create(path).map_err(SettingsError::Record)?;
            return Ok((Some(recorder), done));
        }
        let record =
            GameRecorder::open_existing(path, &self.event).map_err(SettingsError::Record)?;
        for old in &record.games {
            let (pair, number) = old.tags.round;
            let foreign = |reason: String| SettingsError::ForeignGame {
                path: path.clone(),
                round: old.tags.round,
                reason,
            };
            let index = match (pair.checked_sub(1), number) {
                (Some(pair), 1 | 2) => pair.checked_mul(2).and_then(|n| n.checked_add(number - 1)),
                _ => None,
            };
            let Some((index, scheduled)) = index.and_then(|i| Some((i, schedule.get(i)?))) else {
                return Err(foreign("is not in this match".to_owned()).into());
            };
            if let Some(difference) = old.tags.difference(&self.tags(scheduled)) {
                return Err(foreign(format!("differs, {difference}")).into());
            }
            if std::mem::replace(&mut done[index], true) {
                return Err(foreign("occurs twice".to_owned()).into());
            }
            let failed = old.failed.map(|color| self.seats(scheduled)[color.index()]);
            let category = end::category_of(&old.reason).to_owned();
            standings.add(scheduled, old.result, category, failed);
            standings.resumed += 1;
        }
        if !record.has_valid_tail {
            return Err(SettingsError::ForeignTail(path.clone()).into());
        }
        let recorder = record.into_recorder().map_err(MatchError::Record)?;
        Ok((Some(recorder), done))
    }

    /// True if no game is left to play.
    pub fn is_finished(&self, standings: &Standings) -> bool {
        standings.finished() == standings.planned as u64 || self.is_decided(standings)
    }

    fn is_decided(&self, standings: &Standings) -> bool {
        self.sprt
            .is_some_and(|sprt| sprt.verdict(&standings.pairings[0].pairs) != SprtVerdict::Open)
    }

    fn tags(&self, scheduled: &ScheduledGame) -> GameTags {
        let number = match scheduled.first_plays {
            Color::White => 1,
            Color::Black => 2,
        };
        GameTags {
            event: self.event.clone(),
            round: (scheduled.pair + 1, number),
            names: self.names(scheduled).map(str::to_owned),
            variant: crate::notation::pgn::variant_tag(self.variant).to_owned(),
            start: pgn::start_tag(&self.openings.get(scheduled.opening)),
            time_controls: self
                .seats(scheduled)
                .map(|engine| self.time_control(engine).tag()),
            options: self
                .seats(scheduled)
                .map(|engine| pgn::options_tag(&self.engines[engine].options)),
        }
    }

    /// Runs on each thread: plays the next game and sends its result, until none is left.
    fn work(
        &self,
        left: &[usize],
        next: &AtomicUsize,
        schedule: &[ScheduledGame],
        stop: &Arc<StopSignal>,
        results: Sender<(usize, Result<MatchGame, OptionError>)>,
    ) {
        let mut players: Vec<Option<Player>> = self.engines.iter().map(|_| None).collect();
        while !stop.is_requested() {
            let Some(&index) = left.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let game = self.play_one(&schedule[index], &mut players, stop);
            let Some(game) = game.transpose() else { return };
            if results.send((index, game)).is_err() {
                return;
            }
        }
    }

    /// Plays one game. Players are created when they are first needed. Returns `None` if the
    /// match was stopped.
    fn play_one(
        &self,
        scheduled: &ScheduledGame,
        players: &mut [Option<Player>],
        stop: &Arc<StopSignal>,
    ) -> Result<Option<MatchGame>, OptionError> {
        let start = self.openings.get(scheduled.opening);
        let game_settings = GameSettings {
            adjudication: &self.adjudication,
            margin: self.margin,
            chess960: self.chess960 || start.needs_chess960(),
            tablebase: self.tablebase.as_ref(),
            stop,
        };
        let [white, black] = self.seats(scheduled);
        let mut seat = |engine: usize| {
            players[engine]
                .take()
                .map_or_else(|| self.player(&self.engines[engine], stop), Ok)
        };
        let (mut first, mut second) = (seat(white)?, seat(black)?);
        let time_controls = [self.time_control(white), self.time_control(black)];
        let game = game::play(
            [&mut first, &mut second],
            time_controls,
            &start,
            &game_settings,
        );
        (players[white], players[black]) = (Some(first), Some(second));
        Ok(game)
    }
}
