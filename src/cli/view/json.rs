//! One JSON object a line: `"type":"info"` for each report, `"type":"result"` at the end.
//! Field names are a contract with the programs that read them: add, never rename.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::{Found, Show, Subject};
use crate::cli::args::Spelling;
use crate::eval::wdl::Shown;
use crate::notation::san;
use crate::review;
use crate::rules::{Color, Move, Outcome, Position};
use crate::search::{Bound, Report};

/// Prints and forgets.
pub struct Json;

impl Show for Json {
    fn begin(&mut self, _: &Subject) -> io::Result<()> {
        Ok(())
    }

    fn line(&mut self, subject: &Subject, report: &Report) -> io::Result<()> {
        print(&Line::Info {
            depth: report.depth,
            seldepth: report.seldepth,
            multipv: report.multipv,
            score: report.shown().into(),
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

    fn end(&mut self, subject: &Subject, found: &Found) -> io::Result<()> {
        let summary = found.summary;
        let mut result = Finding::new(&subject.pos, subject.spelling);
        result.search(&subject.pos, subject.spelling, &found.pv);
        result.score = Some(summary.shown().into());
        result.effort(summary.depth, summary.nodes, summary.nps(), summary.time);
        print(&Line::Result(result))
    }

    fn over(&mut self, subject: &Subject, outcome: Outcome) -> io::Result<()> {
        let mut result = Finding::new(&subject.pos, subject.spelling);
        result.over(&subject.pos, outcome);
        print(&Line::Result(result))
    }
}

/// The object for a position of a list; without anything found, the game is over.
pub(in crate::cli) fn list_line(
    line: usize,
    id: Option<&str>,
    pos: &Position,
    spelling: Spelling,
    found: Option<&review::Found>,
) -> io::Result<String> {
    let mut result = Finding::new(pos, spelling);
    result.line = Some(line);
    result.id = id.map(str::to_owned);
    match (found, pos.outcome()) {
        (Some(found), _) => {
            let nps = found.nodes as f64 / found.time.as_secs_f64().max(1e-6);
            result.search(pos, spelling, &found.line);
            result.score = Some(found.shown().into());
            result.effort(found.depth, found.nodes, nps as u64, found.time);
        }
        (None, Some(outcome)) => result.over(pos, outcome),
        (None, None) => {}
    }
    Ok(serde_json::to_string(&Line::Result(result))?)
}

/// The object for a line of a list that is no position.
pub(in crate::cli) fn error_line(line: usize, text: &str, error: &str) -> io::Result<String> {
    let (text, error) = (text.to_owned(), error.to_owned());
    Ok(serde_json::to_string(&Line::Error { line, text, error })?)
}

/// The FEN in a line that [`list_line`] made.
pub(in crate::cli) fn fen_of(line: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(value.get("fen")?.as_str()?.to_owned())
}

impl Subject {
    fn uci(&self, line: &[Move]) -> Vec<String> {
        line.iter().map(|&mv| self.spelling.uci(mv)).collect()
    }
}

fn print(line: &Line) -> io::Result<()> {
    let text = serde_json::to_string(line)?;
    writeln!(io::stdout().lock(), "{text}")
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The score of a finished game; none for a position where the side to move has already
/// won, which no game reaches.
fn final_score(side: Color, outcome: Outcome) -> Option<Score> {
    match outcome {
        Outcome::Draw { .. } => Some(Score::Cp(0)),
        Outcome::Win { winner, .. } => (winner != side).then_some(Score::Mate(0)),
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Info {
        depth: i32,
        seldepth: i32,
        multipv: usize,
        score: Score,
        bound: &'static str,
        nodes: u64,
        nps: u64,
        time_ms: u64,
        hashfull: u32,
        tbhits: u64,
        pv: Vec<String>,
        pv_san: Vec<String>,
    },
    Result(Finding),
    Error {
        line: usize,
        text: String,
        error: String,
    },
}

/// What is known of a position in the end.
#[derive(Serialize)]
struct Finding {
    /// In a list, the number of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// In a list, the operand of `id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    fen: String,
    variant: &'static str,
    chess960: bool,
    bestmove: Option<Both>,
    score: Option<Score>,
    outcome: Option<JsonOutcome>,
    depth: i32,
    nodes: u64,
    nps: u64,
    time_ms: u64,
    pv: Vec<String>,
    pv_san: Vec<String>,
}

impl Finding {
    /// Nothing known yet.
    fn new(pos: &Position, spelling: Spelling) -> Finding {
        Finding {
            line: None,
            id: None,
            fen: spelling.fen(pos),
            variant: pos.variant().name(),
            chess960: spelling.chess960,
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

    fn search(&mut self, pos: &Position, spelling: Spelling, line: &[Move]) {
        self.pv = line.iter().map(|&mv| spelling.uci(mv)).collect();
        self.pv_san = san::write_line(pos, line);
        let first = self.pv.first().zip(self.pv_san.first());
        self.bestmove = first.map(|(uci, san)| Both {
            uci: uci.clone(),
            san: san.clone(),
        });
    }

    fn effort(&mut self, depth: i32, nodes: u64, nps: u64, time: Duration) {
        (self.depth, self.nodes, self.nps) = (depth, nodes, nps);
        self.time_ms = millis(time);
    }

    fn over(&mut self, pos: &Position, outcome: Outcome) {
        self.score = final_score(pos.side(), outcome);
        self.outcome = Some(outcome.into());
    }
}

/// A move in both notations.
#[derive(Serialize)]
struct Both {
    uci: String,
    san: String,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Score {
    Cp(i32),
    Mate(i32),
}

impl From<Shown> for Score {
    fn from(shown: Shown) -> Score {
        match shown {
            Shown::Centipawns(cp) => Score::Cp(cp),
            Shown::Mate(moves) => Score::Mate(moves),
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
        let (result, reason) = match outcome {
            Outcome::Draw { reason } => ("1/2-1/2", reason),
            Outcome::Win { winner, reason } => match winner {
                Color::White => ("1-0", reason),
                Color::Black => ("0-1", reason),
            },
        };
        JsonOutcome {
            result,
            reason: reason.name(),
        }
    }
}
