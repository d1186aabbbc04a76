//! Requests and their dispatch.
//! Invariant: every reply is one JSON object.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use brisance::notation::fen::{self, FenWarning};
use brisance::notation::{coord, san};
use brisance::opening::Book;
use brisance::rules::{Color, Move, Position, Variant, chess960};
use brisance::tablebase::Tablebase;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{game, position, tools};

/// Our opening book.
const BOOK: &[u8] = include_bytes!("../../../book/brisance.bin");

/// Answers requests about positions and games.
///
/// # Examples
/// ```
/// let mut core = brisance_wasm::Core::new();
/// let reply = core.call(r#"{"do": "san", "move": "g1f3"}"#);
/// assert!(reply.contains(r#""san":"Nf3""#), "{reply}");
/// ```
pub struct Core {
    pub(crate) book: Book,
    pub(crate) tablebase: Option<Tablebase>,
    tables: HashMap<String, Arc<[u8]>>,
}

/// A request: the field `do` names it.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Request {
    Position(PositionSpec),
    Fen(game::FenRequest),
    San(game::SanRequest),
    Line(game::LineRequest),
    PgnRead(game::PgnReadRequest),
    PgnWrite(game::PgnWriteRequest),
    Levels,
    Wdl(tools::WdlRequest),
    Chess960(tools::Chess960Request),
    Book(PositionSpec),
    Solve(tools::SolveRequest),
    Judge(tools::JudgeRequest),
    Tablebase(PositionSpec),
    Version,
}

/// A position as requests describe it: a start, the start position by default, and moves in
/// coordinates or SAN.
#[derive(Deserialize, Default)]
pub(crate) struct PositionSpec {
    #[serde(default)]
    pub(crate) variant: VariantName,
    fen: Option<String>,
    chess960: Option<u16>,
    #[serde(default)]
    moves: Vec<String>,
}

/// The name of a variant; the default is `atomic`.
#[derive(Deserialize, Clone, Copy, Default)]
#[serde(try_from = "String")]
pub(crate) struct VariantName(pub(crate) Variant);

impl TryFrom<String> for VariantName {
    type Error = String;

    fn try_from(name: String) -> Result<VariantName, String> {
        let variant = Variant::from_name(&name).map(VariantName);
        variant.ok_or_else(|| format!("the variant {name:?} is neither atomic nor nocheckatomic"))
    }
}

/// Why a request has no answer.
pub(crate) struct RequestError {
    text: String,
    /// The field of a FEN that is wrong.
    field: Option<String>,
}

impl RequestError {
    pub(crate) fn new(error: impl fmt::Display) -> RequestError {
        RequestError {
            text: error.to_string(),
            field: None,
        }
    }

    fn fen(error: &fen::FenError) -> RequestError {
        RequestError {
            text: error.to_string(),
            field: Some(error.field.to_string()),
        }
    }

    fn to_json(&self) -> Value {
        match &self.field {
            Some(field) => json!({ "error": self.text, "field": field }),
            None => json!({ "error": self.text }),
        }
    }
}

pub(crate) type Reply = Result<Value, RequestError>;

/// The position of a FEN, and what was ignored or filled in.
pub(crate) fn read_fen(
    text: &str,
    variant: Variant,
) -> Result<(Position, Vec<FenWarning>), RequestError> {
    fen::parse_lenient(text, variant).map_err(|error| RequestError::fen(&error))
}

impl PositionSpec {
    /// The position before the moves.
    pub(crate) fn start(&self) -> Result<Position, RequestError> {
        let variant = self.variant.0;
        match (&self.fen, self.chess960) {
            (Some(_), Some(_)) => Err(RequestError::new("both fen and chess960 are given")),
            (Some(text), None) => Ok(read_fen(text, variant)?.0),
            (None, Some(number)) => chess960_start(number, variant),
            (None, None) => Ok(Position::startpos(variant)),
        }
    }

