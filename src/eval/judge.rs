//! Judges the moves of a game by the expected score that they lose and by the forced wins and
//! losses that they change. The formulas are explained in `docs/analysis.md`.
//! Invariant: no loss is negative, and the first choice of the search and an only move lose
//! nothing.

use super::score::{self, Value};
use super::wdl::WdlModel;
use crate::notation::pgn::GLYPHS;
use crate::rules::{Color, Move, Position};

/// The grade of a bad move, by its [severity](JudgedMove::severity).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MoveMark {
    /// `?!`: a severity of at least 0.1.
    Inaccuracy,
    /// `?`: a severity of at least 0.2.
    Mistake,
    /// `??`: a severity of at least 0.3.
    Blunder,
}

impl MoveMark {
    /// All marks, the mildest first.
    pub const ALL: [MoveMark; 3] = [MoveMark::Inaccuracy, MoveMark::Mistake, MoveMark::Blunder];

    fn from_severity(severity: f64) -> Option<MoveMark> {
        match severity {
            0.3.. => Some(MoveMark::Blunder),
            0.2.. => Some(MoveMark::Mistake),
            0.1.. => Some(MoveMark::Inaccuracy),
            _ => None,
        }
    }

    /// The numeric annotation glyph (NAG) of PGN.
    pub const fn glyph_number(self) -> u8 {
        match self {
            MoveMark::Inaccuracy => 6,
            MoveMark::Mistake => 2,
            MoveMark::Blunder => 4,
        }
    }

    /// The glyph: `?!`, `?` or `??`.
    pub const fn glyph(self) -> &'static str {
        GLYPHS[self.glyph_number() as usize - 1]
    }

    /// The name in words.
    pub const fn name(self) -> &'static str {
        match self {
            MoveMark::Inaccuracy => "Inaccuracy",
            MoveMark::Mistake => "Mistake",
            MoveMark::Blunder => "Blunder",
        }
    }
}

/// How a move changes a forced result: a mate or a tablebase win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForcedChange {
    /// The mover had a forced win and has none after the move.
    WinMissed,
    /// The opponent has a forced win only after the move.
    LossAllowed,
}

/// A position of a game as a search has found it.
#[derive(Clone, Copy, Debug)]
pub struct ScoredPosition {
    /// The value from the perspective of the side to move.
    pub value: Value,
    /// The first choice of the search; `None` if it is unknown.
    pub best: Option<Move>,
}

/// The judgement of a move.
#[derive(Clone, Copy, Debug)]
pub struct JudgedMove {
    /// The mover's expected score before the move, from 0 to 1.
    pub before: f64,
    /// The mover's expected score after the move, from 0 to 1.
    pub after: f64,
    /// The loss of expected score, at least 0.
    pub loss: f64,
    /// The loss that marks and accuracy count, from 0 to 1 and at least [`JudgedMove::loss`]: it
    /// also looks at odds and forced results.
    pub severity: f64,
    /// How the move changes a forced result; `None` if it loses nothing.
    pub forced: Option<ForcedChange>,
    /// The mark, if the move was bad.
    pub mark: Option<MoveMark>,
}

/// The severity of a move that changes a forced result: that of a decisive change of the odds.
const FORCED_SEVERITY: f64 = 0.5;
/// A change of the odds counts at most this many times the lost points, because the odds of nearly
/// certain results change with every search.
const MAX_ODDS_FACTOR: f64 = 3.0;

impl JudgedMove {
    /// Judges a move by the values before and after it, both from the mover's perspective. The
    /// model is that of the position before the move for both, because a capture changes the model.
    fn new(model: WdlModel, [before, after]: [Value; 2], loses_nothing: bool) -> JudgedMove {
        let [old, new] = [before, after].map(|value| model.expected_score(value));
        let is_won = |value| value >= score::TB_WIN_IN_MAX_PLY;
        let forced = if loses_nothing {
            None
        } else if is_won(-after) && !is_won(-before) {
            Some(ForcedChange::LossAllowed)
        } else if is_won(before) && !is_won(after) {
            Some(ForcedChange::WinMissed)
        } else {
            None
        };
        let loss = if loses_nothing || new >= old { 0.0 } else { old - new };
        // Without a loss the odds may be undefined.
        let by_odds = if loss > 0.0 { odds_loss(old, new) } else { 0.0 };
        let severity = loss.max(by_odds.min(MAX_ODDS_FACTOR * loss));
        let severity = forced.map_or(severity, |_| severity.max(FORCED_SEVERITY));
        JudgedMove {
            before: old,
            after: new,
            loss,
            severity,
            forced,
            mark: MoveMark::from_severity(severity),
        }
    }

