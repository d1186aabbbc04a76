//! Searched positions as JSON: an object for each report, `"type":"info"`, and one for the result.
//! Invariant: field names are a public contract; they may be added but not renamed.

use std::io;
use std::time::Duration;

use serde::Serialize;

use super::style::PositionStyle;
use crate::eval::wdl::DisplayScore;
use crate::notation::{coord, san};
use crate::rules::{GameResult, Move};
use crate::search::{Bound, SearchInfo, SearchResult};
use crate::util::json_line;

/// The object for a position of a list; `found` is `None` if the game is over.
pub fn list_line(
    line: usize,
    id: Option<&str>,
    style: PositionStyle,
    search: &str,
    found: Option<&SearchResult>,
) -> io::Result<String> {
    let result = JsonResult {
        line: Some(line),
        id: id.map(str::to_owned),
        search: found.map(|_| search.to_owned()),
        lines: found.map_or(Vec::new(), |found| scored_lines(found, style)),
        ..JsonResult::new(style, found)
    };
    json_line(&JsonLine::Result(result))
}

/// The lines of an analysis with more than one.
pub fn scored_lines(found: &SearchResult, style: PositionStyle) -> Vec<JsonScoredLine> {
    let has_more = found.lines.len() > 1;
    let lines = found.lines.iter().filter(|_| has_more);
    let lines = lines.map(|line| JsonScoredLine {
        score: style.score(found.wdl_model.display_score(line.value)),
        pv: style.uci(&line.pv),
        pv_san: style.san(&line.pv),
    });
    lines.collect()
}

pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum JsonLine {
    Info {
        depth: i32,
        seldepth: i32,
        multipv: usize,
        score: DisplayScore,
        bound: &'static str,
        nodes: u64,
        nps: u64,
        time_ms: u64,
        hashfull: u32,
        tbhits: u64,
        pv: Vec<String>,
        pv_san: Vec<String>,
    },
    Result(JsonResult),
    Error {
        line: usize,
        text: String,
        error: String,
    },
}

impl JsonLine {
    /// What a search reports.
    pub fn info(style: PositionStyle, report: &SearchInfo) -> JsonLine {
        JsonLine::Info {
            depth: report.depth,
            seldepth: report.seldepth,
            multipv: report.multipv,
            score: style.score(report.display_score()),
            bound: match style.bound(report.bound) {
                Bound::Exact => "exact",
                Bound::Lower => "lower",
                Bound::Upper => "upper",
            },
            nodes: report.nodes,
            nps: report.nps(),
            time_ms: millis(report.time),
            hashfull: report.hashfull,
            tbhits: report.tbhits,
            pv: style.uci(&report.pv),
            pv_san: style.san(&report.pv),
        }
    }

    /// The result for a position; `found` is `None` if the game is over.
    pub fn result(style: PositionStyle, found: Option<&SearchResult>) -> JsonLine {
        JsonLine::Result(JsonResult::new(style, found))
    }
}

/// The final result of a position.
#[derive(Default, Serialize)]
pub struct JsonResult {
    /// The line number in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The operand of `id` in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The options of the search in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<String>,
    fen: String,
    variant: &'static str,
    chess960: bool,
    bestmove: Option<JsonMove>,
    score: Option<DisplayScore>,
    /// `white` if the score is from White's point of view.
    #[serde(skip_serializing_if = "Option::is_none")]
    perspective: Option<&'static str>,
    outcome: Option<JsonOutcome>,
    depth: i32,
    nodes: u64,
    nps: u64,
    time_ms: u64,
    pv: Vec<String>,
    pv_san: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<JsonScoredLine>,
}

impl JsonResult {
    /// The result of a search; without one, the outcome of the game if it is over.
    fn new(style: PositionStyle, found: Option<&SearchResult>) -> JsonResult {
        let mut result = JsonResult {
            fen: style.fen(),
            variant: style.pos.variant().name(),
            chess960: style.chess960,
            perspective: style.from_white.then_some("white"),
            ..JsonResult::default()
        };
        if let Some(found) = found {
            result.bestmove = found.best_move().map(|mv| JsonMove::new(style, mv));
            result.score = Some(style.score(found.display_score()));
            (result.depth, result.nodes, result.nps) = (found.depth(), found.nodes, found.nps());
            result.time_ms = millis(found.time);
            result.pv = style.uci(found.pv());
            result.pv_san = style.san(found.pv());
        } else if let Some(outcome) = style.pos.outcome() {
            // The side to move cannot have won.
            result.score = match outcome.result {
                GameResult::Draw => Some(DisplayScore::Centipawns(0)),
                GameResult::Win(winner) => {
                    (winner != style.pos.side_to_move()).then_some(DisplayScore::Mate(0))
                }
            };
            result.outcome = Some(JsonOutcome {
                result: outcome.result.as_str(),
                reason: outcome.reason.name(),
            });
        }
        result
    }
}

/// One of several lines.
#[derive(Serialize)]
pub struct JsonScoredLine {
    score: DisplayScore,
    pv: Vec<String>,
    pv_san: Vec<String>,
}

/// A move in coordinate notation and in SAN.
#[derive(Serialize)]
pub struct JsonMove {
    pub uci: String,
    pub san: String,
}

impl JsonMove {
    pub fn new(style: PositionStyle, mv: Move) -> JsonMove {
        JsonMove { uci: coord::write(mv, style.chess960), san: san::write(style.pos, mv) }
    }
}

#[derive(Serialize)]
struct JsonOutcome {
    result: &'static str,
    reason: &'static str,
}
