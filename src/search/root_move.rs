//! The root moves of a search, their values and their order.
//! Invariant: either all root moves have a tablebase rank or none has.

use std::cmp::Reverse;

use super::tb;
use crate::eval::score::{self, INFINITE, Value};
use crate::rules::{Move, MoveKind, Position};
use crate::tablebase::MoveRank;

/// A legal move at the root with the results of its search.
#[derive(Clone, Debug)]
pub struct RootMove {
    pub mv: Move,
    /// The move that is reported. It differs from `mv` only if the limits name another of the
    /// four equivalent promotions by capture.
    pub reported: Move,
    pub tb_rank: Option<MoveRank>,
    /// Value of the current iteration; `-INFINITE` if it did not raise alpha.
    pub value: Value,
    pub previous_value: Value,
    pub nodes: u64,
    /// The principal variation after this move, from its last search that returned an exact
    /// value; empty if there is none.
    pub continuation: Vec<Move>,
    pub seldepth: usize,
}

impl RootMove {
    pub fn new(mv: Move, reported: Move) -> RootMove {
        RootMove {
            mv,
            reported,
            tb_rank: None,
            value: -INFINITE,
            previous_value: -INFINITE,
            nodes: 0,
            continuation: Vec::new(),
            seldepth: 0,
        }
    }

    /// The sort key, best move first. A mate proved by the search goes before the tablebase
    /// ranks, because tablebases do not contain mates.
    pub fn sort_key(&self) -> Reverse<(bool, Option<MoveRank>, Value)> {
        let is_mate = self.tb_rank.is_some() && self.reported_value() >= score::MATE_IN_MAX_PLY;
        Reverse((is_mate, self.tb_rank, self.value))
    }

    /// The value of this iteration, or else of the previous one.
    pub fn searched_value(&self) -> Option<Value> {
        [self.value, self.previous_value].into_iter().find(|&v| v > -INFINITE)
    }

    /// The value to report: that of the tablebases, unless the search found a mate that agrees
    /// with them.
    pub fn reported_value(&self) -> Value {
        let value = self.searched_value().unwrap_or(score::DRAW);
        match self.tb_rank {
            Some(rank) => tb::root_value(rank.wdl(), value),
            None => value,
        }
    }
}

/// The root moves of `pos`: all legal moves, or those of `search_moves` that are legal. Each
/// set of four equivalent promotions by capture counts as one move.
pub fn root_moves(pos: &Position, search_moves: &[Move]) -> Vec<RootMove> {
    let legal = pos.legal_moves();
    let mut moves: Vec<RootMove> = Vec::new();
    if search_moves.is_empty() {
        moves.extend(legal.iter().filter(|mv| !mv.is_redundant()).map(|&mv| RootMove::new(mv, mv)));
        return moves;
    }
    for &reported in search_moves {
        let mv = canonical(reported);
        if legal.contains(&mv) && moves.iter().all(|root_move| root_move.mv != mv) {
            moves.push(RootMove::new(mv, reported));
        }
    }
    moves
}

/// The one of four equivalent promotions by capture that is searched; any other move as it is.
pub fn canonical(mv: Move) -> Move {
    if mv.is_redundant() {
        Move::new(mv.from(), mv.to(), MoveKind::CapturePromoteQueen)
    } else {
        mv
    }
}
