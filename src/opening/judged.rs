//! The record of judged positions that a book search keeps beside its book: a head, then one
//! JSON object a line. Invariant: only whole lines count, so a run may be cut off anywhere.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::eval::score::Value;
use crate::notation::{coord, fen};
use crate::rules::{Move, Variant};

/// The first line: what all judgements of a record have in common.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Head {
    format: String,
    /// Nodes after which a search began no further iteration.
    pub nodes: u64,
    /// How many of the best moves were valued.
    pub lines: usize,
    /// Table of each search in mebibytes.
    pub hash: usize,
    /// What the positions were evaluated with.
    pub evaluation: String,
}

const FORMAT: &str = "brisance book search 1";

impl Head {
    /// The head of searches of that kind.
    pub fn new(nodes: u64, lines: usize, hash: usize, evaluation: &str) -> Head {
        Head {
            format: FORMAT.to_owned(),
            nodes,
            lines,
            hash,
            evaluation: evaluation.to_owned(),
        }
    }

    /// The line of the file.
    pub fn line(&self) -> String {
        json_line(self)
    }
}

/// What a search says of a position: its best moves, best first, with their values for the
/// side to move. Mates count as in the search: 32000 less the plies to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// At least one move.
    pub lines: Vec<(Move, Value)>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
pub struct Record {
    epd: String,
    lines: Vec<(String, Value)>,
}

impl Record {
    /// The line for a judged position.
    pub fn line(epd: &str, judgement: &Judgement) -> String {
        let spelled = judgement.lines.iter();
        json_line(&Record {
            epd: epd.to_owned(),
            lines: spelled
                .map(|&(mv, value)| (coord::write(mv, true), value))
                .collect(),
        })
    }

    fn judgement(&self) -> Result<Judgement, String> {
        let pos = fen::parse(&self.epd, Variant::Atomic).map_err(|error| error.to_string())?;
        if self.lines.is_empty() {
            return Err("no moves".to_owned());
        }
        let named = self.lines.iter().map(|(text, value)| {
            let mv = coord::parse(&pos, text).ok_or_else(|| format!("{text:?} is not legal"))?;
            Ok((mv, *value))
        });
        let lines = named.collect::<Result<_, String>>()?;
        Ok(Judgement { lines })
    }
}

fn json_line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("plain fields");
    line.push('\n');
    line
}

/// What an earlier run has judged.
#[derive(Default, Debug)]
pub struct Records {
    judged: HashMap<String, Judgement>,
    /// Bytes of the whole lines; what follows them was cut off.
    pub bytes: u64,
}

impl Records {
    /// Reads the record of searches with this head; an empty text is one without positions.
    ///
    /// # Errors
    /// Which line is not as it should be, or how the head differs.
    pub fn parse(text: &str, head: &Head) -> Result<Records, String> {
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = text[..whole].lines();
        let Some(first) = lines.next() else {
            let torn = !text.is_empty() && !head.line().starts_with(text);
            return match torn {
                true => Err("not the record of a book search".to_owned()),
                false => Ok(Records::default()),
            };
        };
        let found: Head = serde_json::from_str(first)
            .ok()
            .filter(|found: &Head| found.format == FORMAT)
            .ok_or("not the record of a book search")?;
        if found != *head {
            return Err(format!(
                "the record of other searches: {} there, {} here",
                found.line().trim_end(),
                head.line().trim_end()
            ));
        }
        let mut judged = HashMap::new();
        for (index, line) in lines.enumerate() {
            let named = |error: String| format!("line {}: {error}", index + 2);
            let record: Record =
                serde_json::from_str(line).map_err(|error| named(error.to_string()))?;
            let judgement = record.judgement().map_err(named)?;
            judged.insert(record.epd, judgement);
        }
        Ok(Records {
            judged,
            bytes: whole as u64,
        })
    }

    /// What was judged of a position, if it was.
    pub fn get(&self, epd: &str) -> Option<&Judgement> {
        self.judged.get(epd)
    }

    /// How many positions.
    pub fn len(&self) -> usize {
        self.judged.len()
    }

    /// True without any.
    pub fn is_empty(&self) -> bool {
        self.judged.is_empty()
    }
}
