//! A game with the analyses of its positions, and the judgements of its moves.
//! Invariant: the same analyses give the same judgements.

use crate::eval::nnue::Network;
use crate::eval::score::relative_to;
use crate::eval::wdl::DisplayScore;
use crate::eval::{GameJudgement, MoveMark, ScoredPosition, judge};
use crate::notation::pgn::PgnGame;
use crate::notation::san;
use crate::opening::Refutations;
use crate::proof::{ProofVerdict, Solver, SolverError, VerifiedProof};
use crate::rules::{Color, Move, Position};
use crate::search::{Control, SearchResult};

/// The node limit of a proof; they take about a second.
const PROOF_NODES: u64 = 1_000_000;

#[derive(Clone, Debug)]
pub struct Review {
    /// The number of the game in its file, from 1.
    pub number: usize,
    pub game: PgnGame,
    /// The analyses of the positions from the first: one more than moves, or fewer if the analysis
    /// was interrupted.
    pub analyses: Vec<SearchResult>,
    /// For each move the proof that it loses; empty if nothing is proved.
    pub losses: Vec<Option<ForcedLoss>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForcedLoss {
    /// The number of moves of the winner.
    pub moves: usize,
    /// A line of longest resistance in SAN, with blanks between the moves; empty if it is unknown.
    pub line: String,
}

impl Review {
    /// All positions of the game, one more than moves.
    pub fn positions(&self) -> Vec<Position> {
        let mut pos = self.game.start.clone();
        let mut all = vec![pos.clone()];
        for played in &self.game.main_line.moves {
            pos.make(played.mv);
            all.push(pos.clone());
        }
        all
    }

    /// The judgements of all moves that have been analysed.
    pub fn judge(&self) -> GameJudgement {
        let moves = self.game.main_line.moves.iter().map(|played| played.mv);
        let moves: Vec<Move> = moves.collect();
        let scores = self.analyses.iter().map(|analysis| ScoredPosition {
            value: analysis.displayed_value(),
            best: analysis.best_move(),
        });
        judge(&self.game.start, &moves, &scores.collect::<Vec<_>>())
    }

    /// The lines of the engine from a position with their scores, best first; none at the end of a
    /// game.
    pub fn lines(&self, ply: usize) -> Vec<(DisplayScore, &[Move])> {
        let found = &self.analyses[ply];
        let lines = found.lines.iter().filter(|line| !line.pv.is_empty());
        lines.map(|line| (found.wdl_model.display_score(line.value), &line.pv[..])).collect()
    }

    /// The proof that the move with this index loses.
    pub fn loss(&self, index: usize) -> Option<&ForcedLoss> {
        self.losses.get(index)?.as_ref()
    }

    /// The number of moves whose judgement an interrupt has prevented.
    pub fn missing_moves(&self) -> usize {
        self.game.main_line.moves.len() + 1 - self.analyses.len()
    }

    /// Looks in the refutation book for proofs that bad moves lose. If there is a
    /// `solver_control`, the solver tries to prove the other blunders until that stops it. A mate
    /// that the search has found limits the length of its proof.
    ///
    /// # Errors
    /// If the solver lacks memory or a thread.
    pub fn prove_bad_moves(&mut self, solver_control: Option<&Control>) -> Result<(), SolverError> {
        let mut pos = self.game.start.clone();
        let judged = self.judge().moves;
        let moves = self.game.main_line.moves.iter().zip(&self.analyses[1..]);
        let mut found = Vec::new();
        for ((played, after), judged) in moves.zip(judged) {
            pos.make(played.mv);
            let mate = match after.display_score() {
                DisplayScore::Mate(moves) => Some(moves),
                DisplayScore::Centipawns(_) => None,
            };
            let may_be_lost = pos.outcome().is_none() && mate.is_none_or(|moves| moves > 0);
            let Some(mark) = judged.mark.filter(|_| may_be_lost) else {
                found.push(None);
                continue;
            };
            let known = Refutations::embedded().find(&pos).map(|known| known.verified);
            let verified = match (known, solver_control) {
                (None, Some(control)) if mark == MoveMark::Blunder => solve(&pos, mate, control)?,
                (known, _) => known,
            };
            found.push(verified.map(|verified| ForcedLoss {
                moves: verified.plies.div_ceil(2),
                line: san::write_line(&pos, &verified.line).join(" "),
            }));
        }
        self.losses = found;
        Ok(())
    }
}

/// Tries to prove that the side to move wins, within the moves of a mate if there is one.
fn solve(
    pos: &Position,
    mate: Option<i32>,
    stop: &Control,
) -> Result<Option<VerifiedProof>, SolverError> {
    let net = Network::embedded().ok();
    let solver = Solver {
        net: net.as_deref(),
        max_moves: mate.and_then(|moves| u16::try_from(moves).ok()),
        max_nodes: Some(PROOF_NODES),
        ..Solver::new(pos.side_to_move())
    };
    Ok(match solver.solve(pos, stop)?.verdict {
        ProofVerdict::Proved(proof) => Some(proof.1),
        _ => None,
    })
}

/// The score from White's perspective; `None` if a side has won.
pub fn white_score(pos: &Position, score: DisplayScore) -> Option<DisplayScore> {
    let outcome = pos.outcome_by_rule();
    let is_won = outcome.is_some_and(|outcome| outcome.result.winner().is_some());
    (!is_won).then(|| relative_to(score, pos.side_to_move()))
}

/// White's expected score, from 0 to 1.
pub fn white_expected_score(pos: &Position, analysis: &SearchResult) -> f64 {
    match pos.side_to_move() {
        Color::White => analysis.expected_score(),
        Color::Black => 1.0 - analysis.expected_score(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::recorded::analysis;
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn expected_scores_are_symmetric() {
        let mut pos = Position::startpos(Variant::Atomic);
        let start = pos.clone();
        pos.make_null();
        assert_eq!(white_expected_score(&pos, &analysis(&pos, 0, 0)), 0.5);
        for value in [-31_999, -700, -35, 35, 700, 31_999] {
            let both = [(&start, value), (&pos, -value)];
            let [ours, theirs] =
                both.map(|(pos, value)| white_expected_score(pos, &analysis(pos, value, 0)));
            assert!((ours - theirs).abs() < 1e-9, "{value}");
            assert_eq!(ours > 0.5, value > 0);
        }
    }
}
