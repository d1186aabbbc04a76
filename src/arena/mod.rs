//! Matches between engines, refereed by our own rules: colour-reversed pairs of games from
//! given openings, counted, recorded and tested as they end.
//! Invariant: no player's misbehaviour ends a match, and no finished game is lost.

mod child;
pub mod datagen;
pub mod game;
pub mod openings;
mod parallel;
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
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use rayon::ThreadPoolBuilder;

use crate::rules::{CastlingSide, Color, Position, Square, Variant};
use crate::tablebase::Tablebase;
use game::{Adjudication, Game, Score, Terms};
use pgn::{Archive, Tags};
use player::Player;
use spec::{EngineSpec, Pace};
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
    /// Openings in the order of play; used again from the first when they run out.
    pub openings: Vec<Position>,
    /// Endings before the end.
    pub adjudication: Adjudication,
    /// How late a move may come.
    pub margin: Duration,
    /// Where games are recorded.
    pub pgn: Option<PathBuf>,
    /// Continue the match recorded there.
    pub resume: bool,
    /// PGN's Event tag.
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
    /// How often games ended for each reason; colours left out.
    pub reasons: BTreeMap<String, u64>,
    /// Games that each engine broke off by a failure.
    pub failures: Vec<u64>,
    /// Games to be played in all.
    pub planned: usize,
    /// Plies of all games played in this run.
    pub plies: u64,
    scores: HashMap<usize, f64>,
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

    fn add(&mut self, fixture: &Fixture, score: Score) {
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
        match self.scores.remove(&fixture.pair) {
            Some(other) => standing.pairs.0[((points + other) * 2.0) as usize] += 1,
            None => {
                self.scores.insert(fixture.pair, points);
            }
        }
    }
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
    /// A game ended: its number, the players as White and Black, and what it led to.
    fn game_ended(&mut self, number: u64, names: [&str; 2], game: &Game, standings: &Standings);
}

