//! One game: where it began, each move with the value its search gave, and the result.
//!
//! Bytes, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | bits 0–1 result (0 Black won, 1 drawn, 2 White won), bit 2 without check, bit 3 a FEN follows |
//! | 2 | number of plies |
//! | 1 + n | only with bit 3: length and text of the FEN |
//! | 4 each | per ply: the move's code, the value in internal units for the side to move |
//!
//! Invariant: a record that was decoded replays: every move is legal where it stands.

use crate::notation::fen::{self, CastlingStyle};
use crate::rules::{Color, Move, Position, Variant};

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Result {
    /// One side won.
    Won(Color),
    /// Nobody did.
    Drawn,
}

/// A move and the value of the search that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlyRecord {
    /// The move.
    pub mv: Move,
    /// Centipawns from the mover's view; mates as [`crate::eval::score`] has them.
    pub value: i16,
}

/// A game.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// The position it began with.
    pub start: Position,
    /// The moves in order.
    pub plies: Vec<PlyRecord>,
    /// How it ended.
    pub result: Result,
}

const NO_CHECK: u8 = 4;
const HAS_FEN: u8 = 8;

impl GameRecord {
    /// Appends the game's bytes to `out`. A game longer than 65,535 plies is cut there.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let variant = self.start.variant();
        let text = fen::write(&self.start, CastlingStyle::Shredder);
        let is_start = self.start.same_as(&Position::startpos(variant));
        let mut flags = match self.result {
            Result::Won(Color::Black) => 0,
            Result::Drawn => 1,
            Result::Won(Color::White) => 2,
        };
        if variant == Variant::NoCheckAtomic {
            flags |= NO_CHECK;
        }
        if !is_start {
            flags |= HAS_FEN;
        }
        let plies = &self.plies[..self.plies.len().min(usize::from(u16::MAX))];
        out.push(flags);
        out.extend((plies.len() as u16).to_le_bytes());
        if !is_start {
            // The longest FEN (64 men, all rights, counters) is far below 256 bytes.
            out.push(text.len() as u8);
            out.extend(text.as_bytes());
        }
        for ply in plies {
            out.extend(ply.mv.code().to_le_bytes());
            out.extend(ply.value.to_le_bytes());
        }
    }

    /// Takes a game off the front of `bytes` and replays it.
    ///
    /// # Errors
    /// What is wrong with the bytes; they are then of no further use.
    pub fn decode(bytes: &mut &[u8]) -> std::result::Result<GameRecord, String> {
        let [flags] = take(bytes)?;
        let count = u16::from_le_bytes(take(bytes)?);
        let variant = if flags & NO_CHECK == 0 {
            Variant::Atomic
        } else {
            Variant::NoCheckAtomic
        };
        let result = match flags & 3 {
            0 => Result::Won(Color::Black),
            1 => Result::Drawn,
            2 => Result::Won(Color::White),
            _ => return Err("a game without a result".to_owned()),
        };
        let start = if flags & HAS_FEN == 0 {
            Position::startpos(variant)
        } else {
            let [length] = take(bytes)?;
            let (text, rest) = bytes
                .split_at_checked(usize::from(length))
                .ok_or("a game that breaks off")?;
            *bytes = rest;
            let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
            fen::parse(text, variant).map_err(|error| error.to_string())?
        };
        let mut pos = start.clone();
        let mut plies = Vec::with_capacity(usize::from(count));
        for number in 1..=count {
            let code = u16::from_le_bytes(take(bytes)?);
            let value = i16::from_le_bytes(take(bytes)?);
            let mv = Move::from_code(code)
                .filter(|&mv| pos.is_legal(mv))
                .ok_or_else(|| format!("ply {number} is no legal move"))?;
            pos.make(mv);
            plies.push(PlyRecord { mv, value });
        }
        Ok(GameRecord {
            start,
            plies,
            result,
        })
    }

    /// The positions of the game, each with the ply that was played in it.
    pub fn positions(&self) -> Positions<'_> {
        Positions {
            pos: self.start.clone(),
            plies: self.plies.iter(),
        }
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> std::result::Result<[u8; N], String> {
    let (head, rest) = bytes.split_first_chunk().ok_or("a game that breaks off")?;
    *bytes = rest;
    Ok(*head)
}

/// See [`GameRecord::positions`].
pub struct Positions<'a> {
    pos: Position,
    plies: std::slice::Iter<'a, PlyRecord>,
}

impl Iterator for Positions<'_> {
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
            });
        }
        let result = [
            Result::Drawn,
            Result::Won(Color::White),
            Result::Won(Color::Black),
        ];
        GameRecord {
            start,
            plies: played,
            result: result[seed as usize % 3],
        }
    }

    #[test]
    fn games_round_trip() {
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
    fn broken_bytes_are_refused() {
        let mut bytes = vec![];
        game("startpos", Variant::Atomic, 30, 1).encode(&mut bytes);
        for end in 0..bytes.len() {
            assert!(GameRecord::decode(&mut &bytes[..end]).is_err(), "{end}");
        }
        bytes[3] ^= 0x3f;
        assert!(
            GameRecord::decode(&mut bytes.as_slice())
                .unwrap_err()
                .contains("ply 1")
        );
    }
}
