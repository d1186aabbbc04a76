//! The file of `solve --state`: JSON lines, a header and a line for each position of the tree whose
//! search has ended. The lines of several files for one attacker can be joined in any order.
//! Invariant: lines are appended; what the tree no longer needs is left out when it is most of the
//! file and the file is opened again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{BestFirstTree, LeafResult, LeafStatus};
use crate::files::{AppendFile, FileError, WholeFile, read_lines};
use crate::notation::coord;
use crate::notation::fen::{self, CastlingStyle};
use crate::rules::{Color, Position, Variant};
use crate::util::json_line;

const FORMAT: &str = "brisance solve state 1";
const NOT_A_STATE: &str = "not a state of solve";

#[derive(Serialize, Deserialize, PartialEq)]
struct StateHeader {
    format: String,
    variant: String,
    fen: String,
    attacker: String,
}

#[derive(Serialize, Deserialize)]
struct StateLine {
    /// FEN without the move number.
    fen: String,
    #[serde(flatten)]
    result: LineResult,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LineResult {
    /// Plies to the win.
    Proved(u16),
    Disproved,
    /// What is known after each move: plies to the win, null if there is none, or proof and
    /// disproof number.
    Open(BTreeMap<String, LeafStatus>),
}

/// Why a state cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum StateError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Json(io::Error),
    #[error("{0}: {1}; it is unchanged")]
    Content(String, String),
}

/// Opens a file, or makes it, and restores its tree. A file of another search is unchanged.
pub fn open(
    path: &Path,
    root: &Position,
    attacker: Color,
) -> Result<(AppendFile, BestFirstTree), StateError> {
    let header = StateHeader {
        format: FORMAT.to_owned(),
        variant: root.variant().name().to_owned(),
        fen: fen_of(root),
        attacker: attacker.to_string().to_lowercase(),
    };
    let mut tree = BestFirstTree::new(root, attacker);
    let mut results = HashMap::new();
    let earlier = AppendFile::resume(path)?;
    let length = read(&earlier.text, &header, &mut results)
        .map_err(|error| StateError::Content(path.display().to_string(), error))?;
    let mut file = earlier.keep(length)?;
    let header = json_line(&header).map_err(StateError::Json)?;
    if length == 0 {
        file.append(&header)?;
    }
    tree.restore(&|pos| results.get(&fen_of(pos)).cloned());
    let mut needed = HashSet::new();
    tree.visit_needed(&mut |pos| {
        needed.insert(fen_of(pos));
    });
    needed.retain(|fen| results.contains_key(fen));
    if needed.len() < results.len() / 2 {
        drop(file);
        file = replace(path, &header, &needed)?;
    }
    Ok((file, tree))
}

/// The line for the result of a search.
pub fn line(pos: &Position, result: &LeafResult) -> Result<String, StateError> {
    let result = match result {
        LeafResult::Proved(plies) => LineResult::Proved(*plies),
        LeafResult::Disproved => LineResult::Disproved,
        LeafResult::Open(moves) => {
            let moves = moves.iter();
            let named = moves.map(|&(mv, status)| (coord::write(mv, true), status));
            LineResult::Open(named.collect())
        }
    };
    let fen = fen_of(pos);
    json_line(&StateLine { fen, result }).map_err(StateError::Json)
}

/// The name of a position in the file, a FEN of five fields.
pub fn fen_of(pos: &Position) -> String {
    let text = fen::write_without_clocks(pos, CastlingStyle::Shredder);
    format!("{text} {}", pos.halfmove_clock())
}

/// Reads the results in a file, and returns the length of its whole lines in bytes.
fn read(
    text: &str,
    expected: &StateHeader,
    results: &mut HashMap<String, LeafResult>,
) -> Result<usize, String> {
    let length = read_lines(text, |number, line| {
        if number == 1 {
            return check_header(line, expected).map(|()| true);
        }
        let (fen, result) =
            parse(line, expected).map_err(|error| format!("line {number}: {error}"))?;
        results.insert(fen, result);
        Ok(true)
    })?;
    let header = json_line(expected).map_err(|error| error.to_string())?;
    if length == 0 && !header.starts_with(text) {
        return Err(NOT_A_STATE.to_owned());
    }
    Ok(length)
}

fn check_header(line: &str, expected: &StateHeader) -> Result<(), String> {
    let found: StateHeader = serde_json::from_str(line).map_err(|_| NOT_A_STATE)?;
    if found != *expected {
        return Err(format!(
            "the state of another search ({}, {}, {}, {} wins)",
            found.format, found.variant, found.fen, found.attacker
        ));
    }
    Ok(())
}

fn parse(line: &str, header: &StateHeader) -> Result<(String, LeafResult), String> {
    let line: StateLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let variant = Variant::from_name(&header.variant).unwrap_or_default();
    let pos = fen::parse(&line.fen, variant).map_err(|error| error.to_string())?;
    let result = match line.result {
        LineResult::Proved(plies) => LeafResult::Proved(plies),
        LineResult::Disproved => LeafResult::Disproved,
        LineResult::Open(results) => {
            let mut moves = pos.legal_moves();
            moves.retain(|mv| !mv.is_redundant());
            if results.len() != moves.len() {
                return Err(format!("{} moves, {} are legal", results.len(), moves.len()));
            }
            let status = |mv| {
                let name = coord::write(mv, true);
                let status = results.get(&name).ok_or(format!("nothing about {name}"))?;
                Ok::<_, String>((mv, *status))
            };
            LeafResult::Open(moves.into_iter().map(status).collect::<Result<_, _>>()?)
        }
    };
    Ok((line.fen, result))
}

/// Leaves out the lines of a file that are not needed.
fn replace(path: &Path, header: &str, needed: &HashSet<String>) -> Result<AppendFile, StateError> {
    let mut kept = header.to_owned();
    for line in AppendFile::resume(path)?.text.split_inclusive('\n').skip(1) {
        let parsed: Result<StateLine, _> = serde_json::from_str(line);
        if parsed.is_ok_and(|parsed| needed.contains(&parsed.fen)) {
            kept.push_str(line);
        }
    }
    WholeFile::open(path, true)?.write(&kept)?;
    let earlier = AppendFile::resume(path)?;
    Ok(earlier.keep(kept.len())?)
}
