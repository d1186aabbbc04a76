//! Generates balanced openings: random play, filtered by a search.
//! Invariant: equal seeds and criteria give the same openings in the same order, whatever the
//! number of threads and interruptions.

use std::collections::HashSet;
use std::sync::Arc;

use super::openings;
use crate::engine::batch::{WorkPool, batch_engine};
use crate::engine::{Engine, EngineError, Settings};
use crate::eval::score;
use crate::rules::{Position, Variant, chess960};
use crate::search::{Control, Limits, NullListener};

#[derive(Clone, Debug)]
pub enum OpeningSource {
    StartPos,
    /// A random Chess960 start position.
    Chess960,
    /// A random one of these positions, at least one.
    Book(Vec<Position>),
}

/// How openings are generated, and which are kept.
#[derive(Clone, Debug)]
pub struct OpeningCriteria {
    pub variant: Variant,
    pub start: OpeningSource,
    /// Least and greatest number of random plies.
    pub plies: (usize, usize),
    /// Nodes of the search that evaluates a candidate.
    pub nodes: u64,
    /// Least and greatest score from White's perspective in internal units.
    pub window: (i32, i32),
    pub seed: u64,
}

#[derive(Clone, Debug)]
pub struct Opening {
    pub position: Position,
    /// The score of the search for the side to move in internal units.
    pub value: i32,
    /// The number of the candidate, from 0.
    pub index: u64,
}

pub struct OpeningGenerator {
    criteria: OpeningCriteria,
    pool: WorkPool,
    next: u64,
    /// The number of the first candidate after the last one that was kept.
    last_kept: u64,
    seen_keys: HashSet<u64>,
    stop: Arc<Control>,
}

impl OpeningGenerator {
    /// Rejected candidates in a row after which no more openings are expected.
    pub const MAX_REJECTED: u64 = 10_000;

    /// Creates a generator that starts with candidate `first`. `seen_keys` are the keys of
    /// openings from earlier runs, which are not repeated. `stop` ends a batch early.
    pub fn new(
        criteria: OpeningCriteria,
        threads: usize,
        first: u64,
        seen_keys: HashSet<u64>,
        stop: Arc<Control>,
    ) -> Result<OpeningGenerator, EngineError> {
        Ok(OpeningGenerator {
            criteria,
            pool: WorkPool::new(threads)?,
            next: first,
            last_kept: first,
            seen_keys,
            stop,
        })
    }

    /// The number of candidates evaluated so far, including earlier runs.
    pub fn candidates(&self) -> u64 {
        self.next
    }

    /// True if the last [`Self::MAX_REJECTED`] candidates gave no new opening.
    pub fn is_exhausted(&self) -> bool {
        self.next - self.last_kept >= Self::MAX_REJECTED
    }

    /// Returns the openings among the next `candidates` candidates, in order; after a stop, those
    /// found before it.
    pub fn next_batch(&mut self, candidates: u64) -> Result<Vec<Opening>, EngineError> {
        let indices = self.next..self.next + candidates;
        let settings = Settings { hash: 2, ..Settings::default() };
        let (mut next, mut kept) = (self.next, Vec::<Opening>::new());
        self.pool.run_in_order(
            indices,
            || batch_engine(&settings, &self.stop),
            |engine, index| self.criteria.evaluate(engine, index, &self.seen_keys),
            |index, opening| {
                next = index + 1;
                kept.extend(opening);
                Ok(())
            },
        )?;
        self.next = next;
        kept.retain(|opening| self.seen_keys.insert(opening.position.key()));
        self.last_kept = kept.last().map_or(self.last_kept, |last| last.index + 1);
        Ok(kept)
    }
}

impl OpeningCriteria {
    /// The candidate with this number; `None` if the random play ended early.
    pub fn candidate(&self, index: u64) -> Option<Position> {
        // Not `util::mix`: the formula determines the openings of a seed.
        let seed = self.seed.wrapping_mul(0x9e37_79b9).wrapping_add(index);
        let mut rng = fastrand::Rng::with_seed(seed);
        let plies = rng.usize(self.plies.0..=self.plies.1);
        let start = match &self.start {
            OpeningSource::StartPos => Position::startpos(self.variant),
            OpeningSource::Chess960 => chess960::start_position(rng.u16(0..960), self.variant),
            OpeningSource::Book(book) => rng.choice(book)?.clone(),
        };
        let end = openings::random_playout(start, plies, &mut rng)?;
        Some(end.without_history())
    }

    /// True if the value of a position for its side to move is within the window, or outside by
    /// at most `margin`.
    pub fn accepts(&self, position: &Position, value: i32, margin: i32) -> bool {
        let for_white = score::relative_to(value, position.side_to_move());
        let (min, max) = self.window;
        (min - margin..=max + margin).contains(&for_white)
    }

    /// Evaluates the candidate with this number: `Some(None)` if it is rejected, `None` if the
    /// search was stopped.
    fn evaluate(
        &self,
        engine: &mut Engine,
        index: u64,
        seen_keys: &HashSet<u64>,
    ) -> Option<Option<Opening>> {
        let candidate = self.candidate(index).filter(|position| {
            !seen_keys.contains(&position.key())
                && position.win_in_one().is_none()
                && !position.threatens_explosion(!position.side_to_move())
                && position.outcome_by_rule().is_none()
        });
        let Some(position) = candidate else {
            return Some(None);
        };
        engine.clear();
        engine.set_position(position.clone());
        let mut search = |nodes| {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let summary = engine.go_unless_stopped(&limits, &NullListener)?;
            Some(summary.value())
        };
        // A short search is enough to reject most candidates.
        let width = self.window.1 - self.window.0;
        let rough = search((self.nodes / 10).max(1))?;
        if !self.accepts(&position, rough, width) {
            return Some(None);
        }
        let value = search(self.nodes)?;
        let is_kept = self.accepts(&position, value, 0) && !score::is_mate(value);
        Some(is_kept.then_some(Opening { position, value, index }))
    }
}
