//! One match game under our own rules, from the opening to the result.
//! Invariant: every finished game has a result and a reason; a player that fails loses.

use std::time::Duration;

use super::clock::GameClock;
use super::end::GameEnd;
use super::player::Player;
use super::spec::TimeControl;
use super::turn::{Failure, MoveReply, MoveRequest};
use crate::engine::StopSignal;
use crate::eval::wdl::DisplayScore;
use crate::rules::{Color, Move, Position};
use crate::tablebase::Tablebase;

/// When a game ends before the rules end it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Adjudication {
    /// The condition of a draw by score.
    pub draw: Option<DrawRule>,
    /// The condition of a win by score.
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
    /// The least score in centipawns.
    pub score: i32,
}

/// A move of a match game with the player's report.
#[derive(Clone, Debug)]
pub struct MoveRecord {
    /// The move.
    pub mv: Move,
    /// The score from the player's perspective.
    pub score: Option<DisplayScore>,
    /// The depth in plies.
    pub depth: Option<i32>,
    /// The time taken.
    pub time: Duration,
    /// The player's clock after the move.
    pub clock: Option<Duration>,
}

/// A finished match game.
#[derive(Clone)]
pub struct MatchGame {
    /// The first position.
    pub start: Position,
    /// The moves.
    pub moves: Vec<MoveRecord>,
    /// The result and its reason.
    pub end: GameEnd,
}

/// The conditions of a game.
pub struct GameSettings<'a> {
    pub adjudication: &'a Adjudication,
    /// How much later than its time limit a move may arrive.
    pub margin: Duration,
    /// Charged to the clock for every move, in addition to the time taken.
    pub lag: Duration,
    pub chess960: bool,
    pub tablebase: Option<&'a Tablebase>,
    /// Ends the game at once, without a result.
    pub stop: &'a StopSignal,
}

/// Plays a game between White and Black; `None` if it was stopped.
pub fn play(
    mut players: [&mut Player; 2],
    time_controls: [TimeControl; 2],
    start: &Position,
    settings: &GameSettings,
) -> Option<MatchGame> {
    let mut moves = Vec::new();
    let end = play_moves(&mut players, time_controls, start, settings, &mut moves);
    players.into_iter().for_each(Player::stop_pondering);
    let end = end?;
    // Whatever stopped the match may have caused the failure.
    if end.failed_side().is_some() && settings.stop.is_requested() {
        return None;
    }
    Some(MatchGame {
        start: start.clone(),
        moves,
        end,
    })
}

/// A game in progress.
#[derive(Clone)]
struct GameState<'a> {
    start: &'a Position,
    moves: Vec<Move>,
    pos: Position,
    clocks: [GameClock; 2],
    settings: &'a GameSettings<'a>,
}

impl GameState<'_> {
    fn make(&mut self, mv: Move) {
        self.moves.push(mv);
        self.pos.make(mv);
    }

    /// The request to the side to move.
    fn request(&self) -> MoveRequest<'_> {
        let clock = &self.clocks[self.pos.side_to_move().index()];
        MoveRequest {
            start: self.start,
            moves: &self.moves,
            pos: &self.pos,
            time_control: clock.time_control(),
            clocks: self.clocks.each_ref().map(GameClock::left),
            increments: self.clocks.each_ref().map(GameClock::increment),
            moves_to_go: clock.moves_to_go(),
            chess960: self.settings.chess960,
            margin: self.settings.margin,
        }
    }
}

