//! One match game under our own rules, from the opening to the result.
//! Invariant: every finished game has a result and a reason; a player that fails loses.

use std::time::Duration;

use super::adjudication::Adjudication;
use super::clock::GameClock;
use super::end::{Ending, GameEnd};
use super::failure::{Failure, FailureKind};
use super::player::Player;
use super::spec::TimeControl;
use super::turn::{GameState, MoveRecord};
use crate::rules::{Color, GameResult, Move, Position};
use crate::search::Control;
use crate::tablebase::Tablebase;

#[derive(Clone)]
pub struct MatchGame {
    pub start: Position,
    pub moves: Vec<MoveRecord>,
    pub end: GameEnd,
}

pub struct GameSettings<'a> {
    pub adjudication: &'a Adjudication,
    /// The limits of White and Black.
    pub time_controls: [TimeControl; 2],
    /// How much later than its time limit a move may arrive.
    pub time_margin: Duration,
    /// Charged to the clock for every move, in addition to the time taken.
    pub lag: Duration,
    pub chess960: bool,
    pub tablebase: Option<&'a Tablebase>,
    /// Ends the game at once, without a result.
    pub stop: &'a Control,
}

/// Plays a game between White and Black; `None` if it was stopped.
pub fn play(
    mut players: [&mut Player; 2],
    start: &Position,
    settings: &GameSettings,
) -> Option<MatchGame> {
    let mut moves = Vec::new();
    let end = play_moves(&mut players, start, settings, &mut moves);
    players.into_iter().for_each(Player::stop_pondering);
    let end = end?;
    // Whatever stopped the match may have caused the failure.
    if end.failed_side().is_some() && settings.stop.is_stopped() {
        return None;
    }
    let start = start.clone();
    Some(MatchGame { start, moves, end })
}

/// Plays the moves of a game and returns how it ended; `None` if it was stopped.
fn play_moves(
    players: &mut [&mut Player; 2],
    start: &Position,
    settings: &GameSettings,
    records: &mut Vec<MoveRecord>,
) -> Option<GameEnd> {
    let clocks = settings.time_controls;
    let clocks = clocks.map(|control| GameClock::new(control, settings.lag));
    let mut game = GameState::new(start, clocks, settings.chess960, settings.time_margin);
    for color in Color::ALL {
        if let Err(failure) = players[color.index()].new_game(settings.chess960) {
            return failed(color, &failure);
        }
    }
    let mut expected = None;
    loop {
        if let Some(end) = game_end(&game, settings, records) {
            return Some(end);
        }
        if settings.stop.is_stopped() {
            return None;
        }
        let side = game.pos.side_to_move();
        if let Some(expected) = expected {
            ponder(players[(!side).index()], &game, expected);
        }
        let reply = players[side.index()].think(&game);
        let clock = &mut game.clocks[side.index()];
        let margin = settings.time_margin;
        let reply = match reply {
            // The deadline does not include the lag.
            Ok(reply) if clock.is_exceeded_by(reply.time, margin) => Err(FailureKind::Late.into()),
            reply => reply,
        };
        match reply {
            Ok(reply) => {
                clock.spend(reply.time);
                let clock = clock.left();
                game.make(reply.mv);
                expected = reply.ponder;
                records.push(MoveRecord { reply, clock });
            }
            // As on Lichess, a side that cannot win with its material does not win on time.
            // Every other failure loses the game.
            Err(failure) if failure.kind == FailureKind::Late && !game.pos.can_win(!side) => {
                return Some(GameEnd::new(Ending::TimeoutDraw(side), GameResult::Draw));
            }
            Err(failure) => return failed(side, &failure),
        }
    }
}

/// Lets a player ponder the position after the reply that it expects, unless the game is over
/// there.
fn ponder(player: &mut Player, game: &GameState, expected: Move) {
    let mut game = game.clone();
    game.make(expected);
    if game.pos.outcome().is_none() {
        player.ponder(&game);
    }
}

/// The end by a failure; `None` if the match was stopped.
fn failed(side: Color, failure: &Failure) -> Option<GameEnd> {
    (failure.kind != FailureKind::Stopped).then(|| GameEnd::by_failure(side, failure))
}

fn game_end(game: &GameState, settings: &GameSettings, moves: &[MoveRecord]) -> Option<GameEnd> {
    if let Some(outcome) = game.pos.outcome() {
        return Some(GameEnd::new(Ending::Rules(outcome.reason), outcome.result));
    }
    if let Some(result) = settings.tablebase.and_then(|tb| tb.result(&game.pos)) {
        return Some(GameEnd::new(Ending::Tablebase, result));
    }
    settings.adjudication.end(game.start, &game.pos, moves)
}
