//! The table of requests and what answers each.
//! Invariant: every reply is one JSON object.

use std::collections::HashMap;
use std::sync::Arc;

use brisance::opening::Book;
use brisance::tablebase::Tablebase;
use serde::Deserialize;
use serde_json::json;

use crate::request::{PositionSpec, Reply, RequestError};
use crate::{game, openings, position, tools};

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
    book: Book,
    has_our_book: bool,
    tablebase: Option<Tablebase>,
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
    Refutations(PositionSpec),
    Solve(tools::SolveRequest),
    Judge(tools::JudgeRequest),
    Tablebase(PositionSpec),
    Version,
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
            has_our_book: true,
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
            Request::Book(spec) => openings::book(&self.book, self.has_our_book, &spec),
            Request::Refutations(spec) => openings::refutations(&spec),
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

    /// The tables that were loaded; the core has none afterwards.
    pub fn take_tablebase(&mut self) -> Option<Tablebase> {
        self.tables.clear();
        self.tablebase.take()
    }

    fn try_load(&mut self, name: &str, content: &[u8]) -> Reply {
        if name.ends_with(".bin") {
            let book = Book::parse(content)
                .map_err(|error| RequestError::new(format!("{name}: {error}")))?;
            let (moves, positions) = (book.entries().len(), book.positions());
            self.book = book;
            self.has_our_book = false;
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
