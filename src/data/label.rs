//! Training labels: the expected score of each position of a game.
//! Invariant: labels are computed over the whole game, before any filter drops positions, and
//! the two sides' labels of a position add up to 1. No label looks past a random move.

use super::GameRecord;
use crate::rules::Color;

/// Computes labels from the search values and the result of a game, as λ-returns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Labels {
    /// Share of the next ply's label in a label, from 0 to 1; the rest is the search value of
    /// the ply, or all of it where the move is random. At 0 the labels are the search values, at
    /// 1 the result of the game.
    pub lambda: f32,
    /// Internal units at which the expected score is 1 / (1 + 1/e).
    pub scale: f32,
}

impl Default for Labels {
    fn default() -> Labels {
        Labels { lambda: 0.7, scale: 400.0 }
    }
}

impl Labels {
    /// Returns the label of each ply for its side to move, from 0 (loss) to 1 (win).
    pub fn of_game(self, game: &GameRecord) -> Vec<f32> {
        let for_side = |side: Color, white: f32| match side {
            Color::White => white,
            Color::Black => 1.0 - white,
        };
        let winner = game.result.winner();
        let mut next = winner.map_or(0.5, |color| for_side(color, 1.0));
        let mut side = game.start.side_to_move();
        if game.plies.len().is_multiple_of(2) {
            side = !side;
        }
        let mut labels = Vec::with_capacity(game.plies.len());
        for ply in game.plies.iter().rev() {
            let own = for_side(side, expected_score(f32::from(ply.value) / self.scale));
            let lambda = if ply.random { 0.0 } else { self.lambda };
            next = own + lambda * (next - own);
            labels.push(for_side(side, next));
            side = !side;
        }
        labels.reverse();
        labels
    }
}

/// The logistic curve: the expected score of a value in units of the scale.
pub fn expected_score(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tests::game;
    use crate::rules::GameResult;

    fn scaled(lambda: f32) -> Labels {
        let scale = 400.0;
        Labels { lambda, scale }
    }

    fn assert_near(labels: &[f32], expected: &[f32]) {
        assert_eq!(labels.len(), expected.len());
        for (label, expected) in labels.iter().zip(expected) {
            assert!((label - expected).abs() < 2e-6, "{label} {expected}");
        }
    }

    /// At scale 400 a value of 439.4449 = 400 ln 3 is an expected score of 3/4.
    #[test]
    fn labels_are_those_computed_by_hand() {
        let moves = [("g1f3", 0), ("g8f6", -439), ("b1c3", 878), ("b8c6", -32000)];
        let labels = |lambda, result| scaled(lambda).of_game(&game("startpos", &moves, result));
        // White's expected scores: 0.5, 0.749792, 0.899801, 1.
        let white = GameResult::Win(Color::White);
        let plain = [0.5, 0.250_208_4, 0.899_800_1, 0.0];
        assert_near(&labels(0.0, white), &plain);
        assert_near(&labels(1.0, white), &[1.0, 0.0, 1.0, 0.0]);
        assert_near(&labels(1.0, GameResult::Draw), &[0.5; 4]);
        // From the end, for White, λ 0.5, Black wins: (1 + 0) / 2 = 0.5; then (0.8998001 + 0.5)
        // / 2 = 0.69990005; (0.7497916 + 0.69990005) / 2 = 0.7248458; (0.5 + …) / 2 = 0.6124229.
        let black = GameResult::Win(Color::Black);
        let half = [0.612_422_9, 0.275_154_2, 0.699_900_05, 0.5];
        assert_near(&labels(0.5, black), &half);
    }

    #[test]
    fn no_label_looks_past_a_random_move() {
        let moves = [("g1f3", 0), ("g8f6", -439), ("b1c3", 878), ("b8c6", 0)];
        let mut game = game("startpos", &moves, GameResult::Win(Color::White));
        let labels = scaled(0.5);
        // White's expected scores are 0.5, 0.749792, 0.899801, 0.5. The third is not mixed with
        // what follows; the second is (0.7497916 + 0.8998001) / 2, the first (0.5 + that) / 2.
        game.plies[2].random = true;
        let expected = [0.662_397_9, 0.175_204_15, 0.899_800_1, 0.25];
        assert_near(&labels.of_game(&game), &expected);
        game.plies[3].random = true;
        assert_near(&labels.of_game(&game)[3..], &[0.5]);
    }

    #[test]
    fn sides_are_counted_from_the_start_of_the_game() {
        let start = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
        let black = GameResult::Win(Color::Black);
        let moves = [("e8d8", 0), ("e2e4", 0), ("d8c8", 0)];
        let labels = scaled(0.5);
        // For Black from the end: 0.75, 0.625, 0.5625.
        assert_near(&labels.of_game(&game(start, &moves, black)), &[0.5625, 0.375, 0.75]);
        assert_near(&labels.of_game(&game(start, &[], black)), &[]);
    }
}
