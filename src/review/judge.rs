//! Judges moves by the expected score that they lose.
//! Invariant: the best move of the search, and an only move, are never marked.

use crate::engine::batch::Analysis;
use crate::eval::score;
use crate::eval::wdl::DisplayScore;
use crate::notation::pgn::PgnGame;
use crate::rules::{Color, Outcome, Position};

pub(crate) use crate::eval::MoveMark;

/// A game with the analyses of all its positions.
#[derive(Clone, Debug)]
pub(crate) struct Review {
    /// The number of the game in its file, from 1.
    pub number: usize,
    /// The game.
    pub game: PgnGame,
    /// The analyses of all positions, from the first to the last: one more than moves.
    pub analyses: Vec<Analysis>,
    /// The marks that an earlier analysis gave the moves; `None` to judge them by the analyses.
    pub marks: Option<Vec<Option<MoveMark>>>,
}

/// The judgement of a move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JudgedMove {
    /// The mover's expected score before the move, from 0 to 1.
    pub before: f64,
    /// The mover's expected score after the move, from 0 to 1.
    pub after: f64,
    /// The mark, if the move was bad.
    pub mark: Option<MoveMark>,
}

impl Review {
    /// All positions of the game, one more than moves.
    pub(crate) fn positions(&self) -> Vec<Position> {
        let mut pos = self.game.start.clone();
        let mut all = vec![pos.clone()];
        for played in &self.game.main_line.moves {
            pos.make(played.mv);
            all.push(pos.clone());
        }
        all
    }

    /// The judgements of all moves.
    pub(crate) fn judged_moves(&self) -> Vec<JudgedMove> {
        let mut pos = self.game.start.clone();
        let moves = self
            .game
            .main_line
            .moves
            .iter()
            .zip(self.analyses.windows(2));
        let judged_moves = moves.enumerate().map(|(index, (played, analyses))| {
            // Both scores use the model of the position before the move, because a capture
            // changes the model.
            let model = analyses[0].wdl_model;
            let before = model.expected_score(analyses[0].displayed_value());
            let after = model.expected_score(-analyses[1].displayed_value());
            let has_choice = pos.legal_moves().len() > 1;
            let is_best = analyses[0].line.first() == Some(&played.mv);
            pos.make(played.mv);
            let mut mark = MoveMark::from_loss(before - after);
            // To miss a win in one is one grade worse than its loss, unless the game stays won.
            if analyses[0].value >= score::mate_in(1) && !score::is_decisive(-analyses[1].value) {
                mark = Some(mark.map_or(MoveMark::Inaccuracy, MoveMark::worse));
            }
            JudgedMove {
                before,
                after,
                mark: match &self.marks {
                    Some(marks) => marks.get(index).copied().flatten(),
                    None => mark.filter(|_| has_choice && !is_best),
                },
            }
        });
        judged_moves.collect()
    }

    /// The accuracy of a side in percent: 100 less the average loss of expected score of its moves
    /// in percentage points. `None` if it has no move.
    pub(crate) fn accuracy(&self, color: Color) -> Option<f64> {
        let first = self.game.start.side_to_move();
        let judged = self.judged_moves();
        let own = judged.iter().enumerate().filter(|(index, _)| {
            let mover = if index % 2 == 0 { first } else { !first };
            mover == color
        });
        let losses: Vec<f64> = own
            .map(|(_, judged)| (judged.before - judged.after).max(0.0))
            .collect();
        let sum: f64 = losses.iter().sum();
        (!losses.is_empty()).then(|| 100.0 * (1.0 - sum / losses.len() as f64))
    }
}

/// The score from White's perspective; `None` if a side has won.
pub(super) fn white_score(pos: &Position, analysis: &Analysis) -> Option<DisplayScore> {
    if matches!(pos.outcome_by_rule(), Some(Outcome::Win { .. })) {
        return None;
    }
    // Negated in display units, because distances to mate are rounded towards the side to move.
    Some(match (analysis.display_score(), pos.side_to_move()) {
        (shown, Color::White) => shown,
        (DisplayScore::Centipawns(cp), Color::Black) => DisplayScore::Centipawns(-cp),
        (DisplayScore::Mate(moves), Color::Black) => DisplayScore::Mate(-moves),
    })
}

