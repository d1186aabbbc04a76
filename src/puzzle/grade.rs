//! The grade of a puzzle, by the nodes that the engine needs to find the first move.
//! Invariant: the search starts with an empty TT and uses one thread, so a grade can be repeated.

use parking_lot::Mutex;

use crate::engine::Engine;
use crate::eval::score::Value;
use crate::rules::{Move, Position};
use crate::search::{Bound, Limits, Listener, SearchInfo};

/// The most nodes of the grades 1 to 3.
const GRADE_NODES: [u64; 3] = [250, 1_000, 3_000];
/// Nodes of the search: the move must still be the best at its end.
const SEARCH_NODES: u64 = 10_000;
/// The lowest value of a win that was found: the right move with a lower one is luck.
const WINNING: Value = 200;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grade {
    /// From 1, easy, to 4, very hard.
    pub number: u8,
    /// Nodes that the engine needs; `None` if it needs more than [`SEARCH_NODES`].
    pub nodes: Option<u64>,
}

impl Grade {
    pub const MAX: u8 = GRADE_NODES.len() as u8 + 1;

    fn new(nodes: Option<u64>) -> Grade {
        let exceeded = |most: &&u64| nodes.is_none_or(|nodes| nodes > **most);
        let number = 1 + GRADE_NODES.iter().filter(exceeded).count() as u8;
        Grade { number, nodes }
    }
}

/// Searches a position, and grades it by the iteration that finds `first`, with the value of a win,
/// and after which it stays the best move. `None` after a stop.
pub fn measure(engine: &mut Engine, pos: &Position, first: Move) -> Option<Grade> {
    let limits = Limits { nodes: Some(SEARCH_NODES), ..Limits::default() };
    let listener = SolvedAt { first, nodes: Mutex::default() };
    engine.clear();
    engine.set_position(pos.clone());
    engine.go_unless_stopped(&limits, &listener)?;
    let nodes = listener.nodes.into_inner();
    Some(Grade::new(nodes))
}

/// Records after how many nodes the search found the move and kept it.
struct SolvedAt {
    first: Move,
    nodes: Mutex<Option<u64>>,
}

impl Listener for SolvedAt {
    fn report(&self, report: &SearchInfo) {
        if report.bound != Bound::Exact {
            return;
        }
        let is_solved = report.value >= WINNING && report.pv.first() == Some(&self.first);
        let mut nodes = self.nodes.lock();
        *nodes = is_solved.then(|| nodes.unwrap_or(report.nodes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::{play, position};

    #[test]
    fn grades_grow_with_the_nodes() {
        let number = |nodes| Grade::new(nodes).number;
        assert_eq!(number(Some(1)), 1);
        for (index, most) in GRADE_NODES.into_iter().enumerate() {
            assert_eq!(usize::from(number(Some(most))), index + 1);
            assert_eq!(usize::from(number(Some(most + 1))), index + 2);
        }
        assert_eq!(number(None), Grade::MAX);
    }

    #[test]
    fn only_the_best_move_is_found() {
        let pos = position("rnbqkbnr/1ppppppp/p7/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2");
        let mut engine = Engine::new();
        let mut grade = |text| {
            let first = play(&mut pos.clone(), text)[0];
            measure(&mut engine, &pos, first).unwrap()
        };
        assert!(grade("f3e5").nodes.is_some_and(|nodes| nodes <= 2_000));
        assert_eq!(grade("a2a3"), Grade::new(None));
    }
}
