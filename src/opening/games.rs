//! Building a book from games: how often each move was played, and with which results.
//! Invariant: only games with a result count.

use std::collections::HashMap;

use super::{Book, BookEntry, polyglot_key, polyglot_move};
use crate::notation::pgn::PgnGame;
use crate::rules::GameResult;

/// Results of a move from the point of view of the side that played it.
#[derive(Clone, Copy, Default, Debug)]
struct MoveStats {
    wins: u64,
    draws: u64,
    games: u64,
}

/// Statistics of the moves of games.
#[derive(Clone, Default, Debug)]
pub(crate) struct GameStats {
    moves: HashMap<(u64, u16), MoveStats>,
}

impl GameStats {
    /// Counts the first `plies` moves of a game. Returns false and ignores the game when it has no
    /// result.
    pub(crate) fn add(&mut self, game: &PgnGame, plies: usize) -> bool {
        let Some(result) = game.result else {
            return false;
        };
        let mut pos = game.start.clone();
        for played in game.main_line.moves.iter().take(plies) {
            let stats = self
                .moves
                .entry((polyglot_key(&pos), polyglot_move(played.mv)))
                .or_default();
            stats.games += 1;
            stats.draws += u64::from(result == GameResult::Draw);
            stats.wins += u64::from(result == GameResult::Win(pos.side_to_move()));
            pos.make(played.mv);
        }
        true
    }

    /// The book of the moves that were played in at least `min_games` games. The weight of a move
    /// is two per win and one per draw of the side that played it; if a weight exceeds 65,535, all
    /// weights of the position are scaled down. Moves without a win or draw are left out.
    pub(crate) fn book(&self, min_games: u64) -> Book {
        let weight = |stats: &MoveStats| 2 * stats.wins + stats.draws;
        let is_included = |stats: &MoveStats| stats.games >= min_games && weight(stats) > 0;
        let included = || self.moves.iter().filter(|(_, stats)| is_included(stats));
        let mut max_weights: HashMap<u64, u64> = HashMap::new();
        for (&(key, _), stats) in included() {
            let max = max_weights.entry(key).or_default();
            *max = weight(stats).max(*max);
        }
        let entries = included().map(|(&(key, code), stats)| {
            let limit = u64::from(u16::MAX);
            let max = max_weights.get(&key).copied().unwrap_or(limit).max(limit);
            let scaled = u128::from(weight(stats)) * u128::from(limit) / u128::from(max);
            BookEntry {
                key,
                code,
                weight: u16::try_from(scaled).unwrap_or(u16::MAX).max(1),
                learn: 0,
            }
        });
        Book::new(entries.collect())
    }
}
