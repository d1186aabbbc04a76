//! The solution of a puzzle: the shortest win, the line of best defence and the moves that are as
//! good as those of the line.
//! Invariant: every length is exact, and every move is proved to win or not to win in time.

use crate::proof::{ProofVerdict, Solver, SolverError};
use crate::rules::{Color, Move, Position};
use crate::search::Control;

/// Size of the solver's table in MiB, enough for the nodes of a proof.
const HASH_MIB: usize = 4;

/// A proved win that only one first move brings.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// The moves of the solver and the defender, alternating; the last one ends the game.
    pub line: Vec<Move>,
    /// The moves that win as fast as one of the line, with its place in it from 0.
    pub equal: Vec<(usize, Vec<Move>)>,
    /// Number of moves of the solver in the line with more than one legal move.
    pub choices: u16,
}

impl Solution {
    pub fn moves(&self) -> usize {
        self.line.len().div_ceil(2)
    }
}

/// Why a question about a position has no answer.
#[derive(Debug)]
pub enum Undecided {
    /// The solver reached its limit, or was stopped.
    Limit,
    Failed(SolverError),
}

#[derive(Default)]
struct ForcedWin {
    /// Its length in moves of the attacker; a shorter one may exist.
    moves: u16,
    /// The attacker's first move, if it is to move.
    first: Option<Move>,
    nodes: u64,
}

pub struct SolutionSearch<'a> {
    pub attacker: Color,
    pub max_nodes: u64,
    pub stop: &'a Control,
}

impl SolutionSearch<'_> {
    /// The first move of a win within `limit` moves; `None` if there is no such win.
    pub fn first_move(&self, pos: &Position, limit: u16) -> Result<Option<Move>, Undecided> {
        Ok(self.win(pos, limit)?.and_then(|win| win.first))
    }

    /// The solution of a position with a win within `limit` moves; `None` if there is no such win
    /// or if several first moves win equally fast.
    pub fn solution(&self, pos: &Position, limit: u16) -> Result<Option<Solution>, Undecided> {
        let Some(moves) = self.shortest_win(pos, limit)? else {
            return Ok(None);
        };
        let mut pos = pos.clone();
        let mut solution = Solution::default();
        for left in (1..=moves).rev() {
            let most = if left == moves { 2 } else { usize::MAX };
            let winning = self.winning_moves(&pos, left, most)?;
            let (&best, others) = winning.split_first().ok_or(Undecided::Limit)?;
            if !others.is_empty() {
                if left == moves {
                    return Ok(None);
                }
                solution.equal.push((solution.line.len(), others.to_vec()));
            }
            solution.choices += u16::from(pos.legal_moves().len() > 1);
            pos.make(best);
            solution.line.push(best);
            if left > 1 {
                let reply = self.best_defence(&pos, left - 1)?;
                pos.make(reply);
                solution.line.push(reply);
            }
        }
        Ok(Some(solution))
    }

    /// The exact length of the shortest win within `limit` moves.
    fn shortest_win(&self, pos: &Position, limit: u16) -> Result<Option<u16>, Undecided> {
        let mut shortest = None;
        let mut limit = limit;
        while limit > 0
            && let Some(win) = self.win(pos, limit)?
        {
            shortest = Some(win.moves);
            limit = win.moves - 1;
        }
        Ok(shortest)
    }

    /// The moves that win within `limit` moves, in the order of the generator, at most `most`.
    fn winning_moves(
        &self,
        pos: &Position,
        limit: u16,
        most: usize,
    ) -> Result<Vec<Move>, Undecided> {
        let mut winning = Vec::new();
        for mv in pos.legal_moves() {
            if mv.is_redundant() || winning.len() == most {
                continue;
            }
            if self.win(&pos.after(mv), limit - 1)?.is_some() {
                winning.push(mv);
            }
        }
        Ok(winning)
    }

    /// The reply after which the win needs all of the `left` moves that remain. Among several it is
    /// the one whose proof takes the most nodes; before the last move, the one that leaves the
    /// fewest winning moves.
    fn best_defence(&self, pos: &Position, left: u16) -> Result<Move, Undecided> {
        let mut best: Option<(Move, i64)> = None;
        for mv in pos.legal_moves() {
            if mv.is_redundant() {
                continue;
            }
            if let Some(effort) = self.effort(&pos.after(mv), left)?
                && best.is_none_or(|(_, most)| effort > most)
            {
                best = Some((mv, effort));
            }
        }
        best.map(|(mv, _)| mv).ok_or(Undecided::Limit)
    }

    /// How much effort the win from `pos` takes; `None` if it needs fewer than `left` moves.
    fn effort(&self, pos: &Position, left: u16) -> Result<Option<i64>, Undecided> {
        if left == 1 {
            let count = self.winning_moves(pos, 1, usize::MAX)?.len();
            return Ok(Some(-(count as i64)));
        }
        if self.win(pos, left - 1)?.is_some() {
            return Ok(None);
        }
        let win = self.win(pos, left)?.ok_or(Undecided::Limit)?;
        Ok(Some(win.nodes as i64))
    }

    /// A win within `limit` moves of the attacker; `None` if that is disproved.
    fn win(&self, pos: &Position, limit: u16) -> Result<Option<ForcedWin>, Undecided> {
        match pos.outcome() {
            Some(outcome) if outcome.is_win_of(self.attacker) => {
                return Ok(Some(ForcedWin::default()));
            }
            None if limit > 0 => {}
            _ => return Ok(None),
        }
        let solver = Solver {
            max_moves: Some(limit),
            hash_mb: HASH_MIB,
            max_nodes: Some(self.max_nodes),
            ..Solver::new(self.attacker)
        };
        let result = solver.solve(pos, self.stop).map_err(Undecided::Failed)?;
        match result.verdict {
            ProofVerdict::Proved(proved) => {
                let (proof, verified) = *proved;
                Ok(Some(ForcedWin {
                    moves: verified.plies.div_ceil(2) as u16,
                    first: proof.reply(pos),
                    nodes: result.nodes,
                }))
            }
            ProofVerdict::Disproved => Ok(None),
            ProofVerdict::Unknown(_) => Err(Undecided::Limit),
        }
    }
}
