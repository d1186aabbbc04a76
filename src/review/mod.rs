//! Whole games and lists of positions: searched on all cores, judged move by move, written
//! as annotated PGN and as a page. Never prints.
//! Invariant: what a search finds does not depend on what was searched before it or beside it.

mod annotate;
mod judge;
mod page;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rayon::ThreadPoolBuilder;

use crate::arena::parallel;
use crate::engine::{Engine, Settings};
use crate::eval::score::Value;
use crate::eval::wdl::{Scale, Shown};
use crate::rules::{Move, Position};
use crate::search::{Bound, Control, Limits, Listener, Report, STACK_SIZE};

pub use annotate::Annotator;
pub use judge::{Judged, Mark, Review};
pub use page::page;

/// What a search found out about a position.
#[derive(Clone, Debug)]
pub struct Found {
    /// From the side to move's view.
    pub value: Value,
    /// What values mean here.
    pub scale: Scale,
    /// The best line; empty when the game is over.
    pub line: Vec<Move>,
    /// The last completed depth in plies.
    pub depth: i32,
    /// Positions searched.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
    /// The best moves with their values, best first: as many as the settings ask lines for.
    pub ranked: Vec<(Move, Value)>,
}

impl Found {
    /// The score as a user reads it.
    pub fn shown(&self) -> Shown {
        self.scale.shown(self.value)
    }

    /// What the side to move can expect, in points.
    pub fn points(&self) -> f64 {
        self.scale.points(self.value)
    }
}

/// How many positions are searched, and how.
pub struct Searches {
    /// Where each search ends.
    pub limits: Limits,
    /// The settings of each search, which has one thread whatever they say.
    pub settings: Settings,
    /// Searches at a time.
    pub threads: usize,
    /// What ends all of them.
    pub stop: Arc<Stop>,
    /// What is wrong with tablebases, each thing once.
    pub faults: Mutex<BTreeSet<String>>,
}

impl Searches {
    /// Searches `count` positions and hands each result over on the calling thread, in
    /// order, as soon as it and those before it are there. Once stopped, it hands over what
    /// was finished before and returns.
    ///
    /// # Errors
    /// That of `take`, or that memory or threads cannot be had.
    pub fn run<E: From<String>>(
        &self,
        count: usize,
        position: impl Fn(usize) -> Position + Sync,
        mut take: impl FnMut(usize, Found) -> Result<(), E>,
    ) -> Result<(), E> {
        if count == 0 {
            return Ok(());
        }
        let threads = self.threads.clamp(1, count);
        let settings = Settings {
            threads: 1,
            ..self.settings.clone()
        };
        let mut engines = Vec::new();
        for _ in 0..threads {
            let engine = Engine::with_settings(settings.clone())?;
            lock(&self.stop.searches).push(engine.control());
            engines.push(engine);
        }
        let engines = Mutex::new(engines);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK_SIZE)
            .thread_name(|index| format!("review-{index}"))
            .build()
            .map_err(|error| format!("cannot start {threads} threads: {error}"))?;
        let result = parallel::stream(
            &pool,
            0..count as u64,
            || lock(&engines).pop(),
            |engine, index| self.search(engine.as_mut()?, position(index as usize)),
            |index, found| {
                // Nobody would read what the other searches find.
                take(index as usize, found).inspect_err(|_| {
                    self.stop.ask();
                })
            },
        );
        lock(&self.stop.searches).clear();
        result
    }

    /// What was found wrong with tablebases since the last call.
    pub fn take_faults(&self) -> BTreeSet<String> {
        std::mem::take(&mut lock(&self.faults))
    }

    /// `None` when it was stopped before its limit.
    fn search(&self, engine: &mut Engine, pos: Position) -> Option<Found> {
        engine.clear();
        engine.set_position(pos);
        engine.control().arm(false);
        // Only now: arming would undo a stop that came before it.
        if self.stop.is_asked() {
            return None;
        }
        let best_lines = BestLines {
            lines: Mutex::default(),
            faults: &self.faults,
        };
        let summary = engine.go(&self.limits, &best_lines);
        if self.stop.is_asked() {
            return None;
        }
        let lines = best_lines.lines.into_inner().unwrap_or_default();
        let ranked = lines
            .iter()
            .map(|(value, line)| (line[0], *value))
            .collect();
        let mut line = lines.into_iter().next().unwrap_or_default().1;
        if line.first() != summary.best.as_ref() {
            line = summary.best.into_iter().chain(summary.ponder).collect();
        }
        Some(Found {
            value: summary.value,
            scale: summary.scale,
            line,
            depth: summary.depth,
            nodes: summary.nodes,
            time: summary.time,
            ranked,
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the best lines of the last completed depth; none is empty.
struct BestLines<'a> {
    lines: Mutex<Vec<(Value, Vec<Move>)>>,
    faults: &'a Mutex<BTreeSet<String>>,
}

impl Listener for BestLines<'_> {
    fn report(&self, report: &Report) {
        if report.bound != Bound::Exact || report.pv.is_empty() {
            return;
        }
        let mut lines = lock(&self.lines);
        // The lines of one depth come together, the best first.
        lines.truncate(report.multipv - 1);
        lines.push((report.value, report.pv.clone()));
    }

    fn fault(&self, text: &str) {
        lock(self.faults).insert(text.to_owned());
    }
}

/// Ends searches from another thread, such as that of an interrupt.
#[derive(Debug, Default)]
pub struct Stop {
    asked: AtomicBool,
    searches: Mutex<Vec<Arc<Control>>>,
}

impl Stop {
    /// Ends the searches; false when that was asked for before.
    pub fn ask(&self) -> bool {
        let first = !self.asked.swap(true, Ordering::SeqCst);
        for control in lock(&self.searches).iter() {
            control.stop();
        }
        first
    }

    /// True once it was asked for.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn searches(threads: usize) -> Searches {
        Searches {
            limits: Limits {
                nodes: Some(2_000),
                ..Limits::default()
            },
            settings: Settings {
                hash: 1,
                ..Settings::default()
            },
            threads,
            stop: Arc::default(),
            faults: Mutex::default(),
        }
    }

    /// The positions of a random game.
    fn positions() -> Vec<Position> {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut pos = Position::startpos(Variant::Atomic);
        let mut all = vec![pos.clone()];
        while all.len() < 12 {
            let Some(mv) = rng.choice(pos.legal_moves()) else {
                break;
            };
            pos.make(mv);
            all.push(pos.clone());
        }
        all
    }

    fn found(searches: &Searches, from: usize) -> Vec<(Value, Vec<Move>, u64)> {
        let (positions, mut all) = (positions(), Vec::new());
        let result: Result<(), String> = searches.run(
            positions.len() - from,
            |index| positions[from + index].clone(),
            |index, found| {
                assert_eq!(index, all.len());
                all.push((found.value, found.line, found.nodes));
                Ok(())
            },
        );
        assert_eq!(result, Ok(()));
        all
    }

    #[test]
    fn results_do_not_depend_on_threads_or_on_where_one_begins() {
        let alone = found(&searches(1), 0);
        assert_eq!(alone, found(&searches(3), 0));
        assert_eq!(alone[5..], found(&searches(2), 5));
    }

    #[test]
    fn once_stopped_nothing_is_searched() {
        let searches = searches(2);
        assert!(searches.stop.ask() && !searches.stop.ask());
        assert_eq!(found(&searches, 0), []);
    }
}
