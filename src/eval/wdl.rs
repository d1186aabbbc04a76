//! What a value is worth: chances of win, draw and loss, and the scale that scores are shown
//! on. Both were fitted to games of this engine by `scripts/wdl/fit.py`.
//! Invariant: the search, training data and thresholds count in internal values; only what
//! is shown to a user goes through here.

use super::score::{self, MATE, MATE_BOUND, TABLE_BOUND, TABLE_WIN, Value};
use crate::rules::Position;

/// A score as a user reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Hundredths of the value that wins half of all games; about ±20000 for a win by the
    /// tablebases, 0 only for a draw.
    Centipawns(i32),
    /// Moves (not plies) to the end; negative when the side to move loses, 0 when it has
    /// already lost.
    Mate(i32),
}

/// How a win by the tablebases is shown: the plies to where it begins are taken off.
const SHOWN_TABLE_WIN: i32 = 20_000;
/// Nothing else is shown beyond this.
const MOST_SHOWN: i32 = 15_000;

/// What values mean with so many men on the board. The search gives its values for the
/// position it started from, so the men there decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scale {
    men: u32,
}

/// Logarithm of the value that wins half of all games, as a polynomial in `Scale::x`.
const CENTRE: [f64; 3] = [5.3820, -0.3571, -0.3421];
/// Logarithm of how far apart values lie whose odds differ by a factor of e.
const WIDTH: [f64; 3] = [4.8814, 0.5633, -0.4353];
/// With fewer men games were too few to fit.
const FEWEST_MEN: u32 = 4;

impl Scale {
    /// That of a position.
    pub fn of(pos: &Position) -> Scale {
        Scale::with_men(pos.occupied().count())
    }

    /// That of any position with so many men, kings and pawns included.
    pub const fn with_men(men: u32) -> Scale {
        let men = if men < FEWEST_MEN { FEWEST_MEN } else { men };
        Scale {
            men: if men > 32 { 32 } else { men },
        }
    }

    /// The internal value with which the side to move wins half of its games: it is shown
    /// as +1.00.
    pub fn even_win(self) -> f64 {
        self.polynomial(CENTRE).exp()
    }

    fn polynomial(self, factors: [f64; 3]) -> f64 {
        let x = (f64::from(self.men) - 16.0) / 16.0;
        factors
            .iter()
            .rev()
            .fold(0.0, |sum, factor| sum * x + factor)
    }

    /// The chance that the side to move wins. That of a loss is the same of the other
    /// side's value.
    fn win(self, value: Value) -> f64 {
        if score::is_decisive(value) {
            return if value > 0 { 1.0 } else { 0.0 };
        }
        let width = self.polynomial(WIDTH).exp();
        1.0 / (1.0 + ((self.even_win() - f64::from(value)) / width).exp())
    }

    /// Win, draw and loss for the side to move in thousandths, which add up to 1000.
    pub fn win_draw_loss(self, value: Value) -> [u32; 3] {
        let thousandths = |chance: f64| (1000.0 * chance).round() as u32;
        let (win, loss) = (thousandths(self.win(value)), thousandths(self.win(-value)));
        [win, 1000 - win - loss, loss]
    }

    /// The points that the side to move can expect: 1 is a win, ½ a draw.
    pub fn points(self, value: Value) -> f64 {
        (1.0 + self.win(value) - self.win(-value)) / 2.0
    }

