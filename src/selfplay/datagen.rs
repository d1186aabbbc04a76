//! Self-play for training: games of this engine against itself from varied openings, with the
//! search score of every move.
//! Invariant: a game depends only on its seed; adjudication never changes the winner of a
//! position that the rules or the tablebases decide.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::openings::random_playout;
use crate::arena::adjudication::agreed_winner;
use crate::data::{GameRecord, PlyRecord};
use crate::engine::batch::WorkPool;
use crate::engine::{Engine, EngineError, Settings};
use crate::eval::score::{self, Value};
use crate::rules::{GameResult, Move, Position, Variant, chess960};
use crate::search::{Control, Limits, Listener};
use crate::tablebase::Tablebase;
use crate::util;

pub struct Datagen {
    pub variant: Variant,
    pub settings: Settings,
    /// Nodes after which a search starts no further iteration.
    pub nodes: u64,
    /// Least and greatest number of random plies of an opening.
    pub plies: (usize, usize),
    /// Share of games from Chess960 start positions, from 0 to 1.
    pub chess960: f64,
    /// First positions of the games; if empty, the start position.
    pub openings: Vec<Position>,
    /// Openings are discarded if the absolute score of the first search exceeds this, in internal
    /// units.
    pub balance: i32,
    /// Share of the moves that are picked at random among the best few, from 0 to 1. Only in
    /// undecided positions whose best move is quiet: `data export` drops the others by that move.
    pub random_moves: f64,
    /// A random move is at most this much worse than the best one, in internal units.
    pub random_window: i32,
    pub seed: u64,
    pub threads: usize,
    pub tables: Option<Tablebase>,
    /// Also collect one in this many cut nodes of the searches.
    pub cut_nodes: Option<u64>,
}

pub struct PlayedGame {
    pub game: GameRecord,
    /// Cut nodes, each as a game of one move.
    pub cut_nodes: Vec<GameRecord>,
}

/// A win if all scores are at least this, for the same side, for this many plies.
const WIN_RULE: (i32, usize) = (1200, 4);
/// A draw if all absolute scores are at most this for this many plies, from this ply on.
const DRAW_RULE: (i32, usize, usize) = (6, 12, 60);
/// Number of best moves among which a random one is picked.
const RANDOM_LINES: usize = 4;
/// No move is random if the absolute score of the best one exceeds this, in internal units.
const DECIDED: i32 = 800;
/// Longer games are draws.
const MAX_PLIES: usize = 400;
/// The hard node limit of a search as a multiple of the soft limit.
const HARD_LIMIT_FACTOR: u64 = 10;

impl Datagen {
    /// Discarded openings in a row after which none is expected to be kept.
    pub const MAX_DISCARDED: u64 = 10_000;

