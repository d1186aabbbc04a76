//! Reviews of games that were analysed before, from the evaluations, marks and better lines in
//! their annotations.
//! Invariant: nothing is searched, and a game without an evaluation for every move has no review.

use thiserror::Error;

use super::Review;
use super::annotate::{Annotator, take_own_annotations};
use crate::eval::score::{self, Value, relative_to};
use crate::eval::wdl::{DisplayScore, WdlModel};
use crate::notation::pgn::{PgnGame, PgnLine};
use crate::notation::san;
use crate::rules::{GameResult, Position};
use crate::search::{SearchLine, SearchResult};

#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0} has no evaluation [%eval …]; analyse the game first")]
pub struct MissingEvaluation(String);

impl Review {
    /// The review that the annotations of a game describe. Better lines are known only at the
    /// moves that an earlier analysis marked; a move that it did not mark, although it loses enough
    /// for a mark, was its first choice. The first position has the evaluation in the comment
    /// before the first move, or else that of a better first move, or else that of the position
    /// after the first move.
    ///
    /// # Errors
    /// A move without an evaluation, unless it ends the game by the rules.
    pub fn from_annotations(number: usize, game: &PgnGame) -> Result<Review, MissingEvaluation> {
        let mut game = game.clone();
        let is_ours = Annotator::is_annotated(&game);
        let mut pos = game.start.clone();
        let intro = evaluation_in(&game.main_line.comments);
        let first = intro.map_or(score::DRAW, |(shown, _)| value(&pos, shown));
        let mut analyses = vec![analysis(&pos, first, intro.map_or(0, |(_, depth)| depth))];
        let mut better_start = None;
        let mut recorded = Vec::new();
        for (ply, played) in game.main_line.moves.iter_mut().enumerate() {
            let before = pos.clone();
            pos.make(played.mv);
            let shown = evaluation_in(&played.comments);
            let result = pos.outcome_by_rule().map(|outcome| outcome.result);
            let value = match (result, shown) {
                (Some(GameResult::Win(_)), _) => score::mated_in(0),
                (_, Some((shown, _))) => value(&pos, shown),
                (Some(GameResult::Draw), None) => score::DRAW,
                (None, None) => {
                    return Err(MissingEvaluation(san::write_numbered(&before, played.mv)));
                }
            };
            let own = take_own_annotations(played);
            let lines = own.iter().flat_map(|(_, lines)| lines);
            let mut lines = lines.map(|line| better_line(&before, line));
            if let Some(best) = lines.next() {
                better_start = better_start.or((ply == 0).then_some(best.value));
                analyses[ply].lines[0].pv = best.pv;
                analyses[ply].lines.extend(lines);
            }
            recorded.push(own.map(|(loss, _)| loss));
            analyses.push(analysis(&pos, value, shown.map_or(0, |(_, depth)| depth)));
        }
        if intro.is_none() && analyses.len() > 1 {
            // A better line has the value before the move. The move changes the side to move.
            analyses[0].lines[0].value = better_start.unwrap_or(-analyses[1].value());
        }
        let mut review = Review {
            number,
            game,
            analyses,
            losses: recorded.iter().cloned().map(Option::flatten).collect(),
        };
        if is_ours {
            let judged = review.judge().moves.into_iter().zip(&recorded);
            for (index, (judged, recorded)) in judged.enumerate() {
                if judged.mark.is_some() && recorded.is_none() {
                    review.analyses[index].lines[0].pv =
                        vec![review.game.main_line.moves[index].mv];
                }
            }
        }
        Ok(review)
    }
}

/// The score of the first `[%eval …]` in a comment, from White's perspective, and the depth behind
/// it, or 0.
fn evaluation(comment: &str) -> Option<(DisplayScore, i32)> {
    let (_, rest) = comment.split_once("[%eval ")?;
    let text = rest.split(']').next()?.trim();
    // Without a point, the first comma is that of a decimal number.
    let has_point = text.contains(['.', '#', ' ']);
    let text = text.replacen(',', ".", usize::from(!has_point));
    let (score, depth) = text.split_once(',').unwrap_or((&text, ""));
    let depth = depth.trim().parse().unwrap_or(0);
    if let Some(moves) = score.trim().strip_prefix('#') {
        return Some((DisplayScore::Mate(moves.parse().ok()?), depth));
    }
    let pawns: f64 = score.trim().parse().ok()?;
    let centipawns = (100.0 * pawns).round();
    let score = DisplayScore::Centipawns(centipawns as i32);
    (centipawns.abs() < 1e6).then_some((score, depth))
}

fn evaluation_in(comments: &[String]) -> Option<(DisplayScore, i32)> {
    comments.iter().find_map(|text| evaluation(text))
}

