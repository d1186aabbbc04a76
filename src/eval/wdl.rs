//! The WDL model: win, draw and loss probabilities of internal values, and the normalised scores
//! for display. It is fitted to games of this engine by `scripts/wdl/fit.py`.
//! Invariant: search, training data and thresholds use internal values; only scores for display
//! are converted here.

use std::fmt;
use std::ops::Neg;

use serde::Serialize;

use super::score::{self, MATE, MATE_IN_MAX_PLY, TB_WIN, TB_WIN_IN_MAX_PLY, Value};
use crate::rules::Position;

/// A score for display.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum DisplayScore {
    /// Normalised centipawns: 100 is the value at which half of the games are won. Close to
    /// ±20000 for tablebase wins and losses; 0 only for a draw.
    #[serde(rename = "cp")]
    Centipawns(i32),
    /// Moves (not plies) to the end of the game; negative when the side to move loses, 0 when it
    /// has already lost.
    #[serde(rename = "mate")]
    Mate(i32),
}

/// From the other side's point of view. Distances to mate are rounded towards the side to move, so
/// this is not the score of the negated value.
impl Neg for DisplayScore {
    type Output = DisplayScore;

    fn neg(self) -> DisplayScore {
        match self {
            DisplayScore::Centipawns(cp) => DisplayScore::Centipawns(cp.saturating_neg()),
            DisplayScore::Mate(moves) => DisplayScore::Mate(moves.saturating_neg()),
        }
    }
}

/// Pawns, `0.35`, or moves to mate, `#-3`. With `{:+}`, positive pawns have a sign.
impl fmt::Display for DisplayScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match *self {
            DisplayScore::Centipawns(cp) if f.sign_plus() => {
                format!("{:+.2}", f64::from(cp) / 100.0)
            }
            DisplayScore::Centipawns(cp) => format!("{:.2}", f64::from(cp) / 100.0),
            DisplayScore::Mate(moves) => format!("#{moves}"),
        };
        f.pad(&text)
    }
}

/// A tablebase win at the root in centipawns; the plies until it is reached are subtracted.
const TB_WIN_CP: i32 = 20_000;
/// The maximum of all other scores in centipawns.
const MAX_CP: i32 = 15_000;

/// The WDL model for a number of pieces on the board. The values of a search belong to the model
/// of its root position.
///
/// # Examples
///
/// ```
/// use brisance::eval::score;
/// use brisance::eval::wdl::{DisplayScore, WdlModel};
///
/// let model = WdlModel::for_piece_count(32);
/// let [win, draw, loss] = model.wdl(150);
/// assert_eq!(win + draw + loss, 1000);
/// assert!(win > loss);
///
/// let pawn = model.pawn_value().round() as i32;
/// assert_eq!(model.display_score(pawn), DisplayScore::Centipawns(100));
/// assert_eq!(model.display_score(score::mate_in(5)), DisplayScore::Mate(3));
/// assert!((model.expected_score(score::DRAW) - 0.5).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WdlModel {
    /// From [`MIN_PIECES`] to 32.
    piece_count: u32,
}

/// Natural logarithm of the value at which half of the games are won, as a polynomial in
/// `(piece_count - 16) / 16`, lowest degree first.
const CENTRE: [f64; 3] = [5.5550, -0.3210, -0.3225];
/// Natural logarithm of the difference in value that changes the odds by a factor of e, as a
/// polynomial of the same kind.
const WIDTH: [f64; 3] = [4.5696, 0.7704, -0.4104];
/// There were too few games with fewer pieces for a fit.
const MIN_PIECES: u32 = 4;

impl WdlModel {
    /// The model for a position.
    pub fn for_position(pos: &Position) -> WdlModel {
        WdlModel::for_piece_count(pos.occupied().count())
    }

    /// The model for positions with `count` pieces, kings and pawns included.
    pub const fn for_piece_count(count: u32) -> WdlModel {
        let count = if count < MIN_PIECES { MIN_PIECES } else { count };
        WdlModel { piece_count: if count > 32 { 32 } else { count } }
    }

    /// The internal value at which the side to move wins half of its games. It is displayed as
    /// +1.00.
    pub fn pawn_value(self) -> f64 {
        self.polynomial(CENTRE).exp()
    }

    fn polynomial(self, coefficients: [f64; 3]) -> f64 {
        let x = (f64::from(self.piece_count) - 16.0) / 16.0;
        coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
    }

    /// The probability that the side to move wins; it loses with probability
    /// `win_probability(-value)`.
    fn win_probability(self, value: Value) -> f64 {
        if score::is_decisive(value) {
            return if value > 0 { 1.0 } else { 0.0 };
        }
        let width = self.polynomial(WIDTH).exp();
        1.0 / (1.0 + ((self.pawn_value() - f64::from(value)) / width).exp())
    }

    /// Probabilities of win, draw and loss for the side to move in permille; the sum is 1000.
    pub fn wdl(self, value: Value) -> [u32; 3] {
        let permille = |probability: f64| (1000.0 * probability).round() as u32;
        let win = permille(self.win_probability(value));
        let loss = permille(self.win_probability(-value));
        [win, 1000 - win - loss, loss]
    }

    /// The expected game score of the side to move: 1 for a certain win, 0.5 for a draw.
    pub fn expected_score(self, value: Value) -> f64 {
        (1.0 + self.win_probability(value) - self.win_probability(-value)) / 2.0
    }