/// Plays the moves of a game and returns how it ended; `None` if it was stopped.
fn play_moves(
    players: &mut [&mut Player; 2],
    time_controls: [TimeControl; 2],
    start: &Position,
    settings: &GameSettings,
    records: &mut Vec<MoveRecord>,
) -> Option<GameEnd> {
    let mut state = GameState {
        start,
        moves: Vec::new(),
        pos: start.clone(),
        clocks: time_controls.map(|control| GameClock::new(control, settings.lag)),
        settings,
    };
    let mut expected = None;
    for color in Color::ALL {
        if let Err(failure) = players[color.index()].new_game(settings.chess960) {
            return failed(color, failure);
        }
    }
    loop {
        if let Some(end) = game_end(&state.pos, settings, records, start) {
            return Some(end);
        }
        if settings.stop.is_requested() {
            return None;
        }
        let side = state.pos.side_to_move();
        if let Some(expected) = expected {
            ponder(players[(!side).index()], &state, expected);
        }
        let reply = players[side.index()].think(&state.request());
        let clock = &mut state.clocks[side.index()];
        let reply = match reply {
            // The deadline of the request does not include the lag.
            Ok(reply) if clock.is_exceeded_by(reply.time, settings.margin) => Err(Failure::Late),
            reply => reply,
        };
        match reply {
            Ok(MoveReply {
                mv,
                score,
                depth,
                time,
                ponder,
            }) => {
                clock.spend(time);
                records.push(MoveRecord {
                    mv,
                    score,
                    depth,
                    time,
                    clock: clock.left(),
                });
                state.make(mv);
                expected = ponder;
            }
            // As on Lichess, a side that cannot win with its material does not win on time.
            // Every other failure loses the game.
            Err(Failure::Late) if !state.pos.can_win(!side) => {
                return Some(GameEnd::TimeoutDraw(side));
            }
            Err(failure) => return failed(side, failure),
        }
    }
}

/// Lets a player ponder the position after the reply that it expects, unless the game is over
/// there.
fn ponder(player: &mut Player, state: &GameState, expected: Move) {
    let mut state = state.clone();
    state.make(expected);
    if state.pos.outcome().is_none() {
        player.ponder(&state.request());
    }
}

/// The end by a failure; `None` if the match was stopped.
fn failed(side: Color, failure: Failure) -> Option<GameEnd> {
    (failure != Failure::Stopped).then_some(GameEnd::Failure(side, failure))
}

/// The end of the game by the rules, the tablebases or adjudication.
fn game_end(
    pos: &Position,
    settings: &GameSettings,
    records: &[MoveRecord],
    start: &Position,
) -> Option<GameEnd> {
    if let Some(outcome) = pos.outcome() {
        return Some(GameEnd::Rules(outcome));
    }
    if let Some(result) = settings.tablebase.and_then(|tb| tb.result(pos)) {
        return Some(GameEnd::Tablebase(result));
    }
    adjudicate(pos, settings.adjudication, records, start)
}

fn adjudicate(
    pos: &Position,
    rules: &Adjudication,
    records: &[MoveRecord],
    start: &Position,
) -> Option<GameEnd> {
    let moves_played = pos
        .fullmove_number()
        .saturating_sub(start.fullmove_number());
    if rules.max_moves.is_some_and(|max| moves_played >= max) {
        return Some(GameEnd::MoveLimit);
    }
    let last_moves = |moves: u32| {
        let first = records.len().checked_sub(2 * moves as usize)?;
        (moves > 0).then(|| &records[first..])
    };
    if let Some(rule) = rules.draw
        && let Some(last) = last_moves(rule.moves)
    {
        let moves = rule.moves.min(u16::MAX.into()) as u16;
        let is_even =
            |record: &MoveRecord| centipawns(record).is_some_and(|cp| cp.abs() <= rule.score);
        if pos.fullmove_number() >= rule.from.saturating_add(moves) && last.iter().all(is_even) {
            return Some(GameEnd::DrawByScore);
        }
    }
    let rule = rules.resign?;
    let last = last_moves(rule.moves)?;
    // The last move was made by the side that is not to move now.
    let agrees = |winner: Color, plies_back: usize, record: &MoveRecord| {
        let mover = if plies_back.is_multiple_of(2) {
            !pos.side_to_move()
        } else {
            pos.side_to_move()
        };
        let sign = if mover == winner { 1 } else { -1 };
        centipawns(record).is_some_and(|cp| cp * sign >= rule.score)
    };
    let is_agreed = |winner: &Color| {
        let mut plies_back = last.iter().rev().enumerate();
        plies_back.all(|(back, record)| agrees(*winner, back, record))
    };
    let winner = Color::ALL.into_iter().find(is_agreed)?;
    Some(GameEnd::WinByScore(winner))
}

/// A score in centipawns; a mate exceeds all other scores.
fn centipawns(record: &MoveRecord) -> Option<i32> {
    record.score.map(|score| match score {
        DisplayScore::Centipawns(cp) => cp,
        DisplayScore::Mate(moves) if moves > 0 => 30_000,
        DisplayScore::Mate(_) => -30_000,
    })
}