    /// The accuracy in percent: it falls exponentially with the severity, as steeply as on Lichess.
    pub fn accuracy(&self) -> f64 {
        const SCALE: f64 = 103.1668;
        const DECAY: f64 = 4.354;
        (100.0 + SCALE * (-DECAY * self.severity).exp_m1()).max(0.0)
    }
}

/// The points that a change of the odds from `before` to `after` costs in an even position: 0.1,
/// 0.2 and 0.3 if the odds fall to 2/3, 3/7 and 1/4, and 0.5 if they fall from or to a certainty.
fn odds_loss(before: f64, after: f64) -> f64 {
    ((before - after) / (2.0 * (before + after - 2.0 * before * after))).min(0.5)
}

/// The judgements of all moves of a game.
#[derive(Clone, Debug)]
pub struct GameJudgement {
    /// The moves in order.
    pub moves: Vec<JudgedMove>,
    accuracy: [Option<f64>; 2],
}

impl GameJudgement {
    /// The accuracy of a side in percent; `None` if it has no move.
    pub fn accuracy(&self, color: Color) -> Option<f64> {
        self.accuracy[color.index()]
    }
}

/// Judges the moves of a game. There is a score for each position, one more than moves; the moves
/// after the last score are left out. The end of the game by the rules counts instead of its score.
///
/// # Examples
/// ```
/// use brisance::eval::{MoveMark, ScoredPosition, judge, score};
/// use brisance::notation::san;
/// use brisance::rules::{Color, Position, Variant};
///
/// let start = Position::startpos(Variant::Atomic);
/// let moves = [san::parse(&start, "e4").expect("a legal move")];
/// let values = [100, score::mate_in(5)];
/// let judged = judge(&start, &moves, &values.map(|value| ScoredPosition { value, best: None }));
/// assert_eq!(judged.moves[0].mark, Some(MoveMark::Blunder));
/// assert!(judged.accuracy(Color::White).expect("a move") < 10.0);
/// ```
pub fn judge(start: &Position, moves: &[Move], scores: &[ScoredPosition]) -> GameJudgement {
    let mut pos = start.clone();
    let mut judged = Vec::new();
    let mut movers = Vec::new();
    let mut curve = Vec::new();
    let mut add_to_curve = |pos: &Position, value: Value| {
        let expected = WdlModel::for_position(pos).expected_score(value);
        curve.push(match pos.side_to_move() {
            Color::White => expected,
            Color::Black => 1.0 - expected,
        });
    };
    for (&mv, pair) in moves.iter().zip(scores.windows(2)) {
        let model = WdlModel::for_position(&pos);
        let loses_nothing = pair[0].best == Some(mv) || pos.legal_moves().len() == 1;
        if judged.is_empty() {
            add_to_curve(&pos, pair[0].value);
        }
        movers.push(pos.side_to_move());
        pos.make(mv);
        let after = final_value(&pos).unwrap_or(pair[1].value);
        add_to_curve(&pos, after);
        judged.push(JudgedMove::new(model, [pair[0].value, -after], loses_nothing));
    }
    let weights = sharpness(&curve);
    let accuracy = Color::ALL.map(|color| {
        let all = movers.iter().zip(judged.iter().zip(&weights));
        let own = all.filter(|&(&mover, _)| mover == color);
        let own: Vec<(f64, f64)> = own.map(|(_, (mv, &weight))| (mv.accuracy(), weight)).collect();
        combined_accuracy(&own)
    });
    GameJudgement { moves: judged, accuracy }
}

/// The value of a finished game for the side to move.
fn final_value(pos: &Position) -> Option<Value> {
    let winner = pos.outcome()?.result.winner();
    Some(match winner {
        Some(winner) if winner == pos.side_to_move() => score::mate_in(0),
        Some(_) => score::mated_in(0),
        None => score::DRAW,
    })
}

/// The weight of each move: the standard deviation of White's expected score in percent over the
/// last positions up to that after the move, from 0.5 to 12.
fn sharpness(curve: &[f64]) -> Vec<f64> {
    let moves = curve.len().saturating_sub(1);
    let size = (moves / 10).clamp(2, 8);
    let weights = (0..moves).map(|index| {
        let end = (index + 2).max(size);
        let window = &curve[end - size..end];
        let mean = window.iter().sum::<f64>() / size as f64;
        let squares = window.iter().map(|share| (share - mean).powi(2));
        let deviation = (squares.sum::<f64>() / size as f64).sqrt();
        (100.0 * deviation).clamp(0.5, 12.0)
    });
    weights.collect()
}

