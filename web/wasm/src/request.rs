//! What several requests have in common: positions, moves, replies and errors.
//! Invariant: knows nothing of the requests themselves.

use std::fmt;

use brisance::notation::fen::{self, FenWarning};
use brisance::notation::{coord, san};
use brisance::rules::{Color, Move, Position, Variant, chess960};
use serde::Deserialize;
use serde_json::{Value, json};

/// A position as requests describe it: a start, the start position by default, and moves in
/// coordinates or SAN.
#[derive(Deserialize, Default)]
pub struct PositionSpec {
    #[serde(default)]
    pub variant: VariantName,
    fen: Option<String>,
    chess960: Option<u16>,
    #[serde(default)]
    moves: Vec<String>,
}

/// The name of a variant; the default is `atomic`.
#[derive(Deserialize, Clone, Copy, Default)]
#[serde(try_from = "String")]
pub struct VariantName(pub Variant);

impl TryFrom<String> for VariantName {
    type Error = String;

    fn try_from(name: String) -> Result<VariantName, String> {
        let variant = Variant::from_name(&name).map(VariantName);
        variant.ok_or_else(|| format!("the variant {name:?} is neither atomic nor nocheckatomic"))
    }
}

/// Why a request has no answer.
pub struct RequestError {
    text: String,
    /// The field of a FEN that is wrong.
    field: Option<String>,
}

impl RequestError {
    pub fn new(error: impl fmt::Display) -> RequestError {
        RequestError { text: error.to_string(), field: None }
    }

    fn fen(error: &fen::FenError) -> RequestError {
        RequestError { text: error.to_string(), field: Some(error.field.to_string()) }
    }

    pub fn to_json(&self) -> Value {
        match &self.field {
            Some(field) => json!({ "error": self.text, "field": field }),
            None => json!({ "error": self.text }),
        }
    }
}

pub type Reply = Result<Value, RequestError>;

/// The position of a FEN, and what was ignored or filled in.
pub fn read_fen(text: &str, variant: Variant) -> Result<(Position, Vec<FenWarning>), RequestError> {
    fen::parse_lenient(text, variant).map_err(|error| RequestError::fen(&error))
}

impl PositionSpec {
    /// The position before the moves.
    pub fn start(&self) -> Result<Position, RequestError> {
        let variant = self.variant.0;
        match (&self.fen, self.chess960) {
            (Some(_), Some(_)) => Err(RequestError::new("both fen and chess960 are given")),
            (Some(text), None) => Ok(read_fen(text, variant)?.0),
            (None, Some(number)) => chess960_start(number, variant),
            (None, None) => Ok(Position::startpos(variant)),
        }
    }

    /// The moves, each legal.
    pub fn moves(&self) -> Result<(Position, Vec<Move>), RequestError> {
        let start = self.start()?;
        let mut pos = start.clone();
        let mut moves = Vec::with_capacity(self.moves.len());
        for (index, text) in self.moves.iter().enumerate() {
            let mv = parse_move(&pos, text).map_err(|error| {
                RequestError::new(format!("move {}: {}", index + 1, error.text))
            })?;
            moves.push(mv);
            pos.make(mv);
        }
        Ok((start, moves))
    }

    /// The position after the moves, with its history.
    pub fn position(&self) -> Result<Position, RequestError> {
        let (mut pos, moves) = self.moves()?;
        moves.into_iter().for_each(|mv| pos.make(mv));
        Ok(pos)
    }
}

pub fn chess960_start(number: u16, variant: Variant) -> Result<Position, RequestError> {
    if number >= 960 {
        let text = format!("{number} is not a Chess960 number from 0 to 959");
        return Err(RequestError::new(text));
    }
    Ok(chess960::start_position(number, variant))
}

/// Parses a legal move in coordinates or SAN.
pub fn parse_move(pos: &Position, text: &str) -> Result<Move, RequestError> {
    match coord::parse(pos, text.trim()) {
        Some(mv) => Ok(mv),
        None => san::parse(pos, text).map_err(RequestError::new),
    }
}

/// The name of a colour in replies.
pub fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}
