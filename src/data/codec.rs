//! Codes the games of a chunk, as [`super::file`] describes.
//! Invariant: one function both writes and reads each part of a game, so that what was written is
//! read back; only values may change, to the middle of their steps.

use super::coder::{BitModel, Coder, NumberModel};
use super::order::{MoveModels, code_move};
use super::record::{GameRecord, MAX_PLIES, PlyRecord, RecordError};
use super::start::{self, StartModels};
use super::value_steps::{step_of, value_of};
use crate::rules::{Color, GameResult};

/// Greater than the step of any value.
const MAX_STEP: i64 = 2_000;
/// The steps at which one side is likely to win, and sure to win.
const AHEAD: [i32; 2] = [100, 200];

struct Models {
    start: StartModels,
    plies: NumberModel,
    moves: MoveModels,
    random: BitModel,
    /// Distance from the guess, by how far the last two values and their guesses were off.
    distances: Vec<NumberModel>,
    signs: [[BitModel; 3]; 8],
    results: [[BitModel; 2]; 5],
}

/// Writes or reads games that depend on all games before them in the chunk.
pub struct GameCodec<C> {
    coder: C,
    models: Box<Models>,
}

impl<C: Coder> GameCodec<C> {
    pub fn new(coder: C) -> GameCodec<C> {
        GameCodec {
            coder,
            models: Box::new(Models {
                start: StartModels::NEW,
                plies: NumberModel::NEW,
                moves: MoveModels::NEW,
                random: BitModel::EVEN,
                distances: vec![NumberModel::NEW; 64],
                signs: [[BitModel::EVEN; 3]; 8],
                results: [[BitModel::EVEN; 2]; 5],
            }),
        }
    }

    /// The coder, at the end of the chunk.
    pub fn into_coder(self) -> C {
        self.coder
    }

    /// Writes `game`, or reads one if it is `None`. Returns the game as it is read.
    ///
    /// # Errors
    /// When the game has an illegal move or too many plies; nothing is written then. When no
    /// writer makes such bytes.
    pub fn game(&mut self, game: Option<&GameRecord>) -> Result<GameRecord, RecordError> {
        if let Some(game) = game {
            check(game)?;
        }
        let start = game.map(|game| &game.start);
        let start = start::code(&mut self.coder, &mut self.models.start, start)?;
        let count = game.map_or(0, |game| game.plies.len() as u32);
        let count = self.coder.number(&mut self.models.plies, count);
        if self.coder.failed() || count as usize > MAX_PLIES {
            return Err(RecordError::TooLong(count));
        }
        let mut pos = start.without_history();
        let mut plies: Vec<PlyRecord> = Vec::with_capacity(count as usize);
        let mut guess = ValueGuess::default();
        for number in 0..count {
            let ply = game.map(|game| game.plies[number as usize]);
            let mv = ply.map(|ply| ply.mv);
            let mv = code_move(&mut self.coder, &mut self.models.moves, &pos, mv);
            let mv = mv.filter(|_| !self.coder.failed());
            let mv = mv.ok_or(RecordError::IllegalMove(number as u16 + 1))?;
            let random = ply.is_some_and(|ply| ply.random);
            plies.push(PlyRecord {
                mv,
                random: self.coder.bit(&mut self.models.random, random),
                value: self.value(&mut guess, ply.map_or(0, |ply| ply.value)),
            });
            pos.make(mv);
        }
        let result = game.map_or(GameResult::Draw, |game| game.result);
        let result = self.result(pos.side_to_move(), guess.last, result);
        if self.coder.failed() {
            return Err(RecordError::Truncated);
        }
        Ok(GameRecord { start, plies, result })
    }

    /// A value is coded as its distance from the value of the ply before, for the same side.
    fn value(&mut self, guess: &mut ValueGuess, value: i16) -> i16 {
        let expected = -guess.last;
        let step = step_of(value);
        let swing = expected - guess.before;
        let width = |number: i32| number.unsigned_abs().saturating_add(1).ilog2().min(7) as usize;
        let context = width(swing) * 8 + width(guess.errors[0] + guess.errors[1]);
        let distance = (step - expected).unsigned_abs();
        let model = &mut self.models.distances[context];
        let distance = self.coder.number(model, distance);
        let mut read = i64::from(expected);
        if distance != 0 {
            let direction = (swing.signum() + 1) as usize;
            let model = &mut self.models.signs[width(swing)][direction];
            let sign = self.coder.bit(model, step > expected);
            read += i64::from(distance) * if sign { 1 } else { -1 };
        }
        let step = read.clamp(-MAX_STEP, MAX_STEP) as i32;
        *guess = ValueGuess {
            last: step,
            before: guess.last,
            errors: [distance.min(1000) as i32, guess.errors[0]],
        };
        value_of(step)
    }

    fn result(&mut self, next: Color, last: i32, result: GameResult) -> GameResult {
        // The last value is that of the side that is not to move now.
        let white = if next == Color::Black { last } else { -last };
        let context = match white {
            _ if white.abs() < AHEAD[0] => 2,
            _ if white.abs() < AHEAD[1] => 2 + white.signum(),
            _ => 2 + 2 * white.signum(),
        };
        let models = &mut self.models.results[context as usize];
        if self.coder.bit(&mut models[0], result == GameResult::Draw) {
            return GameResult::Draw;
        }
        let white_won = result == GameResult::Win(Color::White);
        if self.coder.bit(&mut models[1], white_won) {
            GameResult::Win(Color::White)
        } else {
            GameResult::Win(Color::Black)
        }
    }
}

/// What the next value is guessed from.
#[derive(Default)]
struct ValueGuess {
    /// Steps of the last two values, each for its side to move.
    last: i32,
    before: i32,
    /// Distances of the last two values from their guesses.
    errors: [i32; 2],
}

/// Checks that all moves are legal and not too many.
fn check(game: &GameRecord) -> Result<(), RecordError> {
    if game.plies.len() > MAX_PLIES || game.start.ply() > MAX_PLIES {
        let plies = game.plies.len().max(game.start.ply());
        return Err(RecordError::TooLong(plies as u32));
    }
    let mut pos = game.start.without_history();
    for (index, ply) in game.plies.iter().enumerate() {
        if !pos.is_legal(ply.mv) {
            return Err(RecordError::IllegalMove(index as u16 + 1));
        }
        pos.make(ply.mv);
    }
    Ok(())
}
