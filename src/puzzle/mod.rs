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

#[derive(Clone, Debug)]
pub struct PuzzleCriteria {
    /// The least number of moves of the solver with more than one legal move.
    pub min_moves: u16,
    /// The greatest length of the win in moves.
    pub max_moves: u16,
    pub solver_nodes: u64,
    /// The nodes of the search that evaluates the other first moves.
    pub nodes: u64,
    /// The greatest expected score of the other first moves, from 0 to 1.
    pub max_other: f64,
    /// The number of plies at the end of a game that are examined.
    pub last_plies: usize,
}

#[derive(Clone, Debug)]
pub struct Puzzle {
    /// The position, as its EPD line gives it: without history and clocks.
    pub pos: Position,
    /// The position before and the move that led to `pos`; `None` if the game begins there.
    pub before: Option<(Position, Move)>,
    pub solution: Solution,
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
    engines: Mutex<Vec<Engine>>,
}

impl PuzzleSearch {
    /// Creates the engines and threads; `settings.threads` is ignored.
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
                let found = self.first_puzzle(&mut engine, &games[index as usize]);
                self.engines.lock().push(engine);
                (!self.stop.is_stopped()).then_some(found)
            },
            take,
        )
    }

    /// The first puzzle of a game. Later ones would be parts of its line or of similar lines.
    fn first_puzzle(
        &self,
        engine: &mut Engine,
        game: &PuzzleGame,
    ) -> Result<Option<Puzzle>, SolverError> {
        let candidates = game.candidates(self.criteria.last_plies, |pos, limits| {
            engine.clear();
            engine.set_position(pos.without_history());
            Some(engine.go_unless_stopped(limits, &NullListener)?.value())
        });
        for (ply, played) in candidates {
            let Some(pos) = plain(&played) else { continue };
            if self.stop.is_stopped() {
                break;
            }
            if let Some((solution, grade)) = self.examine(engine, &pos)? {
                let last = game.move_before(ply);
                return Ok(Some(Puzzle {
                    pos,
                    before: last.and_then(|mv| Some((before(played)?, mv))),
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
    fn examine(
        &self,
        engine: &mut Engine,
        pos: &Position,
    ) -> Result<Option<(Solution, Grade)>, SolverError> {
        let has_choice = pos.legal_moves().len() > 1;
        if !has_choice || pos.outcome().is_some() || pos.win_in_one().is_some() {
            return Ok(None);
        }
        let criteria = &self.criteria;
        let search = SolutionSearch {
            attacker: pos.side_to_move(),
            max_nodes: criteria.solver_nodes,
            stop: &self.stop,
        };
        let first = decided(search.first_move(pos, criteria.max_moves))?;
        if first.is_none_or(|first| self.others_win(engine, pos, first)) {
            return Ok(None);
        }
        let solution = decided(search.solution(pos, criteria.max_moves))?;
        let solution = solution.filter(|found| found.choices >= criteria.min_moves);
        Ok(solution.and_then(|solution| {
            let grade = grade::measure(engine, pos, solution.line[0])?;
            Some((solution, grade))
        }))
    }

    /// Whether a search of the other first moves values one of them too highly.
    fn others_win(&self, engine: &mut Engine, pos: &Position, first: Move) -> bool {
        let mut others = pos.legal_moves().to_vec();
        others.retain(|&mv| mv != first);
        let limits =
            Limits { nodes: Some(self.criteria.nodes), search_moves: others, ..Limits::default() };
        engine.clear();
        engine.set_position(pos.clone());
        let summary = engine.go_unless_stopped(&limits, &NullListener);
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

/// The position before the last move, as `plain` gives it.
fn before(mut pos: Position) -> Option<Position> {
    pos.unmake();
    plain(&pos)
}

/// The position as its EPD line gives it; `None` if its castling needs Chess960 notation.
fn plain(pos: &Position) -> Option<Position> {
    if pos.needs_chess960() {
        return None;
    }
    let line = Epd::new(pos.clone()).to_string();
    Some(epd::parse_line(&line, pos.variant()).ok()??.pos)
}