    /// The score as a user reads it: mates and wins by the tablebases as what they are, all
    /// else in hundredths of [`Scale::even_win`].
    pub fn shown(self, value: Value) -> Shown {
        if value >= MATE_BOUND {
            Shown::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_BOUND {
            Shown::Mate(-((MATE + value) / 2))
        } else if value >= TABLE_BOUND {
            Shown::Centipawns(SHOWN_TABLE_WIN - (TABLE_WIN - value))
        } else if value <= -TABLE_BOUND {
            Shown::Centipawns(-SHOWN_TABLE_WIN + (TABLE_WIN + value))
        } else {
            let size = (100.0 * f64::from(value.abs()) / self.even_win()).round() as i32;
            // What is not a draw must not look like one.
            Shown::Centipawns(value.signum() * size.clamp(1, MOST_SHOWN))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::score::{MAX_PLY, loss_in, table_loss_in, table_win_in, win_in};
    use crate::notation::fen;
    use crate::rules::Variant;

    fn scales() -> impl Iterator<Item = Scale> {
        (2..=32).map(Scale::with_men)
    }

    #[test]
    fn mates_are_shown_in_moves() {
        for scale in scales() {
            assert_eq!(scale.shown(win_in(1)), Shown::Mate(1));
            assert_eq!(scale.shown(win_in(3)), Shown::Mate(2));
            assert_eq!(scale.shown(loss_in(0)), Shown::Mate(0));
            assert_eq!(scale.shown(loss_in(2)), Shown::Mate(-1));
        }
    }

    #[test]
    fn table_wins_are_shown_beyond_other_values() {
        let beyond = |value| match Scale::with_men(32).shown(value) {
            Shown::Centipawns(cp) => cp,
            Shown::Mate(_) => panic!("{value} is no mate"),
        };
        for scale in scales() {
            for ply in 0..MAX_PLY {
                let (win, loss) = (table_win_in(ply), table_loss_in(ply));
                assert_eq!(scale.shown(win), Shown::Centipawns(20_000 - ply as i32));
                assert_eq!(scale.shown(loss), Shown::Centipawns(ply as i32 - 20_000));
            }
        }
        assert!(beyond(TABLE_BOUND - 1) < beyond(TABLE_BOUND));
    }

    #[test]
    fn plus_one_wins_half_of_the_games() {
        for scale in scales() {
            let even = scale.even_win().round() as Value;
            assert_eq!(scale.shown(even), Shown::Centipawns(100));
            assert!(scale.win_draw_loss(even)[0].abs_diff(500) <= 5, "{scale:?}");
        }
    }

    #[test]
    fn chances_add_up_grow_with_the_value_and_turn_with_the_board() {
        for scale in scales() {
            let mut last = (0, 1000);
            for value in -3000..=3000 {
                let [win, draw, loss] = scale.win_draw_loss(value);
                assert_eq!(win + draw + loss, 1000);
                assert_eq!(scale.win_draw_loss(-value), [loss, draw, win]);
                assert!(win >= last.0 && loss <= last.1, "{scale:?} {value}");
                let points = scale.points(value) + scale.points(-value);
                assert!((points - 1.0).abs() < 1e-12);
                last = (win, loss);
            }
        }
    }

    #[test]
    fn what_is_certain_has_all_chances() {
        for scale in scales() {
            for won in [win_in(7), table_win_in(0)] {
                assert_eq!(scale.win_draw_loss(won), [1000, 0, 0]);
                assert_eq!(scale.win_draw_loss(-won), [0, 0, 1000]);
            }
        }
    }

    #[test]
    fn shown_scores_grow_with_the_value_and_only_a_draw_is_nought() {
        for scale in scales() {
            let mut last = i32::MIN;
            for value in 1 - TABLE_BOUND..TABLE_BOUND {
                let Shown::Centipawns(cp) = scale.shown(value) else {
                    panic!("{value} is no mate");
                };
                assert!(cp >= last && (cp == 0) == (value == 0), "{scale:?} {value}");
                last = cp;
            }
        }
    }

    #[test]
    fn colours_do_not_matter() {
        let scale = |text| Scale::of(&fen::parse(text, Variant::Atomic).unwrap());
        let (white, black) = (
            "4k3/pp6/8/8/8/8/8/R3K3 w - - 0 1",
            "r3k3/8/8/8/8/8/PP6/4K3 b - - 0 1",
        );
        assert_eq!(scale(white), scale(black));
        assert_eq!(scale(white), Scale::with_men(5));
    }
}
