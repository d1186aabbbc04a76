//! Proof files: JSON lines, a header and then one line per position with the attacker's move,
//! in depth-first order.
//! Invariant: a written proof can be read back and verified with the rules alone.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Proof;
use super::verifier::{self, PositionId, ProofError, VerifiedProof, position_id};
use crate::notation::coord;
use crate::notation::fen::{self, FenError};
use crate::rules::{Color, Move, Position, Variant};
use crate::util;

const FORMAT: &str = "brisance proof 1";
/// The longest line in bytes; ordinary lines have about a hundred.
const MAX_LINE: usize = 64 << 10;
/// The largest number of lines; a proof of this size takes several gigabytes of memory.
const MAX_LINES: usize = 50_000_000;

#[derive(Serialize, Deserialize)]
struct ProofHeader {
    format: String,
    variant: String,
    /// True when castling moves are written as king takes rook.
    chess960: bool,
    fen: String,
    attacker: String,
    /// Length of the win in moves of the attacker.
    moves: usize,
}

#[derive(Serialize, Deserialize)]
struct ProofLine {
    fen: String,
    #[serde(rename = "move")]
    mv: String,
}

/// Why a proof file cannot be read.
#[derive(Debug, Error)]
pub enum ProofFileError {
    /// The file has no lines.
    #[error("the file is empty")]
    Empty,
    /// A line cannot be read.
    #[error("line {number}: {error}")]
    Line {
        /// Number of the line, from 1.
        number: usize,
        /// What is wrong with it.
        #[source]
        error: ProofLineError,
    },
}

/// Why a line of a proof file cannot be read.
#[derive(Debug, Error)]
pub enum ProofLineError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The line is longer than any line of a proof.
    #[error("longer than the limit of {MAX_LINE} bytes")]
    TooLong,
    /// The file has more lines than a proof may have.
    #[error("more than the limit of {MAX_LINES} lines")]
    TooMany,
    /// The first line is not the header of a proof file.
    #[error("not the header of a proof file: {0}")]
    Header(#[source] serde_json::Error),
    /// The file has another format; its name.
    #[error("unsupported format {0:?}, expected {FORMAT:?}")]
    Format(String),
    /// The variant is unknown; its name.
    #[error("unknown variant {0:?}")]
    Variant(String),
    /// The attacker is not a colour.
    #[error("invalid attacker {0:?}, expected white or black")]
    Attacker(String),
    /// The line is not a position with a move.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The position is invalid.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The defender is to move.
    #[error("{0} is to move in {1:?}")]
    SideToMove(Color, String),
    /// The move is not legal in the position.
    #[error("{0:?} is not a legal move in {1:?}")]
    IllegalMove(String, String),
    /// The position occurs again with another move.
    #[error("a second move for {0:?}")]
    SecondMove(String),
}

/// Reads a line; `None` at the end of the file.
fn next_line(input: &mut impl BufRead, number: usize) -> Result<Option<String>, ProofLineError> {
    if number > MAX_LINES {
        return Err(ProofLineError::TooMany);
    }
    let bytes = util::read_line_bounded(input, MAX_LINE)?.ok_or(ProofLineError::TooLong)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

/// Writes a verified proof.
///
/// # Errors
/// When writing to `out` fails.
pub fn write(
    proof: &Proof,
    verified: &VerifiedProof,
    chess960: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (root, attacker) = (&proof.root, proof.attacker);
    let reply = |pos: &Position| proof.reply(pos);
    write_replies(root, attacker, &reply, verified, chess960, out)
}

/// Writes a verified proof that `attacker` wins from `root`, by its move in each position.
///
/// # Errors
/// When writing to `out` fails.
pub fn write_replies(
    root: &Position,
    attacker: Color,
    reply: &dyn Fn(&Position) -> Option<Move>,
    verified: &VerifiedProof,
    chess960: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let header = ProofHeader {
        format: FORMAT.to_owned(),
        variant: root.variant().name().to_owned(),
        chess960,
        fen: fen::write(root, fen::CastlingStyle::default()),
        attacker: attacker.to_string().to_lowercase(),
        moves: verified.plies.div_ceil(2),
    };
    writeln!(out, "{}", serde_json::to_string(&header)?)?;
    let mut writer = SubtreeWriter {
        pos: root.clone(),
        attacker,
        reply,
        chess960,
        written: HashSet::new(),
        out,
    };
    writer.write()
}

struct SubtreeWriter<'a> {
    pos: Position,
    attacker: Color,
    reply: &'a dyn Fn(&Position) -> Option<Move>,
    chess960: bool,
    written: HashSet<u64>,
    out: &'a mut dyn Write,
}

