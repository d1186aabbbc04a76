//! Rules that end a match game early, by the scores of the players or the number of moves.
//! Invariant: a rule by scores applies only if both sides report scores that agree.

use super::end::{Ending, GameEnd};
use super::turn::MoveRecord;
use crate::eval::wdl::DisplayScore;
use crate::rules::{Color, GameResult, Position};

/// When a game ends before the rules end it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Adjudication {
    pub draw: Option<DrawRule>,
    pub resign: Option<ResignRule>,
    /// The game is a draw after this many full moves.
    pub max_moves: Option<u16>,
}

/// A draw if both sides report at most `score` for `moves` moves each, from move `from` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// The first full move that counts, from 1.
    pub from: u16,
    /// Consecutive moves of each side.
    pub moves: u32,
    /// The greatest absolute score in centipawns.
    pub score: i32,
}

/// A win if both sides report at least `score` for the same side for `moves` moves each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignRule {
    /// Consecutive moves of each side.
    pub moves: u32,
    /// The least score in centipawns, above 0.
    pub score: i32,
}

impl Adjudication {
    /// The end of a game that has come from `start` to `pos`.
    pub fn end(&self, start: &Position, pos: &Position, moves: &[MoveRecord]) -> Option<GameEnd> {
        let number = pos.fullmove_number();
        let played = number.saturating_sub(start.fullmove_number());
        if self.max_moves.is_some_and(|max| played >= max) {
            return Some(GameEnd::new(Ending::MoveLimit, GameResult::Draw));
        }
        let last_scores = |count: u32| {
            let first = moves.len().checked_sub(2 * count as usize)?;
            (count > 0).then(|| moves[first..].iter().rev().map(centipawns))
        };
        if let Some(rule) = self.draw
            && let Some(mut last) = last_scores(rule.moves)
        {
            let count = rule.moves.min(u16::MAX.into()) as u16;
            let is_late = number >= rule.from.saturating_add(count);
            if is_late && last.all(|cp| cp.is_some_and(|cp| cp.abs() <= rule.score)) {
                return Some(GameEnd::new(Ending::DrawByScore, GameResult::Draw));
            }
        }
        let rule = self.resign?;
        let winner = agreed_winner(pos.side_to_move(), last_scores(rule.moves)?, rule.score)?;
        Some(GameEnd::new(Ending::WinByScore, GameResult::Win(winner)))
    }
}

/// The side for which all scores of the last plies are at least `least`, which is above 0. The
/// scores are from the perspective of their players, the last ply first; `next` is to move now.
pub fn agreed_winner(
    next: Color,
    scores: impl Iterator<Item = Option<i32>>,
    least: i32,
) -> Option<Color> {
    let (mut mover, mut agreed) = (next, None);
    for score in scores {
        mover = !mover;
        let winner = match score? {
            score if score >= least => mover,
            score if score <= -least => !mover,
            _ => return None,
        };
        if *agreed.get_or_insert(winner) != winner {
            return None;
        }
    }
    agreed
}

/// The score of a move in centipawns; a mate exceeds all other scores.
fn centipawns(played: &MoveRecord) -> Option<i32> {
    Some(match played.reply.score? {
        DisplayScore::Centipawns(cp) => cp,
        DisplayScore::Mate(moves) if moves > 0 => 30_000,
        DisplayScore::Mate(_) => -30_000,
    })
}