    /// Plays games until `stop` is requested, [`Self::MAX_DISCARDED`] openings in a row were
    /// discarded, or `keep`, which receives each game, returns false or an error.
    pub fn run<E: From<EngineError> + Send>(
        &self,
        stop: &Arc<Control>,
        mut keep: impl FnMut(PlayedGame) -> Result<bool, E>,
    ) -> Result<(), E> {
        let is_over = AtomicBool::new(false);
        let is_stopped = || stop.is_stopped() || is_over.load(Ordering::Relaxed);
        let mut discarded = 0;
        let result = WorkPool::new(self.threads)?.run(
            0..u64::MAX,
            || Engine::with_settings(self.settings.clone()).map_err(|error| Some(error.into())),
            |engine, number| {
                let played = self.play(engine, number, &is_stopped);
                (played.is_some() || !is_stopped()).then_some(played)
            },
            |_, played| {
                discarded = if played.is_some() { 0 } else { discarded + 1 };
                match played.map_or(Ok(discarded < Self::MAX_DISCARDED), &mut keep) {
                    Ok(true) => Ok(()),
                    end => {
                        is_over.store(true, Ordering::Relaxed);
                        Err(end.err())
                    }
                }
            },
        );
        match result {
            Err(Some(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Plays the game with this number; `None` if its opening was discarded or the run was
    /// stopped.
    fn play(
        &self,
        engine: &mut Engine,
        number: u64,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<PlayedGame> {
        let mut rng = fastrand::Rng::with_seed(util::mix(self.seed, number));
        let collector = CutNodeCollector { divisor: self.cut_nodes, nodes: Mutex::default() };
        let game = self.game(engine, &mut rng, &collector, is_stopped)?;
        let cut_nodes = collector.nodes.into_inner();
        Some(PlayedGame { game, cut_nodes })
    }

    fn game(
        &self,
        engine: &mut Engine,
        rng: &mut fastrand::Rng,
        listener: &dyn Listener,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<GameRecord> {
        let start = self.opening(rng)?;
        engine.clear();
        // Repetitions of positions of the opening do not count.
        let mut pos = start.without_history();
        let mut plies: Vec<PlyRecord> = Vec::new();
        let limits = Limits {
            soft_nodes: Some(self.nodes),
            nodes: Some(self.nodes * HARD_LIMIT_FACTOR),
            ..Limits::default()
        };
        let result = loop {
            if let Some(result) = self.result(&pos, &plies) {
                break result;
            }
            if is_stopped() {
                return None;
            }
            engine.set_position(pos.clone());
            let random = rng.f64() < self.random_moves;
            let count = if random { RANDOM_LINES } else { 1 };
            let found = engine.go_lines(&limits, count, listener);
            let value = found.value();
            if plies.is_empty() && value.abs() > self.balance {
                return None;
            }
            let best = found.best_move()?;
            let may_be_random = random && value.abs() <= DECIDED && !best.is_noisy();
            let close = found
                .lines
                .iter()
                .filter(|line| may_be_random && line.value >= value - self.random_window);
            let moves: Vec<Move> = close.filter_map(|line| line.pv.first().copied()).collect();
            let mv = rng.choice(moves).unwrap_or(best);
            plies.push(PlyRecord { mv, value: value as i16, random: mv != best });
            if score::is_mate(value) {
                let mover = pos.side_to_move();
                break GameResult::Win(if value > 0 { mover } else { !mover });
            }
            pos.make(mv);
        };
        Some(GameRecord { start, plies, result })
    }

    fn opening(&self, rng: &mut fastrand::Rng) -> Option<Position> {
        let base = if rng.f64() < self.chess960 {
            chess960::start_position(rng.u16(0..960), self.variant)
        } else {
            let opening = rng.choice(&self.openings).cloned();
            opening.unwrap_or_else(|| Position::startpos(self.variant))
        };
        let pos = random_playout(base, rng.usize(self.plies.0..=self.plies.1), rng)?;
        let playable = pos.win_in_one().is_none() && pos.outcome_by_rule().is_none();
        playable.then_some(pos)
    }

    fn result(&self, pos: &Position, plies: &[PlyRecord]) -> Option<GameResult> {
        if let Some(outcome) = pos.outcome() {
            return Some(outcome.result);
        }
        if let Some(result) = self.tables.as_ref().and_then(|tables| tables.result(pos)) {
            return Some(result);
        }
        if plies.len() >= MAX_PLIES {
            return Some(GameResult::Draw);
        }
        let last = |count: usize| plies.len().checked_sub(count).map(|first| &plies[first..]);
        let (score, count, from) = DRAW_RULE;
        let even = |ply: &PlyRecord| i32::from(ply.value).abs() <= score;
        if plies.len() >= from && last(count).is_some_and(|plies| plies.iter().all(even)) {
            return Some(GameResult::Draw);
        }
        let (score, count) = WIN_RULE;
        let scores = last(count)?.iter().rev().map(|ply| Some(ply.value.into()));
        agreed_winner(pos.side_to_move(), scores, score).map(GameResult::Win)
    }
}

/// Collects one in `divisor` of the cut nodes of searches; none without a divisor.
struct CutNodeCollector {
    divisor: Option<u64>,
    /// Each as a game of one move.
    nodes: Mutex<Vec<GameRecord>>,
}

impl Listener for CutNodeCollector {
    fn wants_reports(&self) -> bool {
        false
    }

    fn wants_cut_nodes(&self) -> bool {
        self.divisor.is_some()
    }

    fn cut_node(&self, pos: &Position, mv: Move, value: Value) {
        // The low bits of a key select its TT cluster, so that neighbours would be kept together.
        let hash = pos.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let is_chosen = |divisor| hash.is_multiple_of(divisor);
        if !self.divisor.is_some_and(is_chosen) {
            return;
        }
        let ply = PlyRecord {
            mv,
            value: value.clamp(i16::MIN.into(), i16::MAX.into()) as i16,
            random: false,
        };
        self.nodes.lock().push(GameRecord {
            start: pos.without_history(),
            plies: vec![ply],
            result: GameResult::Draw,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Outcome;

    fn plan(threads: usize) -> Datagen {
        Datagen {
            variant: Variant::Atomic,
            settings: Settings { hash: 1, ..Settings::default() },
            nodes: 200,
            plies: (4, 8),
            chess960: 0.3,
            openings: vec![],
            balance: 1000,
            random_moves: 0.0,
            random_window: 0,
            seed: 5,
            threads,
            tables: None,
            cut_nodes: None,
        }
    }

    /// Plays `count` games; the nodes are the cut nodes of all.
    fn play(plan: &Datagen, count: usize) -> (Vec<GameRecord>, Vec<GameRecord>) {
        let (mut games, mut nodes) = (vec![], vec![]);
        let result = plan.run(&Arc::default(), |played| -> Result<bool, EngineError> {
            games.push(played.game);
            nodes.extend(played.cut_nodes);
            Ok(games.len() < count)
        });
        result.unwrap();
        (games, nodes)
    }

    #[test]
    fn games_are_legal_and_have_the_right_result() {
        for game in play(&plan(2), 40).0 {
            let mut pos = game.start.clone();
            for ply in &game.plies {
                assert!(pos.is_legal(ply.mv) && pos.outcome().is_none());
                pos.make(ply.mv);
            }
            assert!(!game.plies.is_empty());
            if let Some(Outcome { result, .. }) = pos.outcome()
                && result != GameResult::Draw
            {
                assert_eq!(game.result, result);
            }
        }
    }

    /// The moves of cut nodes are quiet and legal, and collecting them does not change the games,
    /// which depend on the seed alone.
    #[test]
    fn cut_nodes_are_collected() {
        let plies = |games: Vec<GameRecord>| -> Vec<Vec<PlyRecord>> {
            games.into_iter().map(|game| game.plies).collect()
        };
        let expected = plies(play(&plan(1), 6).0);
        let count = |divisor| {
            let plan = Datagen { cut_nodes: Some(divisor), ..plan(1) };
            let (games, nodes) = play(&plan, 6);
            assert_eq!(plies(games), expected);
            for node in &nodes {
                let [ply] = node.plies[..] else {
                    panic!("{} plies", node.plies.len());
                };
                assert!(node.start.is_legal(ply.mv) && !ply.mv.is_noisy());
            }
            nodes.len()
        };
        let (all, some) = (count(1), count(8));
        assert!(all > 500, "{all}");
        assert!((all / 16..all / 5).contains(&some), "{some} of {all}");
    }

    /// With a wide window three of four random moves are not the best; without one, only equally
    /// good moves are picked.
    #[test]
    fn random_moves_are_marked() {
        let count = |random_moves, random_window| {
            let plan = Datagen { random_moves, random_window, ..plan(1) };
            let (games, _) = play(&plan, 12);
            let plies = games.iter().flat_map(|game| &game.plies);
            let is_undecided = |ply: &PlyRecord| i32::from(ply.value).abs() <= DECIDED;
            let (random, others): (Vec<_>, Vec<_>) = plies.partition(|ply| ply.random);
            assert!(random.iter().all(&is_undecided));
            let quiet = others.iter().filter(|ply| is_undecided(ply) && !ply.mv.is_noisy());
            (random.len() as f64, (random.len() + quiet.count()) as f64)
        };
        assert_eq!(count(0.0, 10_000).0, 0.0);
        let (random, possible) = count(0.3, 10_000);
        assert!(possible > 100.0, "{possible}");
        // Three of four lines, if there are four, are not the best: 0.3 * 3/4.
        let share = random / possible;
        assert!((0.12..0.33).contains(&share), "{random} of {possible}");
        let (random, possible) = count(0.3, 0);
        assert!(random / possible < 0.1, "{random} of {possible}");
    }
}
