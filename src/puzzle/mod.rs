//! Finds puzzles in games: positions with exactly one winning move, proved by the solver.
//! Invariant: what is found in a game depends only on the game, the criteria and the network.

mod game;
mod grade;
mod list;
mod solution;

use std::sync::Arc;

use parking_lot::Mutex;

use crate::engine::batch::{WorkPool, batch_engine};
use crate::engine::{Engine, EngineError, Settings};
use crate::notation::epd::{self, Epd};
use crate::proof::SolverError;
use crate::rules::{Move, Position};
use crate::search::{Control, Limits, NullListener};

pub(crate) use game::PuzzleGame;
pub(crate) use grade::Grade;
pub(crate) use list::{PuzzleCaps, PuzzleList};
pub(crate) use solution::Solution;
use solution::{SolutionSearch, Undecided};

/// What makes a position a puzzle.
#[derive(Clone, Debug)]
pub struct PuzzleCriteria {
    /// Least number of moves of the solver that are a choice: with one legal move, it is none.
    pub min_moves: u16,
    /// Greatest length of the win in moves.
    pub max_moves: u16,
    /// Maximum number of nodes of each proof.
    pub solver_nodes: u64,
    /// Nodes of the search that evaluates the other first moves.
    pub nodes: u64,
    /// Greatest expected score of the other first moves, from 0 to 1.
    pub max_other: f64,
    /// Number of plies at the end of a game that are examined.
    pub last_plies: usize,
}

/// A puzzle and where it comes from.
#[derive(Clone, Debug)]
pub struct Puzzle {
    /// The position, as its EPD line gives it: without history and clocks.
    pub pos: Position,
    /// The proved line.
    pub solution: Solution,
    /// How difficult it is.
    pub grade: Grade,
    /// Plies of the game before the position.
    pub ply: usize,
    /// A hash of the position after the first plies of the game.
    pub opening: u32,
}

/// Searches games for puzzles on several threads.
pub struct PuzzleSearch {
    criteria: PuzzleCriteria,
    stop: Arc<Control>,
    pool: WorkPool,
    /// An engine for each thread.
    engines: Mutex<Vec<Engine>>,
}

impl PuzzleSearch {
    /// Creates the engines and threads; `settings.threads` is ignored.
    ///
    /// # Errors
    /// An unusable network, or a lack of memory or threads.
    pub fn new(
        criteria: PuzzleCriteria,
        settings: &Settings,
        threads: usize,
        stop: Arc<Control>,
    ) -> Result<PuzzleSearch, EngineError> {
        let engines = (0..threads).map(|_| batch_engine(settings, &stop));
        let engines = engines.collect::<Result<Vec<Engine>, EngineError>>()?;
        Ok(PuzzleSearch {
            criteria,
            stop,
            pool: WorkPool::new(threads)?,
            engines: Mutex::new(engines),
        })
    }

    /// Searches the games and passes the result of each to `take` on the calling thread, in order:
    /// the first puzzle of the game, if there is one. After a stop, the results that are complete
    /// and in order are still passed.
    ///
    /// # Errors
    /// The error of `take`.
    pub fn run<E: Send>(
        &self,
        games: &[PuzzleGame],
        take: impl FnMut(u64, Result<Option<Puzzle>, SolverError>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.pool.run_in_order(
            0..games.len() as u64,
            || Ok(()),
            |(), index| {
                let mut engine = self.engines.lock().pop()?;
                let mut finder = PuzzleFinder {
                    criteria: &self.criteria,
                    stop: &self.stop,
                    engine: &mut engine,
                };
                let found = finder.first_puzzle(&games[index as usize]);
                self.engines.lock().push(engine);
                (!self.stop.is_stopped()).then_some(found)
            },
            take,
        )
    }
}

/// Examines games, one at a time.
struct PuzzleFinder<'a> {
    criteria: &'a PuzzleCriteria,
    stop: &'a Control,
    engine: &'a mut Engine,
}

impl PuzzleFinder<'_> {
    /// The first puzzle of a game. Later ones would be parts of its line or of similar lines.
    fn first_puzzle(&mut self, game: &PuzzleGame) -> Result<Option<Puzzle>, SolverError> {
        let engine = &mut *self.engine;
        let candidates = game.candidates(self.criteria.last_plies, |pos, limits| {
            engine.clear();
            engine.set_position(pos.without_history());
            Some(engine.go_unless_stopped(limits, &NullListener)?.value())
        });
        for (ply, pos) in candidates {
            let Some(pos) = plain(&pos) else { continue };
            if self.stop.is_stopped() {
                break;
            }
            if let Some((solution, grade)) = self.examine(&pos)? {
                return Ok(Some(Puzzle {
                    pos,
                    solution,
                    grade,
                    ply,
                    opening: game.opening(),
                }));
            }
        }
        Ok(None)
    }

    /// The solution and grade of a position that is a puzzle. The cheap conditions come first.
    fn examine(&mut self, pos: &Position) -> Result<Option<(Solution, Grade)>, SolverError> {
        let has_choice = pos.legal_moves().len() > 1;
        if !has_choice || pos.outcome().is_some() || pos.win_in_one().is_some() {
            return Ok(None);
        }
        let search = SolutionSearch {
            attacker: pos.side_to_move(),
            max_nodes: self.criteria.solver_nodes,
            stop: self.stop,
        };
        let Some(first) = decided(search.first_move(pos, self.criteria.max_moves))? else {
            return Ok(None);
        };
        if self.others_win(pos, first) {
            return Ok(None);
        }
        let solution = decided(search.solution(pos, self.criteria.max_moves))?;
        let Some(solution) = solution.filter(|found| found.choices >= self.criteria.min_moves)
        else {
            return Ok(None);
        };
        let grade = grade::measure(self.engine, pos, solution.line[0]);
        Ok(grade.map(|grade| (solution, grade)))
    }

    /// Whether a search of the other first moves values one of them too highly.
    fn others_win(&mut self, pos: &Position, first: Move) -> bool {
        let mut others = pos.legal_moves().to_vec();
        others.retain(|&mv| mv != first);
        let limits = Limits {
            nodes: Some(self.criteria.nodes),
            search_moves: others,
            ..Limits::default()
        };
        self.engine.clear();
        self.engine.set_position(pos.clone());
        let summary = self.engine.go_unless_stopped(&limits, &NullListener);
        summary.is_none_or(|summary| {
            summary.wdl_model.expected_score(summary.value()) > self.criteria.max_other
        })
    }
}

/// The answer of the solver; `None` if it reached its limit.
fn decided<T>(result: Result<Option<T>, Undecided>) -> Result<Option<T>, SolverError> {
    match result {
        Err(Undecided::Failed(error)) => Err(error),
        Err(Undecided::Limit) => Ok(None),
        Ok(found) => Ok(found),
    }
}

/// The position as its EPD line gives it; `None` if its castling needs Chess960 notation.
fn plain(pos: &Position) -> Option<Position> {
    if pos.needs_chess960() {
        return None;
    }
    let line = Epd::new(pos.clone()).to_string();
    Some(epd::parse_line(&line, pos.variant()).ok()??.pos)
}
