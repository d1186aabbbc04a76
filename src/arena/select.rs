//! Openings of our own for testing: random play, kept only where a search finds the game
//! undecided. Invariant: the same seed and settings give the same openings in the same
//! order, however many threads work and however often the work is cut off.

use std::collections::HashSet;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::openings;
use crate::engine::batch::map_ordered;
use crate::engine::{Engine, EngineError, Settings};
use crate::eval::score;
use crate::rules::{Color, Position, Variant};
use crate::search::{Limits, STACK_SIZE, Silent};

/// Where the random play of an opening begins.
#[derive(Clone, Debug)]
pub enum OpeningSource {
    /// The usual array.
    Usual,
    /// A random array of Chess960.
    Chess960,
    /// A random one of these positions, of which there is at least one.
    Book(Vec<Position>),
}

/// What makes an opening worth keeping.
#[derive(Clone, Debug)]
pub struct OpeningCriteria {
    /// The rules.
    pub variant: Variant,
    /// Where the random play begins.
    pub start: OpeningSource,
    /// Fewest and most plies of random play.
    pub plies: (usize, usize),
    /// Nodes of the search that judges.
    pub nodes: u64,
    /// Least and greatest value from White's view in internal units.
    pub window: (i32, i32),
    /// Seed of the random play.
    pub seed: u64,
}

/// An opening that was kept.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The position.
    pub position: Position,
    /// What the search thinks of it, from White's view.
    pub value: i32,
    /// Number of the candidate it was, from 0.
    pub index: u64,
}

/// Makes openings one batch after another.
pub struct OpeningGenerator {
    criteria: OpeningCriteria,
    pool: ThreadPool,
    next: u64,
    seen: HashSet<u64>,
}

/// Candidates judged at a time.
const BATCH: u64 = 256;

impl OpeningGenerator {
    /// A generator that goes on with candidate `first`, on so many threads; `seen` are the
    /// keys of positions kept before.
    ///
    /// # Errors
    /// When the threads cannot be had.
    pub fn new(
        criteria: OpeningCriteria,
        threads: usize,
        first: u64,
        seen: HashSet<u64>,
    ) -> Result<OpeningGenerator, EngineError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.max(1))
            .stack_size(STACK_SIZE)
            .build()
            .map_err(|error| EngineError::Threads(format!("cannot start {threads} threads: {error}")))?;
        Ok(OpeningGenerator {
            criteria,
            pool,
            next: first,
            seen,
        })
    }

    /// Number of candidates judged so far, those of earlier runs included.
    pub fn candidates(&self) -> u64 {
        self.next
    }

    /// The openings kept of the next batch of candidates, in their order.
    ///
    /// # Errors
    /// When an engine cannot be had.
    pub fn batch(&mut self) -> Result<Vec<Opening>, EngineError> {
        self.batch_of(BATCH)
    }

    /// The openings kept of the next `candidates`, for those who cannot wait for a whole batch.
    ///
    /// # Errors
    /// When an engine cannot be had.
    pub fn batch_of(&mut self, candidates: u64) -> Result<Vec<Opening>, EngineError> {
        let indices = self.next..self.next + candidates;
        self.next = indices.end;
        let criteria = &self.criteria;
        let settings = Settings {
            hash: 2,
            ..Settings::default()
        };
        let judged: Result<Vec<Option<Opening>>, EngineError> = map_ordered(
            &self.pool,
            indices,
            || Engine::with_settings(settings.clone()),
            |engine, index| match engine {
                Ok(engine) => Ok(criteria.judge(engine, index)),
                Err(error) => Err(error.clone()),
            },
        )
        .into_iter()
        .collect();
        let mut kept: Vec<Opening> = judged?.into_iter().flatten().collect();
        kept.retain(|opening| self.seen.insert(opening.position.key()));
        Ok(kept)
    }
}

impl OpeningCriteria {
    /// The candidate with this number, unless the random play came to an end before its time.
    pub fn candidate(&self, index: u64) -> Option<Position> {
        let mut rng =
            fastrand::Rng::with_seed(self.seed.wrapping_mul(0x9e37_79b9).wrapping_add(index));
        let plies = rng.usize(self.plies.0..=self.plies.1);
        let start = match &self.start {
            OpeningSource::Usual => Position::startpos(self.variant),
            OpeningSource::Chess960 => openings::chess960(rng.u16(0..960), self.variant),
            OpeningSource::Book(book) => rng.choice(book)?.clone(),
        };
        openings::random_playout(start, plies, &mut rng)
    }

    /// The candidate with this number, if it is worth keeping.
    fn judge(&self, engine: &mut Engine, index: u64) -> Option<Opening> {
        let position = self.candidate(index)?;
        if position.win_in_one().is_some()
            || position.threatens_explosion(!position.side_to_move())
            || position.outcome_by_rule().is_some()
        {
            return None;
        }
        engine.clear();
        engine.set_position(position.clone());
        // Most candidates are far from even, and a short search is enough to see it.
        let (least, most) = self.window;
        let width = most - least;
        let glance = Self::value(engine, &position, (self.nodes / 10).max(1));
        if !(least - width..=most + width).contains(&glance) {
            return None;
        }
        let value = Self::value(engine, &position, self.nodes);
        let undecided = (least..=most).contains(&value) && !score::is_mate(value);
        undecided.then_some(Opening {
            position,
            value,
            index,
        })
    }

    /// What a search of so many nodes thinks of the engine's position, from White's view.
    fn value(engine: &mut Engine, position: &Position, nodes: u64) -> i32 {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        let summary = engine.go(&limits, &Silent);
        match position.side_to_move() {
            Color::White => summary.value,
            Color::Black => -summary.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_interruptions_change_nothing() {
        let criteria = OpeningCriteria {
            variant: Variant::Atomic,
            start: OpeningSource::Chess960,
            plies: (6, 10),
            nodes: 200,
            window: (-200, 200),
            seed: 3,
        };
        let keys = |openings: Vec<Opening>| -> Vec<u64> {
            openings
                .into_iter()
                .map(|opening| opening.position.key())
                .collect()
        };
        let mut whole = OpeningGenerator::new(criteria.clone(), 2, 0, HashSet::new()).unwrap();
        let (first, second) = (keys(whole.batch().unwrap()), keys(whole.batch().unwrap()));
        assert!(first.len() > 5 && second.len() > 5);
        let seen = first.iter().copied().collect();
        let mut rest = OpeningGenerator::new(criteria, 1, whole.candidates() / 2, seen).unwrap();
        assert_eq!(keys(rest.batch().unwrap()), second);
    }
}
