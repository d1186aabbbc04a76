//! JSON output of an analysis: one object per line, `"type":"info"` for each report and
//! `"type":"result"` at the end.
//! Invariant: field names are a public contract; they may be added but not renamed.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::renderer::{Renderer, SearchOutcome, ViewSubject};
use crate::cli::args::NotationStyle;
use crate::engine::batch::Analysis;
use crate::eval::wdl::DisplayScore;
use crate::notation::san;
use crate::rules::{Color, Move, Outcome, Position};
use crate::search::{Bound, Report};
use crate::util;

/// Prints each report as a JSON object.
pub(crate) struct JsonView;

impl Renderer for JsonView {
    fn begin(&mut self, _: &ViewSubject) -> io::Result<()> {
        Ok(())
    }

    fn line(&mut self, subject: &ViewSubject, report: &Report) -> io::Result<()> {
        print(&JsonLine::Info {
            depth: report.depth,
            seldepth: report.seldepth,
            multipv: report.multipv,
            score: report.display_score().into(),
            bound: match report.bound {
                Bound::Exact => "exact",
                Bound::Lower => "lower",
                Bound::Upper => "upper",
            },
            nodes: report.nodes,
            nps: report.nps(),
            time_ms: millis(report.time),
            hashfull: report.hashfull,
            tbhits: report.tbhits,
            pv: subject.uci(&report.pv),
            pv_san: san::write_line(&subject.pos, &report.pv),
        })
    }

    fn end(&mut self, subject: &ViewSubject, found: &SearchOutcome) -> io::Result<()> {
        let summary = found.summary;
        let mut result = JsonResult::new(&subject.pos, subject.notation);
        result.search(&subject.pos, subject.notation, &summary.pv);
        result.score = Some(summary.display_score().into());
        result.effort(summary.depth, summary.nodes, summary.nps(), summary.time);
        print(&JsonLine::Result(result))
    }

    fn over(&mut self, subject: &ViewSubject, outcome: Outcome) -> io::Result<()> {
        let mut result = JsonResult::new(&subject.pos, subject.notation);
        result.over(&subject.pos, outcome);
        print(&JsonLine::Result(result))
    }
}

/// The object for a position of a list; `found` is `None` if the game is over.
pub(in crate::cli) fn list_line(
    line: usize,
    id: Option<&str>,
    pos: &Position,
    notation: NotationStyle,
    found: Option<&Analysis>,
) -> io::Result<String> {
    let mut result = JsonResult::new(pos, notation);
    result.line = Some(line);
    result.id = id.map(str::to_owned);
    match (found, pos.outcome()) {
        (Some(found), _) => {
            let nps = util::nps(found.nodes, found.time);
            result.search(pos, notation, &found.line);
            result.score = Some(found.display_score().into());
            result.effort(found.depth, found.nodes, nps, found.time);
        }
        (None, Some(outcome)) => result.over(pos, outcome),
        (None, None) => {}
    }
    Ok(serde_json::to_string(&JsonLine::Result(result))?)
}

/// The object for an invalid line of a list.
pub(in crate::cli) fn error_line(line: usize, text: &str, error: &str) -> io::Result<String> {
    let (text, error) = (text.to_owned(), error.to_owned());
    Ok(serde_json::to_string(&JsonLine::Error {
        line,
        text,
        error,
    })?)
}

/// The FEN of a line written by [`list_line`].
pub(in crate::cli) fn fen_of(line: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(value.get("fen")?.as_str()?.to_owned())
}

impl ViewSubject {
    fn uci(&self, line: &[Move]) -> Vec<String> {
        line.iter().map(|&mv| self.notation.uci(mv)).collect()
    }
}

fn print(line: &JsonLine) -> io::Result<()> {
    let text = serde_json::to_string(line)?;
    writeln!(io::stdout().lock(), "{text}")
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The score of a finished game; `None` if the side to move has won, which no game reaches.
fn final_score(side: Color, outcome: Outcome) -> Option<JsonScore> {
    match outcome {
        Outcome::Draw { .. } => Some(JsonScore::Cp(0)),
        Outcome::Win { winner, .. } => (winner != side).then_some(JsonScore::Mate(0)),
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum JsonLine {
    Info {
        depth: i32,
        seldepth: i32,
        multipv: usize,
        score: JsonScore,
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

/// The final result of a position.
#[derive(Serialize)]
struct JsonResult {
    /// The line number in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The operand of `id` in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    fen: String,
    variant: &'static str,
    chess960: bool,
    bestmove: Option<JsonMove>,
    score: Option<JsonScore>,
    outcome: Option<JsonOutcome>,
    depth: i32,
    nodes: u64,
    nps: u64,
    time_ms: u64,
    pv: Vec<String>,
    pv_san: Vec<String>,
}

impl JsonResult {
    /// A result without search data.
    fn new(pos: &Position, notation: NotationStyle) -> JsonResult {
        JsonResult {
            line: None,
            id: None,
            fen: notation.fen(pos),
            variant: pos.variant().name(),
            chess960: notation.chess960,
            bestmove: None,
            score: None,
            outcome: None,
            depth: 0,
            nodes: 0,
            nps: 0,
            time_ms: 0,
            pv: Vec::new(),
            pv_san: Vec::new(),
        }
    }

    fn search(&mut self, pos: &Position, notation: NotationStyle, line: &[Move]) {
        self.pv = line.iter().map(|&mv| notation.uci(mv)).collect();
        self.pv_san = san::write_line(pos, line);
        let first = self.pv.first().zip(self.pv_san.first());
        self.bestmove = first.map(|(uci, san)| JsonMove {
            uci: uci.clone(),
            san: san.clone(),
        });
    }

    fn effort(&mut self, depth: i32, nodes: u64, nps: u64, time: Duration) {
        (self.depth, self.nodes, self.nps) = (depth, nodes, nps);
        self.time_ms = millis(time);
    }

    fn over(&mut self, pos: &Position, outcome: Outcome) {
        self.score = final_score(pos.side_to_move(), outcome);
        self.outcome = Some(outcome.into());
    }
}

/// A move in coordinate notation and in SAN.
#[derive(Serialize)]
pub(in crate::cli) struct JsonMove {
    pub(in crate::cli) uci: String,
    pub(in crate::cli) san: String,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum JsonScore {
    Cp(i32),
    Mate(i32),
}

impl From<DisplayScore> for JsonScore {
    fn from(score: DisplayScore) -> JsonScore {
        match score {
            DisplayScore::Centipawns(cp) => JsonScore::Cp(cp),
            DisplayScore::Mate(moves) => JsonScore::Mate(moves),
        }
    }
}

#[derive(Serialize)]
struct JsonOutcome {
    result: &'static str,
    reason: &'static str,
}

impl From<Outcome> for JsonOutcome {
    fn from(outcome: Outcome) -> JsonOutcome {
        JsonOutcome {
            result: outcome.result().as_str(),
            reason: outcome.reason().name(),
        }
    }
}
