//! A game with the values of its searches, and its binary record in version 1 of the format.
//! Invariant: every move of a decoded record is legal.
//!
//! Version 1 can still be read. All numbers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 1 | bits 0–1 result (0 Black won, 1 draw, 2 White won), bit 2 variant `nocheckatomic`, bit 3 a FEN follows |
//! | 2 | number of plies |
//! | 1 + n | only with bit 3: length and text of the FEN |
//! | 4 each | per ply: code of the move, value in internal units for the side to move |

use thiserror::Error;

use crate::notation::fen::{self, FenError};
use crate::rules::{Color, GameResult, Move, Position, PositionError, Variant};

/// Games with more plies cannot be written.
pub const MAX_PLIES: usize = 65_535;

/// A move and the value of the search that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlyRecord {
    /// The move.
    pub mv: Move,
    /// Internal units for the side to move; mate scores as in [`crate::eval::score`]. It is the
    /// value of the best move, which is `mv` unless `random` is set.
    pub value: i16,
    /// The move was picked at random instead of being the best of the search: the rest of the
    /// game says nothing about `value`, so that no label looks past this ply.
    pub random: bool,
}

/// A game with the values of its moves.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// The position before the first ply. The moves in its history are the opening: they have no
    /// values, and no labels are made of them.
    pub start: Position,
    /// The moves in order.
    pub plies: Vec<PlyRecord>,
    /// The result.
    pub result: GameResult,
}

/// Why bytes are not a valid game record.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordError {
    /// The bytes end before the record does.
    #[error("the game is incomplete")]
    Truncated,
    /// The result code is invalid.
    #[error("the game has no result")]
    NoResult,
    /// The FEN is not ASCII or UTF-8 text.
    #[error("the start position is not a text")]
    NotText,
    /// The start position is invalid.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The start position is impossible.
    #[error(transparent)]
    Start(#[from] PositionError),
    /// A move before the first ply is illegal.
    #[error("a move of the opening is illegal")]
    IllegalOpening,
    /// There are too many plies.
    #[error("{0} plies")]
    TooLong(u32),
    /// The move of a ply, counted from 1, is illegal.
    #[error("the move of ply {0} is illegal")]
    IllegalMove(u16),
}

const NO_CHECK: u8 = 4;
const HAS_FEN: u8 = 8;

impl GameRecord {
    /// Takes a record of version 1 from the front of `bytes` and replays its moves.
    ///
    /// # Errors
    /// When the record is invalid. The contents of `bytes` are then unspecified.
    pub(super) fn decode(bytes: &mut &[u8]) -> Result<GameRecord, RecordError> {
        let [flags] = take(bytes)?;
        let count = u16::from_le_bytes(take(bytes)?);
        let variant = if flags & NO_CHECK == 0 {
            Variant::Atomic
        } else {
            Variant::NoCheckAtomic
        };
        let result = match flags & 3 {
            0 => GameResult::Win(Color::Black),
            1 => GameResult::Draw,
            2 => GameResult::Win(Color::White),
            _ => return Err(RecordError::NoResult),
        };
        let start = if flags & HAS_FEN == 0 {
            Position::startpos(variant)
        } else {
            let [length] = take(bytes)?;
            let (text, rest) = bytes
                .split_at_checked(usize::from(length))
                .ok_or(RecordError::Truncated)?;
            *bytes = rest;
            let text = std::str::from_utf8(text).map_err(|_| RecordError::NotText)?;
            fen::parse(text, variant)?
        };
        let mut pos = start.clone();
        let mut plies = Vec::with_capacity(usize::from(count));
        for number in 1..=count {
            let code = u16::from_le_bytes(take(bytes)?);
            let value = i16::from_le_bytes(take(bytes)?);
            let mv = Move::from_code(code)
                .filter(|&mv| pos.is_legal(mv))
                .ok_or(RecordError::IllegalMove(number))?;
            pos.make(mv);
            plies.push(PlyRecord {
                mv,
                value,
                random: false,
            });
        }
        Ok(GameRecord {
            start,
            plies,
            result,
        })
    }

    /// The positions of the game, each with the move played in it.
    pub fn positions(&self) -> GamePositions<'_> {
        GamePositions {
            pos: self.start.clone(),
            plies: self.plies.iter(),
        }
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], RecordError> {
    let (head, rest) = bytes.split_first_chunk().ok_or(RecordError::Truncated)?;
    *bytes = rest;
    Ok(*head)
}

/// The iterator returned by [`GameRecord::positions`].
pub struct GamePositions<'a> {
    pos: Position,
    plies: std::slice::Iter<'a, PlyRecord>,
}

impl Iterator for GamePositions<'_> {
    type Item = (Position, PlyRecord);

    fn next(&mut self) -> Option<(Position, PlyRecord)> {
        let ply = *self.plies.next()?;
        let before = self.pos.without_history();
        self.pos.make(ply.mv);
        Some((before, ply))
    }
}
