//! Matches between engines, refereed by our own rules: colour-reversed pairs of games from
//! given openings, counted, recorded and tested as they end.
//! Invariant: no player's misbehaviour ends a match, and no finished game is lost.

mod child;
pub mod datagen;
pub mod game;
pub mod openings;
pub mod parallel;
mod pgn;
mod player;
pub mod select;
pub mod spec;
#[cfg(feature = "tune")]
pub mod spsa;
pub mod stats;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use rayon::ThreadPoolBuilder;

use crate::rules::{CastlingSide, Color, Position, Square, Variant};
use crate::search::STACK_SIZE;
use crate::tablebase::Tablebase;
use game::{Adjudication, Game, Score, Terms};
use openings::Openings;
use pgn::{Archive, Tags};
use player::{Player, Stop};
use spec::{EngineSpec, Pace, Patience};
use stats::{Games, Pairs, Sprt, Verdict};

/// A match as it was asked for.
pub struct Match {
    /// The players, at least two; more play a round robin.
    pub engines: Vec<EngineSpec>,
    /// The rules.
    pub variant: Variant,
    /// Speak of castling as Chess960 does even where the openings do not need it.
    pub chess960: bool,
    /// Limits for engines that have none of their own.
    pub pace: Pace,
    /// Pairs of games for each pairing of engines.
    pub pairs: usize,
    /// Games at a time.
    pub concurrency: usize,
    /// Where the pairs of games begin.
    pub openings: Openings,
    /// Endings before the end.
    pub adjudication: Adjudication,
    /// How late a move may come.
    pub margin: Duration,
    /// How long other programs are waited for.
    pub patience: Patience,
    /// Where games are recorded.
    pub pgn: Option<PathBuf>,
    /// Continue the match recorded there.
    pub resume: bool,
    /// PGN's Event tag; a match that is continued must have the same.
    pub event: String,
    /// PGN's Date tag.
    pub date: String,
    /// When to stop early; for two engines.
    pub sprt: Option<Sprt>,
    /// Tables to adjudicate by.
    pub tables: Option<Tablebase>,
}

/// What two engines have scored against each other, from the first one's view.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Indices of the engines.
    pub engines: (usize, usize),
    /// All games.
    pub games: Games,
    /// Complete pairs.
    pub pairs: Pairs,
}

/// What a match has come to so far.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    /// Each pairing.
    pub pairings: Vec<Standing>,
    /// Wins of White, draws, wins of Black.
    pub by_color: [u64; 3],
    /// How often games ended for each reason; colours and details left out.
    pub reasons: BTreeMap<String, u64>,
    /// Games that each engine broke off by a failure.
    pub failures: Vec<u64>,
    /// Games to be played in all.
    pub planned: usize,
    /// Games that were in the record already.
    pub resumed: u64,
    /// Points of the first engine in pairs of which one game is finished.
    halves: HashMap<usize, f64>,
}

impl Standings {
    /// Games finished.
    pub fn finished(&self) -> u64 {
        self.by_color.iter().sum()
    }

    /// The share of points that White scored, in percent.
    pub fn white_percent(&self) -> f64 {
        let [wins, draws, _] = self.by_color;
        100.0 * (wins as f64 + draws as f64 / 2.0) / self.finished().max(1) as f64
    }

    /// Counts a game of `fixture`, in which `failed` names the engine that broke it off.
    fn add(&mut self, fixture: &Fixture, score: Score, reason: &str, failed: Option<usize>) {
        let standing = &mut self.pairings[fixture.pairing];
        let index = match score {
            Score::Won(Color::White) => 0,
            Score::Drawn => 1,
            Score::Won(Color::Black) => 2,
        };
        self.by_color[index] += 1;
        let points = match score {
            Score::Drawn => 0.5,
            Score::Won(color) => f64::from(u8::from(color == fixture.first_plays)),
        };
        match score {
            Score::Drawn => standing.games.draws += 1,
            Score::Won(_) if points > 0.5 => standing.games.wins += 1,
            Score::Won(_) => standing.games.losses += 1,
        }
        match self.halves.remove(&fixture.pair) {
            Some(other) => standing.pairs.0[((points + other) * 2.0) as usize] += 1,
            None => {
                self.halves.insert(fixture.pair, points);
            }
        }
        *self.reasons.entry(kind(reason).to_owned()).or_default() += 1;
        if let Some(engine) = failed {
            self.failures[engine] += 1;
        }
    }
}

