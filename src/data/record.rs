//! The binary record of a game: start position, moves with the values of their searches, and
//! result.
//! Invariant: every move of a decoded record is legal.
//!
//! Format, all numbers little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 1 | bits 0–1 result (0 Black won, 1 draw, 2 White won), bit 2 variant `nocheckatomic`, bit 3 a FEN follows |
//! | 2 | number of plies |
//! | 1 + n | only with bit 3: length and text of the FEN |
//! | 4 each | per ply: code of the move, value in internal units for the side to move |

use thiserror::Error;

use crate::notation::fen::{self, CastlingStyle, FenError};
use crate::rules::{Color, GameResult, Move, Position, Variant};

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
///
/// # Examples
///
/// ```
/// use brisance::data::{GameRecord, PlyRecord};
/// use brisance::notation::coord;
/// use brisance::rules::{GameResult, Position, Variant};
///
/// let start = Position::startpos(Variant::Atomic);
/// let mv = coord::parse(&start, "g1f3").expect("a legal move");
/// let game = GameRecord {
///     start,
///     plies: vec![PlyRecord { mv, value: 42, random: false }],
///     result: GameResult::Draw,
/// };
/// let mut bytes = Vec::new();
/// game.encode(&mut bytes);
/// assert_eq!(GameRecord::decode(&mut bytes.as_slice())?.plies, game.plies);
/// # Ok::<(), brisance::data::RecordError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// The start position.
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
    /// The move of a ply, counted from 1, is illegal.
    #[error("the move of ply {0} is illegal")]
    IllegalMove(u16),
}

const NO_CHECK: u8 = 4;
const HAS_FEN: u8 = 8;

impl GameRecord {
    /// Appends the record to `out`. Games are truncated to 65,535 plies.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let variant = self.start.variant();
        let fen = fen::write(&self.start, CastlingStyle::Shredder);
        let is_startpos = self.start.same_as(&Position::startpos(variant));
        let mut flags = match self.result {
            GameResult::Win(Color::Black) => 0,
            GameResult::Draw => 1,
            GameResult::Win(Color::White) => 2,
        };
        if variant == Variant::NoCheckAtomic {
            flags |= NO_CHECK;
        }
        if !is_startpos {
            flags |= HAS_FEN;
        }
        let plies = &self.plies[..self.plies.len().min(usize::from(u16::MAX))];
        out.push(flags);
        out.extend((plies.len() as u16).to_le_bytes());
        if !is_startpos {
            // Even the longest FEN is shorter than 256 bytes.
            out.push(fen.len() as u8);
            out.extend(fen.as_bytes());
        }
        for ply in plies {
            out.extend(ply.mv.code().to_le_bytes());
            out.extend(ply.value.to_le_bytes());
        }
    }

    /// Takes a record from the front of `bytes` and replays its moves.
    ///
    /// # Errors
    /// When the record is invalid. The contents of `bytes` are then unspecified.
    pub fn decode(bytes: &mut &[u8]) -> Result<GameRecord, RecordError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn game(text: &str, variant: Variant, plies: usize, seed: u64) -> GameRecord {
        let start = fen::parse(text, variant).unwrap();
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut pos = start.clone();
        let mut played = vec![];
        while played.len() < plies
            && let Some(mv) = rng.choice(pos.legal_moves())
        {
            pos.make(mv);
            played.push(PlyRecord {
                mv,
                value: rng.i16(..),
                random: false,
            });
        }
        let results = [
            GameResult::Draw,
            GameResult::Win(Color::White),
            GameResult::Win(Color::Black),
        ];
        GameRecord {
            start,
            plies: played,
            result: results[seed as usize % 3],
        }
    }

    #[test]
    fn records_round_trip() {
        let games = [
            game("startpos", Variant::Atomic, 60, 1),
            game("startpos", Variant::NoCheckAtomic, 60, 2),
            game(
                "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1",
                Variant::Atomic,
                40,
                3,
            ),
            game("4k3/8/8/8/8/8/8/8 w - - 0 1", Variant::Atomic, 5, 4),
        ];
        let mut bytes = vec![];
        games.iter().for_each(|game| game.encode(&mut bytes));
        let mut rest = bytes.as_slice();
        for game in &games {
            let read = GameRecord::decode(&mut rest).unwrap();
            assert!(read.start.same_as(&game.start));
            assert_eq!((&read.plies, read.result), (&game.plies, game.result));
            assert_eq!(read.positions().count(), game.plies.len());
        }
        assert!(rest.is_empty());
        assert_eq!(games[3].plies.len(), 0);
    }

    #[test]
    fn invalid_bytes_are_rejected() {
        let mut bytes = vec![];
        game("startpos", Variant::Atomic, 30, 1).encode(&mut bytes);
        for end in 0..bytes.len() {
            assert!(GameRecord::decode(&mut &bytes[..end]).is_err(), "{end}");
        }
        bytes[3] ^= 0x3f;
        assert_eq!(
            GameRecord::decode(&mut bytes.as_slice()).unwrap_err(),
            RecordError::IllegalMove(1)
        );
    }
}
