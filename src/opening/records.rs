//! The record file that a book search keeps next to its book: a header line, then one JSON
//! object per analysed position. Also the bad moves of these positions.
//! Invariant: only complete lines count, so that an interrupted run can be resumed.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::eval::score::Value;
use crate::notation::coord;
use crate::notation::fen::{self, CastlingStyle, FenError};
use crate::rules::{Move, Position, Variant};
use crate::util::json_line;

/// The first line of a record file: the settings shared by all its analyses.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordHeader {
    format: String,
    /// Nodes after which a search started no further iteration.
    pub nodes: u64,
    /// Number of best moves per position.
    pub lines: usize,
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// Description of the network, or of the handcrafted evaluation.
    pub evaluation: String,
}

const FORMAT: &str = "brisance book search 1";
/// Moves with a higher value in internal units in the record are not tried: one of 2,883 was
/// proved to lose, of 1,251 others 670.
const MAX_VALUE: Value = -700;
/// Moves with at most this value get more nodes, by the factor below.
const HOPELESS_VALUE: Value = -1000;
const HOPELESS_FACTOR: u64 = 5;

impl RecordHeader {
    /// The header for searches with these settings.
    pub fn new(nodes: u64, lines: usize, hash: usize, evaluation: &str) -> RecordHeader {
        RecordHeader {
            format: FORMAT.to_owned(),
            nodes,
            lines,
            hash,
            evaluation: evaluation.to_owned(),
        }
    }

    /// The header line with its newline.
    pub fn line(&self) -> String {
        json_line(self).expect("plain fields")
    }
}

/// The result of searching a position: its best moves, at least one, best first, with their values
/// in internal units for the side to move.
pub type RankedMoves = Vec<(Move, Value)>;

/// A line of a record file: an analysed position.
#[derive(Serialize, Deserialize)]
pub struct AnalysisRecord {
    epd: String,
    lines: Vec<(String, Value)>,
}

impl AnalysisRecord {
    /// The line for an analysed position, with its newline.
    pub fn line(epd: &str, moves: &RankedMoves) -> String {
        let lines = moves.iter().map(|&(mv, value)| (coord::write(mv, true), value));
        json_line(&AnalysisRecord { epd: epd.to_owned(), lines: lines.collect() })
            .expect("plain fields")
    }

    fn moves(&self) -> Result<RankedMoves, String> {
        let pos = fen::parse(&self.epd, Variant::Atomic).map_err(|error| error.to_string())?;
        if self.lines.is_empty() {
            return Err("no moves".to_owned());
        }
        let lines = self.lines.iter().map(|(text, value)| {
            let mv = coord::parse(&pos, text);
            Ok((mv.ok_or_else(|| format!("{text:?} is not legal"))?, *value))
        });
        lines.collect()
    }
}

/// Why a record file cannot be used.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct AnalysisRecordsError(String);

/// A position after a bad move.
pub struct TriedPosition {
    pub pos: Position,
    /// Node limit of its proof.
    pub nodes: u64,
}

/// The contents of a record file: the analyses of earlier runs.
#[derive(Default, Debug)]
pub struct AnalysisRecords {
    /// By the EPD of the position.
    pub analyses: HashMap<String, RankedMoves>,
    /// Length of the complete lines in bytes; the rest of the file is incomplete.
    pub bytes: usize,
}

impl AnalysisRecords {
    /// The positions after the bad moves in those of the record, by their EPD. Each proof gets this
    /// many nodes, or more.
    pub fn bad_moves(&self, nodes: u64) -> Result<BTreeMap<String, TriedPosition>, FenError> {
        let mut positions = BTreeMap::new();
        for (epd, searched) in &self.analyses {
            let pos = fen::parse(epd, Variant::Atomic)?;
            for mv in pos.legal_moves() {
                let after = pos.after(mv);
                // A record of the best moves has no value for the others.
                let value = searched.iter().find(|&&(other, _)| other == mv);
                let value = value.map_or(MAX_VALUE, |&(_, value)| value);
                if after.outcome().is_some() || mv.is_redundant() || value > MAX_VALUE {
                    continue;
                }
                let is_hopeless = value <= HOPELESS_VALUE;
                let factor = if is_hopeless { HOPELESS_FACTOR } else { 1 };
                let epd = fen::write_without_clocks(&after, CastlingStyle::XFen);
                let tried = positions
                    .entry(epd)
                    .or_insert_with(|| TriedPosition { pos: after.without_history(), nodes: 0 });
                tried.nodes = nodes.saturating_mul(factor).max(tried.nodes);
            }
        }
        Ok(positions)
    }

    /// Reads the text of a record file, of searches with the given header if there is one. An
    /// empty text is a record without positions.
    pub fn parse(
        text: &str,
        header: Option<&RecordHeader>,
    ) -> Result<AnalysisRecords, AnalysisRecordsError> {
        let not_a_record = || AnalysisRecordsError("not the record of a book search".to_owned());
        let complete = text.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = text[..complete].lines();
        let Some(first) = lines.next() else {
            // The text may be an incomplete header.
            let is_ours = header.is_none_or(|header| header.line().starts_with(text));
            let empty = is_ours.then(AnalysisRecords::default);
            return empty.ok_or_else(not_a_record);
        };
        let found = serde_json::from_str(first).ok();
        let found = found.filter(|found: &RecordHeader| found.format == FORMAT);
        let found = found.ok_or_else(not_a_record)?;
        if let Some(header) = header.filter(|header| **header != found) {
            let [found, now] = [&found, header].map(RecordHeader::line);
            return Err(AnalysisRecordsError(format!(
                "the record of other searches: {} in the file, {} now",
                found.trim_end(),
                now.trim_end()
            )));
        }
        let mut analyses = HashMap::new();
        for (index, line) in lines.enumerate() {
            let record = serde_json::from_str(line).map_err(|error| error.to_string());
            let read = record.and_then(|record: AnalysisRecord| Ok((record.moves()?, record.epd)));
            let at_line = |error| AnalysisRecordsError(format!("line {}: {error}", index + 2));
            let (moves, epd) = read.map_err(at_line)?;
            analyses.insert(epd, moves);
        }
        Ok(AnalysisRecords { analyses, bytes: complete })
    }
}