    /// The score for display: mate scores as moves to mate, other values in hundredths of
    /// [`WdlModel::pawn_value`].
    pub fn display_score(self, value: Value) -> DisplayScore {
        if value >= MATE_IN_MAX_PLY {
            DisplayScore::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_IN_MAX_PLY {
            DisplayScore::Mate(-((MATE + value) / 2))
        } else if score::is_decisive(value) {
            DisplayScore::Centipawns(value.signum() * (TB_WIN_CP - TB_WIN + value.abs()))
        } else {
            let size = (100.0 * f64::from(value.abs()) / self.pawn_value()).round() as i32;
            // Only a draw is displayed as 0.
            DisplayScore::Centipawns(value.signum() * size.clamp(1, MAX_CP))
        }
    }

    /// A value that [`WdlModel::display_score`] displays as this score; mates and tablebase wins
    /// that no search can find are the most distant ones.
    pub fn value_of(self, shown: DisplayScore) -> Value {
        match shown {
            DisplayScore::Mate(moves) if moves > 0 => {
                let plies = moves.saturating_mul(2) - 1;
                (MATE - plies.min(MATE)).max(MATE_IN_MAX_PLY)
            }
            DisplayScore::Mate(moves) => {
                let plies = moves.saturating_neg().saturating_mul(2);
                (plies.min(MATE) - MATE).min(-MATE_IN_MAX_PLY)
            }
            DisplayScore::Centipawns(cp) if cp.saturating_abs() > MAX_CP => {
                let value = TB_WIN - (TB_WIN_CP - cp.saturating_abs().min(TB_WIN_CP));
                cp.signum() * value.max(TB_WIN_IN_MAX_PLY)
            }
            DisplayScore::Centipawns(cp) => {
                let value = (f64::from(cp) * self.pawn_value() / 100.0).round() as Value;
                value.clamp(1 - TB_WIN_IN_MAX_PLY, TB_WIN_IN_MAX_PLY - 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::score::{MAX_PLY, mate_in, tb_loss_in, tb_win_in};

    fn models() -> impl Iterator<Item = WdlModel> {
        (2..=32).map(WdlModel::for_piece_count)
    }

    #[test]
    fn scores_are_written_in_pawns_or_moves_to_mate() {
        for (score, text, signed) in [
            (DisplayScore::Centipawns(35), "0.35", "+0.35"),
            (DisplayScore::Centipawns(-1204), "-12.04", "-12.04"),
            (DisplayScore::Centipawns(0), "0.00", "+0.00"),
            (DisplayScore::Mate(3), "#3", "#3"),
            (DisplayScore::Mate(-2), "#-2", "#-2"),
        ] {
            assert_eq!(
                (score.to_string(), format!("{score:+}")),
                (text.to_owned(), signed.to_owned())
            );
            assert_eq!(format!("{score:+7}"), format!("{signed:7}"));
        }
    }

    #[test]
    fn displayed_scores_are_converted_back() {
        let scores = [0, 1, -1, 35, -350, 4_999, 9_000, -9_000, 19_990, -20_000];
        let scores = scores.map(DisplayScore::Centipawns).into_iter();
        let mates = [-100, -2, -1, 0, 1, 2, 100].map(DisplayScore::Mate);
        for shown in scores.chain(mates) {
            for model in models() {
                let value = model.value_of(shown);
                assert_eq!(model.display_score(value), shown, "{model:?}");
            }
        }
        for extreme in [i32::MAX, i32::MIN] {
            for shown in [DisplayScore::Mate(extreme), DisplayScore::Centipawns(extreme / 2)] {
                let value = WdlModel::for_piece_count(32).value_of(shown);
                assert!(score::is_decisive(value) && value.abs() < MATE);
                assert_eq!(value > 0, extreme > 0);
            }
        }
    }

    #[test]
    fn tb_wins_are_displayed_by_their_distance() {
        for model in models() {
            for ply in 0..MAX_PLY {
                let most = 20_000 - ply as i32;
                let shown = [tb_win_in(ply), tb_loss_in(ply)].map(|tb| model.display_score(tb));
                assert_eq!(shown, [most, -most].map(DisplayScore::Centipawns));
            }
        }
    }

    #[test]
    fn plus_one_wins_half_of_the_games() {
        for model in models() {
            let pawn = model.pawn_value().round() as Value;
            assert_eq!(model.display_score(pawn), DisplayScore::Centipawns(100));
            assert!(model.wdl(pawn)[0].abs_diff(500) <= 5, "{model:?}");
        }
    }

    #[test]
    fn probabilities_are_consistent_monotonic_and_symmetric() {
        for model in models() {
            let mut last = (0, 1000);
            for value in -3000..=3000 {
                let [win, draw, loss] = model.wdl(value);
                assert_eq!(win + draw + loss, 1000);
                assert_eq!(model.wdl(-value), [loss, draw, win]);
                assert!(win >= last.0 && loss <= last.1, "{model:?} {value}");
                let sum = model.expected_score(value) + model.expected_score(-value);
                assert!((sum - 1.0).abs() < 1e-12);
                last = (win, loss);
            }
            for won in [mate_in(7), tb_win_in(0)] {
                assert_eq!(model.wdl(won), [1000, 0, 0]);
                assert_eq!(model.wdl(-won), [0, 0, 1000]);
            }
        }
    }

    #[test]
    fn display_scores_are_monotonic_and_zero_only_for_a_draw() {
        for model in models() {
            let mut last = i32::MIN;
            for value in 1 - TB_WIN_IN_MAX_PLY..TB_WIN_IN_MAX_PLY {
                let DisplayScore::Centipawns(cp) = model.display_score(value) else {
                    panic!("{value} is not a mate");
                };
                assert!(cp >= last && (cp == 0) == (value == 0), "{model:?} {value}");
                last = cp;
            }
            assert!(last < 20_000 - MAX_PLY as i32, "{model:?}");
        }
    }
}
