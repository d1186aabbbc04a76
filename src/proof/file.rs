//! Proofs in files: JSON lines, a head and then one position with its move a line, in the
//! order in which they are met.
//! Invariant: what is written can be read back and judged by anyone who knows the rules.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use super::Proof;
use super::check::{self, Fault, Verified, name};
use crate::notation::{coord, fen};
use crate::rules::{Color, Move, Position, Variant};

const FORMAT: &str = "brisance proof 1";

#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    variant: String,
    /// Castling is written as king takes rook.
    chess960: bool,
    fen: String,
    attacker: String,
    /// Moves of the attacker to the end.
    moves: usize,
}

#[derive(Serialize, Deserialize)]
struct Line {
    fen: String,
    #[serde(rename = "move")]
    mv: String,
}

/// Writes a verified proof.
///
/// # Errors
/// When `out` does not take it.
pub fn write(
    proof: &Proof,
    verified: &Verified,
    chess960: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let head = Head {
        format: FORMAT.to_owned(),
        variant: proof.root.variant().name().to_owned(),
        chess960,
        fen: fen::write(&proof.root, fen::CastlingStyle::default()),
        attacker: proof.attacker.to_string().to_lowercase(),
        moves: verified.plies.div_ceil(2),
    };
    writeln!(out, "{}", serde_json::to_string(&head)?)?;
    let mut pos = proof.root.clone();
    write_from(proof, &mut pos, chess960, &mut HashSet::new(), out)
}

fn write_from(
    proof: &Proof,
    pos: &mut Position,
    chess960: bool,
    written: &mut HashSet<u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if pos.outcome_by_rule().is_some() || !written.insert(pos.key()) {
        return Ok(());
    }
    if pos.side() != proof.attacker {
        for mv in pos.legal_moves() {
            pos.make(mv);
            let result = write_from(proof, pos, chess960, written, out);
            pos.unmake();
            result?;
        }
        return Ok(());
    }
    let Some(mv) = proof.reply(pos) else {
        return Ok(());
    };
    let line = Line {
        fen: short(pos),
        mv: coord::write(mv, chess960),
    };
    writeln!(out, "{}", serde_json::to_string(&line)?)?;
    pos.make(mv);
    let result = write_from(proof, pos, chess960, written, out);
    pos.unmake();
    result
}

/// The first four fields, castling as most programs read it.
fn short(pos: &Position) -> String {
    let text = fen::write(pos, fen::CastlingStyle::XFen);
    let fields: Vec<&str> = text.split(' ').take(4).collect();
    fields.join(" ")
}

/// A proof read from a file, not judged yet.
#[derive(Debug)]
pub struct Claim {
    /// The side that is said to win.
    pub attacker: Color,
    /// The position from which it is said to win.
    pub root: Position,
    /// Castling is written as king takes rook.
    pub chess960: bool,
    moves: HashMap<String, Move>,
}

impl Claim {
    /// Reads a proof.
    ///
    /// # Errors
    /// A message that names the line at fault.
    pub fn read(input: impl BufRead) -> Result<Claim, String> {
        let mut claim: Option<Claim> = None;
        for (index, line) in input.lines().enumerate() {
            let bad = |why: &dyn std::fmt::Display| format!("line {}: {why}", index + 1);
            let line = line.map_err(|error| bad(&error))?;
            match &mut claim {
                None => claim = Some(Claim::from_head(&line).map_err(|why| bad(&why))?),
                Some(claim) => claim.add(&line).map_err(|why| bad(&why))?,
            }
        }
        claim.ok_or_else(|| "the file is empty".to_owned())
    }

    fn from_head(line: &str) -> Result<Claim, String> {
        let wrong = |error| format!("no head of a proof file: {error}");
        let head: Head = serde_json::from_str(line).map_err(wrong)?;
        if head.format != FORMAT {
            return Err(format!("format {:?}, expected {FORMAT:?}", head.format));
        }
        let variant = Variant::from_name(&head.variant)
            .ok_or_else(|| format!("unknown variant {:?}", head.variant))?;
        let attacker = Color::ALL
            .into_iter()
            .find(|color| color.to_string().eq_ignore_ascii_case(&head.attacker))
            .ok_or_else(|| format!("attacker {:?}, expected white or black", head.attacker))?;
        let root = fen::parse(&head.fen, variant).map_err(|error| error.to_string())?;
        Ok(Claim {
            attacker,
            root,
            chess960: head.chess960,
            moves: HashMap::new(),
        })
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        if line.trim().is_empty() {
            return Ok(());
        }
        let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let pos = fen::parse(&line.fen, self.root.variant()).map_err(|error| error.to_string())?;
        if pos.side() != self.attacker {
            return Err(format!("{} is to move in {:?}", pos.side(), line.fen));
        }
        let mv = coord::parse(&pos, &line.mv)
            .ok_or_else(|| format!("{:?} is not a legal move in {:?}", line.mv, line.fen))?;
        match self.moves.insert(name(&pos), mv) {
            Some(other) if other != mv => Err(format!("a second move for {:?}", line.fen)),
            _ => Ok(()),
        }
    }

    /// Number of positions with a move.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// True when no move is given.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Replays all replies.
    ///
    /// # Errors
    /// The first fault found.
    pub fn verify(&self) -> Result<Verified, Fault> {
        let strategy = |pos: &Position| self.moves.get(&name(pos)).copied();
        check::verify(&self.root, self.attacker, &strategy)
    }
}