/// White's expected score, from 0 to 1.
pub(super) fn white_expected_score(pos: &Position, analysis: &Analysis) -> f64 {
    match pos.side_to_move() {
        Color::White => analysis.expected_score(),
        Color::Black => 1.0 - analysis.expected_score(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::eval::score::Value;
    use crate::eval::wdl::WdlModel;
    use crate::notation::pgn::{PgnLine, PgnMove};
    use crate::notation::{fen, san};
    use crate::rules::Variant;

    fn analysis(pos: &Position, value: Value) -> Analysis {
        Analysis {
            value,
            wdl_model: WdlModel::for_position(pos),
            line: Vec::new(),
            ranked: Vec::new(),
            lines: Vec::new(),
            depth: 1,
            nodes: 1,
            time: Duration::ZERO,
        }
    }

    #[test]
    fn expected_scores_are_symmetric() {
        let mut pos = Position::startpos(Variant::Atomic);
        let start = pos.clone();
        pos.make_null();
        assert_eq!(white_expected_score(&pos, &analysis(&pos, 0)), 0.5);
        for value in [-31_999, -700, -35, 35, 700, 31_999] {
            let both = [(&start, value), (&pos, -value)];
            let [ours, theirs] =
                both.map(|(pos, value)| white_expected_score(pos, &analysis(pos, value)));
            assert!((ours - theirs).abs() < 1e-9, "{value}");
            assert_eq!(ours > 0.5, value > 0);
        }
    }

    #[test]
    fn mate_distances_follow_the_perspective() {
        let mut pos = Position::startpos(Variant::Atomic);
        let score_of = |pos: &Position, value| white_score(pos, &analysis(pos, value));
        assert_eq!(
            score_of(&pos, score::mate_in(1)),
            Some(DisplayScore::Mate(1))
        );
        pos.make_null();
        assert_eq!(
            score_of(&pos, score::mate_in(1)),
            Some(DisplayScore::Mate(-1))
        );
        assert_eq!(
            score_of(&pos, score::mated_in(2)),
            Some(DisplayScore::Mate(1))
        );
        assert!(matches!(
            score_of(&pos, -35),
            Some(DisplayScore::Centipawns(1..))
        ));
    }

    #[test]
    fn a_missed_win_in_one_is_one_grade_worse() {
        // White wins at once with Qxd7.
        let fen = "rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4";
        let start = fen::parse(fen, Variant::Atomic).expect("a position");
        let mark = |played: &str, after: Value| {
            let mv = san::parse(&start, played).expect("a legal move");
            let mut end = start.clone();
            end.make(mv);
            let mut before = analysis(&start, score::mate_in(1));
            before.line = vec![san::parse(&start, "Qxd7").expect("a legal move")];
            let review = Review {
                number: 1,
                game: PgnGame {
                    tags: Vec::new(),
                    start: start.clone(),
                    main_line: PgnLine {
                        comments: Vec::new(),
                        moves: vec![PgnMove::new(mv)],
                    },
                    result: None,
                },
                analyses: vec![before, analysis(&end, -after)],
                marks: None,
            };
            let judged = review.judged_moves()[0];
            let loss = 100.0 * (judged.before - judged.after);
            let accuracy = review.accuracy(Color::White).expect("a move");
            assert!((accuracy + loss - 100.0).abs() < 1e-9);
            assert_eq!(review.accuracy(Color::Black), None);
            judged.mark
        };
        let model = WdlModel::for_position(&start);
        let value = |share: f64| {
            let mut values = 0..5000;
            values
                .find(|&value| model.expected_score(value) >= share)
                .expect("a value")
        };
        assert_eq!(mark("a3", value(0.95)), Some(MoveMark::Inaccuracy));
        assert_eq!(mark("a3", value(0.86)), Some(MoveMark::Mistake));
        assert_eq!(mark("a3", value(0.75)), Some(MoveMark::Blunder));
        assert_eq!(mark("a3", score::mate_in(3)), None);
        assert_eq!(mark("Qxd7", score::mate_in(0)), None);
    }
}
