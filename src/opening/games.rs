//! Building a book from games: how often each move was played, and with which results.
//! Invariant: only games with a result count.

use std::collections::BTreeMap;

use super::{Book, polyglot_key, polyglot_move};
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
pub struct GameStats {
    moves: BTreeMap<(u64, u16), MoveStats>,
}

impl GameStats {
    /// Counts the first `plies` moves of a game. Returns false for a game without a result, which
    /// is ignored.
    pub fn add(&mut self, game: &PgnGame, plies: usize) -> bool {
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
    pub fn book(&self, min_games: u64) -> Book {
        let moves = self.moves.iter();
        let played = moves.filter(|(_, stats)| stats.games >= min_games);
        let weights = played.map(|(&mv, stats)| (mv, 2 * stats.wins + stats.draws));
        let entries = weights.filter(|(_, weight)| *weight > 0);
        Book::scaled(entries.map(|(mv, weight)| (mv, (weight, 0))).collect())
    }
}
