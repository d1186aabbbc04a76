//! Building a book from games: how often each move was played, and with which results.
//! Invariant: only games with a result count.

use std::collections::BTreeMap;

use super::{Book, polyglot_key, polyglot_move};
use crate::notation::pgn::PgnGame;
use crate::rules::GameResult;

/// Statistics of the moves of games.
#[derive(Clone, Default, Debug)]
pub struct GameStats {
    /// The weights of moves, by key and code, and in how many games they were played.
    moves: BTreeMap<(u64, u16), (u64, u64)>,
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
            let mv = (polyglot_key(&pos), polyglot_move(played.mv));
            let (weight, games) = self.moves.entry(mv).or_default();
            *weight += 2 * u64::from(result == GameResult::Win(pos.side_to_move()))
                + u64::from(result == GameResult::Draw);
            *games += 1;
            pos.make(played.mv);
        }
        true
    }

    /// The book of the moves that were played in at least `min_games` games. The weight of a move
    /// is two per win and one per draw of the side that played it; if a weight exceeds 65,535, all
    /// weights of the position are scaled down. Moves without a win or draw are left out.
    pub fn book(&self, min_games: u64) -> Book {
        let moves = self.moves.iter();
        let played = moves.filter(|(_, (weight, games))| *games >= min_games && *weight > 0);
        Book::scaled(played.map(|(&mv, &(weight, _))| (mv, (weight, 0))).collect())
    }
}
