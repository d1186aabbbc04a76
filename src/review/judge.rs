//! A game with the analyses of its positions, and the judgements of its moves.
//! Invariant: the same analyses give the same judgements.

use crate::eval::score::relative_to;
use crate::eval::wdl::DisplayScore;
use crate::eval::{GameJudgement, MoveMark, ScoredPosition, judge};
use crate::notation::pgn::PgnGame;
use crate::proof::{ProofVerdict, Solver, SolverError};
use crate::rules::{Color, Move, Position};
use crate::search::{Control, SearchResult};

/// The node limit of a proof; they take about a second.
const PROOF_NODES: u64 = 1_000_000;

/// A game with the analyses of its positions.
#[derive(Clone, Debug)]
pub struct Review {
    /// The number of the game in its file, from 1.
    pub number: usize,
    pub game: PgnGame,
    /// The analyses of the positions from the first: one more than moves, or fewer if the analysis
    /// was interrupted.
    pub analyses: Vec<SearchResult>,
    /// For each move the number of moves in which it is proved to lose; empty if nothing is proved.
    pub loses_in: Vec<Option<usize>>,
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
        lines
            .map(|line| (found.wdl_model.display_score(line.value), &line.pv[..]))
            .collect()
    }

    /// The number of moves in which the move with this index is proved to lose.
    pub fn loses_in(&self, index: usize) -> Option<usize> {
        self.loses_in.get(index).copied().flatten()
    }

    /// The number of moves whose judgement an interrupt has prevented.
    pub fn missing_moves(&self) -> usize {
        self.game.main_line.moves.len() + 1 - self.analyses.len()
    }

    /// Tries to prove that each blunder loses by force. A mate that the search has found limits the
    /// length of the proof.
    pub fn prove_blunders(&mut self, stop: &Control) -> Result<(), SolverError> {
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
            if judged.mark != Some(MoveMark::Blunder) || !may_be_lost {
                found.push(None);
                continue;
            }
            let solver = Solver {
                max_moves: mate.and_then(|moves| u16::try_from(moves).ok()),
                max_nodes: Some(PROOF_NODES),
                ..Solver::new(pos.side_to_move())
            };
            found.push(match solver.solve(&pos, stop)?.verdict {
                ProofVerdict::Proved(proof) => Some(proof.1.plies.div_ceil(2)),
                _ => None,
            });
        }
        self.loses_in = found;
        Ok(())
    }
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
    use crate::eval::score;
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

    #[test]
    fn mate_distances_follow_the_perspective() {
        let mut pos = Position::startpos(Variant::Atomic);
        let white =
            |pos: &Position, value| white_score(pos, analysis(pos, value, 0).display_score());
        assert_eq!(white(&pos, score::mate_in(1)), Some(DisplayScore::Mate(1)));
        pos.make_null();
        assert_eq!(white(&pos, score::mate_in(1)), Some(DisplayScore::Mate(-1)));
        assert_eq!(white(&pos, score::mated_in(2)), Some(DisplayScore::Mate(1)));
    }
}