/// A reason without the side it is about and without the details.
fn kind(reason: &str) -> &str {
    let sides = ["White's ", "Black's ", "White ", "Black "];
    let rest = sides.iter().find_map(|side| reason.strip_prefix(side));
    let rest = rest.unwrap_or(reason);
    rest.split([':', '(']).next().unwrap_or(rest).trim_end()
}

/// One game of the schedule.
#[derive(Clone, Copy, Debug)]
struct Fixture {
    pairing: usize,
    /// Number of the pair in the whole match, from 0.
    pair: usize,
    opening: usize,
    /// The colour of the pairing's first engine.
    first_plays: Color,
}

/// Follows a match as its games end.
pub trait Observer {
    /// The match begins, or goes on after the games that are counted here.
    fn began(&mut self, standings: &Standings);

    /// A game ended: its number, the players as White and Black, and what it led to.
    fn game_ended(&mut self, number: u64, names: [&str; 2], game: &Game, standings: &Standings);
}

/// Why a match could not be played or finished.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MatchError {
    /// The request makes no sense; nothing was played.
    Request(String),
    /// A file could not be written, or the system had no memory for an engine; what was
    /// played before is recorded.
    Failed(String),
}

impl Match {
    /// Plays the match, or what is left of it, until it is finished, decided or interrupted.
    ///
    /// # Errors
    /// When it cannot be started, or its record cannot be written.
    pub fn play(
        &self,
        interrupted: &Arc<AtomicBool>,
        observer: &mut dyn Observer,
    ) -> Result<Standings, MatchError> {
        let stop = Stop::new(interrupted);
        self.check(&stop).map_err(MatchError::Request)?;
        let fixtures = self.fixtures();
        let mut standings = self.empty_standings(fixtures.len());
        let (mut archive, done) = self.open_archive(&fixtures, &mut standings)?;
        let left: Vec<usize> = (0..fixtures.len()).filter(|&index| !done[index]).collect();
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
            .map_err(|error| MatchError::Request(error.to_string()))?;
        let mut failure = None;
        pool.in_place_scope(|scope| {
            let (left, next, fixtures, stop) = (&left, &next, &fixtures, &stop);
            scope.spawn_broadcast(move |_, _| {
                self.work(left, next, fixtures, stop, sender.clone());
            });
            let (_until_here, end) = channel();
            watch(stop, end);
            for (index, game) in results {
                if stop.is_over() {
                    continue;
                }
                let fixture = &fixtures[index];
                let recorded = game.map_err(MatchError::Failed).and_then(|game| {
                    if let Some(archive) = &mut archive {
                        let text = pgn::write(&game, &self.tags(fixture), &self.date);
                        archive.add(&text).map_err(|error| {
                            MatchError::Failed(format!("cannot record a game: {error}"))
                        })?;
                    }
                    Ok(game)
                });
                match recorded {
                    Err(error) => {
                        failure = Some(error);
                        stop.end();
                    }
                    Ok(game) => {
                        let failed = game.failed.map(|(color, _)| color);
                        let failed = failed.map(|color| self.seats(fixture)[color.index()]);
                        standings.add(fixture, game.score, &game.reason, failed);
                        let names = self.names(fixture);
                        observer.game_ended(standings.finished(), names, &game, &standings);
                        if self.is_decided(&standings) {
                            stop.end();
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

    fn check(&self, stop: &Arc<Stop>) -> Result<(), String> {
        if self.engines.len() < 2 {
            return Err("a match needs at least two engines".to_owned());
        }
        for (index, engine) in self.engines.iter().enumerate() {
            if self.engines[..index]
                .iter()
                .any(|other| other.name == engine.name)
            {
                return Err(format!("two players are named {:?}", engine.name));
            }
            if let Some((program, _, _)) = engine.program()
                && program.components().count() > 1
                && !program.is_file()
            {
                return Err(format!("{}: no such program", program.display()));
            }
        }
        if self.sprt.is_some() && self.engines.len() != 2 {
            return Err("a sequential test is for exactly two engines".to_owned());
        }
        if self.openings.is_empty() {
            return Err("no openings".to_owned());
        }
        // Whatever is wrong with options shows before the match.
        self.engines.iter().try_for_each(|spec| {
            self.player(spec, stop)?
                .check_options()
                .map_err(|error| format!("{}: {error}", spec.name))
        })
    }

    fn player(&self, spec: &EngineSpec, stop: &Arc<Stop>) -> Result<Player, String> {
        Player::new(spec, self.variant, self.patience, stop)
            .map_err(|error| format!("{}: {error}", spec.name))
    }

    fn pairings(&self) -> Vec<(usize, usize)> {
        let count = self.engines.len();
        (0..count)
            .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
            .collect()
    }

    fn fixtures(&self) -> Vec<Fixture> {
        let pairings = self.pairings().len();
        let mut fixtures = Vec::new();
        for round in 0..self.pairs {
            for pairing in 0..pairings {
                for first_plays in Color::ALL {
                    let pair = round * pairings + pairing;
                    fixtures.push(Fixture {
                        pairing,
                        pair,
                        opening: round,
                        first_plays,
                    });
                }
            }
        }
        fixtures
    }

    fn empty_standings(&self, planned: usize) -> Standings {
        let standing = |engines| Standing {
            engines,
            ..Standing::default()
        };
        Standings {
            pairings: self.pairings().into_iter().map(standing).collect(),
            failures: vec![0; self.engines.len()],
            planned,
            ..Standings::default()
        }
    }

    /// Indices of the engines with White and Black.
    fn seats(&self, fixture: &Fixture) -> [usize; 2] {
        let (first, second) = self.pairings()[fixture.pairing];
        match fixture.first_plays {
            Color::White => [first, second],
            Color::Black => [second, first],
        }
    }

    fn names(&self, fixture: &Fixture) -> [&str; 2] {
        self.seats(fixture)
            .map(|index| self.engines[index].name.as_str())
    }

    fn pace(&self, engine: usize) -> Pace {
        self.engines[engine].pace.unwrap_or(self.pace)
    }

    /// Opens the record and counts the games that are in it already: which ones they are
    /// is returned beside it.
    fn open_archive(
        &self,
        fixtures: &[Fixture],
        standings: &mut Standings,
    ) -> Result<(Option<Archive>, Vec<bool>), MatchError> {
        let mut done = vec![false; fixtures.len()];
        let Some(path) = &self.pgn else {
            return Ok((None, done));
        };
        if !self.resume {
            let archive = Archive::create(path).map_err(MatchError::Request)?;
            return Ok((Some(archive), done));
        }
        let found = Archive::find(path, &self.event).map_err(MatchError::Request)?;
        for old in &found.games {
            let (pair, number) = old.tags.round;
            let refused = |why: String| {
                let path = path.display();
                let text = format!("game {pair}.{number} {why}; it is left as it is");
                MatchError::Request(format!("{path} is the record of another match: {text}"))
            };
            let index = match (pair.checked_sub(1), number) {
                (Some(pair), 1 | 2) => pair.checked_mul(2).and_then(|n| n.checked_add(number - 1)),
                _ => None,
            };
            let Some((index, fixture)) = index.and_then(|i| Some((i, fixtures.get(i)?))) else {
                return Err(refused("is not in this one".to_owned()));
            };
            if let Some(difference) = old.tags.difference(&self.tags(fixture)) {
                return Err(refused(format!("differs, {difference}")));
            }
            if std::mem::replace(&mut done[index], true) {
                return Err(refused("is there twice".to_owned()));
            }
            let failed = old.failed.map(|color| self.seats(fixture)[color.index()]);
            standings.add(fixture, old.score, &old.reason, failed);
            standings.resumed += 1;
        }
        if !found.ends_as_ours {
            let path = path.display();
            return Err(MatchError::Request(format!(
                "{path} is not the record of this match, or not to its end; it is left as it is"
            )));
        }
        let archive = found
            .repair()
            .map_err(|error| MatchError::Failed(format!("{}: {error}", path.display())))?;
        Ok((Some(archive), done))
    }

    /// True when nothing is left to play.
    pub fn is_finished(&self, standings: &Standings) -> bool {
        standings.finished() == standings.planned as u64 || self.is_decided(standings)
    }

    fn is_decided(&self, standings: &Standings) -> bool {
        self.sprt
            .is_some_and(|sprt| sprt.verdict(&standings.pairings[0].pairs) != Verdict::Open)
    }

    fn tags(&self, fixture: &Fixture) -> Tags {
        let number = match fixture.first_plays {
            Color::White => 1,
            Color::Black => 2,
        };
        Tags {
            event: self.event.clone(),
            round: (fixture.pair + 1, number),
            names: self.names(fixture).map(str::to_owned),
            variant: crate::notation::pgn::variant_tag(self.variant).to_owned(),
            start: pgn::start_tag(&self.openings.get(fixture.opening)),
            controls: self.seats(fixture).map(|engine| self.pace(engine).tag()),
            options: self
                .seats(fixture)
                .map(|engine| pgn::options_tag(&self.engines[engine].options)),
        }
    }

    /// One thread's share: takes the next game, plays it, sends it, until none is left.
    fn work(
        &self,
        left: &[usize],
        next: &AtomicUsize,
        fixtures: &[Fixture],
        stop: &Arc<Stop>,
        results: Sender<(usize, Result<Game, String>)>,
    ) {
        let mut players: Vec<Option<Player>> = self.engines.iter().map(|_| None).collect();
        while !stop.is_stopped() {
            let Some(&index) = left.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let game = self.play_one(&fixtures[index], &mut players, stop);
            let Some(game) = game.transpose() else { return };
            if results.send((index, game)).is_err() {
                return;
            }
        }
    }

    /// Plays one game with the players that are there or made here; `None` when it was
    /// stopped.
    fn play_one(
        &self,
        fixture: &Fixture,
        players: &mut [Option<Player>],
        stop: &Arc<Stop>,
    ) -> Result<Option<Game>, String> {
        let start = self.openings.get(fixture.opening);
        let terms = Terms {
            adjudication: &self.adjudication,
            margin: self.margin,
            chess960: self.chess960 || needs_chess960(&start),
            tables: self.tables.as_ref(),
            stop,
        };
        let [white, black] = self.seats(fixture);
        let mut seat = |engine: usize| {
            players[engine]
                .take()
                .map_or_else(|| self.player(&self.engines[engine], stop), Ok)
        };
        let (mut first, mut second) = (seat(white)?, seat(black)?);
        let paces = [self.pace(white), self.pace(black)];
        let game = game::play([&mut first, &mut second], paces, &start, &terms);
        (players[white], players[black]) = (Some(first), Some(second));
        Ok(game)
    }
}

/// Ends the searches in this process soon after the match was stopped, until the other end
/// of `end` is dropped.
fn watch(stop: &Arc<Stop>, end: Receiver<()>) {
    const GLANCE: Duration = Duration::from_millis(20);
    let stop = Arc::clone(stop);
    thread::spawn(move || {
        while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(GLANCE) {
            if stop.is_stopped() {
                stop.stop_searches();
            }
        }
    });
}

/// True when a castling right of the position is not that of the usual king and rook.
fn needs_chess960(pos: &Position) -> bool {
    Color::ALL.into_iter().any(|color| {
        CastlingSide::ALL.into_iter().any(|side| {
            let file = if side == CastlingSide::King { 7 } else { 0 };
            let usual = Some(Square::new(file, 0).relative(color));
            pos.rights().has(color, side)
                && (pos.castling().rook(color, side) != usual
                    || pos.king(color).is_none_or(|king| king.file() != 4))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_by_kind() {
        for (reason, wanted) in [
            ("White's king exploded", "king exploded"),
            ("Black mates", "mates"),
            ("Black lost on time", "lost on time"),
            (
                "White played an illegal move: a: b",
                "played an illegal move",
            ),
            (
                "White died while thinking (exit status: 3)",
                "died while thinking",
            ),
            ("threefold repetition", "threefold repetition"),
        ] {
            assert_eq!(kind(reason), wanted);
        }
    }
}
