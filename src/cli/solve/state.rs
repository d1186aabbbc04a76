//! The file of `solve --state`: JSON lines, a header and a line for each position of the tree whose
//! search has ended. The lines of several files for one attacker can be joined in any order.
//! Invariant: lines are appended; what the tree no longer needs is left out when it is most of the
//! file and the file is opened again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cli::error::{CliError, failed};
use crate::cli::output::{self, AppendFile, WholeFile};
use crate::notation::coord;
use crate::notation::fen::{self, CastlingStyle};
use crate::proof::{BestFirstTree, LeafResult, LeafStatus};
use crate::rules::{Color, Position, Variant};

const FORMAT: &str = "brisance solve state 1";

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
    /// What is known after each move.
    Open(BTreeMap<String, MoveResult>),
}

/// Plies to the win, null if there is none, or proof and disproof number in 64ths of a leaf.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged)]
enum MoveResult {
    Proved(u16),
    Disproved,
    Open(u32, u32),
}

/// The lines of a file, by their positions.
type Results = HashMap<String, LeafResult>;

/// The open file.
pub struct StateFile(AppendFile);

impl StateFile {
    /// Opens a file, or makes it, and restores its tree. A file of another search is unchanged.
    pub fn open(
        path: &Path,
        root: &Position,
        attacker: Color,
    ) -> Result<(StateFile, BestFirstTree), CliError> {
        let header = StateHeader {
            format: FORMAT.to_owned(),
            variant: root.variant().name().to_owned(),
            fen: fen_of(root),
            attacker: attacker.to_string().to_lowercase(),
        };
        let mut tree = BestFirstTree::new(root, attacker);
        let (mut file, (results, is_new)) = AppendFile::resume(path, |text| {
            let (results, length) = read(path, text, &header)?;
            Ok(((results, length == 0), length))
        })?;
        if is_new {
            file.append(&line(&header)?)?;
        }
        tree.restore(&|pos| results.get(&fen_of(pos)).cloned());
        let mut needed = HashSet::new();
        tree.visit_needed(&mut |pos| {
            needed.insert(fen_of(pos));
        });
        needed.retain(|fen| results.contains_key(fen));
        if needed.len() < results.len() / 2 {
            drop(file);
            file = replace(path, &line(&header)?, &needed)?;
        }
        Ok((StateFile(file), tree))
    }

    /// Appends the result of a search.
    pub fn append(&mut self, pos: &Position, result: &LeafResult) -> Result<(), CliError> {
        let result = match result {
            LeafResult::Proved(plies) => LineResult::Proved(*plies),
            LeafResult::Disproved => LineResult::Disproved,
            LeafResult::Open(moves) => {
                let results = moves.iter().map(|&(mv, status)| {
                    let result = match status {
                        LeafStatus::Proved(plies) => MoveResult::Proved(plies),
                        LeafStatus::Disproved => MoveResult::Disproved,
                        LeafStatus::Open(proof, disproof) => MoveResult::Open(proof, disproof),
                    };
                    (coord::write(mv, true), result)
                });
                LineResult::Open(results.collect())
            }
        };
        let fen = fen_of(pos);
        self.0.append(&line(&StateLine { fen, result })?)
    }

    /// Flushes the file to disk.
    pub fn sync(&mut self) -> Result<(), CliError> {
        self.0.sync()
    }
}

/// The name of a position in the file, a FEN of five fields.
pub fn fen_of(pos: &Position) -> String {
    let text = fen::write_without_clocks(pos, CastlingStyle::Shredder);
    format!("{text} {}", pos.halfmove_clock())
}

fn line(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)? + "\n")
}

/// The results in a file, and the length of its whole lines in bytes.
fn read(path: &Path, text: &str, expected: &StateHeader) -> Result<(Results, usize), CliError> {
    let (mut results, mut length) = (Results::new(), 0);
    let name = path.display();
    for (number, line) in output::whole_lines(text) {
        length += line.len();
        if number == 1 {
            check_header(line, expected).or_else(|error| failed(format!("{name}: {error}")))?;
            continue;
        }
        let (fen, result) = parse(line, expected)
            .or_else(|error| failed(format!("{name}: line {number}: {error}; it is unchanged")))?;
        results.insert(fen, result);
    }
    if length == 0 && !line(expected)?.starts_with(text) {
        return failed(format!("{name} is not a state of solve; it is unchanged"));
    }
    Ok((results, length))
}

fn check_header(line: &str, expected: &StateHeader) -> Result<(), String> {
    let found: StateHeader =
        serde_json::from_str(line).map_err(|_| "not a state of solve; it is unchanged")?;
    if found != *expected {
        let StateHeader {
            format,
            variant,
            fen,
            attacker,
        } = found;
        return Err(format!(
            "the state of another search ({format}, {variant}, {fen}, {attacker} wins); it is unchanged"
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
                return Err(format!(
                    "{} moves, {} are legal",
                    results.len(),
                    moves.len()
                ));
            }
            let status = |mv| {
                let name = coord::write(mv, true);
                let result = results.get(&name).ok_or(format!("nothing about {name}"))?;
                let status = match *result {
                    MoveResult::Proved(plies) => LeafStatus::Proved(plies),
                    MoveResult::Disproved => LeafStatus::Disproved,
                    MoveResult::Open(proof, disproof) => LeafStatus::Open(proof, disproof),
                };
                Ok::<_, String>((mv, status))
            };
            LeafResult::Open(moves.into_iter().map(status).collect::<Result<_, _>>()?)
        }
    };
    Ok((line.fen, result))
}

/// Leaves out the lines of a file that are not needed.
fn replace(path: &Path, header: &str, needed: &HashSet<String>) -> Result<AppendFile, CliError> {
    let (file, mut text) = AppendFile::resume(path, |text| {
        let lines = output::whole_lines(text).skip(1).map(|(_, line)| line);
        let is_needed = |line: &&str| {
            let line: Result<StateLine, _> = serde_json::from_str(line);
            line.is_ok_and(|line| needed.contains(&line.fen))
        };
        Ok((lines.filter(is_needed).collect::<String>(), text.len()))
    })?;
    drop(file);
    text.insert_str(0, header);
    WholeFile::open(path, true)?.write(&text)?;
    Ok(AppendFile::resume(path, |text| Ok(((), text.len())))?.0)
}
