//! JSON output of an analysis: one object per line, `"type":"info"` for each report and
//! `"type":"result"` at the end.
//! Invariant: field names are a public contract; they may be added but not renamed.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::renderer::{Renderer, ViewSubject, perspective};
use crate::cli::args::NotationStyle;
use crate::eval::wdl::DisplayScore;
use crate::notation::san;
use crate::rules::{Color, Move, Outcome, Position};
use crate::search::{Bound, SearchInfo, SearchResult};

/// Prints each report as a JSON object.
pub struct JsonView;

impl Renderer for JsonView {
    fn begin(&mut self, _: &ViewSubject) -> io::Result<()> {
        Ok(())
    }

    fn line(&mut self, subject: &ViewSubject, report: &SearchInfo) -> io::Result<()> {
        print(&JsonLine::Info {
            depth: report.depth,
            seldepth: report.seldepth,
            multipv: report.multipv,
            score: subject.shown(report.display_score()).into(),
            bound: match (report.bound, subject.is_negated()) {
                (Bound::Exact, _) => "exact",
                (Bound::Lower, false) | (Bound::Upper, true) => "lower",
                (Bound::Upper, false) | (Bound::Lower, true) => "upper",
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

    fn end(&mut self, subject: &ViewSubject, found: &SearchResult, _: bool) -> io::Result<()> {
        let mut result = JsonResult::new(&subject.pos, subject.notation);
        result.search(&subject.pos, subject.notation, found.pv());
        result.score = Some(subject.shown(found.display_score()).into());
        result.perspective(subject.from_white);
        result.effort(found);
        print(&JsonLine::Result(result))
    }

    fn over(&mut self, subject: &ViewSubject, outcome: Outcome) -> io::Result<()> {
        let mut result = JsonResult::new(&subject.pos, subject.notation);
        result.over(&subject.pos, outcome, subject.from_white);
        print(&JsonLine::Result(result))
    }
}

/// What the objects of a list have in common.
#[derive(Clone, Copy)]
pub struct ListStyle<'a> {
    pub(in crate::cli) notation: NotationStyle,
    /// Scores are from White's point of view.
    pub(in crate::cli) from_white: bool,
    /// The options of the search.
    pub(in crate::cli) search: &'a str,
}

/// The object for a position of a list; `found` is `None` if the game is over.
pub fn list_line(
    line: usize,
    id: Option<&str>,
    pos: &Position,
    style: ListStyle,
    found: Option<&SearchResult>,
) -> io::Result<String> {
    let ListStyle {
        notation,
        from_white,
        search,
    } = style;
    let mut result = JsonResult::new(pos, notation);
    result.line = Some(line);
    result.id = id.map(str::to_owned);
    match (found, pos.outcome()) {
        (Some(found), _) => {
            result.search(pos, notation, found.pv());
            result.score = Some(perspective(found.display_score(), pos, from_white).into());
            result.perspective(from_white);
            result.effort(found);
            result.lines = scored_lines(found, pos, style);
            result.search = Some(search.to_owned());
        }
        (None, Some(outcome)) => result.over(pos, outcome, from_white),
        (None, None) => {}
    }
    Ok(serde_json::to_string(&JsonLine::Result(result))?)
}

/// The lines of an analysis with more than one.
pub fn scored_lines(found: &SearchResult, pos: &Position, style: ListStyle) -> Vec<JsonScoredLine> {
    let has_more = found.lines.len() > 1;
    let lines = found.lines.iter().filter(|_| has_more);
    let lines = lines.map(|line| JsonScoredLine {
        score: perspective(
            found.wdl_model.display_score(line.value),
            pos,
            style.from_white,
        )
        .into(),
        pv: line.pv.iter().map(|&mv| style.notation.uci(mv)).collect(),
        pv_san: san::write_line(pos, &line.pv),
    });
    lines.collect()
}

/// The object for an invalid line of a list.
pub fn error_line(line: usize, text: &str, error: &str) -> io::Result<String> {
    let (text, error) = (text.to_owned(), error.to_owned());
    Ok(serde_json::to_string(&JsonLine::Error {
        line,
        text,
        error,
    })?)
}

/// The text in a field of a line of an earlier output.
pub fn field_of(line: &str, name: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(value.get(name)?.as_str()?.to_owned())
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
pub fn final_score(side: Color, outcome: Outcome) -> Option<JsonScore> {
    match outcome {
        Outcome::Draw { .. } => Some(JsonScore::Cp(0)),
        Outcome::Win { winner, .. } => (winner != side).then_some(JsonScore::Mate(0)),
    }
}

/// One of several lines.
#[derive(Serialize)]
pub struct JsonScoredLine {
    score: JsonScore,
    pv: Vec<String>,
    pv_san: Vec<String>,
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
    /// The options of the search in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<String>,
    fen: String,
    variant: &'static str,
    chess960: bool,
    bestmove: Option<JsonMove>,
    score: Option<JsonScore>,
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
    /// A result without search data.
    fn new(pos: &Position, notation: NotationStyle) -> JsonResult {
        JsonResult {
            line: None,
            id: None,
            search: None,
            fen: notation.fen(pos),
            variant: pos.variant().name(),
            chess960: notation.chess960,
            bestmove: None,
            score: None,
            perspective: None,
            outcome: None,
            depth: 0,
            nodes: 0,
            nps: 0,
            time_ms: 0,
            pv: Vec::new(),
            pv_san: Vec::new(),
            lines: Vec::new(),
        }
    }

    fn perspective(&mut self, from_white: bool) {
        self.perspective = from_white.then_some("white");
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

    fn effort(&mut self, found: &SearchResult) {
        (self.depth, self.nodes, self.nps) = (found.depth(), found.nodes, found.nps());
        self.time_ms = millis(found.time);
    }

    fn over(&mut self, pos: &Position, outcome: Outcome, from_white: bool) {
        self.perspective(from_white);
        self.score = final_score(pos.side_to_move(), outcome);
        self.outcome = Some(outcome.into());
    }
}

/// A move in coordinate notation and in SAN.
#[derive(Serialize)]
pub struct JsonMove {
    pub(in crate::cli) uci: String,
    pub(in crate::cli) san: String,
}

/// A score in centipawns, or moves to mate.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JsonScore {
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
