//! A book from games: which moves were played how often, and how those games ended.
//! Invariant: only games with a result count.

use std::collections::HashMap;

use super::{Book, Entry, code_of, key};
use crate::notation::pgn::{Ending, Game};

/// What came of a move, from the view of the side that played it.
#[derive(Clone, Copy, Default, Debug)]
struct Score {
    wins: u64,
    draws: u64,
    games: u64,
}

/// The moves of games, counted.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    scores: HashMap<(u64, u16), Score>,
}

impl Tally {
    /// Counts the first `plies` moves of a game; a position that returns counts once more.
    /// False when the game has no result, which leaves it out.
    pub fn add(&mut self, game: &Game, plies: usize) -> bool {
        if game.ending == Ending::Open {
            return false;
        }
        let mut pos = game.start.clone();
        for played in game.main.moves.iter().take(plies) {
            let score = self
                .scores
                .entry((key(&pos), code_of(played.mv)))
                .or_default();
            score.games += 1;
            score.draws += u64::from(game.ending == Ending::Drawn);
            score.wins += u64::from(game.ending == Ending::Won(pos.side()));
            pos.make(played.mv);
        }
        true
    }

    /// The book of the moves that were played in at least `min_games` games. A weight is two
    /// for each win and one for each draw of the side that moved; where that does not fit, all
    /// weights of the position are scaled down. Moves that only lost are left out.
    pub fn book(&self, min_games: u64) -> Book {
        let points = |score: &Score| 2 * score.wins + score.draws;
        let kept = |score: &Score| score.games >= min_games && points(score) > 0;
        let mut most: HashMap<u64, u64> = HashMap::new();
        for ((key, _), score) in self.scores.iter().filter(|(_, score)| kept(score)) {
            let best = most.entry(*key).or_default();
            *best = points(score).max(*best);
        }
        let scores = self.scores.iter().filter(|(_, score)| kept(score));
        let entries = scores.map(|(&(key, code), score)| {
            let full = u64::from(u16::MAX);
            let most = most.get(&key).copied().unwrap_or(full).max(full);
            let weight = u128::from(points(score)) * u128::from(full) / u128::from(most);
            Entry {
                key,
                code,
                weight: u16::try_from(weight).unwrap_or(u16::MAX).max(1),
                learn: 0,
            }
        });
        Book::new(entries.collect())
    }
}