    /// The moves, each legal.
    pub(crate) fn moves(&self) -> Result<(Position, Vec<Move>), RequestError> {
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
    pub(crate) fn position(&self) -> Result<Position, RequestError> {
        let (mut pos, moves) = self.moves()?;
        moves.into_iter().for_each(|mv| pos.make(mv));
        Ok(pos)
    }
}

pub(crate) fn chess960_start(number: u16, variant: Variant) -> Result<Position, RequestError> {
    if number >= 960 {
        let text = format!("{number} is not a Chess960 number from 0 to 959");
        return Err(RequestError::new(text));
    }
    Ok(chess960::start_position(number, variant))
}

/// Parses a legal move in coordinates or SAN.
pub(crate) fn parse_move(pos: &Position, text: &str) -> Result<Move, RequestError> {
    match coord::parse(pos, text.trim()) {
        Some(mv) => Ok(mv),
        None => san::parse(pos, text).map_err(RequestError::new),
    }
}

/// The name of a colour in replies.
pub(crate) fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}

impl Default for Core {
    fn default() -> Core {
        Core::new()
    }
}

impl Core {
    /// A core with our book and without tables.
    pub fn new() -> Core {
        Core {
            book: Book::parse(BOOK).unwrap_or_else(|_| Book::new(Vec::new())),
            tablebase: None,
            tables: HashMap::new(),
        }
    }

    /// Answers a request, a JSON object, with a JSON object.
    pub fn call(&mut self, request: &str) -> String {
        let reply = match serde_json::from_str(request) {
            Ok(request) => self.answer(request),
            Err(error) => Err(RequestError::new(format!("bad request: {error}"))),
        };
        reply.unwrap_or_else(|error| error.to_json()).to_string()
    }

    fn answer(&mut self, request: Request) -> Reply {
        match request {
            Request::Position(spec) => position::describe(&spec),
            Request::Fen(request) => game::fen(&request),
            Request::San(request) => game::san(&request),
            Request::Line(request) => game::line(&request),
            Request::PgnRead(request) => Ok(game::pgn_read(&request)),
            Request::PgnWrite(request) => game::pgn_write(&request),
            Request::Levels => Ok(tools::levels()),
            Request::Wdl(request) => tools::wdl(&request),
            Request::Chess960(request) => tools::chess960(&request),
            Request::Book(spec) => tools::book(&self.book, &spec),
            Request::Solve(request) => tools::solve(&request),
            Request::Judge(request) => tools::judge(&request),
            Request::Tablebase(spec) => tools::tablebase(self.tablebase.as_ref(), &spec),
            Request::Version => Ok(tools::version()),
        }
    }

    /// Takes the content of a file: a Polyglot book, or a Syzygy table with its usual name.
    pub fn load(&mut self, name: &str, content: &[u8]) -> String {
        let reply = self.try_load(name, content);
        reply.unwrap_or_else(|error| error.to_json()).to_string()
    }

    fn try_load(&mut self, name: &str, content: &[u8]) -> Reply {
        if name.ends_with(".bin") {
            let book = Book::parse(content)
                .map_err(|error| RequestError::new(format!("{name}: {error}")))?;
            let (moves, positions) = (book.entries().len(), book.positions());
            self.book = book;
            return Ok(json!({ "kind": "book", "moves": moves, "positions": positions }));
        }
        if !name.ends_with(".atbw") && !name.ends_with(".atbz") {
            let text = format!("{name}: neither a book (.bin) nor an atomic table (.atbw, .atbz)");
            return Err(RequestError::new(text));
        }
        let alone = HashMap::from([(name.to_owned(), Arc::from(content))]);
        Tablebase::from_memory(alone.clone()).map_err(RequestError::new)?;
        self.tables.extend(alone);
        let tables = Tablebase::from_memory(self.tables.clone()).map_err(RequestError::new)?;
        let reply = json!({ "kind": "tablebase", "tables": tables.to_string() });
        self.tablebase = Some(tables);
        Ok(reply)
    }
}