/// The accuracy of several moves, given with their weights: halfway between the weighted mean and
/// the harmonic mean. `None` without a move.
fn combined_accuracy(moves: &[(f64, f64)]) -> Option<f64> {
    if moves.is_empty() {
        return None;
    }
    let weights: f64 = moves.iter().map(|&(_, weight)| weight).sum();
    let weighted = moves.iter().map(|&(accuracy, weight)| accuracy * weight);
    let reciprocals = moves.iter().map(|&(accuracy, _)| 1.0 / accuracy.max(1.0));
    let harmonic = moves.len() as f64 / reciprocals.sum::<f64>();
    Some(((weighted.sum::<f64>() / weights + harmonic) / 2.0).min(100.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::score::{mate_in, mated_in, tb_loss_in, tb_win_in};
    use crate::walk::{play, position};

    const MODEL: WdlModel = WdlModel::for_piece_count(32);

    fn judged(before: Value, after: Value) -> JudgedMove {
        JudgedMove::new(MODEL, [before, after], false)
    }

    /// Values from a forced loss to a forced win.
    fn values() -> Vec<Value> {
        let decisive = [mate_in(1), mate_in(40), tb_win_in(3)];
        let open = (-1200..=1200).step_by(15);
        let lost = decisive.map(|value| -value);
        let mut values: Vec<Value> = decisive.into_iter().chain(open).chain(lost).collect();
        values.sort_unstable();
        values
    }

    #[test]
    fn a_larger_loss_never_gives_a_better_mark_or_more_accuracy() {
        for before in values() {
            let mut last = judged(before, mate_in(1));
            for after in values().into_iter().rev() {
                let next = judged(before, after);
                assert!(next.loss >= last.loss && next.severity >= next.loss, "{before} {after}");
                assert!(next.severity >= last.severity, "{before} {after}");
                assert!(next.mark >= last.mark && next.accuracy() <= last.accuracy());
                assert!((0.0..=100.0).contains(&next.accuracy()));
                last = next;
            }
        }
    }

    #[test]
    fn marks_look_at_points_and_at_odds() {
        let value = |share: f64| {
            let found = (-9000..9000).find(|&value| MODEL.expected_score(value) >= share);
            found.expect("a value")
        };
        let mark = |before, after| {
            let mark = judged(value(before), value(after)).mark;
            mark.map_or("", MoveMark::glyph)
        };
        // In an even position, the points; the values are a little more than these shares.
        let even = [0.45, 0.395, 0.35, 0.295, 0.25, 0.195];
        assert_eq!(even.map(|after| mark(0.5, after)), ["", "?!", "?!", "?", "?", "??"]);
        // Black's chances at the start, decided by one move.
        assert_eq!(mark(0.19, 0.001), "??");
        assert_eq!(mark(0.15, 0.001), "??");
        // A quarter of the odds left, then less than half, then two thirds.
        assert_eq!([0.05, 0.09, 0.13].map(|after| mark(0.19, after)), ["??", "?", "?!"]);
        // A lost position cannot be lost by much.
        assert_eq!(mark(0.03, 0.001), "");
        assert_eq!(mark(0.99, 0.97), "");
    }

    #[test]
    fn forced_results_count_whatever_the_score_was() {
        let blunder = Some(MoveMark::Blunder);
        let (missed, allowed) = (Some(ForcedChange::WinMissed), Some(ForcedChange::LossAllowed));
        for (before, after, forced) in [
            (mate_in(3), 1500, missed),
            (mate_in(3), 0, missed),
            (tb_win_in(9), 400, missed),
            (0, mated_in(6), allowed),
            (-1500, mated_in(6), allowed),
            (-400, tb_loss_in(2), allowed),
            (mate_in(1), mated_in(4), allowed),
        ] {
            let found = judged(before, after);
            assert_eq!((found.mark, found.forced), (blunder, forced), "{before} {after}");
            assert!(found.severity >= 0.5 && found.accuracy() < 10.0);
        }
        for (before, after) in [
            (mate_in(3), mate_in(41)),
            (mate_in(3), tb_win_in(9)),
            (mated_in(40), mated_in(2)),
            (tb_loss_in(9), mated_in(6)),
            (mated_in(40), 300),
        ] {
            let found = judged(before, after);
            assert_eq!((found.mark, found.forced), (None, None), "{before} {after}");
            assert_eq!((found.loss, found.severity, found.accuracy()), (0.0, 0.0, 100.0));
        }
    }

    /// A game without captures, repetitions and an end.
    fn moves(plies: usize) -> Vec<Move> {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut pos = position("startpos");
        let mut moves = Vec::new();
        while moves.len() < plies {
            let mv = rng.choice(pos.legal_moves()).expect("a legal move");
            let after = pos.after(mv);
            if after.occupied().count() == 32 && after.outcome().is_none() {
                moves.push(mv);
                pos = after;
            }
        }
        moves
    }

    fn scored(values: &[Value]) -> Vec<ScoredPosition> {
        let scores = values.iter();
        scores.map(|&value| ScoredPosition { value, best: None }).collect()
    }

    #[test]
    fn an_only_move_loses_nothing() {
        // The king has one move, which the search did not name.
        let pos = position("1r5k/8/6p1/8/8/8/8/K7 w - - 0 1");
        let only = pos.legal_moves();
        assert_eq!(only.len(), 1);
        let judged = judge(&pos, &[only[0]], &scored(&[0, mate_in(3)]));
        assert_eq!((judged.moves[0].loss, judged.moves[0].mark), (0.0, None));
    }

    #[test]
    fn the_end_of_the_game_counts_instead_of_its_score() {
        // The third time of the start position is a draw, whatever the search says.
        let start = position("startpos");
        let moves = play(&mut start.clone(), "Nc3 Nc6 Nb1 Nb8 Nc3 Nc6 Nb1 Nb8");
        let scores = scored(&[0, 0, 0, 0, 0, 0, 0, -600, -700]);
        let judged = judge(&start, &moves, &scores);
        let last = judged.moves[7];
        assert!((last.after - 0.5).abs() < 1e-9 && last.forced.is_none());
        // White explodes the king with the last move.
        let pos = position("rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4");
        let moves = play(&mut pos.clone(), "Qxd7");
        let judged = judge(&pos, &moves, &scored(&[mate_in(1), 0]));
        assert_eq!((judged.moves[0].after, judged.moves[0].mark), (1.0, None));
    }

    /// The accuracy of a side by the text of `docs/analysis.md`.
    fn documented_accuracy(judged: &GameJudgement, curve: &[f64], first: usize) -> f64 {
        let plies = judged.moves.len();
        let size = (plies / 10).clamp(2, 8);
        let (mut weighted, mut weights, mut inverse, mut count) = (0.0, 0.0, 0.0, 0.0);
        for ply in (first..plies).step_by(2) {
            let mv = judged.moves[ply];
            let (b, a) = (mv.before, mv.after);
            let p = (b - a).max(0.0);
            let odds = (b / (1.0 - b)) / (a / (1.0 - a));
            // In an even position the odds fall from 1 to 1 / odds.
            let q = 0.5 - 1.0 / (1.0 + odds);
            let c = if p == 0.0 { 0.0 } else { p.max(q.min(3.0 * p)) };
            let accuracy = (103.1668 * (-4.354 * c).exp() - 3.1668).clamp(0.0, 100.0);
            let last = (ply + 1).max(size - 1);
            let window: Vec<f64> = (last + 1 - size..=last).map(|i| 100.0 * curve[i]).collect();
            let square_of_mean = (window.iter().sum::<f64>() / size as f64).powi(2);
            let mean_of_squares = window.iter().map(|x| x * x).sum::<f64>() / size as f64;
            let weight = (mean_of_squares - square_of_mean).max(0.0).sqrt().clamp(0.5, 12.0);
            weighted += weight * accuracy;
            weights += weight;
            inverse += 1.0 / accuracy.max(1.0);
            count += 1.0;
        }
        (weighted / weights + count / inverse) / 2.0
    }

    #[test]
    fn accuracy_is_the_documented_one() {
        let mut rng = fastrand::Rng::with_seed(5);
        for plies in (1..120).step_by(7) {
            let values: Vec<Value> = (0..=plies).map(|_| rng.i32(-700..700)).collect();
            let judged = judge(&position("startpos"), &moves(plies), &scored(&values));
            let curve = values.iter().enumerate().map(|(ply, &value)| match ply % 2 {
                0 => MODEL.expected_score(value),
                _ => MODEL.expected_score(-value),
            });
            let curve: Vec<f64> = curve.collect();
            for color in Color::ALL {
                let Some(found) = judged.accuracy(color) else {
                    assert!(plies == 1 && color == Color::Black);
                    continue;
                };
                let expected = documented_accuracy(&judged, &curve, color.index());
                assert!((found - expected).abs() < 1e-6, "{plies} {color}: {found} {expected}");
            }
        }
    }
}