/// A score from White's perspective as the value for the side to move.
fn value(pos: &Position, shown: DisplayScore) -> Value {
    WdlModel::for_position(pos).value_of(relative_to(shown, pos.side_to_move()))
}

/// An analysis of which only the value and the depth are known.
pub fn analysis(pos: &Position, value: Value, depth: i32) -> SearchResult {
    let line = SearchLine::new(depth, value, Vec::new());
    SearchResult::new(line, WdlModel::for_position(pos))
}

/// A better line that an earlier analysis wrote at a marked move.
fn better_line(before: &Position, line: &PgnLine) -> SearchLine {
    let shown = evaluation_in(&line.moves[0].comments);
    let value = shown.map_or(score::DRAW, |(score, _)| value(before, score));
    let pv = line.moves.iter().map(|played| played.mv).collect();
    SearchLine::new(0, value, pv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn::PgnReader;

    fn game(text: &str) -> PgnGame {
        let mut games = PgnReader::new(text.as_bytes(), Some(crate::rules::Variant::Atomic));
        games.next().expect("a game").expect("a valid one").game
    }

    #[test]
    fn evaluations_are_read_from_white_s_perspective() {
        let text =
            "1. Nf3 { [%eval 0.35] } f6 { [%clk 1] [%eval -1.20,17] } 2. e4 { [%eval #-3] } *";
        let review = Review::from_annotations(3, &game(text)).expect("evaluations");
        let shown = review.analyses.iter().map(SearchResult::display_score);
        let expected = [
            DisplayScore::Centipawns(35),
            DisplayScore::Centipawns(-35),
            DisplayScore::Centipawns(-120),
            DisplayScore::Mate(3),
        ];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        assert_eq!((review.number, review.losses), (3, vec![None; 3]));
        let error = Review::from_annotations(1, &game("1. Nf3 { [%eval 0.35] } f6 *"));
        let error = error.expect_err("no evaluation").to_string();
        assert!(error.starts_with("1... f6 has no evaluation"), "{error}");
    }

    #[test]
    fn evaluations_are_read_with_commas_and_depths() {
        let cp = DisplayScore::Centipawns;
        for (text, expected) in [
            ("0.25", (cp(25), 0)),
            ("0,25", (cp(25), 0)),
            ("-1,5", (cp(-150), 0)),
            ("2", (cp(200), 0)),
            ("2.35,18", (cp(235), 18)),
            ("2,35,18", (cp(235), 18)),
            ("2.35, 18", (cp(235), 18)),
            ("#-3,20", (DisplayScore::Mate(-3), 20)),
            ("#4", (DisplayScore::Mate(4), 0)),
        ] {
            assert_eq!(evaluation(&format!("a [%eval {text}] b")), Some(expected), "{text}");
        }
        let review = Review::from_annotations(1, &game("1. Nf3 { [%eval 0.35,20] } *"));
        let depths = review.expect("evaluations").analyses;
        assert_eq!(depths.iter().map(|found| found.depth()).collect::<Vec<_>>(), [0, 20]);
    }

    #[test]
    fn expected_scores_are_those_of_the_written_scores() {
        let pos = Position::startpos(crate::rules::Variant::Atomic);
        for searched in -600..=600 {
            let searched = analysis(&pos, searched, 0);
            let read = analysis(&pos, value(&pos, searched.display_score()), 0);
            assert_eq!(searched.expected_score(), read.expected_score());
        }
    }

    #[test]
    fn better_lines_are_read_back_with_their_scores() {
        // Black can win in one, and moves a pawn instead.
        let source = game("[FEN \"6k1/3Q1ppp/8/8/8/8/q4PPP/6K1 b - - 0 1\"]\n\n1... h6 *");
        let mut pos = source.start.clone();
        let mut before = analysis(&pos, score::mate_in(1), 0);
        before.lines.push(SearchLine::new(0, 200, Vec::new()));
        for (line, text) in before.lines.iter_mut().zip(["Qxf2", "Qb1+"]) {
            line.pv = vec![san::parse(&pos, text).expect("a legal move")];
        }
        pos.make(source.main_line.moves[0].mv);
        let review = Review {
            number: 1,
            game: source,
            analyses: vec![before.clone(), analysis(&pos, score::mate_in(1), 0)],
            losses: vec![None],
        };
        let mut written = Annotator::default().annotate(&review);
        // Without it, the value before the first move is that of the best line.
        written.main_line.comments.clear();
        let back = Review::from_annotations(1, &written).expect("evaluations");
        let scores = |review: &Review| -> Vec<_> {
            let lines = review.lines(0).into_iter();
            lines.map(|(score, pv)| (score, pv.to_vec())).collect()
        };
        assert_eq!(scores(&back), scores(&review));
        assert_eq!(back.analyses[0].value(), score::mate_in(1));
    }
}