/// Why a match could not be played or finished.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MatchError {
    /// The request makes no sense; nothing was played.
    Request(String),
    /// A file could not be written; what was played before is in it.
    Record(String),
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
        self.check().map_err(MatchError::Request)?;
        let fixtures = self.fixtures();
        let mut standings = self.empty_standings(fixtures.len());
        let (mut archive, done) = self.open_archive(&fixtures, &mut standings)?;
        let left: Vec<usize> = (0..fixtures.len())
            .filter(|index| !done.contains(index))
            .collect();
        if self.is_decided(&standings) || left.is_empty() {
            return Ok(standings);
        }
        let over = Arc::new(AtomicBool::new(false));
        let next = AtomicUsize::new(0);
        let (sender, results) = channel();
        let pool = ThreadPoolBuilder::new()
            .num_threads(self.concurrency.max(1))
            .build()
            .map_err(|error| MatchError::Request(error.to_string()))?;
        let mut failure = None;
        pool.in_place_scope(|scope| {
            let (left, next, fixtures, over) = (&left, &next, &fixtures, &over);
            scope.spawn_broadcast(move |_, _| {
                self.work(left, next, fixtures, [interrupted, over], sender.clone());
            });
            for (index, game) in results {
                if over.load(Ordering::Relaxed) {
                    continue;
                }
                let fixture = &fixtures[index];
                if let Some(archive) = &mut archive
                    && let Err(error) = archive.add(&self.pgn_text(fixture, &game))
                {
                    failure = Some(MatchError::Record(format!("cannot record a game: {error}")));
                    over.store(true, Ordering::Relaxed);
                    continue;
                }
                self.count(&mut standings, fixture, &game);
                let names = self.names(fixture);
                observer.game_ended(standings.finished(), names, &game, &standings);
                if self.is_decided(&standings) {
                    over.store(true, Ordering::Relaxed);
                }
            }
        });
        match failure {
            Some(error) => Err(error),
            None => Ok(standings),
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.engines.len() < 2 {
            return Err("a match needs at least two engines".to_owned());
        }
        for (index, engine) in self.engines.iter().enumerate() {
            if self.engines[..index]
                .iter()
                .any(|other| other.name == engine.name)
            {
                return Err(format!(
                    "two engines are named {:?}; give one another name=",
                    engine.name
                ));
            }
        }
        if self.sprt.is_some() && self.engines.len() != 2 {
            return Err("a sequential test is for exactly two engines".to_owned());
        }
        if self.openings.is_empty() {
            return Err("no openings".to_owned());
        }
        // Whatever is wrong with an in-process engine's options shows before the match.
        self.engines
            .iter()
            .try_for_each(|spec| Player::new(spec, self.variant).map(|_| ()))
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
                    let opening = round % self.openings.len();
                    fixtures.push(Fixture {
                        pairing,
                        pair,
                        opening,
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

    /// Opens the record and counts the games that are in it already.
    fn open_archive(
        &self,
        fixtures: &[Fixture],
        standings: &mut Standings,
    ) -> Result<(Option<Archive>, Vec<usize>), MatchError> {
        let Some(path) = &self.pgn else {
            return Ok((None, Vec::new()));
        };
        let (archive, old) = Archive::open(path, self.resume).map_err(MatchError::Request)?;
        let mut done = Vec::new();
        for game in old {
            let (pair, number) = game.round;
            let index = (2 * pair + number).checked_sub(3);
            let known = index.filter(|&index| {
                fixtures
                    .get(index)
                    .is_some_and(|fixture| self.names(fixture) == game.names)
            });
            let Some(index) = known else {
                let (white, black) = (&game.names[0], &game.names[1]);
                return Err(MatchError::Request(format!(
                    "{}: game {pair}.{number} ({white} - {black}) is not one of this match",
                    path.display()
                )));
            };
            if !done.contains(&index) {
                standings.add(&fixtures[index], game.score);
                done.push(index);
            }
        }
        Ok((Some(archive), done))
    }

    fn is_decided(&self, standings: &Standings) -> bool {
        self.sprt
            .is_some_and(|sprt| sprt.verdict(&standings.pairings[0].pairs) != Verdict::Open)
    }

    fn count(&self, standings: &mut Standings, fixture: &Fixture, game: &Game) {
        standings.add(fixture, game.score);
        standings.plies += game.moves.len() as u64;
        let reason = game
            .reason
            .split(' ')
            .filter(|word| !word.starts_with("White") && !word.starts_with("Black"));
        let reason = reason.collect::<Vec<_>>().join(" ");
        *standings.reasons.entry(reason).or_default() += 1;
        if let Some(color) = game.failed {
            standings.failures[self.seats(fixture)[color.index()]] += 1;
        }
    }

    fn pgn_text(&self, fixture: &Fixture, game: &Game) -> String {
        let number = if fixture.first_plays == Color::White {
            1
        } else {
            2
        };
        let tags = Tags {
            event: &self.event,
            round: (fixture.pair + 1, number),
            names: self.names(fixture),
            controls: self.seats(fixture).map(|engine| self.pace(engine).tag()),
            date: &self.date,
        };
        pgn::write(game, &tags)
    }

    /// One thread's share: takes the next game, plays it, sends it, until none is left.
    fn work(
        &self,
        left: &[usize],
        next: &AtomicUsize,
        fixtures: &[Fixture],
        stops: [&Arc<AtomicBool>; 2],
        results: Sender<(usize, Game)>,
    ) {
        let mut players: Vec<Option<Player>> = self.engines.iter().map(|_| None).collect();
        let stopped = || stops.iter().any(|stop| stop.load(Ordering::Relaxed));
        while !stopped() {
            let Some(&index) = left.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let fixture = &fixtures[index];
            let [white, black] = self.seats(fixture);
            let start = &self.openings[fixture.opening];
            let terms = Terms {
                adjudication: &self.adjudication,
                margin: self.margin,
                chess960: self.chess960 || needs_chess960(start),
                tables: self.tables.as_ref(),
                stops,
            };
            let seat = |players: &mut Vec<Option<Player>>, engine: usize| {
                players[engine]
                    .take()
                    .map_or_else(|| Player::new(&self.engines[engine], self.variant), Ok)
            };
            let (Ok(mut first), Ok(mut second)) =
                (seat(&mut players, white), seat(&mut players, black))
            else {
                return;
            };
            let paces = [self.pace(white), self.pace(black)];
            let game = game::play([&mut first, &mut second], paces, start, &terms);
            (players[white], players[black]) = (Some(first), Some(second));
            let Some(game) = game else { return };
            if results.send((index, game)).is_err() {
                return;
            }
        }
    }
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