impl SubtreeWriter<'_> {
    fn write(&mut self) -> io::Result<()> {
        if self.pos.outcome_by_rule().is_some() || !self.written.insert(self.pos.key()) {
            return Ok(());
        }
        let mut moves = self.pos.legal_moves();
        if self.pos.side_to_move() == self.attacker {
            moves = (self.reply)(&self.pos).into_iter().collect();
            for &mv in &moves {
                let line = ProofLine {
                    // Most programs accept castling rights in X-FEN style.
                    fen: fen::write_without_clocks(&self.pos, fen::CastlingStyle::XFen),
                    mv: coord::write(mv, self.chess960),
                };
                writeln!(self.out, "{}", serde_json::to_string(&line)?)?;
            }
        }
        for mv in moves {
            self.pos.make(mv);
            let result = self.write();
            self.pos.unmake();
            result?;
        }
        Ok(())
    }
}

/// A proof read from a file, not yet verified.
///
/// # Examples
///
/// ```
/// use brisance::proof::file::ProofFile;
///
/// let text = concat!(
///     r#"{"format":"brisance proof 1","variant":"atomic","chess960":false,"#,
///     r#""fen":"6k1/6p1/8/8/8/8/8/K5R1 w - - 0 1","attacker":"white","moves":1}"#,
///     "\n",
///     r#"{"fen":"6k1/6p1/8/8/8/8/8/K5R1 w - -","move":"g1g7"}"#,
/// );
/// let proof = ProofFile::read(text.as_bytes())?;
/// assert_eq!(proof.verify()?.plies, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ProofFile {
    /// The side that is claimed to win.
    pub attacker: Color,
    /// The position from which it is claimed to win.
    pub root: Position,
    /// True when castling moves are written as king takes rook.
    pub chess960: bool,
    moves: HashMap<PositionId, Move>,
}

impl ProofFile {
    /// Reads a proof.
    ///
    /// # Errors
    /// The first line that cannot be read, and why.
    pub fn read(mut input: impl BufRead) -> Result<ProofFile, ProofFileError> {
        let at = |number| move |error| ProofFileError::Line { number, error };
        let header = next_line(&mut input, 1).map_err(at(1))?;
        let header = header.ok_or(ProofFileError::Empty)?;
        let mut proof = ProofFile::from_header(&header).map_err(at(1))?;
        for number in 2.. {
            let Some(line) = next_line(&mut input, number).map_err(at(number))? else {
                break;
            };
            proof.add_line(&line).map_err(at(number))?;
        }
        Ok(proof)
    }

    fn from_header(line: &str) -> Result<ProofFile, ProofLineError> {
        let header: ProofHeader = serde_json::from_str(line).map_err(ProofLineError::Header)?;
        if header.format != FORMAT {
            return Err(ProofLineError::Format(header.format));
        }
        let Some(variant) = Variant::from_name(&header.variant) else {
            return Err(ProofLineError::Variant(header.variant));
        };
        let attacker = Color::ALL
            .into_iter()
            .find(|color| color.to_string().eq_ignore_ascii_case(&header.attacker))
            .ok_or(ProofLineError::Attacker(header.attacker))?;
        Ok(ProofFile {
            attacker,
            root: fen::parse(&header.fen, variant)?,
            chess960: header.chess960,
            moves: HashMap::new(),
        })
    }

    fn add_line(&mut self, line: &str) -> Result<(), ProofLineError> {
        if line.trim().is_empty() {
            return Ok(());
        }
        let line: ProofLine = serde_json::from_str(line)?;
        let pos = fen::parse(&line.fen, self.root.variant())?;
        let side_to_move = pos.side_to_move();
        if side_to_move != self.attacker {
            return Err(ProofLineError::SideToMove(side_to_move, line.fen));
        }
        let Some(mv) = coord::parse(&pos, &line.mv) else {
            return Err(ProofLineError::IllegalMove(line.mv, line.fen));
        };
        match self.moves.insert(position_id(&pos), mv) {
            Some(other) if other != mv => Err(ProofLineError::SecondMove(line.fen)),
            _ => Ok(()),
        }
    }

    /// Number of positions with a move.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// True when the proof has no moves.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Replays all replies of the defender.
    ///
    /// # Errors
    /// The first error found in the proof.
    pub fn verify(&self) -> Result<VerifiedProof, ProofError> {
        let strategy = |pos: &Position| self.moves.get(&position_id(pos)).copied();
        verifier::verify(&self.root, self.attacker, &strategy)
    }
}
